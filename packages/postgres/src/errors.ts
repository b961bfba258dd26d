// Reads a Postgres error. In: anything caught. Out: its SQLSTATE, constraint, columns, or null. It never guesses from a
// message what a protocol field says.
import { Fault } from "@plinth/service";

type DatabaseErrorFields = {
  readonly code?: unknown;
  readonly severity?: unknown;
  readonly constraint?: unknown;
  readonly table?: unknown;
  readonly column?: unknown;
  readonly detail?: unknown;
  readonly routine?: unknown;
};

/** The five characters of PostgreSQL's error code, or null when the error did not come from the server. */
export function sqlState(error: unknown): string | null {
  const fields = fieldsOf(error);
  return fields === null ? null : (fields.code as string);
}

export function isUniqueViolation(error: unknown): boolean {
  return sqlState(error) === "23505";
}

/** An insert or update with a missing target, or a delete of a row with referrers. */
export function isForeignKeyViolation(error: unknown): boolean {
  const state = sqlState(error);
  return state === "23503" || state === "23001";
}

export function isNotNullViolation(error: unknown): boolean {
  return sqlState(error) === "23502";
}

export function isCheckViolation(error: unknown): boolean {
  return sqlState(error) === "23514";
}

/** The row overlaps another one, violating an exclusion constraint. */
export function isExclusionViolation(error: unknown): boolean {
  return sqlState(error) === "23P01";
}

/** `statement_timeout` (which the server reports as a cancelled query) or `lock_timeout`. */
export function isTimeout(error: unknown): boolean {
  const state = sqlState(error);
  return state === "57014" || state === "55P03";
}

/** It waited for a lock as long as it may (`lock_timeout`). */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === "55P03";
}

/** The server cancelled it, usually because of `statement_timeout`. */
export function isStatementTimeout(error: unknown): boolean {
  return sqlState(error) === "57014";
}

/** The transaction lost a race (serialization, deadlock) and can run again as a whole. */
export function isRetryable(error: unknown): boolean {
  const state = sqlState(error);
  return state === "40001" || state === "40P01";
}

export function constraintName(error: unknown): string | null {
  return textOf(error, "constraint");
}

export function tableName(error: unknown): string | null {
  return textOf(error, "table");
}

/** The column of a not-null violation (PostgreSQL names it in a field of its own). */
export function columnName(error: unknown): string | null {
  return textOf(error, "column");
}

/**
 * The columns of a unique or foreign key violation, from the detail `Key (a, b)=(...) ...`. Empty where the server
 * gave no such detail: it withholds it from roles that may not read the columns. The values are never returned.
 */
export function constraintColumns(error: unknown): readonly string[] {
  const detail = textOf(error, "detail");
  const match = detail === null ? null : /^Key \((.*?)\)=\(/.exec(detail);
  if (match === null) return [];
  return (match[1] ?? "").split(", ").map((name) => {
    // An index on lower(email) shows the expression; the column is inside it.
    const bare = /^\w+\(+"?(\w+)"?\)*(?:::\w+\))?$/.exec(name)?.[1] ?? name;
    return bare.replace(/^"(.*)"$/, "$1").replaceAll('""', '"');
  });
}

/** Whether the connection (or the server) went away, rather than the statement being wrong. */
export function isConnectionLoss(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== null) return state.startsWith("08") || state.startsWith("57P") || state === "53300";
  if (!(error instanceof Error)) return false;
  const code = (error as NodeJS.ErrnoException).code;
  if (code !== undefined && /^E(CONN|PIPE|HOST|NET|TIMEDOUT|AI_AGAIN|NOTFOUND)/.test(code)) return true;
  return /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Client (has encountered|was closed))/.test(
    error.message,
  );
}

/** Postgres has no disk space to write. It can still read. */
export function isDiskFull(error: unknown): boolean {
  return sqlState(error) === "53100";
}

/** The same failure in a public form: a lost or full database is `unavailable`, everything else stays the same. */
export function asFault(error: unknown): unknown {
  if (error instanceof Fault) return error;
  if (isDiskFull(error)) return unavailable("The database has no disk space left.", error, DISK_FULL_RETRY_SECONDS);
  if (!isConnectionLoss(error)) return error;
  return unavailable("The database can't be reached now.", error);
}

/** Somebody must free space first. */
const DISK_FULL_RETRY_SECONDS = 30;

export function unavailable(detail: string, cause?: unknown, retrySeconds = 1): Fault {
  return new Fault("unavailable", {
    detail,
    headers: { "retry-after": String(retrySeconds) },
    ...(cause === undefined ? {} : { cause }),
  });
}

function fieldsOf(error: unknown): DatabaseErrorFields | null {
  if (!(error instanceof Error)) return null;
  const fields = error as DatabaseErrorFields;
  // Node's own errors have a code too (ECONNRESET); only the server's also have a severity.
  return typeof fields.code === "string" && fields.code.length === 5 && typeof fields.severity === "string"
    ? fields
    : null;
}

function textOf(error: unknown, field: keyof DatabaseErrorFields): string | null {
  const value = fieldsOf(error)?.[field];
  return typeof value === "string" && value !== "" ? value : null;
}
