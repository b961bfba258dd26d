// In: a notation that gives its type limits in a way that there is none of: `string(max: 80)`, `list<string>(5)`. Out: a hint with
// the long form that says the same; null where the notation says nothing of that kind. It never reads other notations.

/** Bounded, so that no text is searched again and again for where a bracket closes. */
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
