// Writes the statement of a create: rule, references, numbers, row, pairs and audit row in one. In: an entity, the
// caller, the input's shape. Out: SQL and slots. A refused record uses up no number.
import type { BundleField } from "@plinth/bundle";
import { quoteIdentifier, quoteLiteral } from "@plinth/postgres";
import { MASK } from "../project/mask.ts";
import {
  column,
  type EntityView,
  fill,
  oneHolds,
  permission,
  type StatementCaller,
  type StoredField,
  type WrittenPairs,
} from "./entity-view.ts";
import { keptReply } from "./kept-reply.ts";
import { countersOf, isNumbered, nextNumber, numbers } from "./numbering.ts";
import { Parameters } from "./parameters.ts";
import { laneWith, lockOfNew } from "./parent-lock.ts";
import { readableJson } from "./readable-fields.ts";
import {
  joinedFields,
  pairsInsert,
  sentPairs,
  targetReadable,
  targetsReadable,
  targetWithin,
  writtenPairs,
} from "./references.ts";
import { machineOf } from "./state-machine.ts";
import {
  allFlags,
  type Check,
  flagColumns,
  ifPresent,
  namedFlags,
  rowAsJson,
  type WriteStatement,
} from "./statement.ts";
import { traceOf } from "./trace.ts";
import { type WriteTerms, writableBy } from "./write-terms.ts";

/**
 * Fields that weren't sent are parameters too, so that callers can't create many shapes. `given` only names the fields
 * of the body that need a separate part of the statement (`shapingFields`). If only the rule can refuse, an empty
 * result means that it did.
 */
export function createStatement(
  view: EntityView,
  caller: StatementCaller,
  given: readonly string[],
  terms: WriteTerms,
): WriteStatement {
  const parameters = new Parameters(view.fields);
  const initial = view.stored.map(
    (field) => `${initialValue(view, field, parameters, terms)} as ${quoteIdentifier(field.column)}`,
  );
  const pairs = joinedFields(view, given);
  const written = writtenPairs(view, pairs, caller, parameters, true);
  const { checks, flags } = createChecks(view, caller, given, terms, parameters, written);
  const allowed = permission(view, "create", caller, parameters, { new: "_new", written }).sql;
  const numbered = view.stored.filter(isNumbered).filter(({ sequence }) => sequence.at === undefined);
  const names = view.stored.map((field) => quoteIdentifier(field.column)).join(", ");
  const numberedRow = view.stored
    .map((field) => (isNumbered(field) && numbered.includes(field) ? nextNumber(field) : column("_new", field)))
    .join(", ");
  const insert = `insert into ${view.from} (${names}) select ${numberedRow} from _new`;
  const auditedPairs = pairs.map(
    (field) => `${field.masked ? quoteLiteral(MASK) : sentPairs(field, parameters)} as ${quoteIdentifier(field.name)}`,
  );
  const changes = rowAsJson(view, "_ins", auditedPairs);
  const values = new Map(pairs.map((field) => [field.name, sentPairs(field, parameters)]));
  const event = { name: `${view.entity.name}.created`, old: null, unseen: { values, pairs: written } };
  const change = { kind: "created", before: null, after: "_ins" } as const;
  const trace = traceOf(parameters, [{ view, operation: "create", changes, from: "_ins", row: "_ins", event, change }]);
  const json = readableJson(view, caller, parameters, "_ins", { values, pairs: written });
  const kept = keptReply(view, caller, parameters, { status: 201, row: "_ins", record: { alias: "_ins", json } });
  const joins = pairs.map((field, i) => `_pairs_${i} as (${pairsInsert(view, field, "_ins", parameters)}), `).join("");
  const newRow = `_new as (select ${initial.join(", ")})`;
  const text =
    flags.length === 0 && numbered.length === 0
      ? `with ${newRow}, _ins as (${insert} where ${allowed} returning *), ${joins}${trace}${kept} select true, ${json} from _ins`
      : `with ${newRow}, _chk as (select ${namedFlags(flags, allowed)} from _new), ` +
        `${numbers(view, numbered, { flags, from: "_new, _chk", caller, parameters })}` +
        `_ins as (${insert}, _chk where ${allFlags(flags)} returning *), ${joins}${trace}${kept} ` +
        `select ${flagColumns(flags)}, ${ifPresent("_ins", json)} from _chk left join _ins on true`;
  const lock = lockOfNew(view, (field, numbered) => initialValue(view, field, numbered, terms));
  const how = { keep: true, writes: true, numbers: countersOf(numbered), ...laneWith(lock) };
  return { text, slots: parameters.slots, checks, ...how };
}

function createChecks(
  view: EntityView,
  caller: StatementCaller,
  given: readonly string[],
  terms: WriteTerms,
  parameters: Parameters,
  written: WrittenPairs,
): { readonly checks: readonly Check[]; readonly flags: readonly string[] } {
  const checks: Check[] = [];
  const flags: string[] = [];
  const add = (check: Check, flag: string): void => {
    checks.push(check);
    flags.push(flag);
  };
  for (const field of view.stored) {
    if (terms.forced.has(field.name)) {
      const within = field.references === null ? null : targetWithin(view, field);
      if (within !== null) add({ kind: "reference", field, judges: "body" }, within);
      continue;
    }
    if (!isCheckedReference(field, given)) continue;
    const readable = targetReadable(view, field, caller, parameters);
    add({ kind: "reference", field, judges: "body" }, `(${column("_new", field)} is null or ${readable})`);
  }
  for (const field of joinedFields(view, given)) {
    add({ kind: "reference", field, judges: "body" }, targetsReadable(view, field, caller, parameters));
  }
  for (const name of given) {
    const field = view.fields.get(name);
    const rules = writableBy(terms, name);
    if (field === undefined || terms.forced.has(name) || typeof rules === "string") continue;
    add({ kind: "field", field }, oneHolds(view, rules, parameters, { new: "_new", written }).sql);
  }
  const state = machineOf(view);
  // The state in a body was checked before. The state that a grant sets is only known here.
  if (state !== null && terms.forced.has(state.field.name)) {
    add({ kind: "state" }, `${column("_new", state.field)} = ${quoteLiteral(state.machine.initial)}`);
  }
  return { checks, flags };
}

/** References of a create that the body decides. The service only fills in the current user, who exists. */
function isCheckedReference(field: BundleField, given: readonly string[]): boolean {
  if (field.references === null || field.column === null || field.writer === "service") return false;
  return field.default === null || given.includes(field.name);
}

/** The given fields that determine a create's shape. */
export function shapingFields(view: EntityView, given: Iterable<string>, terms: WriteTerms): readonly string[] {
  return [...given].filter((name) => {
    const field = view.fields.get(name);
    if (field === undefined) return false;
    if (field.join !== null || typeof writableBy(terms, name) !== "string") return true;
    return field.default !== null && isCheckedReference(field, [name]);
  });
}

function initialValue(view: EntityView, field: StoredField, parameters: Parameters, terms: WriteTerms): string {
  if (field.name === "id") return parameters.recordId();
  const forced = terms.forced.get(field.name);
  if (forced !== undefined) return `(${fill(forced, view.schema, parameters, {})})::${field.sqlType}`;
  const fallback =
    field.default === null
      ? `null::${field.sqlType}`
      : `(${fill(field.default, view.schema, parameters, {})})::${field.sqlType}`;
  if (field.writer === "service" || field.hidden || field.sequence !== null) return fallback;
  const value = parameters.initial(field);
  return field.default === null
    ? value
    : `case when ${parameters.given(field.name)} then ${value} else ${fallback} end`;
}
