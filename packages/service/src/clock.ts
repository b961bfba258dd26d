// The time, as an argument, so that a test can stop it.
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}
