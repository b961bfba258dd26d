// Errors as classes. In: an unsuccessful reply. Out: the error to throw, to be recognized by `instanceof` or `code`. It
// never contains a credential.

/** The problem of one field. */
export interface FieldError {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

interface Problem {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string | null;
  readonly errors: readonly FieldError[];
  readonly requestId: string | null;
}

/** Every failed call throws one, except a call whose own signal was aborted. `code` is stable; `message` and `detail` are for people. */
export class PlinthError extends Error {
  override readonly name: string = "PlinthError";
  /** From the API's error catalogue; `connection_failed` and `unexpected_response` are this client's own. */
  readonly code: string;
  /** HTTP status; 0 if there was no reply. */
  readonly status: number;
  readonly detail: string | null;
  readonly errors: readonly FieldError[];
  /** Include it when you ask for help: it identifies the call in the logs and the audit log. */
  readonly requestId: string | null;

  constructor(problem: Problem, options?: ErrorOptions) {
    super(problem.detail ?? problem.title, options);
    this.code = problem.code;
    this.status = problem.status;
    this.detail = problem.detail;
    this.errors = problem.errors;
    this.requestId = problem.requestId;
  }
}

/** 401: no credential, a wrong or revoked one, or a user is required. */
export class Unauthenticated extends PlinthError {
  override readonly name: string = "Unauthenticated";
}

/** 403: the rules don't allow this caller to do this. */
export class Forbidden extends PlinthError {
  override readonly name: string = "Forbidden";
}

/** 404: there is no such record, or the caller can't see it. */
export class NotFound extends PlinthError {
  override readonly name: string = "NotFound";
}

/** 409: a unique value is taken, or something still refers to the record. */
export class Conflict extends PlinthError {
  override readonly name: string = "Conflict";
}

/** 412: the record has another version than the call. 428: the call must name a version. */
export class PreconditionFailed extends PlinthError {
  override readonly name: string = "PreconditionFailed";
}

/** 422: `errors` lists every wrong field. */
export class ValidationFailed extends PlinthError {
  override readonly name: string = "ValidationFailed";
}

/** 429: too many calls; reads were retried before this is thrown. */
export class RateLimited extends PlinthError {
  override readonly name: string = "RateLimited";
}

/** No reply at all. It is not known whether a write was done. */
export class ConnectionFailed extends PlinthError {
  override readonly name: string = "ConnectionFailed";

  constructor(cause: unknown) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    super({ code: "connection_failed", status: 0, title: "", detail, errors: [], requestId: null }, { cause });
  }
}

const classes: Readonly<Record<number, new (problem: Problem) => PlinthError>> = {
  401: Unauthenticated,
  403: Forbidden,
  404: NotFound,
  409: Conflict,
  412: PreconditionFailed,
  422: ValidationFailed,
  428: PreconditionFailed,
  429: RateLimited,
};

/** The error of a reply: problem+json (RFC 9457), or the text of a proxy in between. */
export async function errorOf(response: Response): Promise<PlinthError> {
  const body = await response.json().catch(() => null);
  const given: Readonly<Record<string, unknown>> = typeof body === "object" && body !== null ? body : {};
  return problemOf(response.status, given, response.headers.get("x-request-id"));
}

export function problemOf(
  status: number,
  given: Readonly<Record<string, unknown>>,
  requestId: string | null,
): PlinthError {
  const text = (name: string): string | null => (typeof given[name] === "string" ? given[name] : null);
  const ErrorClass = classes[status] ?? PlinthError;
  return new ErrorClass({
    code: text("code") ?? "unexpected_response",
    status,
    title: text("title") ?? `HTTP ${status}`,
    detail: text("detail"),
    errors: Array.isArray(given["errors"]) ? given["errors"] : [],
    requestId: text("request_id") ?? requestId,
  });
}
