// Node's flags for our long-running services. They change no behaviour.

/**
 * The size of V8's young generation, in MB. A service that answers requests fills it with short-lived objects, and V8's
 * own choice grows with the machine's memory: 249 MB after the benchmark's workloads, 162 MB with 8, 180 MB with 16. A
 * smaller size is worse in every way: with 2 MB the rows of running lists don't fit, are promoted and die in the old
 * generation, whose collections stop the process for up to 26 ms; a list cost twice the CPU, and memory was 207 MB.
 */
export const leanNodeFlags: readonly string[] = ["--max-semi-space-size=8"];
