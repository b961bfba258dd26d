// Decides who sees a run, and which parts of it. In: a run's row and the caller. Out: whether they started it, or were
// asked to approve it, and the run as its caller and its approvers see it. Admins see all of it (`logs.ts`); for
// everybody else it does not exist.
import type { StepStatus } from "@plinth/service";
import type { CallerPrincipal } from "../../project/principal.ts";
import { principalId, standsAboveOrganizations } from "../../project/principal.ts";
import { instant } from "../instants.ts";

/** Columns of `workers__runs`, as `to_json` returns them. */
export interface RunRow {
  readonly id: string;
  readonly workflow: string;
  readonly kind: string;
  readonly status: string;
  readonly output: unknown;
  readonly error: { readonly code: string; readonly message: string; readonly body?: string } | null;
  readonly actor_kind: string | null;
  readonly actor_id: string | null;
  readonly organization_id: string | null;
  /** See `keptCaller` of workflows. */
  readonly caller?: { readonly keyKind?: string | null; readonly roles?: readonly string[] } | null;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
}

export interface WaitRow {
  readonly path: string;
  readonly kind: string;
  readonly event: string | null;
  readonly until: string | null;
  readonly roles: readonly string[] | null;
  readonly answer: unknown;
  readonly created_at: string;
}

export interface StepRow {
  readonly path: string;
  readonly status: StepStatus;
  readonly attempts: number;
  readonly next_at: string | null;
}

/** Runs of an organization are only for its members, and for callers who aren't bound to organizations. */
export function reaches(principal: CallerPrincipal, organization: string | null): boolean {
  if (organization === null || standsAboveOrganizations(principal)) return true;
  return principal.kind === "user" && principal.memberships.some((one) => one.organization === organization);
}

/**
 * A secret key sees the runs of other keys with the same roles, because keys are rotated while their services continue.
 */
export function hasStarted(principal: CallerPrincipal, run: RunRow): boolean {
  if (run.kind !== "action" || run.actor_kind !== principal.kind || !reaches(principal, run.organization_id)) {
    return false;
  }
  if (run.actor_id === principalId(principal)) return true;
  if (principal.kind !== "key" || principal.keyKind !== "secret" || run.caller?.keyKind !== "secret") return false;
  return JSON.stringify(run.caller.roles) === JSON.stringify(principal.roles);
}

/** Whether one of its approvals needs or needed one of their roles, answered or not. */
export function wasAsked(
  principal: CallerPrincipal,
  run: Pick<RunRow, "organization_id">,
  waits: readonly Pick<WaitRow, "kind" | "roles">[],
): boolean {
  return reaches(principal, run.organization_id) && waits.some((wait) => asksFor(principal, wait));
}

function asksFor(principal: CallerPrincipal, { kind, roles }: Pick<WaitRow, "kind" | "roles">): boolean {
  return kind === "approval" && roles?.some((role) => principal.roles.includes(role)) === true;
}

/** When a run has ended, its unfinished parts have ended with it. */
export function asEnded<Step extends Readonly<Record<string, unknown>>>(step: Step, run: RunRow): Step {
  if (!ended.has(run.status) || !unended.has(String(step["status"]))) return step;
  return { ...step, status: "cancelled", next_at: null, ended_at: step["ended_at"] ?? run.ended_at };
}

/** Before a step, as a step, between its attempts. */
const pausing: ReadonlySet<string> = new Set(["delayed", "waiting", "retrying"]);
/** A run that needs attention has not ended: a person must say how its call ended. */
const ended: ReadonlySet<string> = new Set(["completed", "failed", "cancelled", "undo_failed"]);
const unended: ReadonlySet<string> = new Set([...pausing, "started"]);

/** An action's progress for its caller: its answer, and what it waits for, without its steps. */
export function callersView(
  run: RunRow,
  steps: readonly StepRow[],
  waits: readonly WaitRow[],
): { readonly waits_for: readonly object[]; readonly [name: string]: unknown } {
  const { id, workflow, kind, status, output, created_at, started_at, ended_at } = run;
  const open = ended_at === null ? waits.filter((wait) => wait.answer === null) : [];
  // A step that waits for something also has a time: its timeout.
  const named = new Set(open.map(({ path }) => path));
  const pauses = steps.filter((step) => pausing.has(step.status) && step.next_at !== null && !named.has(step.path));
  return {
    id,
    workflow,
    kind,
    status,
    output,
    error: withoutBody(run.error),
    waits_for: [
      ...open.map((wait) => waitedFor(wait)),
      ...(ended_at === null ? pauses.map((step) => ({ kind: "time", until: instant(step.next_at) })) : []),
    ],
    created_at: instant(created_at),
    started_at: instant(started_at),
    ended_at: instant(ended_at),
  };
}

/** The answer of another service is for admins. */
function withoutBody(error: RunRow["error"]): object | null {
  if (error === null) return null;
  const { body: _, ...rest } = error;
  return rest;
}

/**
 * The same for an approver: its status, and the approvals that still wait for them. They don't see its result, its
 * error, or its other waits.
 */
export function approversView(
  principal: CallerPrincipal,
  run: RunRow,
  waits: readonly WaitRow[],
): ReturnType<typeof callersView> {
  const theirs = waits.filter((wait) => asksFor(principal, wait));
  return { ...callersView(run, [], theirs), output: null, error: null };
}

function waitedFor({ path, kind, event, until, roles, created_at }: WaitRow): object {
  switch (kind) {
    case "approval":
      return { kind, step: path, roles: roles ?? [], since: instant(created_at), until: instant(until) };
    case "event":
      return { kind, event, until: instant(until) };
    default:
      return { kind, until: instant(until) };
  }
}
