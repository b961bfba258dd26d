// An expected failure and its public form (RFC 9457, problem details). In: a code from the catalogue, a public detail,
// an internal cause. Out: the document for the caller. The cause, its message and its stack are never in that document.
import { type FaultCode, faultCatalogue } from "./fault-catalogue.ts";

/** One mistake in the input: `path` as a JSON pointer or a parameter's name. */
export type FieldError = { readonly path: string; readonly code: string; readonly message: string };

export type FaultOptions = {
  /** Public text: what is wrong with this request. */
  readonly detail?: string;
  readonly errors?: readonly FieldError[];
  /** Headers of the reply, such as `Retry-After` or `WWW-Authenticate`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log only. */
  readonly cause?: unknown;
};

export class Fault extends Error {
  readonly code: FaultCode;
  readonly status: number;
  readonly detail: string | null;
  readonly errors: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: FaultCode, options: FaultOptions = {}) {
    super(options.detail ?? faultCatalogue[code].title, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "Fault";
    this.code = code;
    this.status = faultCatalogue[code].status;
    this.detail = options.detail ?? null;
    this.errors = options.errors ?? [];
    this.headers = options.headers ?? {};
  }
}

export type Problem = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  readonly code: FaultCode;
  readonly request_id: string;
  readonly errors?: readonly FieldError[];
};

/** The body of an `application/problem+json` reply. Optional members are absent rather than null. */
export function toProblem(fault: Fault, requestId: string): Problem {
  const { status, title } = faultCatalogue[fault.code];
  return {
    type: `https://plinth.dev/problems/${fault.code}`,
    title,
    status,
    ...(fault.detail === null ? {} : { detail: fault.detail }),
    code: fault.code,
    request_id: requestId,
    ...(fault.errors.length === 0 ? {} : { errors: fault.errors }),
  };
}
