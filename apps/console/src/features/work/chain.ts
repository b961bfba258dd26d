// What came of one request. In: its lines of the audit log, events and runs, in any order. Out: a tree, from each write over its event
// to the runs that heard it, to what those wrote in turn; a line that no event belongs to stands under the run that wrote it. Pure.
import type { AuditLine, EventSummary, RunSummary } from "@plinth/control/router";

export type ChainNode =
  | {
      readonly kind: "event";
      readonly event: EventSummary;
      /** The line that the same write left. */
      readonly line: AuditLine | null;
      readonly children: readonly ChainNode[];
    }
  | { readonly kind: "run"; readonly run: RunSummary; readonly children: readonly ChainNode[] }
  /** What was written and nobody listens for. */
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
  // What caused a root is not of this request, or is kept no longer.
  const isRoot = (run: RunSummary): boolean =>
    !(run.eventId !== null && eventIds.has(run.eventId)) && !(run.causedBy !== null && runIds.has(run.causedBy));
  const first = events.filter(({ causedBy }) => causedBy === null || !runIds.has(causedBy)).map(eventNode);
  return inOrder(linesOf(null), first, runs.filter(isRoot).map(runNode));
}

/** The events of an entity are named for what was done; a transition by its own word. */
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
 * A note names its run. Another line of a step names its workflow (`workflow bake`): where several runs of that are of this request, the one
 * that was under way. Null where that leaves more than one, or none.
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
  const underWay = named.filter(
    ({ startedAt, endedAt }) =>
      startedAt !== null && Date.parse(startedAt) <= time && (endedAt === null || time <= Date.parse(endedAt)),
  );
  const [only = null, other] = named.length === 1 ? named : underWay;
  return other === undefined ? only : null;
}

/** Of what is of one instant, the line of the log comes first: it was written with what follows. */
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
