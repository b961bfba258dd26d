// Checks a seed row. In: its declaration. Out: its values as JSON, or null after its problems were reported: unknown
// fields, values of the wrong type, missing values, violated checks.
import { evaluate } from "@plinth/expression";
import type { SeedDeclaration } from "../../declarations/entity-declaration.ts";
import { idFromName } from "../../field-types/id-from-name.ts";
import type { Field, FieldType, JsonValue, SeedRow } from "../../model/model.ts";
import type { Report } from "../../text/report.ts";
import { suggestFor } from "../../text/suggestions.ts";
import type { Node, Word } from "../../text/syntax.ts";
import { checkValue } from "../fields/values.ts";
import type { EntityDraft } from "./entity-draft.ts";

export interface SeedContext {
  readonly draft: EntityDraft;
  readonly fields: ReadonlyMap<string, Field>;
  /** Names of the earlier rows. */
  readonly before: ReadonlySet<string>;
  /** Names of all rows, by their entity. */
  readonly names: ReadonlyMap<string, ReadonlySet<string>>;
  /** Entities that this entity's rows refer to, each with the position of one reference. */
  readonly used: Map<string, Word>;
  readonly report: Report;
}

/** The id of the row with that name. */
export function seedId(entity: string, name: string): string {
  return idFromName(`${entity}/${name}`);
}

export function seedRow(declared: SeedDeclaration, context: SeedContext): SeedRow | null {
  const { draft, fields, report } = context;
  const values = new Map<string, JsonValue>();
  let fine = true;
  for (const { field: word, value: node } of declared.values) {
    if (draft.brokenFields.has(word.text)) continue;
    const field = fields.get(word.text);
    const value = field === undefined ? unknownField(context, word) : valueIn(field, word, node, context);
    if (value === undefined) fine = false;
    else values.set(word.text, value);
  }
  // A field with transitions starts in the initial state.
  const moved = new Set(draft.declared.transitions.map((one) => one.field.text));
  const missing = draft.fields.find(
    ({ field }) => !values.has(field.name) && !moved.has(field.name) && isNeeded(field),
  );
  if (fine && missing !== undefined) {
    const { name } = missing.field;
    const message = `This row has no \`${name}\`, but every \`${draft.entity.name}\` needs one.`;
    report.add("invalid_seed", declared.range, message);
    return null;
  }
  if (!fine) return null;
  const row = Object.fromEntries(values);
  return refusedByCheck(declared, row, context) ? null : row;
}

function isNeeded({ optional, default: fallback, type }: Field): boolean {
  return !optional && fallback === null && type.kind !== "refs" && type.kind !== "computed";
}

/** Undefined if it is not valid, which is reported. */
function valueIn(field: Field, word: Word, node: Node, context: SeedContext): JsonValue | undefined {
  const refuse = (why: string, range = node.range): undefined => {
    context.report.add("invalid_seed", range, `The value of \`${field.name}\` in this seed row is not valid: ${why}`);
  };
  if (node.kind === "scalar" && node.broken) return undefined;
  if (field.type.kind === "secret") return refuse("a blueprint can't contain secrets.", word.range);
  if (field.type.kind === "refs") {
    context.report.add("not_supported_yet", word.range, "References to many in a seed row are not supported yet.");
    return undefined;
  }
  if (!field.declared || field.type.kind === "computed") return refuse("the service generates its value.", word.range);
  if (node.kind === "scalar" && node.value === null) return field.optional ? null : refuse("it must have a value.");
  const idOf = (type: FieldType, text: string): string | null => idIn(type, text, word, context);
  const checked = checkValue(field.type, field.limits, node, { words: false, idOf });
  return "value" in checked ? checked.value : refuse(checked.problem, checked.range);
}

/**
 * A reference uses the name of a row. A row of the same entity must come earlier, because rows are inserted in order.
 */
function idIn(type: FieldType, text: string, word: Word, { draft, before, names, used }: SeedContext): string | null {
  if (type.kind !== "ref") return null;
  const own = type.entity === draft.entity.name;
  const known = own ? before.has(text) : names.get(type.entity)?.has(text) === true;
  if (!known) return null;
  if (!own) used.set(type.entity, word);
  return seedId(type.entity, text);
}

function unknownField({ draft, report }: SeedContext, word: Word): undefined {
  const known = draft.fields.map(({ field }) => field.name);
  const message = `\`${draft.entity.name}\` has no field \`${word.text}\`.`;
  report.add("unknown_field", word.range, message, suggestFor(word.text, known, report));
}

/** What the database would refuse. A check with an unknown result is passed. */
function refusedByCheck(declared: SeedDeclaration, row: SeedRow, { draft, fields, report }: SeedContext): boolean {
  const values = valuesInRules(row, fields);
  const nobody = { id: null, email: null, roles: [] };
  const broken = draft.entity.checks.find(
    ({ condition }) => evaluate(condition, { rows: { record: { values } }, user: nobody }) === false,
  );
  if (broken === undefined) return false;
  report.add("invalid_seed", declared.range, `This row violates the check \`${broken.name}\`.`);
  return true;
}

/** All fields of the row, in the form for rules. */
export function valuesInRules(row: SeedRow, fields: ReadonlyMap<string, Field>): Readonly<Record<string, Scalar>> {
  return Object.fromEntries([...fields.keys()].map((name) => [name, scalarOf(withDefault(row, name, fields))]));
}

type Scalar = string | number | boolean | null | readonly string[];

/** Objects and the like are opaque to checks, which can only test whether they exist. */
function scalarOf(value: JsonValue): Scalar {
  if (value === null || typeof value !== "object") return value;
  return Array.isArray(value) && value.every((one) => typeof one === "string") ? value : "";
}

function withDefault(row: SeedRow, name: string, fields: ReadonlyMap<string, Field>): JsonValue {
  const given = row[name];
  if (given !== undefined) return given;
  const fallback = fields.get(name)?.default;
  return fallback?.kind === "literal" ? fallback.value : null;
}

/** Finds seed rows that violate a unique constraint: returns the fields that are equal to those of an earlier row. */
export function createTwins(
  uniques: readonly (readonly string[])[],
  fields: ReadonlyMap<string, Field>,
): (row: SeedRow) => readonly string[] | null {
  const seen = uniques.map((names) => ({ names, keys: new Set<string>() }));
  return (row) => {
    let twin: readonly string[] | null = null;
    for (const { names, keys } of seen) {
      const values = names.map((name) => withDefault(row, name, fields));
      if (values.includes(null)) continue;
      const key = JSON.stringify(values);
      if (keys.has(key)) twin ??= names;
      keys.add(key);
    }
    return twin;
  };
}
