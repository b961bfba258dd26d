// Finds circles in background work. In: the pieces of work, and what each one starts. Out: diagnostics for pieces that
// start themselves: an error if there is no condition in between, otherwise a warning. The time is limited: thousands
// of pieces are visited once.

import type { Step, Workflow } from "../model/background.ts";
import type { Range } from "../text/syntax.ts";
import type { BackgroundContext } from "./context.ts";

export interface Placed {
  readonly work: Workflow;
  readonly section: "workflows" | "workers";
  readonly range: Range;
}

/** One link from a piece of work to another that it starts. `guarded`: there is a condition in between. */
interface Way {
  readonly from: Placed;
  readonly to: Placed;
  /** The event, or the name of the work that calls a worker. */
  readonly by: string;
  readonly guarded: boolean;
}

type Ways = ReadonlyMap<Placed, readonly Way[]>;

/** The maximum number of pieces from which a circle is searched. */
const STARTS_MAX = 100;

export function refuseCircles(work: readonly Placed[], context: BackgroundContext): void {
  const ways = waysOf(work, context);
  const reported = new Set<Placed>();
  for (const strict of [true, false]) {
    const open = strict ? unguarded(ways) : ways;
    for (const start of inCircles(work, open).slice(0, STARTS_MAX)) {
      const circle = reported.has(start) ? null : circleFrom(start, open);
      if (circle === null) continue;
      for (const { to } of circle) reported.add(to);
      const through = circle.map(({ to, by }) => `\`${by}\` starts \`${to.work.name}\``).join(", ");
      context.reader.report.add(
        strict ? "endless_work" : "circular_work",
        start.range,
        `\`${start.work.name}\` starts itself again: ${through}.`,
        strict
          ? "Stop the loop with `when`, or with `if` on the step."
          : "Make sure that its condition becomes false at some point.",
      );
    }
  }
}

function unguarded(ways: Ways): Ways {
  return new Map([...ways].map(([from, all]) => [from, all.filter((way) => !way.guarded)]));
}

/**
 * Removes, again and again, each piece that starts nothing in the set, or that nothing in the set starts. The rest
 * contains the circles.
 */
function inCircles(work: readonly Placed[], ways: Ways): readonly Placed[] {
  let left = new Set(work);
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    const reached = new Set<Placed>();
    for (const one of left) for (const way of ways.get(one) ?? []) if (left.has(way.to)) reached.add(way.to);
    left = new Set([...left].filter((one) => reached.has(one) && ways.get(one)?.some((way) => left.has(way.to))));
    if (left.size === 0) return [];
    // A long chain would be removed link by link. The search below has its own limit.
    if (before - left.size < 3) break;
  }
  return [...left];
}

/** The shortest way back. */
function circleFrom(start: Placed, ways: Ways): readonly Way[] | null {
  const arrivals = new Map<Placed, Way>();
  const queue = [start];
  for (const at of queue) {
    for (const way of ways.get(at) ?? []) {
      if (way.to === start) return pathTo(way, start, arrivals);
      if (arrivals.has(way.to)) continue;
      arrivals.set(way.to, way);
      queue.push(way.to);
    }
  }
  return null;
}

function pathTo(last: Way, start: Placed, arrivals: ReadonlyMap<Placed, Way>): readonly Way[] {
  const path = [last];
  for (let at = last.from; at !== start; ) {
    const way = arrivals.get(at);
    if (way === undefined) break;
    path.unshift(way);
    at = way.from;
  }
  return path;
}

function waysOf(all: readonly Placed[], context: BackgroundContext): Ways {
  const listeners = new Map<string, Placed[]>();
  for (const one of all)
    for (const event of one.work.on) listeners.set(event, [...(listeners.get(event) ?? []), one].slice(0, STARTS_MAX));
  const workers = new Map(all.filter((one) => one.section === "workers").map((one) => [one.work.name, one]));
  return new Map(all.map((from) => [from, waysFrom(from, listeners, workers, context)]));
}

function waysFrom(
  from: Placed,
  listeners: ReadonlyMap<string, readonly Placed[]>,
  workers: ReadonlyMap<string, Placed>,
  context: BackgroundContext,
): readonly Way[] {
  const ways: Way[] = [];
  const visit = (steps: readonly Step[], guardedAbove: boolean): void => {
    let guarded = guardedAbove;
    for (const step of steps) {
      const within = guarded || isGuard(step);
      for (const event of eventsOf(step.action, context))
        for (const to of listeners.get(event) ?? [])
          ways.push({ from, to, by: event, guarded: within || asks(to.work) });
      const called = step.action.kind === "worker.run" ? workers.get(step.action.worker) : undefined;
      if (called !== undefined) ways.push({ from, to: called, by: from.work.name, guarded: within });
      if (step.onError.kind === "steps") visit(step.onError.steps, true);
      visit(step.compensate, true);
      // It goes on only after somebody has done something.
      guarded ||= step.action.kind === "approve" || step.action.kind === "wait_for";
    }
  };
  visit(from.work.steps, false);
  return ways;
}

function asks({ when }: Workflow): boolean {
  return when !== null && !(when.kind === "literal" && when.value === true);
}

function isGuard(step: Step): boolean {
  return (step.if !== null && !(step.if.kind === "literal" && step.if.value === true)) || step.forEach !== null;
}

/** The events of a step that succeeds. */
function eventsOf(action: Step["action"], { entities }: BackgroundContext): readonly string[] {
  switch (action.kind) {
    case "event.emit":
      return [action.event];
    case "record.create":
      return [`${action.entity}.created`];
    case "record.update":
      return [`${action.entity}.updated`];
    case "record.delete":
      return [`${action.entity}.deleted`];
    case "record.transition": {
      const edges = entities.get(action.entity)?.entity.stateMachine?.edges ?? [];
      return edges.flatMap((edge) => (edge.name === action.edge ? [edge.emit] : []));
    }
    default:
      return [];
  }
}
