// Explains why somebody can or can't do something with a real record. In: a model, the caller, the operation, and the
// record with its related records, as the API shows them. Out: the result of `explainAccess`, with the values that each
// deciding part read. Values that were not given are empty and never invented: `missing` lists those that a rule needs.
import { type Expression, evaluateValue, explain, partsOf, printExpression, type Value } from "@plinth/expression";
import type { CheckedBlueprint } from "./check-blueprint.ts";
import { type AccessExplanation, toldOf } from "./explain-access.ts";
import { judge } from "./judging/judge.ts";
import { worldOf } from "./judging/world.ts";
import type { Entity, JsonValue, Model, Operation } from "./model/model.ts";

/** A record or a user as JSON. */
type Values = Readonly<Record<string, JsonValue>>;

/** Null if nobody is signed in. */
export type Somebody = {
  readonly id: string;
  readonly email: string;
  readonly roles: readonly string[];
  /** Including the profile fields. */
  readonly values: Values;
  /** Their requests use the first one. */
  readonly organizations: readonly { readonly organization: string; readonly role: string }[];
} | null;

export interface RecordQuestion {
  readonly who: Somebody;
  readonly operation: Operation;
  readonly entity: string;
  /** With its id; null for a create. */
  readonly record: Values | null;
  /** The sent values. */
  readonly input: Values;
  /** Related records, each with its id. */
  readonly others: readonly { readonly entity: string; readonly values: Values }[];
  /** RFC 3339. */
  readonly now: string;
}

export interface RecordExplanation extends AccessExplanation {
  /** For each grant, the values that the deciding part read; for a true rule, those of the whole rule. */
  readonly seen: readonly (readonly { readonly text: string; readonly value: Value }[])[];
  /** Fields that the rules need and the given records don't contain. */
  readonly missing: readonly string[];
}

const PUBLIC = "public";

/** @throws Error if the model has no such entity. */
export function explainRecord(
  { model, places }: Pick<CheckedBlueprint, "places"> & { readonly model: Model },
  question: RecordQuestion,
): RecordExplanation {
  const { who, record, operation } = question;
  const entity = entityOf(model, question.entity);
  const rows = [...(record === null ? [] : [{ entity: entity.name, values: record }]), ...question.others];
  const users = who === null ? [] : [{ ...who, name: who.id, profile: whole(model.userFields, who.values) }];
  const world = worldOf(
    model,
    {
      users,
      rows: rows.map(({ entity: of, values }) => ({
        entity: of,
        name: String(values["id"]),
        values: whole(entityOf(model, of).fields, values),
      })),
      expect: [],
    },
    { now: question.now },
  );
  const row = record === null ? null : (world.rows.find(({ id }) => id === record["id"]) ?? null);
  const input = world.resolve(entity, question.input);
  const verdict = judge({ as: who?.id ?? PUBLIC, entity, operation, row, input }, world);
  const seen = verdict.judged.map(({ permission, context }) => {
    const part = explain(permission.rule, context).culprit ?? permission.rule;
    return leavesOf(part).map((leaf) => ({ text: printExpression(leaf), value: evaluateValue(leaf, context) }));
  });
  const asked = verdict.judged.flatMap(({ permission }) => leavesOf(permission.rule));
  return { ...toldOf(verdict, places), seen, missing: missingOf(asked, record) };
}

function entityOf(model: Model, name: string): Entity {
  const found = model.entities.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no entity ${name}.`);
  return found;
}

/** Every field has a value: what the API doesn't show is empty. */
function whole(fields: Entity["fields"], values: Values): Record<string, JsonValue> {
  return Object.fromEntries(fields.map(({ name }) => [name, values[name] ?? null]));
}

/**
 * The values that a part of a rule reads, each once. A value that is read in each record of a list has no single value.
 */
function leavesOf(part: Expression): readonly Expression[] {
  const found = new Map<string, Expression>();
  const visit = (node: Expression): void => {
    if (node.kind === "each") return;
    if (node.kind === "field" || node.kind === "user" || node.kind === "context")
      found.set(printExpression(node), node);
    for (const one of partsOf(node)) visit(one);
  };
  visit(part);
  return [...found.values()];
}

function missingOf(leaves: readonly Expression[], record: Values | null): readonly string[] {
  if (record === null) return [];
  const names = leaves.flatMap((leaf) =>
    leaf.kind === "field" && leaf.path.length === 1 && !Object.hasOwn(record, leaf.path[0] ?? "") ? leaf.path : [],
  );
  return [...new Set(names)];
}
