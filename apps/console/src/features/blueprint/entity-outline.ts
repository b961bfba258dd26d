// The line of each entity in a blueprint. In: its text, which may be invalid while it is typed. Out: names with their lines, in order. It
// only looks at lines, because it runs at every key.

export interface OutlineEntry {
  readonly name: string;
  /** From 1. */
  readonly line: number;
  /** The offset of the name in the text. */
  readonly offset: number;
}

const topKey = /^(?:"([^"]*)"|'([^']*)'|([^\s#:]+))\s*:/;

export function entityOutline(text: string): readonly OutlineEntry[] {
  const entries: OutlineEntry[] = [];
  let inside = false;
  /** The indentation of the first entity; the others have the same. */
  let indent: number | null = null;
  let offset = 0;
  for (const [index, line] of text.split("\n").entries()) {
    const content = line.trimStart();
    const depth = line.length - content.length;
    if (content !== "" && !content.startsWith("#")) {
      const key = keyOf(content);
      if (depth === 0) [inside, indent] = [key === "entities", null];
      else if (inside && key !== null && depth === (indent ?? depth)) {
        indent = depth;
        entries.push({ name: key, line: index + 1, offset: offset + depth });
      }
    }
    offset += line.length + 1;
  }
  return entries;
}

function keyOf(content: string): string | null {
  const match = topKey.exec(content);
  return match ? (match[1] ?? match[2] ?? match[3] ?? null) : null;
}
