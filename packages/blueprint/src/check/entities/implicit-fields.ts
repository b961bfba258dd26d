// In: the declared fields of an entity and its options. Out: all its fields in their order, those that nobody declares too.
import type { Field, FieldType } from "../../model/model.ts";
import { serviceField } from "../../model/plain-field.ts";
import type { CheckedOptions } from "./entity-options.ts";

const ORG_FIELD = "org_id";

/** Names of the fields that an entity with these options has by itself. */
export function implicitNames({ orgField, softDelete }: CheckedOptions): readonly string[] {
  const standing = ["id", "created_by", "created_at", "updated_at", "version"];
  return [...standing, ...(orgField === null ? [] : [orgField]), ...(softDelete ? ["deleted_at"] : [])];
}

/** When a record was made and last changed: the service's own, whether or not the entity declares them. */
export const timesOfRecord: readonly string[] = ["created_at", "updated_at"];

/** A declared time of the record: with the declaration's place and marks, and the service's meaning. */
export function asTimeOfRecord(field: Field): Field {
  return { ...field, writer: "service", optional: false, default: { kind: "now" } };
}

export function withImplicitFields(
  declared: readonly Field[],
  { orgField, softDelete }: CheckedOptions,
): readonly Field[] {
  const own = new Set(declared.map((field) => field.name));
  const unless = (field: Field): readonly Field[] => (own.has(field.name) ? [] : [field]);
  const organization = implicit(
    ORG_FIELD,
    { kind: "org_ref", onDelete: "restrict" },
    // An admin may give another organization, so it is not the service alone that writes it.
    { default: { kind: "current_org" }, immutable: true, writer: "caller" },
  );
  const deleted = implicit("deleted_at", { kind: "datetime" }, { optional: true });
  return [
    implicit("id", { kind: "uuid" }, {}),
    ...(orgField === null ? [] : unless(organization)),
    ...declared.map((field) => (orgField === field.name ? { ...field, immutable: true } : field)),
    ...unless(
      implicit(
        "created_by",
        { kind: "user_ref", onDelete: "set_null" },
        { optional: true, default: { kind: "current_user_id" } },
      ),
    ),
    ...unless(implicit("created_at", { kind: "datetime" }, { default: { kind: "now" } })),
    ...unless(implicit("updated_at", { kind: "datetime" }, { default: { kind: "now" } })),
    ...(softDelete ? unless(deleted) : []),
    implicit("version", { kind: "int" }, { default: { kind: "literal", value: 1 } }),
  ];
}

function implicit(name: string, type: FieldType, rest: Partial<Field>): Field {
  return serviceField(name, { type, ...rest });
}
