// Session settings with which statements mean and print the same everywhere. In: limits. Out: SQL text. It never
// accepts a value from outside this code base.

export type SessionLimits = { readonly statementTimeoutMs: number; readonly lockTimeoutMs: number };

/**
 * Settings of both lanes. With an empty search path, an unqualified table name fails instead of meaning some tenant's
 * table; the rest fixes the text form of dates, times and bytes.
 */
const shared: readonly (readonly [string, string])[] = [
  ["search_path", "pg_catalog, pg_temp"],
  ["timezone", "'UTC'"],
  ["datestyle", "'ISO, YMD'"],
  ["intervalstyle", "'iso_8601'"],
  ["bytea_output", "'hex'"],
  ["standard_conforming_strings", "on"],
  ["client_encoding", "'UTF8'"],
];

/** For a connection that always belongs to one lane. */
export function fastSessionSql(limits: SessionLimits): string {
  const settings = [
    ...shared,
    ["plan_cache_mode", "force_generic_plan"],
    ["statement_timeout", String(wholeMs(limits.statementTimeoutMs))],
    ["lock_timeout", String(wholeMs(limits.lockTimeoutMs))],
    ["idle_in_transaction_session_timeout", "5000"],
  ] as const;
  return settings.map(([name, value]) => `SET ${name} = ${value}`).join("; ");
}

/** For one transaction of a pooled connection; `role` must be a checked identifier. */
export function beginTransactionSql(role: string, limits: SessionLimits): string {
  const settings = [
    ...shared,
    ["statement_timeout", String(wholeMs(limits.statementTimeoutMs))],
    ["lock_timeout", String(wholeMs(limits.lockTimeoutMs))],
    ["idle_in_transaction_session_timeout", "10000"],
  ] as const;
  return ["BEGIN", `SET LOCAL ROLE "${role}"`, ...settings.map(([name, value]) => `SET LOCAL ${name} = ${value}`)].join(
    "; ",
  );
}

function wholeMs(value: number): number {
  if (!Number.isInteger(value) || value < 1) throw new Error(`A timeout must be a whole number of ms, not ${value}`);
  return value;
}
