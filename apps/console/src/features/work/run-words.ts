// A run in words. In: a run or one of its parts. Out: what it waits for, what may be done to it, how long it took. Pure.
import type { ListedError, Run, RunStatus, RunStep, RunSummary, RunWait } from "@plinth/control/router";

/** Whether it does something by itself at the moment. */
export function isBusy(status: RunStatus): boolean {
  return status === "queued" || status === "running" || status === "waiting";
}

export function mayRetry(status: RunStatus): boolean {
  return status === "failed" || status === "cancelled" || status === "needs_attention";
}

/** In ms; null before it began. */
export function tookMs({ startedAt, endedAt }: Pick<RunSummary, "startedAt" | "endedAt">, now: number): number | null {
  if (startedAt === null) return null;
  return Math.max(0, (endedAt === null ? now : Date.parse(endedAt)) - Date.parse(startedAt));
}

/** Why it failed, as a list says it: `http_500 at charge, 3 attempts`. */
export function failureText({ code, step, attempts }: ListedError): string {
  return `${code}${failedAt({ step, attempts })}`;
}

/** `at charge, 3 attempts`; empty where no step had begun. */
export function failedAt({ step, attempts }: Pick<ListedError, "step" | "attempts">): string {
  if (step === null) return "";
  return ` at ${step}${attempts === null || attempts < 2 ? "" : `, ${attempts} attempts`}`;
}

/** The approval that it waits for; null where it waits for none. The oldest is shown first. */
export function openApproval({ status, waits }: Pick<Run, "status" | "waits">): RunWait | null {
  if (!isBusy(status)) return null;
  return waits.find(({ kind, answer }) => kind === "approval" && answer == null) ?? null;
}

/** What the workflow tells those whom the step asks; null for nothing. */
export function approvalMessage(step: Pick<RunStep, "input"> | undefined): string | null {
  const input = step?.input;
  const message = typeof input === "object" && input !== null && "message" in input ? input.message : null;
  return typeof message === "string" && message !== "" ? message : null;
}

export type WaitWords =
  /** Only time has to pass. `until`: RFC 3339; null for no bound. */
  | { readonly kind: "pause"; readonly text: string; readonly until: string | null }
  | { readonly kind: "for"; readonly text: string; readonly until: string | null }
  | { readonly kind: "run"; readonly runId: string };

/** What people of the console act as. */
export const consoleRole = "admin";

/** What a step waits for; null where it doesn't. */
export function waitWords(step: RunStep, waits: readonly RunWait[]): WaitWords | null {
  const wait = waits.find(({ path, answer }) => path === step.path && answer == null);
  switch (step.status) {
    case "delayed":
      return { kind: "pause", text: "begins later", until: step.nextAt };
    case "retrying":
      return { kind: "pause", text: "will try again", until: step.nextAt };
    case "waiting":
      if (wait === undefined) return { kind: "pause", text: "waits for its time", until: step.nextAt };
      if (wait.kind === "run" && wait.event !== null) return { kind: "run", runId: wait.event };
      if (wait.kind === "approval") return { kind: "for", text: `approval by ${rolesText(wait)}`, until: wait.until };
      return { kind: "for", text: `the event ${wait.event ?? ""}`.trim(), until: wait.until };
    default:
      return null;
  }
}

/** The same on one line, for a bar. */
export function waitText(step: RunStep, waits: readonly RunWait[]): string | null {
  const words = waitWords(step, waits);
  switch (words?.kind) {
    case "pause":
      return words.text;
    case "for":
      return `waits for ${words.text}`;
    case "run":
      return "waits for a run";
    default:
      return null;
  }
}

export function rolesText({ roles }: Pick<RunWait, "roles">): string {
  if (roles === null || roles.length === 0) return "somebody";
  return roles.length === 1 ? `${roles[0]}` : `${roles.slice(0, -1).join(", ")} or ${roles.at(-1)}`;
}

export interface ApprovalAnswer {
  readonly approved: boolean;
  readonly by: string;
  readonly note: string | null;
}

/** What somebody answered; null where nobody has. */
export function approvalAnswer(wait: RunWait): ApprovalAnswer | null {
  const { kind, answer } = wait;
  if (kind !== "approval" || typeof answer !== "object" || answer === null || !("approved" in answer)) return null;
  const { by, note } = answer as { readonly by?: unknown; readonly note?: unknown };
  return {
    approved: answer.approved === true,
    by: typeof by === "string" ? by : "somebody",
    note: typeof note === "string" && note !== "" ? note : null,
  };
}

/** An id by its ends. */
export function shortId(id: string): string {
  return id.length <= 16 ? id : `${id.slice(0, 8)}…${id.slice(-6)}`;
}
