// Who sees a run, and what of it. In: a run's row and who asks. Out: whether they started it, or were asked to approve it, and the run
// as its caller and its approvers see it.
// Admins see all of it (`logs.ts`); to everybody else it is missing.
import type { StepStatus } from "@plinth/service";
import type { CallerPrincipal } from "../../project/principal.ts";
import { principalId, standsAboveOrganizations } from "../../project/principal.ts";
import { instant } from "../instants.ts";

/** Columns of `workers__runs`, as `to_json` gives them. */
export interface RunRow {
  readonly id: string;
  readonly workflow: string;
  readonly kind: string;
  readonly status: string;
  readonly output: unknown;
  readonly error: { readonly code: string; readonly message: string } | null;
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

/** Runs of an organization are for those alone who belong to it, or stand above all. */
export function reaches(principal: CallerPrincipal, organization: string | null): boolean {
  if (organization === null || standsAboveOrganizations(principal)) return true;
  return principal.kind === "user" && principal.memberships.some((one) => one.organization === organization);
}

/** A secret key sees what another one of the same roles has started: keys are rotated, what they serve goes on. */
export function hasStarted(principal: CallerPrincipal, run: RunRow): boolean {
  if (run.kind !== "action" || run.actor_kind !== principal.kind || !reaches(principal, run.organization_id)) {
    return false;
  }
  if (run.actor_id === principalId(principal)) return true;
  if (principal.kind !== "key" || principal.keyKind !== "secret" || run.caller?.keyKind !== "secret") return false;
  return JSON.stringify(run.caller.roles) === JSON.stringify(principal.roles);
}

/** Whether one of its approvals asks or asked for a role of theirs, answered or not. */
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

/** Nothing of a run that has ended goes on: what had not ended by then was given up with it. */
export function asEnded<Step extends Readonly<Record<string, unknown>>>(step: Step, run: RunRow): Step {
  if (!ended.has(run.status) || !unended.has(String(step["status"]))) return step;
  return { ...step, status: "cancelled", next_at: null, ended_at: step["ended_at"] ?? run.ended_at };
}

/** Before a step, as a step, between its tries. */
const pausing: ReadonlySet<string> = new Set(["delayed", "waiting", "retrying"]);
/** A run that needs attention has not: what becomes of its call is for a person to say. */
const ended: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);
const unended: ReadonlySet<string> = new Set([...pausing, "started"]);

/** How an action goes on, for who called it: what it answers, and what it waits for; none of its steps. */
export function callersView(
  run: RunRow,
  steps: readonly StepRow[],
  waits: readonly WaitRow[],
): { readonly waits_for: readonly object[]; readonly [name: string]: unknown } {
  const { id, workflow, kind, status, output, error, created_at, started_at, ended_at } = run;
  const open = ended_at === null ? waits.filter((wait) => wait.answer === null) : [];
  // A step that waits for something else has a time as well: when it gives up.
  const named = new Set(open.map(({ path }) => path));
  const pauses = steps.filter((step) => pausing.has(step.status) && step.next_at !== null && !named.has(step.path));
  return {
    id,
    workflow,
    kind,
    status,
    output,
    error,
    waits_for: [
      ...open.map((wait) => waitedFor(wait)),
      ...(ended_at === null ? pauses.map((step) => ({ kind: "time", until: instant(step.next_at) })) : []),
    ],
    created_at: instant(created_at),
    started_at: instant(started_at),
    ended_at: instant(ended_at),
  };
}

/**
 * The same for who was asked: how it stands, and what still waits for their approval. What it gave or failed with, and what else it
 * waits for, is none of their business.
 */
export function approversView(
  principal: CallerPrincipal,
  run: RunRow,
  waits: readonly WaitRow[],
): ReturnType<typeof callersView> {
  const asked = waits.filter((wait) => asksFor(principal, wait));
  return { ...callersView(run, [], asked), output: null, error: null };
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
