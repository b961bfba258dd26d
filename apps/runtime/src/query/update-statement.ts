// Writes the statements that change one record: update, transition. In: an entity, the caller, the input's shape. Out:
// SQL and slots. The lock comes first. Without it, the rule would judge the row as it was when the statement began, so
// an owner could still write a row that was closed to them meanwhile.
import type { BundleField, Operation } from "@plinth/bundle";
import { quoteIdentifier, quoteLiteral } from "@plinth/postgres";
import { MASK } from "../project/mask.ts";
import { splitAdditions } from "./addition-names.ts";
import { sumOf } from "./additions.ts";
import {
  column,
  type EntityView,
  fill,
  living,
  oneHolds,
  permission,
  type StatementCaller,
  type StoredField,
  type WrittenPairs,
} from "./entity-view.ts";
import { keptReply } from "./kept-reply.ts";
import { countersOf, isNumbered, type NumberedField, nextNumber, numbers } from "./numbering.ts";
import { Parameters } from "./parameters.ts";
import { laneWith, lockOfStored } from "./parent-lock.ts";
import { isReadable, readableJson } from "./readable-fields.ts";
import {
  type JoinedField,
  joinedFields,
  pairsAfter,
  pairsBefore,
  pairsDelete,
  pairsInsert,
  sentPairs,
  targetReadable,
  targetsReadable,
  targetWithin,
  writtenPairs,
} from "./references.ts";
import {
  chosenWay,
  disclosedState,
  type Edge,
  machineOf,
  moveAlong,
  moveByWay,
  operationByWay,
  rowsByWay,
  type Way,
} from "./state-machine.ts";
import {
  allFlags,
  auditValue,
  type Check,
  flagColumns,
  hasVersion,
  ifPresent,
  isTouched,
  lockedRow,
  namedFlags,
  touchedValue,
  visibleFor,
  type WriteStatement,
} from "./statement.ts";
import { auditOf, previousValues, traceOf } from "./trace.ts";
import { type WriteTerms, writableBy } from "./write-terms.ts";

interface Change {
  readonly view: EntityView;
  readonly caller: StatementCaller;
  readonly operation: Operation;
  readonly edge: Edge | null;
  /** For an update that names the state: the possible edges to it. */
  readonly ways: readonly Way[] | null;
  /** The fields in the body that the service doesn't set itself. */
  readonly given: readonly string[];
  /** Those of them that are added to the field's value. */
  readonly added: ReadonlySet<string>;
  readonly terms: WriteTerms;
  readonly parameters: Parameters;
  /** The many-to-many fields whose lists it changes. */
  readonly pairs: readonly JoinedField[];
  readonly written: WrittenPairs;
}

export function updateStatement(
  view: EntityView,
  caller: StatementCaller,
  given: readonly string[],
  terms: WriteTerms,
  ways: readonly Way[] | null,
): WriteStatement {
  return changeStatement({ view, caller, operation: "update", edge: null, ways, terms }, given);
}

export function transitionStatement(
  view: EntityView,
  caller: StatementCaller,
  edge: Edge,
  given: readonly string[],
  terms: WriteTerms,
): WriteStatement {
  return changeStatement({ view, caller, operation: `transition:${edge.name}`, edge, ways: null, terms }, given);
}

function changeStatement(
  what: Omit<Change, "given" | "added" | "parameters" | "pairs" | "written">,
  named: readonly string[],
): WriteStatement {
  const { view, caller, operation, terms } = what;
  const sent = splitAdditions(named);
  const parameters = new Parameters(view.fields, sent.added);
  const given = sent.given.filter((name) => !terms.forced.has(name));
  const pairs = joinedFields(view, given);
  const written = writtenPairs(view, pairs, caller, parameters, false);
  const change: Change = { ...what, given, added: sent.added, parameters, pairs, written };
  const ways = change.ways ?? [];
  const changed = view.stored.filter((field) => isChanged(change, field));
  const moved = view.stored.filter((field) => !changed.includes(field) && ways.some((way) => setsBy(way, field)));
  const numbered = view.stored.filter(isNumbered).filter((field) => changed.includes(field) || moved.includes(field));
  const { checks, flags, details } = changeChecks(change);
  const allowed = permission(view, operation, caller, parameters, { old: "_cur", new: "_new", written }).sql;
  const locked = lockedRow(view, operation, caller, parameters);
  const sets = [...changed, ...moved, ...view.stored.filter(isTouched)].map((field) => {
    const kept = column("_new", field);
    return `${quoteIdentifier(field.column)} = ${isNumbered(field) ? `coalesce(${kept}, ${nextNumber(field)})` : kept}`;
  });
  const changes = [
    ...changed.map(auditedPair),
    ...pairs.map((field) => {
      const before = field.masked ? quoteLiteral(MASK) : pairsBefore(view, field, "_cur");
      const after = field.masked ? quoteLiteral(MASK) : pairsAfter(view, field, "_cur", caller, parameters, "all");
      return `jsonb_build_array(${before}, ${after}) as ${quoteIdentifier(field.name)}`;
    }),
  ];
  const shown = new Map(pairs.map((field) => [field.name, sentPairs(field, parameters)]));
  const values = new Map(
    pairs.map((field) => [field.name, pairsAfter(view, field, "_upd", caller, parameters, "living")]),
  );
  const lists = new Map(
    pairs.map((field) => {
      const after = pairsAfter(view, field, "_cur", caller, parameters, "all");
      return [field.name, { before: pairsBefore(view, field, "_cur"), after }];
    }),
  );
  const trace = traceOf(parameters, [
    {
      view,
      operation: { sql: operationByWay(ways, operation) },
      changes: `(select to_jsonb(_x) from (select ${changes.join(", ")}) _x)${changesByWay(ways, moved)}`,
      from: change.ways === null ? "_upd, _cur" : "_upd, _cur, _new",
      row: "_upd",
      event: {
        name: { sql: eventByWay(change) },
        old: oldValues(change, [...changed, ...moved]),
        unseen: { values, pairs: written },
      },
      change: { kind: "updated", before: { row: "_cur" }, after: "_upd", lists },
    },
  ]);
  const json = readableJson(view, caller, parameters, "_upd", { values: shown, pairs: written });
  const text =
    `with _cur as (${locked}), ` +
    `${newRow(change)}, ` +
    `_chk as (select ${[namedFlags(flags, allowed), ...details.map((sql, i) => `${sql} as _detail_${i}`)].join(", ")} from _cur, _new), ` +
    `${numbers(view, numbered, { flags, from: "_cur, _new, _chk", caller, parameters }, (field) => isNumberedNow(change, field))}` +
    `_upd as (update ${view.from} _r set ${sets.join(", ")} from _new, _chk ` +
    `where _r."id" = _new."id" and ${allFlags(flags)} returning _r.*), ${pairChanges(change)}` +
    `${trace}${keptReply(view, caller, parameters, { status: 200, row: "_upd", record: { alias: "_upd", json } })} ` +
    `select ${flagColumns(flags)}, ${ifPresent("_upd", json)}${details.map((_, i) => `, _chk._detail_${i}`).join("")} ` +
    `from _chk left join _upd on true`;
  const operations = [operation, ...ways.map((way): Operation => `transition:${way.edge.name}`)];
  const lock = lockOfStored(view, {
    operations,
    caller,
    given,
    terms: [terms.forced, ...ways.map((way) => way.forced)],
  });
  const how = { keep: true, writes: true, numbers: countersOf(numbered), ...laneWith(lock) };
  return { text, slots: parameters.slots, checks, ...how };
}

/** The row after the change. */
function newRow(change: Change): string {
  const { view, caller, parameters, ways, written } = change;
  const next = (forced: WriteTerms["forced"]): string =>
    view.stored.map((field) => nextValue(change, field, forced)).join(", ");
  const state = ways === null ? null : machineOf(view);
  if (ways === null || state === null) return `_new as (select ${next(new Map())} from _cur)`;
  const rows = rowsByWay(view, ways, parameters.value(state.field), next);
  return `_ways as (${rows}), _new as (${chosenWay(view, ways, caller, parameters, written)})`;
}

/** The event's name: that of the used edge, whichever route was called. */
function eventByWay({ view, edge, ways }: Change): string {
  const updated = quoteLiteral(edge?.emit ?? `${view.entity.name}.updated`);
  if (ways === null || ways.length === 0) return updated;
  const taken = ways.map((way, i) => `when ${i + 1} then ${quoteLiteral(way.edge.emit)}`);
  return `case _new._way ${taken.join(" ")} else ${updated} end`;
}

function oldValues({ view, pairs, parameters }: Change, fields: readonly StoredField[]): string {
  const stored = previousValues(view, fields, { before: "_cur", after: "_upd" }, parameters);
  const joined = pairs.map(
    (field) => ` || jsonb_build_object(${quoteLiteral(field.name)}, ${pairsBefore(view, field, "_cur")})`,
  );
  return `${stored}${joined.join("")}`;
}

function auditedPair(field: StoredField): string {
  return `jsonb_build_array(${auditValue("_cur", field)}, ${auditValue("_upd", field)}) as ${quoteIdentifier(field.name)}`;
}

/** The changes that the edge makes in addition to the body's. */
function changesByWay(ways: readonly Way[], moved: readonly StoredField[]): string {
  if (moved.length === 0) return "";
  const cases = ways.flatMap(({ edge, forced }, i) => {
    const own = moved.filter((field) => setsBy({ edge, forced }, field));
    if (own.length === 0) return [];
    return [`when ${i + 1} then (select to_jsonb(_x) from (select ${own.map(auditedPair).join(", ")}) _x)`];
  });
  return ` || case _new._way ${cases.join(" ")} else '{}'::jsonb end`;
}

/** ` or ...` if the used edge sets the field, so that the body's value is ignored. */
function orSet({ ways }: Change, name: string): string {
  const setting = (ways ?? []).flatMap(({ forced }, i) => (forced.has(name) ? [i + 1] : []));
  return setting.length === 0 ? "" : ` or _new._way in (${setting.join(", ")})`;
}

/** Whether the edge sets the field, whatever the body contains. */
function setsBy({ edge, forced }: Way, field: StoredField): boolean {
  return forced.has(field.name) || field.sequence?.at === edge.name;
}

/** SQL: the edge that numbers it is used, and it has no number yet. */
function isNumberedNow({ ways }: Change, field: NumberedField): string {
  const missing = `${column("_cur", field)} is null`;
  const taken = (ways ?? []).flatMap(({ edge }, i) => (field.sequence.at === edge.name ? [i + 1] : []));
  return ways === null ? missing : `(${missing} and _new._way in (${taken.join(", ")}))`;
}

function isChanged({ given, terms, edge, view }: Change, field: StoredField): boolean {
  if (given.includes(field.name) || terms.forced.has(field.name)) return true;
  return edge !== null && (view.entity.stateMachine?.field === field.name || field.sequence?.at === edge.name);
}

function nextValue(
  { view, caller, given, added, terms, edge, parameters }: Change,
  field: StoredField,
  byEdge: WriteTerms["forced"],
): string {
  const old = column("_cur", field);
  const named = quoteIdentifier(field.column);
  const forced = byEdge.get(field.name) ?? terms.forced.get(field.name);
  if (edge !== null && view.entity.stateMachine?.field === field.name) {
    return `${quoteLiteral(edge.to)}::${field.sqlType} as ${named}`;
  }
  if (forced !== undefined) {
    const value = fill(forced, view.schema, parameters, { old: "_cur", record: "_cur" });
    return `(${value})::${field.sqlType} as ${named}`;
  }
  if (added.has(field.name)) return `${sumOf(view, field, caller, parameters)} as ${named}`;
  if (given.includes(field.name)) return `${parameters.value(field)} as ${named}`;
  return isTouched(field) ? `${touchedValue(field, "_cur")} as ${named}` : old;
}

/** `details`: for a refused state, the old state and the missing fields. */
function changeChecks(change: Change): {
  readonly checks: readonly Check[];
  readonly flags: readonly string[];
  readonly details: readonly string[];
} {
  const { view, caller, given, terms, parameters, edge, pairs, written } = change;
  const checks: Check[] = [];
  const flags: string[] = [];
  const details: string[] = [];
  const add = (check: Check, flag: string): void => {
    checks.push(check);
    flags.push(flag);
  };
  for (const field of view.stored) {
    if (field.references === null) continue;
    const isForced = terms.forced.has(field.name) || (change.ways ?? []).some((way) => way.forced.has(field.name));
    const within = isForced ? targetWithin(view, field) : null;
    if (within !== null) add({ kind: "reference", field, judges: "row" }, within);
    if (!given.includes(field.name)) continue;
    const set = orSet(change, field.name);
    const readable = targetReadable(view, field, caller, parameters);
    add(
      { kind: "reference", field, judges: set === "" ? "body" : "row" },
      `(${column("_new", field)} is null or ${knownSame(change, field)} or ${readable}${set})`,
    );
  }
  for (const field of pairs)
    add({ kind: "reference", field, judges: "body" }, targetsReadable(view, field, caller, parameters));
  for (const name of given) {
    const field = view.fields.get(name) as BundleField;
    const rules = writableBy(terms, name);
    if (typeof rules === "string") continue;
    add({ kind: "field", field }, oneHolds(view, rules, parameters, { old: "_cur", new: "_new", written }).sql);
  }
  for (const field of view.stored) {
    if (!change.added.has(field.name) || !given.includes(field.name)) continue;
    const readable = isReadable(view, field, caller, "_cur", parameters);
    if (readable.kind !== "always") add({ kind: "unread", field }, readable.sql);
    add({ kind: "unset", field }, `(${column("_cur", field)} is not null)`);
  }
  if (!caller.roles.includes("admin")) {
    for (const field of view.stored) {
      if (field.writer !== "admin" || !given.includes(field.name)) continue;
      const set = orSet(change, field.name);
      add({ kind: "own", field, judges: set === "" ? "body" : "row" }, `(${knownSame(change, field)}${set})`);
    }
  }
  if (pairs.length > 0) {
    const seen = `(select _s."version" from ${view.from} _s where _s."id" = _cur."id")`;
    add({ kind: "current" }, `_cur."version" = ${seen}`);
  }
  if (caller.isConditional === true) add({ kind: "version" }, hasVersion(caller, "_cur", parameters));
  const state = machineOf(view);
  if (state !== null && isChanged(change, state.field)) {
    const move =
      edge === null ? moveByWay(view, change.ways ?? [], caller, parameters, written) : moveAlong(view, edge);
    add({ kind: "state" }, move.possible);
    if (move.missing !== "''") add({ kind: "complete" }, `${move.missing} = ''`);
    details.push(disclosedState(view, caller, parameters), move.missing);
  }
  return { checks, flags, details };
}

/**
 * SQL: the caller sends back the value that they read. For a field that they can't read, the comparison would reveal
 * the value, so it doesn't count.
 */
function knownSame({ view, caller, parameters }: Change, field: StoredField): string {
  const readable = isReadable(view, field, caller, "_cur", parameters);
  if (readable.kind === "never") return "false";
  const same = `${column("_new", field)} is not distinct from ${column("_cur", field)}`;
  return readable.kind === "always" ? same : `(${same} and ${readable.sql})`;
}

function pairChanges({ view, caller, parameters, pairs }: Change): string {
  return pairs
    .map(
      (field, i) =>
        `_gone_${i} as (${pairsDelete(view, field, "_upd", caller, parameters)}), ` +
        `_pairs_${i} as (${pairsInsert(view, field, "_upd", parameters)}), `,
    )
    .join("");
}

/**
 * An update that changes nothing: the same answers, but no new version and no lock. Columns as for an update. It is
 * only audited as a read.
 */
export function emptyUpdateStatement(view: EntityView, caller: StatementCaller): WriteStatement {
  const parameters = new Parameters(view.fields);
  const allowed = permission(view, "update", caller, parameters, { old: "_r", new: "_r" }).sql;
  const matches = caller.isConditional === true ? [`${hasVersion(caller, "_r", parameters)} as _matches`] : [];
  const answer = [...matches, `${allowed} as _allowed`, `${readableJson(view, caller, parameters, "_r")} as _json`];
  const found =
    `from ${view.from} _r where _r."id" = ${parameters.recordId()} and ` +
    `${visibleFor(view, "update", caller, parameters)}${living(view, "_r")}`;
  const checks: readonly Check[] = matches.length > 0 ? [{ kind: "version" }] : [];
  const how = { lane: "fast", keep: true, checks } as const;
  const isAudited = view.entity.audit === "all";
  if (caller.isOnce !== true && !isAudited) {
    const text = `select ${answer.join(", ")} ${found}`;
    return { text, slots: parameters.slots, writes: false, ...how };
  }
  const row = `_cur where ${matches.length > 0 ? "_cur._matches and " : ""}_cur._allowed`;
  const read = isAudited ? [`${permission(view, "read", caller, parameters, { record: "_r" }).sql} as _read`] : [];
  const audited = { view, operation: "read", changes: "null::jsonb", from: `${row} and _cur._read`, row: "_cur" };
  const audit = isAudited ? `, ${auditOf(parameters, [audited])}` : "";
  // A repeated request reads it again.
  const kept = keptReply(view, caller, parameters, { status: 200, row, record: { alias: "_cur", json: null } });
  const columns = [...(matches.length > 0 ? ["_cur._matches"] : []), "_cur._allowed", "_cur._json"];
  const cur = [...answer, `_r."id"`, ...read].join(", ");
  return {
    text: `with _cur as materialized (select ${cur} ${found})${audit}${kept} select ${columns.join(", ")} from _cur`,
    slots: parameters.slots,
    writes: true,
    ...how,
  };
}
