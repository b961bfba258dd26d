// Finds the required fields that a source doesn't set. In: an entity and the fields that the source sets. Out: problems.
import type { TransferEntity, TransferField } from "@plinth/control/router";

/** @param from The name of the table or file, for people. */
export function missingFields(
  entity: TransferEntity,
  given: ReadonlySet<string>,
  { from, hasOrganization }: { readonly from: string; readonly hasOrganization: boolean },
): readonly string[] {
  return entity.fields.flatMap((field) => {
    if (field.name === "id" || given.has(field.name)) return [];
    if (field.name === "org_id" && entity.inOrganization) {
      return hasOrganization
        ? []
        : [`${entity.name}.org_id: each record needs an organization: name one with --organization ID`];
    }
    return field.required
      ? [`${entity.name}.${field.name}: it is required, and no column of ${from} is mapped to it`]
      : [];
  });
}

/** Why the source can't set the field; null if it can. */
export function refusalOf(
  { name: entity }: TransferEntity,
  name: string,
  field: TransferField | undefined,
): string | null {
  if (field === undefined) return `${entity} has no field ${name}`;
  if (field.isList) return `${entity}.${name} is a many-to-many field, which is imported from a table of pairs`;
  return field.refused === null ? null : `${entity}.${name} can't be imported. ${field.refused}`;
}
