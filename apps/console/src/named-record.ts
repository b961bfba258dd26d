// The entity to which a field refers. In: a field's type. Out: the entity, also for a list of references; null for any other type. The
// language package has the same function, but importing it would load the whole package into the page.
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
