// Turns names of another tool into names of a blueprint. In: `BlogPosts`, `authorId`. Out: `blog_post`, `author_id`.
// It never gives one name twice.
import pluralize from "pluralize";

/** Lower-case words joined by `_`, beginning with a letter; `fallback` where nothing of the name is left. */
export function snakeCase(name: string, fallback: string): string {
  const words = name
    .normalize("NFKD")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^[_0-9]+|_+$/g, "");
  return words === "" ? fallback : words;
}

/** The last word in the singular. */
export function singular(name: string): string {
  const at = name.lastIndexOf("_") + 1;
  return name.slice(0, at) + pluralize.singular(name.slice(at));
}

/** Hands out names, each once: a second `tag` becomes `tag_2`. */
export function createNames(taken: Iterable<string> = []): (wanted: string) => string {
  const used = new Set(taken);
  return (wanted) => {
    let name = wanted;
    for (let n = 2; used.has(name); n++) name = `${wanted}_${n}`;
    used.add(name);
    return name;
  };
}

/** Values of an enum are letters, digits and `_`, beginning with a letter. */
export function enumValue(value: string): string {
  const clean = value.replace(/[^A-Za-z0-9_]+/g, "_").replace(/^_+|_+$/g, "");
  const named = /^[A-Za-z]/.test(clean) ? clean : `v_${clean}`;
  return /^(?:yes|no|on|off|true|false|null|constructor)$/i.test(named) ? `${named}_value` : named;
}
