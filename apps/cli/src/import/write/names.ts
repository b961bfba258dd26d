// Turns names of another tool into names of a blueprint. In: `BlogPosts`, `authorId`. Out: `blog_post`, `author_id`. It never
// returns a name twice.
import { checkName } from "@plinth/blueprint";
import pluralize from "pluralize";

/** Lower-case words joined by `_`, beginning with a letter. `fallback` if nothing of the name is left. */
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

/** The last word in the plural. */
export function plural(name: string): string {
  const at = name.lastIndexOf("_") + 1;
  return name.slice(0, at) + pluralize.plural(name.slice(at));
}

export interface Names {
  /** A free name: a second `tag` becomes `tag_2`. */
  give(wanted: string): string;
  take(name: string): void;
  has(name: string): boolean;
}

export function createNames(taken: Iterable<string> = []): Names {
  const used = new Set(taken);
  return {
    give(wanted) {
      let name = wanted;
      for (let n = 2; used.has(name); n++) name = `${wanted}_${n}`;
      used.add(name);
      return name;
    },
    take: (name) => void used.add(name),
    has: (name) => used.has(name),
  };
}

const FIELD_LENGTH_MAX = 50;

/** The field's name for a column, before it is known whether it is free. */
export function fieldName(column: string): string {
  const plain = snakeCase(column, "field").slice(0, FIELD_LENGTH_MAX).replace(/_+$/, "");
  return checkName(plain, "field") === null ? plain : `${plain}_value`;
}

/** Values of an enum consist of letters, digits and `_`, and begin with a letter. Each keeps a unique name. */
export function enumNames(values: readonly string[]): ReadonlyMap<string, string> {
  const names = createNames(values.filter((value) => enumName(value) === value));
  return new Map(values.map((value) => [value, enumName(value) === value ? value : names.give(enumName(value))]));
}

function enumName(value: string): string {
  const clean = value
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9_]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, FIELD_LENGTH_MAX);
  const named = /^[A-Za-z]/.test(clean) ? clean : `v_${clean}`.replace(/_$/, "");
  return checkName(named, "enum value") === null ? named : `${named}_value`;
}

/** The name of a referenced record in rules: its field's name without `_id`. */
export function relationName(field: string): string {
  return field.endsWith("_id") && field.length > 3 ? field.slice(0, -3) : field;
}
