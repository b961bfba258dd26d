// Writes the statements that change one record: update, transition. In: an entity, who asks, the input's shape.
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
  namedFlags,
  touchedValue,
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
  const allowed = permission(view, operation, asker, parameters, { old: "_cur", new: "_new" });
  const locked = lockedRow(view, operation, asker, parameters);
  const sets = [...changed, ...view.stored.filter(isTouched)].map(
    (field) => `${quoteIdentifier(field.column)} = ${column("_new", field)}`,
  );
  const changes = [
    ...changed.map(
      (field) =>
        `jsonb_build_array(${auditValue("_cur", field)}, ${auditValue("_upd", field)}) as ${quoteIdentifier(field.name)}`,
    ),
    ...pairs.map(
      (field) =>
        `jsonb_build_array(${pairsBefore(view, field, "_cur")}, ${sentPairs(field, parameters)}) as ${quoteIdentifier(field.name)}`,
    ),
  ];
  const audit = auditInsert(view, parameters, {
    operation,
    changes: `(select to_jsonb(_x) from (select ${changes.join(", ")}) _x)`,
    id: '_upd."id"',
    from: "_upd, _cur",
  });
  const overrides = new Map(pairs.map((field) => [field.name, sentPairs(field, parameters)]));
  const json = readableJson(view, asker, parameters, "_upd", overrides);
  const text =
    `with _cur as (${locked}), ` +
    `_new as (select ${next.join(", ")} from _cur), ` +
    `_chk as (select ${[namedFlags(flags, allowed), ...told.map((sql, i) => `${sql} as _told_${i}`)].join(", ")} from _cur, _new), ` +
    `_upd as (update ${view.from} _r set ${sets.join(", ")} from _new, _chk ` +
    `where _r."id" = _new."id" and ${allFlags(flags)} returning _r.*), ${pairChanges(change, pairs)}` +
    `_aud as (${audit}) ` +
    `select ${flagColumns(flags)}, ${ifPresent("_upd", json)}${told.map((_, i) => `, _chk._told_${i}`).join("")} ` +
    `from _chk left join _upd on true`;
  return { text, slots: parameters.slots, lane: "fast", keep: true, writes: true, checks };
}

function isChanged({ given, terms, edge, view }: Change, field: StoredField): boolean {
  if (given.includes(field.name) || terms.forced.has(field.name)) return true;
  return edge !== null && view.entity.stateMachine?.field === field.name;
}

function nextValue({ view, given, terms, edge, parameters }: Change, field: StoredField): string {
  const old = column("_cur", field);
  const named = quoteIdentifier(field.column);
  const forced = terms.forced.get(field.name);
  if (edge !== null && view.entity.stateMachine?.field === field.name) {
    return `${quoteLiteral(edge.to)}::${field.sqlType} as ${named}`;
  }
  if (forced !== undefined) {
    const value = fill(forced, view.schema, parameters, { old: "_cur", record: "_cur" });
    return `(${value})::${field.sqlType} as ${named}`;
  }
  if (given.includes(field.name)) return `${parameters.value(field)} as ${named}`;
  return isTouched(field) ? `${touchedValue(field, "_cur")} as ${named}` : old;
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
    if (field.references === null || !given.includes(field.name)) continue;
    const value = column("_new", field);
    const same = `${value} is not distinct from ${column("_cur", field)}`;
    const readable = targetReadable(view, field, asker, parameters);
    add({ kind: "reference", field }, `(${value} is null or ${same} or ${readable})`);
  }
  for (const field of pairs) add({ kind: "reference", field }, targetsReadable(view, field, asker, parameters));
  for (const name of given) {
    const field = view.fields.get(name) as BundleField;
    const rules = writableBy(terms, name);
    if (typeof rules === "string") continue;
    add({ kind: "field", field }, anyOf(view, rules, parameters, { old: "_cur", new: "_new" }));
  }
  if (!asker.roles.includes("admin")) {
    for (const field of view.stored) {
      if (field.writer !== "admin" || !given.includes(field.name)) continue;
      add({ kind: "own", field }, `${column("_new", field)} is not distinct from ${column("_cur", field)}`);
    }
  }
  if (pairs.length > 0) {
    const seen = `(select _s."version" from ${view.from} _s where _s."id" = _cur."id")`;
    add({ kind: "current" }, `_cur."version" = ${seen}`);
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
        `_gone_${i} as (${pairsDelete(view, field, "_upd", parameters)}), ` +
        `_pairs_${i} as (${pairsInsert(view, field, "_upd", parameters)}), `,
    )
    .join("");
}

/** An update that changes nothing: the same answers, but no version, no audit row, no lock. Columns as for an update. */
export function emptyUpdateStatement(view: EntityView, asker: Asker): WriteStatement {
  const parameters = new Parameters(view.fields);
  const allowed = permission(view, "update", asker, parameters, { old: "_r", new: "_r" });
  const text =
    `select ${allowed}, ${readableJson(view, asker, parameters, "_r")} from ${view.from} _r ` +
    `where _r."id" = ${parameters.recordId()} and ${visibleFor(view, "update", asker, parameters)}${living(view, "_r")}`;
  return { text, slots: parameters.slots, lane: "fast", keep: true, writes: false, checks: [] };
}
