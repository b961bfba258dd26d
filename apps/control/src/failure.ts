// The refusals of the control API. In: a reason in public words. Out: an error that tRPC sends unchanged. Outsiders read the
// message, so it must not contain internals or reveal that something hidden exists.
import type { Diagnostic } from "@plinth/blueprint";
import { asFault, constraintName, isUniqueViolation } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import { TRPCError } from "@trpc/server";

export interface FieldError {
  /** A JSON pointer into the values: `/title`, `/address/street`. */
  readonly path: string;
  readonly message: string;
}

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

/** The refusal for a database that is unreachable or has no space left. Null for any other failure. */
export function refuseUnavailable(error: unknown): TRPCError | null {
  const fault = asFault(error);
  return fault instanceof Fault && fault.code === "unavailable"
    ? refuse("SERVICE_UNAVAILABLE", fault.message, error)
    : null;
}

/** The same answer for a missing thing and for one that the caller can't see. */
export function notFound(noun: string): TRPCError {
  return refuse("NOT_FOUND", `There is no such ${noun}, or you can't see it.`);
}

/** The author's mistakes, sent in addition to the message. */
export class DiagnosticsError extends Error {
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    super("The blueprint has errors.");
    this.name = "DiagnosticsError";
    this.diagnostics = diagnostics;
  }
}

/** Values that a project's API refused, with the field of each. They are sent in addition to the message. */
export class FieldsError extends Error {
  readonly fields: readonly FieldError[];

  constructor(fields: readonly FieldError[]) {
    super("Some values were refused.");
    this.name = "FieldsError";
    this.fields = fields;
  }
}

export function refuseBlueprint(diagnostics: readonly Diagnostic[]): TRPCError {
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === "error").length;
  const message = errors === 1 ? "The blueprint has an error." : `The blueprint has ${errors} errors.`;
  return refuse("BAD_REQUEST", message, new DiagnosticsError(diagnostics));
}

/** Whether Postgres refused a row because another row has the same value under this constraint. */
export function violatesUnique(error: unknown, constraint: string): boolean {
  return isUniqueViolation(error) && constraintName(error) === constraint;
}
