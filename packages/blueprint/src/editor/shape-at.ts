// Walks the grammar along a path of keys. In: a path. Out: the possible shapes at its end, and the keys on the way. It
// never looks at the text.
import { step } from "../language/background-sections.ts";
import { fieldKeys } from "../language/field-types.ts";
import { sections, shapes } from "../language/sections.ts";
import type { KeyShape, Shape } from "../language/shape.ts";

/** Alternatives are resolved: none of them is `any_of` or `shape`. */
export function shapesAt(path: readonly string[]): readonly Shape[] {
  let found: readonly Shape[] = [{ kind: "map", keys: sections }];
  for (const name of path) {
    // A fixed key is never a name of the author's, such as a field in the short form of an entity.
    const fixed = found.filter((shape) => shape.kind === "map" && Object.hasOwn(shape.keys, name));
    found = (fixed.length > 0 ? fixed : found).flatMap((shape) => below(shape, name)).flatMap(opened);
  }
  return found;
}

/** The last key of the path, if the grammar names it. */
export function keyAt(path: readonly string[]): KeyShape | null {
  const name = path[path.length - 1];
  if (name === undefined) return null;
  for (const shape of shapesAt(path.slice(0, -1))) {
    if (shape.kind === "map" && Object.hasOwn(shape.keys, name)) return shape.keys[name] ?? null;
    if (shape.kind === "field" && Object.hasOwn(fieldKeys, name)) return fieldKeys[name] ?? null;
  }
  return null;
}

function below(shape: Shape, name: string): readonly Shape[] {
  switch (shape.kind) {
    case "map": {
      const key = Object.hasOwn(shape.keys, name) ? shape.keys[name] : undefined;
      return key === undefined ? [] : [key.value];
    }
    case "names":
      return name === "[]" ? [] : [shape.value];
    case "list":
      return name === "[]" ? [shape.of] : [];
    case "value":
      return [shape];
    case "field": {
      const key = Object.hasOwn(fieldKeys, name) ? fieldKeys[name] : undefined;
      return key === undefined ? [] : [key.value];
    }
    default:
      return [];
  }
}

/** Its alternatives, without names of shapes. */
export function opened(shape: Shape): readonly Shape[] {
  if (shape.kind === "any_of") return shape.of.flatMap(opened);
  if (shape.kind === "shape") return opened(shape.name === "step" ? step : shapes[shape.name]);
  return [shape];
}
