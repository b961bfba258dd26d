// The consequences of one request. In: its audit lines, events and runs, in any order. Out: a tree: each write with its event, the runs
// that the event started, and their own writes. A line without an event is below the run that wrote it. Pure.
import type { AuditLine, EventSummary, RunSummary } from "@plinth/control/router";

export type ChainNode =
  | {
      readonly kind: "event";
      readonly event: EventSummary;
      /** The audit line of the same write. */
      readonly line: AuditLine | null;
      readonly children: readonly ChainNode[];
    }
  | { readonly kind: "run"; readonly run: RunSummary; readonly children: readonly ChainNode[] }
  /** A write for which nothing listens. */
  | { readonly kind: "line"; readonly line: AuditLine; readonly children: readonly [] };

export function chainOf(
  lines: readonly AuditLine[],
  events: readonly EventSummary[],
  runs: readonly RunSummary[],
): readonly ChainNode[] {
  const left = new Set([...lines].sort((one, other) => Number(BigInt(one.id) - BigInt(other.id))));
  const lineOf = new Map<string, AuditLine>();
  for (const event of [...events].sort(byTime(({ at }) => at))) {
    const line = [...left].find((each) => belongs(each, event));
    if (line === undefined) continue;
    left.delete(line);
    lineOf.set(event.id, line);
  }
  const writerOf = new Map([...left].map((line) => [line, writer(line, runs)]));
  const linesOf = (run: RunSummary | null): readonly ChainNode[] =>
    [...left].flatMap((line) => (writerOf.get(line) === run ? [{ kind: "line", line, children: [] } as const] : []));
  const eventIds = new Set(events.map(({ id }) => id));
  const runIds = new Set(runs.map(({ id }) => id));
  const eventNode = (event: EventSummary): ChainNode => ({
    kind: "event",
    event,
    line: lineOf.get(event.id) ?? null,
    children: runs
      .filter(({ eventId }) => eventId === event.id)
      .sort(byTime(({ createdAt }) => createdAt))
      .map(runNode),
  });
  const runNode = (run: RunSummary): ChainNode => {
    const caused = runs.filter(
      ({ causedBy, eventId }) => causedBy === run.id && !(eventId !== null && eventIds.has(eventId)),
    );
    const emitted = events.filter(({ causedBy }) => causedBy === run.id);
    return { kind: "run", run, children: inOrder(linesOf(run), emitted.map(eventNode), caused.map(runNode)) };
  };
  // The cause of a root belongs to another request, or is no longer stored.
  const isRoot = (run: RunSummary): boolean =>
    !(run.eventId !== null && eventIds.has(run.eventId)) && !(run.causedBy !== null && runIds.has(run.causedBy));
  const first = events.filter(({ causedBy }) => causedBy === null || !runIds.has(causedBy)).map(eventNode);
  return inOrder(linesOf(null), first, runs.filter(isRoot).map(runNode));
}

/** The second part of an event's name, and its operation. Events of transitions have the name of the transition. */
const operations: Readonly<Record<string, string>> = {
  created: "create",
  updated: "update",
  deleted: "delete",
  restored: "restore",
};

function belongs({ entity, recordId, operation }: AuditLine, event: EventSummary): boolean {
  if (event.recordId === null || entity !== event.entity || recordId !== event.recordId) return false;
  const known = operations[event.name.slice(event.name.indexOf(".") + 1)];
  return known === undefined ? (operation ?? "").startsWith("transition") : operation === known;
}

/**
 * The run that wrote a line. A note names its run. Any other line of a step names the workflow (`workflow bake`): if this request has
 * several runs of it, the line belongs to the one that was running at that time. Null if there are several of them, or none.
 */
function writer(
  { actorKind, actorId, operation, changes, at }: AuditLine,
  runs: readonly RunSummary[],
): RunSummary | null {
  if (operation === "note" && changes !== null && typeof changes === "object" && "run" in changes) {
    return runs.find(({ id }) => id === changes.run) ?? null;
  }
  if (actorKind !== "service") return null;
  const time = Date.parse(at);
  const named = runs.filter(({ kind, workflow }) => actorId === `${kind} ${workflow}`);
  const running = named.filter(
    ({ startedAt, endedAt }) =>
      startedAt !== null && Date.parse(startedAt) <= time && (endedAt === null || time <= Date.parse(endedAt)),
  );
  const [only = null, other] = named.length === 1 ? named : running;
  return other === undefined ? only : null;
}

/** In order of time. At the same instant the line comes first: it was written together with what follows. */
function inOrder(...nodes: readonly (readonly ChainNode[])[]): readonly ChainNode[] {
  return nodes.flat().sort(byTime(timeOf));
}

function timeOf(node: ChainNode): string {
  if (node.kind === "line") return node.line.at;
  return node.kind === "event" ? node.event.at : node.run.createdAt;
}

function byTime<Item>(at: (item: Item) => string): (one: Item, other: Item) => number {
  return (one, other) => Date.parse(at(one)) - Date.parse(at(other));
}
