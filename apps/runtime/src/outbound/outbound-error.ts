// The reason why a call to another service has no answer. In: the problem. Out: an error that says whether the request
// may have arrived.

/**
 * `refused`: the address or URL is not allowed. `unreachable`: nothing was sent. `no_answer`: it may have been
 * received. `too_large`: the answer is too large.
 */
export type OutboundProblem = "refused" | "unreachable" | "no_answer" | "too_large";

export class OutboundError extends Error {
  readonly problem: OutboundProblem;

  constructor(problem: OutboundProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "OutboundError";
    this.problem = problem;
  }
}
