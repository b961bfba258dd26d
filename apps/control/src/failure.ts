// What the control API says when it refuses. In: a reason in public words. Out: an error that tRPC sends as it is.
// The message is read by people outside: never internals, never whether something hidden exists.
import type { Diagnostic } from "@plinth/blueprint";
import { constraintName, isUniqueViolation } from "@plinth/postgres";
import { TRPCError } from "@trpc/server";

export type Refusal =
  | "BAD_REQUEST"
  | "UNAUTHORIZED"
  | "FORBIDDEN"
  | "NOT_FOUND"
  | "CONFLICT"
  | "PRECONDITION_FAILED"
  | "TOO_MANY_REQUESTS"
  | "SERVICE_UNAVAILABLE";

export function refuse(code: Refusal, message: string, cause?: unknown): TRPCError {
  return new TRPCError({ code, message, cause });
}

/** One answer for what is missing and for what the caller may not see. */
export function notFound(noun: string): TRPCError {
  return refuse("NOT_FOUND", `There is no such ${noun}, or you may not see it.`);
}

/** The author's mistakes, carried beside the message. */
export class DiagnosticsError extends Error {
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    super("The blueprint has errors.");
    this.name = "DiagnosticsError";
    this.diagnostics = diagnostics;
  }
}

export function refuseBlueprint(diagnostics: readonly Diagnostic[]): TRPCError {
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === "error").length;
  const message = errors === 1 ? "The blueprint has an error." : `The blueprint has ${errors} errors.`;
  return refuse("BAD_REQUEST", message, new DiagnosticsError(diagnostics));
}

/** Whether Postgres refused a row because another has the same value under this constraint. */
export function violatesUnique(error: unknown, constraint: string): boolean {
  return isUniqueViolation(error) && constraintName(error) === constraint;
}
