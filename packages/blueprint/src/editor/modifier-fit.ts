// Which modifiers fit a field: in the short notation and as keys of the long form. In: a type and a modifier. Out: whether it has
// an effect, and which others it excludes.
import { type TypeName, typeTraits } from "../field-types/type-traits.ts";

/** Whether the modifier has an effect on the type. */
export function takes(type: TypeName, modifier: string): boolean {
  const traits = typeTraits[type];
  const generated = type === "computed" || type === "sequence";
  switch (modifier) {
    case "unique":
    case "index":
      return traits.keyed;
    case "searchable":
      return traits.searchable;
    case "immutable":
    case "readonly":
      return !generated;
    case "fill":
      return (
        !generated &&
        !["json", "list", "enum_set", "object", "i18n", "point", "vector", "refs", "secret", "file", "image"].includes(
          type,
        )
      );
    case "was":
      return type !== "computed";
    case "on_delete":
      return type === "ref" || type === "user_ref" || type === "org_ref";
    case "as":
      return type === "ref" || type === "refs" || type === "user_ref";
    case "per":
    case "at":
      return type === "sequence";
    default:
      return true;
  }
}

/** Modifiers that can't be on one field together. */
export const excludes: Readonly<Record<string, readonly string[]>> = {
  immutable: ["readonly"],
  readonly: ["immutable"],
  internal: ["searchable"],
  searchable: ["internal"],
  index: ["unique"],
  unique: ["index"],
};
