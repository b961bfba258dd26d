// The data that an import can write and an export can read. In: the live release. Out: entities with their fields. It never
// names data that nobody can read or write: password hashes aren't fields, and encrypted values stay.
import type { BundleField } from "@plinth/bundle";
import type { ExportPart, TransferEntity, TransferField, TransferShape } from "@plinth/bundle/cell";
import type { ActiveRelease } from "../project/active-release.ts";

/** Entities with rows that create others: members and their organizations are invited, or created by the module. */
const NO_RECORDS: readonly string[] = ["organization"];

export function transferShape({ bundle }: ActiveRelease): TransferShape {
  const entities = bundle.entities
    .filter(({ name }) => !NO_RECORDS.includes(name))
    .map(
      ({ name, fields, scope, table }): TransferEntity => ({
        name,
        inOrganization: scope !== null,
        fields: fields
          .filter((field) => field.column !== null || field.join !== null)
          .map((field) => transferField(field, bundle.tables.find((one) => one.name === table)?.columns ?? [])),
      }),
    );
  return { entities };
}

function transferField(
  field: BundleField,
  columns: readonly { readonly name: string; readonly nullable: boolean }[],
): TransferField {
  const nullable = field.join !== null || columns.find(({ name }) => name === field.column)?.nullable !== false;
  return {
    name: field.name,
    sqlType: field.sqlType,
    nullable,
    required: !nullable && field.default === null && field.sequence === null,
    references: field.references,
    isList: field.join !== null,
    refused: refusalOf(field),
  };
}

function refusalOf({ name, secret }: BundleField): string | null {
  if (secret) return "The service encrypts its values. Write them through the API.";
  return name === "version" ? "The service counts versions." : null;
}

/** In the order of the blueprint, each entity followed by its many-to-many fields. */
export function exportParts({ bundle }: ActiveRelease): readonly ExportPart[] {
  return bundle.entities.flatMap((entity): ExportPart[] => {
    if (NO_RECORDS.includes(entity.name)) return [];
    const stored = entity.fields.filter(({ column, hidden, secret }) => column !== null && !hidden && !secret);
    const fields = stored.map((field) => field.name).filter((field) => field !== "version");
    const lists = entity.fields.filter((field) => field.join !== null && !field.hidden);
    return [
      { name: entity.name, entity: entity.name, kind: "records", fields },
      ...lists.map(
        (field): ExportPart => ({
          name: `${entity.name}.${field.name}`,
          entity: entity.name,
          kind: "links",
          fields: [field.name],
        }),
      ),
    ];
  });
}
