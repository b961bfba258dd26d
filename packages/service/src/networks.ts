// Networks that an operator lists. In: addresses and ranges. Out: a function that checks an address. An address that
// isn't listed is in none of them.
import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Whether an address is in one of the networks; an IPv4 address in IPv6 notation counts as the IPv4 address. */
export type Networks = ((address: string) => boolean) & {
  /** True if the operator lists none. */
  readonly isEmpty?: boolean;
};

/** @param ranges `10.0.0.0/8`, `::1`, ... @throws Error that names the first invalid one. */
export function networksOf(ranges: readonly string[]): Networks {
  const list = new BlockList();
  for (const range of ranges) add(list, range);
  const contains = (address: string): boolean => {
    const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
    if (isIPv4(mapped)) return list.check(mapped, "ipv4");
    return isIPv6(mapped) && list.check(mapped, "ipv6");
  };
  return Object.assign(contains, { isEmpty: ranges.length === 0 });
}

export const noNetworks: Networks = networksOf([]);

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
