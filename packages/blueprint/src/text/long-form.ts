// Explains invalid limits of a type: `string(max: 80)`, `list<string>(5)`. In: the notation. Out: a hint with the same
// in the long form; null if there are no such limits. It never reads other notations.

/** Limited, so that no text is searched repeatedly for a closing bracket. */
const LENGTH_MAX = 300;

export function longFormOf(notation: string): string | null {
  const text = notation.trim();
  if (text.length > LENGTH_MAX) return null;
  const match = /^([a-z_]+(?:<.*>|\{.*\})?)\s*[([]([^()[\]]*)[)\]](\?)?/s.exec(text);
  const [, type = "", inside = "", optional = ""] = match ?? [];
  if (match === null) return null;
  const named = [...inside.matchAll(/\b(min|max)\s*(?:[:=]\s*)?(\d+)?/g)].map(
    ([, name, value]) => `${name}: ${value ?? "80"}`,
  );
  const counted = /[>}]$/.test(type) && /^\s*\d+\s*$/.test(inside) ? [`max: ${inside.trim()}`] : [];
  const limits = [...named, ...counted].join(", ");
  if (limits === "") return null;
  const quoted = /[{}[\],?]/.test(`${type}${optional}`) ? `"${type}${optional}"` : type;
  return `In the long form, limits are named keys: \`{ type: ${quoted}, ${limits} }\`.`;
}
