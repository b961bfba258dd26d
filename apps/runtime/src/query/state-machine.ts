// A state machine in a statement. In: the old row `_cur`, the new row `_new`, and the caller. Out: SQL that tells
// whether an edge leads to the new state, and which required values are missing. The surrounding write moves the
// record.
import type { BundleStateMachine, Operation } from "@plinth/bundle";
import { quoteLiteral } from "@plinth/postgres";
import {
  column,
  type EntityView,
  hasOperation,
  permission,
  type StatementCaller,
  type StoredField,
  type WrittenPairs,
} from "./entity-view.ts";
import type { Parameters } from "./parameters.ts";
import { readabilityOf } from "./readable-fields.ts";
import type { WriteTerms } from "./write-terms.ts";

export type Edge = BundleStateMachine["edges"][number];

/** The machine and its field; null if the entity has none. */
export function machineOf(
  view: EntityView,
): { readonly machine: BundleStateMachine; readonly field: StoredField } | null {
  const machine = view.entity.stateMachine;
  if (machine === null) return null;
  const field = view.stored.find((each) => each.name === machine.field);
  if (field === undefined) throw new Error(`${view.entity.name} has no state ${machine.field}`);
  return { machine, field };
}

export function edgeOf(view: EntityView, name: string): Edge {
  const edge = view.entity.stateMachine?.edges.find((each) => each.name === name);
  if (edge === undefined) throw new Error(`${view.entity.name} has no edge ${name}`);
  return edge;
}

/** The names of the edges from a state that the roles can use. */
export function edgesFrom(view: EntityView, state: string, roles: readonly string[]): readonly string[] {
  const edges = view.entity.stateMachine?.edges ?? [];
  const has = (edge: Edge): boolean => hasOperation(view.entity, `transition:${edge.name}`, roles);
  return edges.filter((edge) => edge.from.includes(state) && has(edge)).map((edge) => edge.name);
}

/** An edge that a caller can use by one of their grants, and the values that those grants set on it. */
export interface Way {
  readonly edge: Edge;
  readonly forced: WriteTerms["forced"];
}

/** The ways to a state (or to any, if it is null), in the order of their declaration. */
export function waysTo(
  view: EntityView,
  state: string | null,
  termsOf: (operation: Operation) => WriteTerms,
  roles: readonly string[],
): readonly Way[] {
  return (view.entity.stateMachine?.edges ?? []).flatMap((edge) => {
    const operation: Operation = `transition:${edge.name}`;
    if ((state !== null && edge.to !== state) || !hasOperation(view.entity, operation, roles)) return [];
    return [{ edge, forced: termsOf(operation).forced }];
  });
}

export interface Move {
  /** Whether the new state can be reached from the old one. */
  readonly possible: string;
  /** The names of the fields that the edge requires and that have no value, joined by commas; may be empty. */
  readonly missing: string;
}

/** Only along this edge. */
export function moveAlong(view: EntityView, edge: Edge): Move {
  const state = stateField(view);
  return { possible: `${column("_cur", state)} in (${literals(edge.from)})`, missing: missingOf(view, edge, "_new") };
}

/**
 * The rows that an update of the state could produce from `_cur`, for `_ways`: one if the state stays, one for each way
 * to the state with the values that its edge sets, and one for no way. `_way` counts them from 0.
 */
export function rowsByWay(
  view: EntityView,
  ways: readonly Way[],
  sent: string,
  next: (forced: Way["forced"]) => string,
): string {
  const old = column("_cur", stateField(view));
  const arms = [
    `select 0 as _way, ${next(new Map())} where ${sent} is not distinct from ${old}`,
    ...ways.map(
      ({ edge, forced }, i) =>
        `select ${i + 1} as _way, ${next(forced)} where ${sent} = ${quoteLiteral(edge.to)} and ${old} in (${literals(edge.from)})`,
    ),
    `select ${ways.length + 1} as _way, ${next(new Map())}`,
  ];
  return `select _e.* from _cur cross join lateral (${arms.join(" union all ")}) _e`;
}

/** Chooses the first way that is allowed and lacks nothing; else the one that the refusal describes. For `_new`. */
export function chosenWay(
  view: EntityView,
  ways: readonly Way[],
  caller: StatementCaller,
  parameters: Parameters,
  written: WrittenPairs,
): string {
  const rows = { old: "_cur", new: "_ways", written };
  const ranks = ways.map(({ edge }, i) => {
    const allowed = permission(view, `transition:${edge.name}`, caller, parameters, rows).sql;
    const rank = `case when (${allowed}) is not true then 2 when ${missingOf(view, edge, "_ways")} <> '' then 1 else 0 end`;
    return `when ${i + 1} then ${rank}`;
  });
  const rank = `case _ways._way when 0 then 0 ${ranks.join(" ")} else 3 end`;
  return `select _ways.* from _ways, _cur order by ${rank}, _ways._way limit 1`;
}

/** Along the chosen way. An unchanged state needs none. */
export function moveByWay(
  view: EntityView,
  ways: readonly Way[],
  caller: StatementCaller,
  parameters: Parameters,
  written: WrittenPairs,
): Move {
  const rows = { old: "_cur", new: "_new", written };
  const allowed = ways.map(
    ({ edge }, i) => `when ${i + 1} then ${permission(view, `transition:${edge.name}`, caller, parameters, rows).sql}`,
  );
  const lacking = ways.flatMap(({ edge }, i) => {
    const missing = missingOf(view, edge, "_new");
    return missing === "''" ? [] : [`when ${i + 1} then ${missing}`];
  });
  return {
    possible: `case _new._way when 0 then true ${allowed.join(" ")} else false end`,
    missing: lacking.length === 0 ? "''" : `case _new._way ${lacking.join(" ")} else '' end`,
  };
}

/** The operation in the audit log: a state that changes has used its edge, whichever route was called. */
export function operationByWay(ways: readonly Way[], otherwise: Operation): string {
  if (ways.length === 0) return quoteLiteral(otherwise);
  const named = ways.map(({ edge }, i) => `when ${i + 1} then ${quoteLiteral(`transition:${edge.name}`)}`);
  return `case _new._way ${named.join(" ")} else ${quoteLiteral(otherwise)} end`;
}

/** The old state, if the caller may know it. */
export function disclosedState(view: EntityView, caller: StatementCaller, parameters: Parameters): string {
  const state = stateField(view);
  if (readabilityOf(view, state, caller.roles) !== "always") return "null::text";
  const readable = permission(view, "read", caller, parameters, { record: "_cur" });
  if (readable.kind === "never") return "null::text";
  const value = `${column("_cur", state)}::text`;
  return readable.kind === "always" ? value : `case when ${readable.sql} then ${value} end`;
}

function missingOf(view: EntityView, edge: Edge, row: string): string {
  const fields = edge.require
    .map((name) => view.stored.find((field) => field.name === name))
    .filter((field) => field !== undefined);
  if (fields.length === 0) return "''";
  const names = fields.map((field) => `case when ${column(row, field)} is null then ${quoteLiteral(field.name)} end`);
  return `concat_ws(',', ${names.join(", ")})`;
}

function stateField(view: EntityView): StoredField {
  const found = machineOf(view);
  if (found === null) throw new Error(`${view.entity.name} has no state machine`);
  return found.field;
}

function literals(values: readonly string[]): string {
  return values.map((value) => quoteLiteral(value)).join(", ");
}
