// Checks `lock`. In: the reference by which an entity's writes are locked. Out: its field, or a diagnostic.
import type { Field } from "../../model/field.ts";
import { targetOf } from "../../rules/expression-schema.ts";
import type { Report } from "../../text/report.ts";
import { suggestFor } from "../../text/suggestions.ts";
import type { Word } from "../../text/syntax.ts";

interface KnownFields {
  readonly name: string;
  readonly fields: ReadonlyMap<string, Field>;
  readonly broken: ReadonlySet<string>;
  readonly report: Report;
}

/** Null if none is declared, or if it is not a reference. */
export function checkLock(declared: Word | null, { name, fields, broken, report }: KnownFields): string | null {
  if (declared === null || broken.has(declared.text)) return null;
  const field = fields.get(declared.text);
  const references = [...fields.values()].filter(isReference).map((one) => one.name);
  if (field === undefined) {
    const hint = suggestFor(declared.text, references, report);
    report.add("unknown_field", declared.range, `\`${name}\` has no field \`${declared.text}\`.`, hint);
    return null;
  }
  if (isReference(field)) return field.name;
  const hint =
    references.length === 0
      ? "First add a field with the type `ref(...)`."
      : `References of this entity: ${references.map((one) => `\`${one}\``).join(", ")}.`;
  report.add(
    "invalid_option",
    declared.range,
    `\`lock\` must name a reference, but \`${field.name}\` is not one.`,
    hint,
  );
  return null;
}

function isReference({ type }: Field): boolean {
  return type.kind !== "refs" && targetOf(type) !== null;
}
