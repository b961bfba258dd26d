// Makes patterns portable. In: a document. Out: the same without `\p{Cs}`: it needs the flag u in JavaScript, and
// Python doesn't support it. The runtime's own patterns still refuse half of a surrogate pair.

/** Also for patterns in documents of older versions. */
export function portablePattern(pattern: string): string {
  return pattern.replaceAll("\\p{Cs}", "");
}

/** Copies only what holds such a pattern: the document of a large project has some 100,000 parts, and few patterns. */
export function withPortablePatterns<Part>(part: Part): Part {
  if (typeof part !== "object" || part === null) return part;
  const members = part as Record<string, unknown>;
  let changed: Record<string, unknown> | null = null;
  for (const name of Object.keys(members)) {
    const value = members[name];
    const isPattern = name === "pattern" && typeof value === "string";
    const portable = isPattern ? portablePattern(value) : withPortablePatterns(value);
    if (portable === value) continue;
    changed ??= (Array.isArray(part) ? [...part] : { ...members }) as Record<string, unknown>;
    changed[name] = portable;
  }
  return (changed as Part | null) ?? part;
}
