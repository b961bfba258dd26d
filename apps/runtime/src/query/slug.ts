// Generates a slug from a text. In: the text, and the record's id. Out: lower-case ASCII words joined by hyphens. It is
// never empty: for a text without a Latin letter or digit, it is the end of the id.

/** `charsMax` is at least as long as the id's part that replaces a text. */
export function slugOf(text: string, recordId: string, charsMax: number): string {
  const ascii = text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[ßẞ]/g, "ss")
    .replaceAll(/[æÆ]/g, "ae")
    .replaceAll(/[œŒ]/g, "oe")
    .replaceAll(/[øØ]/g, "o")
    .replaceAll(/[łŁ]/g, "l")
    .replaceAll(/[đĐðÐ]/g, "d")
    .replaceAll(/[þÞ]/g, "th")
    .toLowerCase();
  const words = ascii.replaceAll(/['’]/g, "").replaceAll(/[^a-z0-9]+/g, "-");
  const slug = words
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, charsMax)
    .replace(/-+$/, "");
  return slug === "" ? recordId.slice(-8).slice(0, charsMax) : slug;
}
