// A state machine in a statement. In: the old row `cur`, the new row `new_row`, and who asks. Out: SQL that tells whether an
// edge leads there and what it lacks. It never moves a record: the write around it does.
import type { BundleStateMachine } from "@plinth/bundle";
import { quoteIdentifier, quoteLiteral } from "@plinth/postgres";
import { type Asker, column, type EntityView, permission, type StoredField } from "./entity-view.ts";
import type { Parameters } from "./parameters.ts";
import { readabilityOf } from "./readable-fields.ts";

export type Edge = BundleStateMachine["edges"][number];

/** The machine and its field; null where the entity has none. */
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

/** The names of the edges that lead out of a state and that the roles have. */
export function edgesFrom(view: EntityView, state: string, roles: readonly string[]): readonly string[] {
  const edges = view.entity.stateMachine?.edges ?? [];
  const has = (name: string): boolean => {
    const grants = view.entity.access[`transition:${name}`];
    return grants !== undefined && roles.some((role) => Object.hasOwn(grants, role));
  };
  return edges.filter((edge) => edge.from.includes(state) && has(edge.name)).map((edge) => edge.name);
}

export interface Move {
  /** Whether the new state may be reached from the old one. */
  readonly possible: string;
  /** The names of the fields that the edge requires and that have no value, joined by commas; empty where none is. */
  readonly missing: string;
}

/** Along this edge alone. */
export function moveAlong(view: EntityView, edge: Edge): Move {
  const state = stateField(view);
  return { possible: `${column("_cur", state)} in (${literals(edge.from)})`, missing: missingOf(view, edge) };
}

/** Along any edge that the caller may take; a state that stays needs none. */
export function moveByAny(view: EntityView, asker: Asker, parameters: Parameters): Move {
  const state = stateField(view);
  const stays = `${column("_new", state)} is not distinct from ${column("_cur", state)}`;
  const rows = { old: "_cur", new: "_new" };
  const edges = (view.entity.stateMachine?.edges ?? []).flatMap((edge) => {
    const allowed = permission(view, `transition:${edge.name}`, asker, parameters, rows);
    if (allowed === "false") return [];
    const way = `${column("_new", state)} = ${quoteLiteral(edge.to)} and ${column("_cur", state)} in (${literals(edge.from)})`;
    const taken = allowed === "true" ? `(${way})` : `(${way} and ${allowed})`;
    return [{ taken, missing: missingOf(view, edge) }];
  });
  const whole = edges.map(({ taken, missing }) => (missing === "''" ? taken : `(${taken} and ${missing} = '')`));
  const lacking = edges
    .filter((edge) => edge.missing !== "''")
    .map((edge) => `when ${edge.taken} then ${edge.missing}`);
  return {
    possible: `(${[stays, ...edges.map((edge) => edge.taken)].join(" or ")})`,
    missing:
      lacking.length === 0
        ? "''"
        : `case when ${[stays, ...whole].join(" or ")} then '' ${lacking.join(" ")} else '' end`,
  };
}

/** The old state, where the caller may know it. */
export function disclosedState(view: EntityView, asker: Asker, parameters: Parameters): string {
  const state = stateField(view);
  if (readabilityOf(view, state, asker.roles) !== "always") return "null::text";
  const readable = permission(view, "read", asker, parameters, { record: "_cur" });
  if (readable === "false") return "null::text";
  const value = `${column("_cur", state)}::text`;
  return readable === "true" ? value : `case when ${readable} then ${value} end`;
}

function missingOf(view: EntityView, edge: Edge): string {
  const fields = edge.require
    .map((name) => view.stored.find((field) => field.name === name))
    .filter((field) => field !== undefined);
  if (fields.length === 0) return "''";
  const names = fields.map(
    (field) => `case when _new.${quoteIdentifier(field.column)} is null then ${quoteLiteral(field.name)} end`,
  );
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
