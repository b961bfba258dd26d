// Addresses in a declaration. In: any part of a blueprint, as data. Out: the URLs in its texts.

export function addressesIn(content: unknown): string[] {
  if (typeof content === "string") return content.match(/[a-z][a-z0-9+.-]*:\/\/[^\s"']+/gi) ?? [];
  if (content === null || typeof content !== "object") return [];
  return Object.values(content).flatMap(addressesIn);
}
