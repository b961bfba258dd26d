// What processes that execute runs know of each other. Data only.

/** A process without a heartbeat for this time is dead. */
export const DEAD_MS = 12_000;

/** SQL: the process `p` lives. */
export const IS_ALIVE: string = `p.beat_at > clock_timestamp() - interval '${DEAD_MS} milliseconds'`;

/** Runs of one project in progress at once, over all processes. */
export const PROJECT_RUNS_MAX = 150;
