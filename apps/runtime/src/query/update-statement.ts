// Writes the statements that change one record: update, transition, restore. In: an entity, who asks, the input's shape.
// Out: SQL and slots. The lock comes first: without it, an owner who has just lost the row could still write it, because
// the rule would be judged on the row as it was when the statement began.
import type { BundleField, Operation } from "@plinth/bundle";
import { quoteIdentifier, quoteLiteral } from "@plinth/postgres";
import {
  type Asker,
  anyOf,
  column,
  type EntityView,
  fill,
  living,
  permission,
  type StoredField,
} from "./entity-view.ts";
import { Parameters } from "./parameters.ts";
import { readableJson } from "./readable-fields.ts";
import {
  type JoinedField,
  joinedFields,
  pairsBefore,
  pairsDelete,
  pairsInsert,
  sentPairs,
  targetReadable,
  targetsReadable,
  targetWithin,
} from "./references.ts";
import { disclosedState, type Edge, machineOf, moveAlong, moveByAny } from "./state-machine.ts";
import {
  allFlags,
  auditInsert,
  auditValue,
  type Check,
  flagColumns,
  ifPresent,
  isTouched,
  lockedRow,
  MASK,
  namedFlags,
  touchedValue,
  touches,
  visibleFor,
  type WriteStatement,
} from "./statement.ts";
import { type WriteTerms, writableBy } from "./write-terms.ts";

interface Change {
  readonly view: EntityView;
  readonly asker: Asker;
  readonly operation: Operation;
  readonly edge: Edge | null;
  /** What the body names and the service doesn't set in its place. */
  readonly given: readonly string[];
  readonly terms: WriteTerms;
  readonly parameters: Parameters;
}

export function updateStatement(
  view: EntityView,
  asker: Asker,
  given: readonly string[],
  terms: WriteTerms,
): WriteStatement {
  return changeStatement(view, asker, "update", null, given, terms);
}

export function transitionStatement(
  view: EntityView,
  asker: Asker,
  edge: Edge,
  given: readonly string[],
  terms: WriteTerms,
): WriteStatement {
  return changeStatement(view, asker, `transition:${edge.name}`, edge, given, terms);
}

function changeStatement(
  view: EntityView,
  asker: Asker,
  operation: Operation,
  edge: Edge | null,
  named: readonly string[],
  terms: WriteTerms,
): WriteStatement {
  const parameters = new Parameters(view.fields);
  const given = named.filter((name) => !terms.forced.has(name));
  const change: Change = { view, asker, operation, edge, given, terms, parameters };
  const changed = view.stored.filter((field) => isChanged(change, field));
  const pairs = joinedFields(view, given);
  const next = view.stored.map((field) => nextValue(change, field));
  const { checks, flags, told } = changeChecks(change, pairs);
  const allowed = permission(view, operation, asker, parameters, { old: "cur", new: "new_row" });
  const locked = lockedRow(view, operation, asker, parameters);
  const sets = [...changed, ...view.stored.filter(isTouched)].map(
    (field) => `${quoteIdentifier(field.column)} = ${column("new_row", field)}`,
  );
  const changes = [
    ...changed.map(
      (field) =>
        `jsonb_build_array(${auditValue("cur", field)}, ${auditValue("upd", field)}) as ${quoteIdentifier(field.name)}`,
    ),
    ...pairs.map((field) => {
      const before = field.masked ? quoteLiteral(MASK) : pairsBefore(view, field, "cur");
      const after = field.masked ? quoteLiteral(MASK) : sentPairs(field, parameters);
      return `jsonb_build_array(${before}, ${after}) as ${quoteIdentifier(field.name)}`;
    }),
  ];
  const audit = auditInsert(view, parameters, {
    operation,
    changes: `(select to_jsonb(x) from (select ${changes.join(", ")}) x)`,
    id: 'upd."id"',
    from: "upd, cur",
  });
  const overrides = new Map(pairs.map((field) => [field.name, sentPairs(field, parameters)]));
  const json = readableJson(view, asker, parameters, "upd", overrides);
  const text =
    `with cur as (${locked}), ` +
    `new_row as (select ${next.join(", ")} from cur), ` +
    `chk as (select ${[namedFlags(flags, allowed), ...told.map((sql, i) => `${sql} as told_${i}`)].join(", ")} from cur, new_row), ` +
    `upd as (update ${view.from} r set ${sets.join(", ")} from new_row, chk ` +
    `where r."id" = new_row."id" and ${allFlags(flags)} returning r.*), ${pairChanges(change, pairs)}` +
    `aud as (${audit}) ` +
    `select ${flagColumns(flags)}, ${ifPresent("upd", json)}${told.map((_, i) => `, chk.told_${i}`).join("")} ` +
    `from chk left join upd on true`;
  return { text, slots: parameters.slots, lane: "fast", keep: true, writes: true, checks };
}

function isChanged({ given, terms, edge, view }: Change, field: StoredField): boolean {
  if (given.includes(field.name) || terms.forced.has(field.name)) return true;
  return edge !== null && view.entity.stateMachine?.field === field.name;
}

function nextValue({ view, given, terms, edge, parameters }: Change, field: StoredField): string {
  const old = column("cur", field);
  const named = quoteIdentifier(field.column);
  const forced = terms.forced.get(field.name);
  if (edge !== null && view.entity.stateMachine?.field === field.name) {
    return `${quoteLiteral(edge.to)}::${field.sqlType} as ${named}`;
  }
  if (forced !== undefined) {
    const value = fill(forced, view.schema, parameters, { old: "cur", record: "cur" });
    return `(${value})::${field.sqlType} as ${named}`;
  }
  if (given.includes(field.name)) return `${parameters.value(field)} as ${named}`;
  return isTouched(field) ? `${touchedValue(field, "cur")} as ${named}` : old;
}

/** `told`: what a refusal of the state tells: the old state and what is missing. */
function changeChecks(
  change: Change,
  pairs: readonly JoinedField[],
): { readonly checks: readonly Check[]; readonly flags: readonly string[]; readonly told: readonly string[] } {
  const { view, asker, given, terms, parameters, edge } = change;
  const checks: Check[] = [];
  const flags: string[] = [];
  const told: string[] = [];
  const add = (check: Check, flag: string): void => {
    checks.push(check);
    flags.push(flag);
  };
  for (const field of view.stored) {
    if (field.references === null) continue;
    const within = terms.forced.has(field.name) ? targetWithin(view, field) : null;
    if (within !== null) add({ kind: "reference", field }, within);
    if (!given.includes(field.name)) continue;
    const value = column("new_row", field);
    const same = `${value} is not distinct from ${column("cur", field)}`;
    const readable = targetReadable(view, field, asker, parameters);
    add({ kind: "reference", field }, `(${value} is null or ${same} or ${readable})`);
  }
  for (const field of pairs) add({ kind: "reference", field }, targetsReadable(view, field, asker, parameters));
  for (const name of given) {
    const field = view.fields.get(name) as BundleField;
    const rules = writableBy(terms, name);
    if (typeof rules === "string") continue;
    add({ kind: "field", field }, anyOf(view, rules, parameters, { old: "cur", new: "new_row" }));
  }
  if (!asker.roles.includes("admin")) {
    for (const field of view.stored) {
      if (field.writer !== "admin" || !given.includes(field.name)) continue;
      add({ kind: "own", field }, `${column("new_row", field)} is not distinct from ${column("cur", field)}`);
    }
  }
  if (pairs.length > 0) {
    const seen = `(select s."version" from ${view.from} s where s."id" = cur."id")`;
    add({ kind: "current" }, `cur."version" = ${seen}`);
  }
  const state = machineOf(view);
  if (state !== null && isChanged(change, state.field)) {
    const move = edge === null ? moveByAny(view, asker, parameters) : moveAlong(view, edge);
    add({ kind: "state" }, move.possible);
    if (move.missing !== "''") add({ kind: "complete" }, `${move.missing} = ''`);
    told.push(disclosedState(view, asker, parameters), move.missing);
  }
  return { checks, flags, told };
}

function pairChanges({ view, parameters }: Change, pairs: readonly JoinedField[]): string {
  return pairs
    .map(
      (field, i) =>
        `gone_${i} as (${pairsDelete(view, field, "upd", parameters)}), ` +
        `pairs_${i} as (${pairsInsert(view, field, "upd", parameters)}), `,
    )
    .join("");
}

/** An update that changes nothing: the same answers, but no version, no audit row, no lock. Columns as for an update. */
export function emptyUpdateStatement(view: EntityView, asker: Asker): WriteStatement {
  const parameters = new Parameters(view.fields);
  const allowed = permission(view, "update", asker, parameters, { old: "r", new: "r" });
  const text =
    `select ${allowed}, ${readableJson(view, asker, parameters, "r")} from ${view.from} r ` +
    `where r."id" = ${parameters.recordId()} and ${visibleFor(view, "update", asker, parameters)}${living(view, "r")}`;
  return { text, slots: parameters.slots, lane: "fast", keep: true, writes: false, checks: [] };
}

/** Columns: whether the rule allows it, the record, whether it was deleted. No row: missing or hidden. */
export function restoreStatement(view: EntityView, asker: Asker): WriteStatement {
  const { softDelete } = view.entity;
  if (softDelete === null) throw new Error(`${view.entity.name} can't be restored`);
  const parameters = new Parameters(view.fields);
  const mark = quoteIdentifier(softDelete);
  const locked = lockedRow(view, "restore", asker, parameters);
  const allowed = permission(view, "restore", asker, parameters, { record: "cur", old: "cur", new: "cur" });
  const sets = [`${mark} = null`, ...touches(view, "r")].join(", ");
  const changes = `jsonb_build_object(${quoteLiteral(softDelete)}, jsonb_build_array(cur.${mark}, null))`;
  const text =
    `with cur as (${locked}), ` +
    `chk as (select ${allowed} as allowed, cur.${mark} is not null as deleted from cur), ` +
    `upd as (update ${view.from} r set ${sets} from cur, chk ` +
    `where r."id" = cur."id" and chk.deleted and chk.allowed returning r.*), ` +
    `aud as (${auditInsert(view, parameters, { operation: "restore", changes, id: 'upd."id"', from: "upd, cur" })}) ` +
    `select chk.allowed, ${ifPresent("upd", readableJson(view, asker, parameters, "upd"))}, chk.deleted ` +
    `from chk left join upd on true`;
  return { text, slots: parameters.slots, lane: "fast", keep: true, writes: true, checks: [] };
}
