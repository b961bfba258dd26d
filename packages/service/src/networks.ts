// Networks that an operator names. In: addresses and ranges. Out: a question about an address.
// What was not named is in none of them.
import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Whether an address lies in one of the networks; an IPv4 address is the same when it is written as an IPv6 one. */
export type Networks = (address: string) => boolean;

/** @param ranges `10.0.0.0/8`, `::1`, ... @throws Error that names the first one that is neither. */
export function networksOf(ranges: readonly string[]): Networks {
  const list = new BlockList();
  for (const range of ranges) add(list, range);
  return (address) => {
    const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
    if (isIPv4(mapped)) return list.check(mapped, "ipv4");
    return isIPv6(mapped) && list.check(mapped, "ipv6");
  };
}

function add(list: BlockList, range: string): void {
  const [address = "", bits, ...rest] = range.split("/");
  const family = isIPv4(address) ? "ipv4" : isIPv6(address) ? "ipv6" : null;
  const length = bits === undefined ? null : Number(bits);
  const longest = family === "ipv4" ? 32 : 128;
  const fits = length === null || (/^\d{1,3}$/.test(bits ?? "") && length <= longest);
  if (family === null || rest.length > 0 || !fits) throw new Error(`${range} is neither an address nor a range.`);
  if (length === null) list.addAddress(address, family);
  else list.addSubnet(address, length, family);
}
