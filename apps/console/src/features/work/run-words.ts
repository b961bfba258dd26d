// Texts and rules about a run. In: a run or one of its parts. Out: what it waits for, what a person can do with it, how long it took. Pure.
import type { ListedError, Run, RunStatus, RunStep, RunSummary, RunWait } from "@plinth/control/router";

/** Whether the run has not ended and continues by itself. */
export function isBusy(status: RunStatus): boolean {
  return status === "queued" || status === "running" || status === "waiting";
}

export function mayRetry(status: RunStatus): boolean {
  return ["failed", "undo_failed", "cancelled", "needs_attention"].includes(status);
}

/** In ms; null before the run started. */
export function tookMs({ startedAt, endedAt }: Pick<RunSummary, "startedAt" | "endedAt">, now: number): number | null {
  if (startedAt === null) return null;
  return Math.max(0, (endedAt === null ? now : Date.parse(endedAt)) - Date.parse(startedAt));
}

/** The error of a run, as text for a list: `http_500 at charge, 3 attempts`. */
export function failureText({ code, step, attempts }: ListedError): string {
  return `${code}${failedAt({ step, attempts })}`;
}

/** ` at charge, 3 attempts`; empty if no step had begun. */
export function failedAt({ step, attempts }: Pick<ListedError, "step" | "attempts">): string {
  if (step === null) return "";
  return ` at ${step}${attempts === null || attempts < 2 ? "" : `, ${attempts} attempts`}`;
}

/** The oldest approval that the run waits for; null if there is none. */
export function openApproval({ status, waits }: Pick<Run, "status" | "waits">): RunWait | null {
  if (!isBusy(status)) return null;
  return waits.find(({ kind, answer }) => kind === "approval" && answer == null) ?? null;
}

/** The message of the workflow to the people who decide; null if it has none. */
export function approvalMessage(step: Pick<RunStep, "input"> | undefined): string | null {
  const input = step?.input;
  const message = typeof input === "object" && input !== null && "message" in input ? input.message : null;
  return typeof message === "string" && message !== "" ? message : null;
}

export type WaitWords =
  /** Only time has to pass. `until`: RFC 3339; null without a limit. */
  | { readonly kind: "pause"; readonly text: string; readonly until: string | null }
  | { readonly kind: "for"; readonly text: string; readonly until: string | null }
  | { readonly kind: "run"; readonly runId: string };

/** The role with which people act through the console. */
export const consoleRole = "admin";

/** The wait of a step, as text; null if it doesn't wait. */
export function waitWords(step: RunStep, waits: readonly RunWait[]): WaitWords | null {
  const wait = waits.find(({ path, answer }) => path === step.path && answer == null);
  switch (step.status) {
    case "delayed":
      return { kind: "pause", text: "begins later", until: step.nextAt };
    case "retrying":
      return { kind: "pause", text: "will be retried", until: step.nextAt };
    case "waiting":
      if (wait === undefined) return { kind: "pause", text: "waits until its time", until: step.nextAt };
      if (wait.kind === "run" && wait.event !== null) return { kind: "run", runId: wait.event };
      if (wait.kind === "approval") return { kind: "for", text: `approval by ${rolesText(wait)}`, until: wait.until };
      return { kind: "for", text: `the event ${wait.event ?? ""}`.trim(), until: wait.until };
    default:
      return null;
  }
}

/** The same as one line, for a bar. */
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

/** The answer to an approval; null if there is none yet. */
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
