// Finds what no procedure accepts: texts that Postgres can't store, and nesting that is too deep for a recursive function.
// In: an input as it was sent. Out: the problem, with its place. It copies nothing, since an input can have a million members.

const DEPTH_MAX = 64;
const UNSTORABLE = "It holds a character that can't be stored (NUL, or half of a surrogate pair).";

/** Null if there is no problem. */
export function whyUnstorable(input: unknown): string | null {
  const found = search(input, 0);
  if (found === null) return null;
  const place = found.path.reverse();
  return `${(found.isDeep ? place.slice(0, 1) : place).join(".") || "input"}: ${found.message}`;
}

interface Found {
  readonly message: string;
  readonly isDeep: boolean;
  /** The innermost name first. */
  readonly path: string[];
}

function search(value: unknown, depth: number): Found | null {
  if (typeof value === "string") return isStorable(value) ? null : { message: UNSTORABLE, isDeep: false, path: [] };
  if (typeof value !== "object" || value === null) return null;
  if (depth === DEPTH_MAX) {
    return { message: `It is nested more than ${DEPTH_MAX} levels deep.`, isDeep: true, path: [] };
  }
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const found = search(value[at], depth + 1);
      if (found !== null) return within(found, String(at));
    }
    return null;
  }
  for (const name of Object.keys(value)) {
    if (!isStorable(name)) return { message: `The name of a member: ${UNSTORABLE}`, isDeep: false, path: [] };
    const found = search((value as Record<string, unknown>)[name], depth + 1);
    if (found !== null) return within(found, name);
  }
  return null;
}

function within(found: Found, name: string): Found {
  found.path.push(name);
  return found;
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}
