// Parses IP addresses and networks. In: their text. Out: numbers, and whether an address is in a network; null for an
// invalid text. An IPv4 address in IPv6 notation (`::ffff:10.0.0.1`) counts as the IPv4 address.

export interface Address {
  readonly version: 4 | 6;
  readonly bits: bigint;
}

export interface Network extends Address {
  /** How many leading bits an address must have in common with the network. */
  readonly length: number;
}

const lengths = { 4: 32, 6: 128 } as const;

export function parseAddress(text: string): Address | null {
  const four = parseFour(text);
  if (four !== null) return { version: 4, bits: four };
  const six = parseSix(text);
  if (six === null) return null;
  return six >> 32n === 0xffffn ? { version: 4, bits: six & 0xffff_ffffn } : { version: 6, bits: six };
}

/** `10.0.0.0/8`, or a single address, which is a network of one. */
export function parseNetwork(text: string): Network | null {
  const [before = "", after, more] = text.split("/");
  const address = parseAddress(before);
  if (address === null || more !== undefined) return null;
  const most = lengths[address.version];
  // The prefix length of a network in IPv6 notation counts all 128 bits.
  const isMapped = address.version === 4 && before.includes(":");
  if (after === undefined) return { ...address, length: most };
  if (!/^(?:0|[1-9]\d{0,2})$/.test(after)) return null;
  const length = Number(after) - (isMapped ? 96 : 0);
  return length < 0 || length > most ? null : { ...address, length };
}

export function isWithin(address: Address, network: Network): boolean {
  const rest = BigInt(lengths[network.version] - network.length);
  return address.version === network.version && address.bits >> rest === network.bits >> rest;
}

/** The same text that Postgres accepts. */
export function printNetwork({ version, bits, length }: Network): string {
  if (version === 4) return `${[24n, 16n, 8n, 0n].map((by) => (bits >> by) & 0xffn).join(".")}/${length}`;
  const groups = Array.from({ length: 8 }, (_, index) => ((bits >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
  return `${groups.join(":")}/${length}`;
}

/** Why a text is not a network; null if it is one. */
export function networkProblem(text: string): { readonly message: string; readonly hint: string } | null {
  const network = parseNetwork(text);
  if (network === null) {
    const hint = 'Write it as `"10.0.0.0/8"` or `"2001:db8::/32"`.';
    return { message: "This is not a network of IP addresses.", hint };
  }
  const rest = BigInt(lengths[network.version] - network.length);
  if ((network.bits >> rest) << rest === network.bits) return null;
  const first = { ...network, bits: (network.bits >> rest) << rest };
  const message = `The address has bits set beyond the first ${network.length} bits.`;
  return { message, hint: `Write \`"${printNetwork(first)}"\`.` };
}

function parseFour(text: string): bigint | null {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255))
    return null;
  return parts.reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);
}

function parseSix(text: string): bigint | null {
  const halves = text.split("::");
  if (halves.length > 2) return null;
  const [left, right] = halves.map((half) => groupsOf(half));
  if (left === null || left === undefined || right === null) return null;
  if (right === undefined) return left.length === 8 ? joined(left) : null;
  // `::` stands for at least one group.
  const missing = 8 - left.length - right.length;
  return missing < 1 || endsInFour(halves[0]) ? null : joined([...left, ...Array<bigint>(missing).fill(0n), ...right]);
}

/** An IPv4 address can only be at the very end. */
function endsInFour(text: string | undefined): boolean {
  return text?.includes(".") === true;
}

function groupsOf(text: string): readonly bigint[] | null {
  if (text === "") return [];
  const parts = text.split(":");
  const groups = parts.flatMap((part, index): readonly (bigint | null)[] => {
    if (/^[0-9a-f]{1,4}$/i.test(part)) return [BigInt(`0x${part}`)];
    const four = index === parts.length - 1 ? parseFour(part) : null;
    return four === null ? [null] : [four >> 16n, four & 0xffffn];
  });
  return groups.every((one) => one !== null) ? groups : null;
}

function joined(groups: readonly bigint[]): bigint {
  return groups.reduce((bits, group) => (bits << 16n) | group, 0n);
}
