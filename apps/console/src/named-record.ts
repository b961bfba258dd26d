// Whose records a field names. In: a field's type. Out: the entity, also of a list of references; null for any other type. Beside the
// language, which would come into the page with its own.
import type { FieldType } from "@plinth/blueprint";

export function namedRecord(type: FieldType): string | null {
  switch (type.kind) {
    case "ref":
    case "refs":
      return type.entity;
    case "user_ref":
      return "user";
    case "org_ref":
      return "organization";
    default:
      return null;
  }
}
