// How many streams of changes one process keeps open. In: the operator's settings. Out: limits for the hub.
export interface StreamLimits {
  /** Streams of one project in one process. */
  readonly perProject: number;
  /** Streams of one user, one secret key, or the visitors of one network with one publishable key. */
  readonly perCaller: number;
}

export const defaultStreamLimits: StreamLimits = { perProject: 5_000, perCaller: 100 };
