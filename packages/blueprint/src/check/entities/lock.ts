// Checks `lock`. In: the reference by which an entity's writes are locked. Out: its field, or a diagnostic. For a whole
// model, it also warns about each rule over other records of its own entity that two simultaneous writes can break.
import { type Expression, partsOf } from "@plinth/expression";
import type { PermissionDeclaration } from "../../declarations/declarations.ts";
import type { Field } from "../../model/field.ts";
import type { Entity, Model } from "../../model/model.ts";
import { targetOf } from "../../rules/expression-schema.ts";
import type { Places } from "../../text/places.ts";
import type { Report } from "../../text/report.ts";
import { suggestFor } from "../../text/suggestions.ts";
import type { Word } from "../../text/syntax.ts";
import { rangeOfRule } from "../permissions/rule-range.ts";

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

/** Two simultaneous requests each see the state before both, so both can pass a rule that only allows one of them. */
export function warnOfUnguardedSiblings(
  model: Model,
  declared: readonly PermissionDeclaration[],
  places: Places,
  report: Report,
): void {
  for (const entity of model.entities) {
    if (entity.exclusions !== undefined) continue;
    for (const permission of entity.permissions) {
      if (permission.operation === "read") continue;
      const found = siblingsIn(permission.rule, entity);
      const range = found === null ? null : rangeOfRule(entity.name, permission, declared, places);
      if (found === null || range === null) continue;
      const why = entity.lock === undefined ? "" : `, and \`lock: ${entity.lock}\` uses another reference`;
      const message = `This rule looks at other records of \`${entity.name}\`${why}, so two records that are written at the same time can both pass it.`;
      report.add("siblings_unguarded", range, message, hintFor(entity.name, found, entity.lock));
    }
  }
}

function hintFor(entity: string, { path: [parent, ...further] }: Each, lock: string | undefined): string {
  if (parent === undefined) return `Add \`lock:\` to \`${entity}\`, with the reference that these records share.`;
  if (lock === parent && further.length > 0)
    return `Only records with the same \`${lock}\` are written one after the other. Give \`${entity}\` its own reference to the record that they share.`;
  const instead = lock === undefined ? `Add \`lock: ${parent}\` to` : `Write \`lock: ${parent}\` in`;
  return `${instead} \`${entity}\`: writes with the same reference then run one after the other. To prevent overlaps, use \`exclude:\`.`;
}

type Each = Extract<Expression, { kind: "each" }>;

/** A use of other records of the entity that its lock doesn't protect. */
function siblingsIn(rule: Expression, entity: Pick<Entity, "name" | "lock">): Each | null {
  if (rule.kind === "each" && rule.entity === entity.name && !isGuarded(rule, entity.lock)) return rule;
  for (const part of partsOf(rule)) {
    const found = siblingsIn(part, entity);
    if (found !== null) return found;
  }
  return null;
}

/**
 * Records behind the locked one. A record that refers to the record itself waits for its row, but the records of an
 * `each` are not locked.
 */
function isGuarded({ row, path }: Each, lock: string | undefined): boolean {
  if (lock === undefined) return false;
  const isOwn = row === "record" || row === "old" || row === "new";
  return !isOwn || path.length === 0 || (path.length === 1 && path[0] === lock);
}
