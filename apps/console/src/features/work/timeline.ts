// The steps of a run on one time scale. In: its steps and attempts, and the present time. Out: rows in order of start; below a step are its
// members, error handlers and compensations. Pure.
import type { Run, RunStep, StepStatus } from "@plinth/control/router";

/** `member`: one iteration of a `for_each`. `on_error`, `compensate`: a step that followed the failure of the step above. */
type RowKind = "step" | "member" | "on_error" | "compensate";

export interface TimelineRow {
  readonly path: string;
  readonly name: string;
  readonly kind: RowKind;
  readonly depth: number;
  readonly status: StepStatus;
  /** Null for a `for_each` whose members are in progress: it has no row of its own yet. */
  readonly step: RunStep | null;
  /** In ms. */
  readonly took: number;
  /** Start and length of its bar, as shares of the whole. */
  readonly from: number;
  readonly length: number;
  /** The starts of its second and later attempts, as shares of the whole. */
  readonly retries: readonly number[];
}

export interface Timeline {
  readonly rows: readonly TimelineRow[];
  /** In ms. */
  readonly took: number;
}

interface Node {
  readonly path: string;
  readonly name: string;
  readonly kind: RowKind;
  readonly depth: number;
  step: RunStep | null;
  readonly children: Node[];
}

type Times = Pick<Run, "createdAt" | "startedAt" | "endedAt" | "steps" | "attempts">;

export function timelineOf(run: Times, now: number): Timeline {
  const spans = run.steps.map((step) => spanOf(step, now));
  const start = Math.min(Date.parse(run.startedAt ?? run.createdAt), ...spans.map(({ from }) => from));
  const end = Math.max(run.endedAt === null ? now : Date.parse(run.endedAt), ...spans.map(({ to }) => to));
  const took = Math.max(end - start, 1);
  const share = (at: number): number => Math.min(1, Math.max(0, (at - start) / took));

  const rowsOf = (node: Node): readonly TimelineRow[] => {
    const { path, name, kind, depth, step, children } = node;
    const { from, to } = extentOf(node, now);
    const attempts = run.attempts.filter((attempt) => attempt.path === path && attempt.attempt > 1);
    const row: TimelineRow = {
      path,
      name,
      kind,
      depth,
      step,
      status: step?.status ?? statusOf(children),
      took: to - from,
      from: share(from),
      length: share(to) - share(from),
      retries: attempts.map(({ startedAt }) => share(Date.parse(startedAt))),
    };
    return [row, ...inOrder(children, now).flatMap(rowsOf)];
  };
  return { rows: inOrder(treeOf(run.steps), now).flatMap(rowsOf), took };
}

/** `charge/2/on_error/refund` is below `charge/2`, which is below `charge`, even if these have no rows. */
function treeOf(steps: readonly RunStep[]): readonly Node[] {
  const roots: Node[] = [];
  const known = new Map<string, Node>();
  const nodeOf = (path: string): Node => {
    const found = known.get(path);
    if (found !== undefined) return found;
    const { parent, kind, name } = placeOf(path);
    const above = parent === null ? null : nodeOf(parent);
    const node: Node = { path, name, kind, depth: above === null ? 0 : above.depth + 1, step: null, children: [] };
    known.set(path, node);
    (above?.children ?? roots).push(node);
    return node;
  };
  for (const step of steps) nodeOf(step.path).step = step;
  return roots;
}

function placeOf(path: string): { readonly parent: string | null; readonly kind: RowKind; readonly name: string } {
  const parts = path.split("/");
  const name = parts.at(-1) ?? path;
  if (parts.length === 1) return { parent: null, kind: "step", name };
  const before = parts.at(-2);
  if (parts.length > 2 && (before === "on_error" || before === "compensate")) {
    return { parent: parts.slice(0, -2).join("/"), kind: before, name };
  }
  return { parent: parts.slice(0, -1).join("/"), kind: /^\d+$/.test(name) ? "member" : "step", name };
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function spanOf({ startedAt, endedAt, status }: RunStep, now: number): Span {
  const from = startedAt === null ? now : Date.parse(startedAt);
  const to = endedAt === null ? (isOver(status) ? from : now) : Date.parse(endedAt);
  return { from, to: Math.max(from, to) };
}

/** The row of a `for_each` is stored when its last member is done, but it started with the first. */
function extentOf({ step, children }: Node, now: number): Span {
  const members = children.filter(({ kind }) => kind === "member").map((child) => extentOf(child, now));
  const spans = step === null ? members : [spanOf(step, now), ...members];
  const all = spans.length > 0 ? spans : children.map((child) => extentOf(child, now));
  return { from: Math.min(...all.map(({ from }) => from)), to: Math.max(...all.map(({ to }) => to)) };
}

/** Members by number, other steps in order of start. */
function inOrder(nodes: readonly Node[], now: number): readonly Node[] {
  const began = new Map(nodes.map((node) => [node, extentOf(node, now).from]));
  return [...nodes].sort((one, other) => {
    if (one.kind === "member" && other.kind === "member") return Number(one.name) - Number(other.name);
    return (began.get(one) ?? 0) - (began.get(other) ?? 0) || one.path.localeCompare(other.path, "en");
  });
}

/** The status of a step that has no row yet, from its members. */
function statusOf(children: readonly Node[]): StepStatus {
  const statuses = children.map(({ step }) => step?.status ?? "started");
  for (const status of ["failed", "started", "retrying", "waiting", "delayed"] as const) {
    if (statuses.includes(status)) return status;
  }
  return "started";
}

function isOver(status: StepStatus): boolean {
  return status === "completed" || status === "skipped" || status === "failed";
}
