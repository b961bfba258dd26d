// In: a name. Out: a UUID (version 8) that is always the same for that name. It is neither secret nor random.

const prime = 0x0000000001000000000000000000013bn;
const basis = 0x6c62272e07bb014262b821756295c58dn;
const mask = (1n << 128n) - 1n;

/** FNV-1a of 128 bits over the name's UTF-8, with the version and the variant of a UUID. */
export function idFromName(name: string): string {
  let hash = basis;
  for (const byte of new TextEncoder().encode(name)) hash = ((hash ^ BigInt(byte)) * prime) & mask;
  const digits = hash.toString(16).padStart(32, "0");
  const variant = ((Number.parseInt(digits.charAt(16), 16) & 0x3) | 0x8).toString(16);
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`, variant + digits.slice(17, 20)];
  return [...parts, digits.slice(20)].join("-");
}
