// How many streams of changes one process keeps open. In: what the operator says. Out: bounds for the hub.
export interface StreamLimits {
  /** Streams of one project in one process. */
  readonly perProject: number;
  /** The same of one user, one secret key, or the visitors of one network with one publishable key. */
  readonly perCaller: number;
}

export const defaultStreamLimits: StreamLimits = { perProject: 5_000, perCaller: 100 };
