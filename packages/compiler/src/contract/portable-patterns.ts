// Patterns that every engine for regular expressions reads. In: a document. Out: the same, without `\p{Cs}`: it takes the flag u in
// JavaScript, and Python doesn't know it. Half of a surrogate pair is refused by the runtime's own patterns all the same.

/** Also of patterns that documents of older versions hold. */
export function portablePattern(pattern: string): string {
  return pattern.replaceAll("\\p{Cs}", "");
}

export function withPortablePatterns<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(withPortablePatterns) as Part;
  if (typeof part !== "object" || part === null) return part;
  const members = Object.entries(part).map(([name, value]) => [
    name,
    name === "pattern" && typeof value === "string" ? portablePattern(value) : withPortablePatterns(value),
  ]);
  return Object.fromEntries(members) as Part;
}
