// What a record can't be without, and a source doesn't give. In: an entity and the fields that the source fills. Out: problems.
import type { TransferEntity, TransferField } from "@plinth/control/router";

/** @param from The table or the file, for people. */
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
        : [`${entity.name}.org_id: each record belongs to an organization: name one with --organization ID`];
    }
    return field.required
      ? [`${entity.name}.${field.name}: it is required, and no column of ${from} is mapped to it`]
      : [];
  });
}

/** Why the source can't fill the field; null where it can. */
export function refusalOf(
  { name: entity }: TransferEntity,
  name: string,
  field: TransferField | undefined,
): string | null {
  if (field === undefined) return `${entity} has no field ${name}`;
  if (field.isList) return `${entity}.${name} is a many-to-many field: a table of pairs brings it`;
  return field.refused === null ? null : `${entity}.${name} can't be imported. ${field.refused}`;
}
