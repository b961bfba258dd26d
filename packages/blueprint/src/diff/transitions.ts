// Compares state machines. In: those of an entity before and after, in the same words. Out: the changes between them.
// The permissions say who can take a transition; this file reports which transitions exist.

import { withArticle } from "@plinth/expression";
import type { Edge, Entity, Operation, StateMachine } from "../model/model.ts";
import type { Change, ChangeClass, CountedRecords, Witness } from "./change.ts";
import { changeOf, named, type Part, same } from "./make-change.ts";
import { capitalized, oneOf } from "./one-of.ts";
import { exampleRole } from "./witness.ts";

/** @param liveName The name of a field in the live table; null if it is new. */
export function diffTransitions(before: Entity, after: Entity, liveName: (field: string) => string | null): Change[] {
  const [was, is] = [before.stateMachine, after.stateMachine];
  const column = is === null ? null : liveName(is.field);
  const stuck: Stuck = (only, except) => {
    if (is === null || column === null || only?.length === 0) return null;
    const what = `records with a value of \`${is.field}\` that no transition leaves`;
    return { what, table: before.plural, column, only, except };
  };
  if (was !== null && is !== null && was.field === is.field) {
    return [...diffInitial(after, was, is), ...diffEdges(after, was.edges, is.edges, stuck)];
  }
  return [
    ...(was === null ? [] : [machineRemoved(after, was)]),
    ...(is === null ? [] : [machineAdded(after, is, stuck(null, statesLeft(is.edges)))]),
  ];
}

/** Records in such states, to be counted. */
type Stuck = (only: readonly string[] | null, except: readonly string[]) => CountedRecords | null;

function statesLeft(edges: readonly Edge[]): readonly string[] {
  return [...new Set(edges.flatMap((edge) => edge.from))];
}

function machineAdded(entity: Entity, machine: StateMachine, counted: CountedRecords | null): Change {
  return changeOf({
    kind: "transition_added",
    path: `${entity.name}.transitions.${machine.field}`,
    summary: `\`${machine.field}\` of \`${entity.name}\` now starts as \`${machine.initial}\` and changes only through ${named(machine.edges.map((edge) => edge.name)) || "no transition"}.`,
    classes: ["breaking"],
    after: machine,
    counted,
  });
}

function machineRemoved(entity: Entity, machine: StateMachine): Change {
  const may = `set \`${machine.field}\` to any value`;
  return changeOf({
    kind: "transition_removed",
    path: `${entity.name}.transitions.${machine.field}`,
    summary: `\`${machine.field}\` of \`${entity.name}\` can now be set to any value. Its transitions and their routes are removed.`,
    classes: ["loosens_access", "breaking"],
    before: machine,
    witness: witness(entity, "update", may),
  });
}

function diffInitial(entity: Entity, before: StateMachine, after: StateMachine): Change[] {
  if (before.initial === after.initial) return [];
  return [
    changeOf({
      kind: "transition_changed",
      path: `${entity.name}.transitions.${after.field}`,
      summary: `A new \`${entity.name}\` now starts as \`${after.initial}\`, instead of \`${before.initial}\`.`,
      classes: ["loosens_access", "breaking"],
      before: before.initial,
      after: after.initial,
      witness: witness(
        entity,
        "create",
        `create ${withArticle(`\`${entity.name}\``)} with ${after.field} \`${after.initial}\``,
      ),
    }),
  ];
}

function diffEdges(entity: Entity, before: readonly Edge[], after: readonly Edge[], stuck: Stuck): Change[] {
  const left = statesLeft(after);
  const stuckIn = (states: readonly string[]) =>
    stuck(
      states.filter((state) => !left.includes(state)),
      [],
    );
  const old = new Map(before.map((edge) => [edge.name, edge]));
  const kept = new Set(after.map((edge) => edge.name));
  const path = (edge: Edge): string => `${entity.name}.transitions.${edge.name}`;
  return [
    ...after.flatMap((edge) => {
      const was = old.get(edge.name);
      if (was !== undefined) return edgeChanged(entity, was, edge, stuckIn);
      const summary = `${capitalized(oneOf(entity.name))} can now move by \`${edge.name}\` from ${named(edge.from, "or")} to \`${edge.to}\`.`;
      return [changeOf({ kind: "transition_added", path: path(edge), summary, classes: ["safe"], after: edge })];
    }),
    ...before
      .filter((edge) => !kept.has(edge.name))
      .map((edge) => {
        const summary = `${capitalized(oneOf(entity.name))} can no longer move by \`${edge.name}\`. Its route is removed.`;
        const counted = stuckIn(edge.from);
        return changeOf({
          kind: "transition_removed",
          path: path(edge),
          summary,
          classes: ["breaking"],
          before: edge,
          counted,
        });
      }),
  ];
}

function edgeChanged(
  entity: Entity,
  before: Edge,
  after: Edge,
  stuckIn: (states: readonly string[]) => CountedRecords | null,
): Change[] {
  const parts = [
    fromChange(before, after),
    toChange(before, after),
    requireChange(before, after),
    emitChange(before, after),
  ].filter((part) => part !== null);
  if (parts.length === 0) return [];
  const loosens = parts.some((part) => part.classes.includes("loosens_access"));
  const may = `move ${withArticle(`\`${entity.name}\``)} by \`${after.name}\` where that was not possible`;
  return [
    changeOf({
      kind: "transition_changed",
      path: `${entity.name}.transitions.${after.name}`,
      summary: `\`${after.name}\` of \`${entity.name}\` ${parts.map((part) => part.text).join(", and ")}.`,
      classes: parts.flatMap((part) => part.classes),
      before,
      after,
      witness: loosens ? witness(entity, `transition:${after.name}`, may) : null,
      counted: stuckIn(before.from.filter((state) => !after.from.includes(state))),
    }),
  ];
}

function fromChange(before: Edge, after: Edge): Part | null {
  const gained = after.from.filter((state) => !before.from.includes(state));
  const lost = before.from.filter((state) => !after.from.includes(state));
  if (gained.length + lost.length === 0) {
    if (same(before.from, after.from)) return null;
    return { text: "lists its states in another order", classes: ["safe"] };
  }
  const classes: ChangeClass[] = [
    ...(gained.length > 0 ? (["loosens_access"] as const) : []),
    ...(lost.length > 0 ? (["breaking"] as const) : []),
  ];
  return { text: `now leads from ${named(after.from, "or")}, instead of ${named(before.from, "or")}`, classes };
}

function toChange(before: Edge, after: Edge): Part | null {
  if (before.to === after.to) return null;
  return { text: `now leads to \`${after.to}\`, instead of \`${before.to}\``, classes: ["loosens_access", "breaking"] };
}

function requireChange(before: Edge, after: Edge): Part | null {
  const gained = after.require.filter((field) => !before.require.includes(field));
  const lost = before.require.filter((field) => !after.require.includes(field));
  if (gained.length + lost.length === 0) {
    if (same(before.require, after.require)) return null;
    return { text: "lists what it requires in another order", classes: ["safe"] };
  }
  const classes: ChangeClass[] = [
    ...(lost.length > 0 ? (["loosens_access"] as const) : []),
    ...(gained.length > 0 ? (["breaking"] as const) : []),
  ];
  return {
    text: `now requires ${named(after.require) || "nothing"}, instead of ${named(before.require) || "nothing"}`,
    classes,
  };
}

/** Listeners of the old event no longer receive anything. */
function emitChange(before: Edge, after: Edge): Part | null {
  if (before.emit === after.emit) return null;
  return { text: `now emits \`${after.emit}\`, instead of \`${before.emit}\``, classes: ["breaking"] };
}

function witness(entity: Entity, operation: Operation, may: string): Witness {
  const role = exampleRole(entity, operation);
  return {
    role,
    operation,
    entity: entity.name,
    decided: true,
    summary: `${capitalized(oneOf(role))} can now ${may}.`,
    record: {},
  };
}
