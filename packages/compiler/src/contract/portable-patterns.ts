// Makes patterns portable. In: a document. Out: the same without `\p{Cs}`: it needs the flag u in JavaScript, and
// Python doesn't support it. The runtime's own patterns still refuse half of a surrogate pair.

/** Also for patterns in documents of older versions. */
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
