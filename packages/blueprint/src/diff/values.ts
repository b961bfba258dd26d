// Checks new values against rules. In: two models in the same words, and a field to which the service gives another
// value than before: its default, or a forced value. Out: whether a rule that reads the field lets in somebody who was
// kept out. Rules are compared with the old and new value in place of the field. If a field is read behind a reference,
// in other records, or for another forced value, this isn't possible, and it counts as letting in.
import { type ComparisonBudget, type Expression, partsOf, rewrite } from "@plinth/expression";
import type { Entity, Field, FieldDefault, Model, Operation, Permission } from "../model/model.ts";
import { targetOf } from "../rules/expression-schema.ts";
import type { Witness } from "./change.ts";
import { same } from "./make-change.ts";
import { oneOf } from "./one-of.ts";
import { sizeOfRule } from "./policy.ts";
import { actOf, type Compare, exampleRole, undecidedWitness } from "./witness.ts";

/** The value of a field if nobody sets it: a constant, or something that is only known at run time. */
export type GivenValue = { readonly literal: string | number | boolean | null } | "any";

export interface GivenValues {
  readonly was: GivenValue;
  readonly is: GivenValue;
}

/** `entity` can be `user`; the field is the new one. Null if it is proven that nobody new is let in. */
export type GainByValue = (entity: string, field: Field, values: GivenValues) => Witness | null;

export function givenByDefault(value: FieldDefault | null): GivenValue {
  if (value === null) return { literal: null };
  if (value.kind !== "literal") return "any";
  const { value: literal } = value;
  const plain = typeof literal === "string" || typeof literal === "number" || typeof literal === "boolean";
  return plain ? { literal } : "any";
}

export function givenByRule(value: Expression): GivenValue {
  return value.kind === "literal" ? { literal: value.value } : "any";
}

export function createGainByValue(after: Model, compare: Compare, budget: ComparisonBudget): GainByValue {
  let readers: Readers | null = null;

  return (owner, field, { was, is }) => {
    if (was !== "any" && same(was, is)) return null;
    readers ??= readersOf(after);
    let open: Witness | null = null;
    for (const { entity, operation, further } of readers.get(keyOf(owner, field.name)) ?? []) {
      const permissions = entity.permissions.filter((one) => one.operation === operation);
      const gain = { role: exampleRole(entity, operation), operation, entity: entity.name, field: null };
      if (!budget.spend(REWRITING_WORK * permissions.reduce((sum, one) => sum + sizeOfRule(one.rule), 0)))
        return trusting(undecidedWitness(gain, "budget"), field, is);
      const given = (value: GivenValue, mark: string): Permission[] =>
        permissions.map((one) => ({ ...one, rule: withValue(one.rule, { owner, entity, field, value, mark }) }));
      const found = compare(gain, { entity, permissions: given(was, WAS) }, { entity, permissions: given(is, "") });
      if (found?.decided === true) return trusting(found, field, is);
      open ??= found;
      if (further) open ??= undecidedWitness(gain, "unknown");
    }
    return open === null ? null : trusting(open, field, is);
  };
}

/** The witness of the comparison, with the field's new value. */
function trusting(found: Witness, field: Field, is: GivenValue): Witness {
  const value = is === "any" ? "is set by the service" : `is \`${String(is.literal)}\``;
  const act = actOf({ ...found, field: null });
  if (!found.decided) return { ...found, summary: `A rule reads \`${field.name}\`. ${found.summary}` };
  const summary = `Where \`${field.name}\` ${value} by default, ${oneOf(found.role)} can now ${act}.`;
  return { ...found, summary };
}

/** The cost of inserting a value into one part of a rule, before and after, in looks at a part of a rule. */
const REWRITING_WORK = 10;

/** The mark after the name of a field whose previous value is unknown; no name in a blueprint ends with it. */
const WAS = "~was";

interface Replacement {
  readonly owner: string;
  readonly entity: Entity;
  readonly field: Field;
  readonly value: GivenValue;
  readonly mark: string;
}

/** The rule for a record whose field has this value. */
function withValue(rule: Expression, { owner, entity, field, value, mark }: Replacement): Expression {
  return rewrite(rule, (node) => {
    if (node.kind === "user" && owner === "user" && node.name === field.name) {
      if (value === "any") return { ...node, name: node.name + mark };
      return whereSignedIn({ kind: "literal", type: node.type, value: value.literal });
    }
    const isOwn =
      node.kind === "field" && owner === entity.name && node.path.length === 1 && node.path[0] === field.name;
    if (!isOwn || !holdsIt(node.row, field)) return node;
    if (value === "any") return { ...node, path: [field.name + mark] };
    return { kind: "literal", type: node.type, value: value.literal };
  });
}

/** Callers choose what they write in an update; everything else is what the record had from the start. */
function holdsIt(row: string, field: Field): boolean {
  return row === "record" || row === "old" || (row === "new" && field.writer === "service");
}

/** Profile fields have values only if somebody is signed in. */
function whereSignedIn(value: Expression): Expression {
  const bool = { kind: "bool" } as const;
  const nothing: Expression = { kind: "literal", type: { kind: "null" }, value: null };
  const user: Expression = { kind: "user", type: { kind: "uuid" }, name: "id" };
  const signedIn: Expression = { kind: "operation", type: bool, operator: "!=", args: [user, nothing] };
  const absent: Expression = { kind: "literal", type: value.type, value: null };
  return { kind: "operation", type: value.type, operator: "?:", args: [signedIn, value, absent] };
}

interface Reader {
  readonly entity: Entity;
  readonly operation: Operation;
  /** Also in a way that inserting the value doesn't reach. */
  readonly further: boolean;
}

/** Field with its entity > whose rules read it, and for which operation. */
type Readers = ReadonlyMap<string, readonly Reader[]>;

function keyOf(entity: string, field: string): string {
  return `${entity}.${field}`;
}

function readersOf(model: Model): Readers {
  const targets = new Map<string, string | null>();
  for (const { name, fields } of [...model.entities, { name: "user", fields: model.userFields }]) {
    for (const field of fields) targets.set(keyOf(name, field.name), targetOf(field.type));
  }
  const found = new Map<string, Map<string, Reader>>();
  const note = (field: string, entity: Entity, operation: Operation, further: boolean): void => {
    const readers = found.get(field) ?? new Map<string, Reader>();
    found.set(field, readers);
    const key = `${entity.name} ${operation}`;
    readers.set(key, { entity, operation, further: further || (readers.get(key)?.further ?? false) });
  };
  for (const entity of model.entities) {
    for (const { operation, rule, set } of entity.permissions) {
      for (const { field, further } of fieldsRead(rule, entity.name, targets)) note(field, entity, operation, further);
      // A forced value that is copied from another field reveals that field to readers of the copy.
      for (const { value } of set) {
        for (const { field } of fieldsRead(value, entity.name, targets)) note(field, entity, operation, true);
      }
    }
  }
  return new Map([...found].map(([field, readers]) => [field, [...readers.values()]]));
}

interface Read {
  readonly field: string;
  readonly further: boolean;
}

function fieldsRead(rule: Expression, entity: string, targets: ReadonlyMap<string, string | null>): Read[] {
  const reads: Read[] = [];
  const follow = (owner: string, path: readonly string[], direct: boolean): void => {
    let at: string | null = owner;
    for (const [index, name] of path.entries()) {
      if (at === null) return;
      reads.push({ field: keyOf(at, name), further: !(direct && index === 0 && path.length === 1) });
      at = targets.get(keyOf(at, name)) ?? null;
    }
  };
  const visit = (node: Expression, rows: ReadonlyMap<string, string>): void => {
    switch (node.kind) {
      case "user":
        reads.push({ field: keyOf("user", node.name), further: false });
        return;
      case "field":
        follow(rows.get(node.row) ?? entity, node.path, !rows.has(node.row));
        return;
      case "sent":
      case "value":
      case "literal":
      case "context":
        return;
      case "list":
        for (const one of node.items) visit(one, rows);
        return;
      case "operation":
        for (const one of node.args) visit(one, rows);
        return;
      case "member":
        visit(node.organization, rows);
        return;
      case "each":
        follow(rows.get(node.row) ?? entity, node.path, false);
        for (const part of partsOf(node)) visit(part, new Map(rows).set(node.variable, node.entity));
    }
  };
  visit(rule, new Map());
  return reads;
}
