// Adds implicit fields. In: the declared fields of an entity and its options. Out: all its fields in order.
import type { Field, FieldType } from "../../model/model.ts";
import { serviceField } from "../../model/plain-field.ts";
import type { CheckedOptions } from "./entity-options.ts";

const ORG_FIELD = "org_id";

/** The names of the implicit fields of an entity with these options. */
export function implicitNames({ orgField, softDelete }: CheckedOptions): readonly string[] {
  const existing = ["id", "created_by", "created_at", "updated_at", "version"];
  return [...existing, ...(orgField === null ? [] : [orgField]), ...(softDelete ? ["deleted_at"] : [])];
}

/**
 * The times when a record was created and last changed. Only the service writes them, even if the entity declares them.
 */
export const timesOfRecord: readonly string[] = ["created_at", "updated_at"];

/**
 * A declared time of the record: it has the position and modifiers of the declaration, and the meaning of the service.
 */
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
    // An admin can set another organization, so it is not only the service that writes it.
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
