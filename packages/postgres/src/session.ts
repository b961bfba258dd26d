// Session settings with which statements mean and print the same everywhere. In: limits. Out: SQL text. It never
// accepts a value from outside this code base.
import type { ClientBase, QueryResult } from "pg";
import { isConnectionLoss, sqlState } from "./errors.ts";
import { IDLE_MS_MAX, noteIdleLimit, noteTimeout } from "./watchdog.ts";

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

/**
 * How the server notices that its client is gone, although the network says nothing: after 25 seconds. Until then, the
 * transaction and the locks of a lost session stay. With a socket of the local machine, they have no effect.
 */
const keepAlive: readonly (readonly [string, string])[] = [
  ["tcp_keepalives_idle", "10"],
  ["tcp_keepalives_interval", "5"],
  ["tcp_keepalives_count", "3"],
  ["tcp_user_timeout", "25000"],
];

/** For connections of a pool, which can wait for long. */
const patient: readonly (readonly [string, string])[] = [
  ...keepAlive,
  // Whoever forgets a transaction loses it, and with it the place of its connection.
  ["idle_in_transaction_session_timeout", String(IDLE_MS_MAX)],
];

/** A statement ends when its client has closed the connection: otherwise it runs, or waits for a lock, to its end. */
const CHECK_CLIENT = ["client_connection_check_interval", "3000"] as const;

/** For a new connection of a pool. @returns The process id of its backend, which a session pooler conceals. */
export async function prepareSession(client: ClientBase): Promise<number> {
  const prepare = async (settings: readonly (readonly [string, string])[]): Promise<number> => {
    const sql = `${settings.map(setting).join("; ")}; SELECT pg_backend_pid() AS backend`;
    const results = (await client.query(sql)) as unknown as readonly QueryResult<{ backend: number }>[];
    return results.at(-1)?.rows[0]?.backend ?? 0;
  };
  // Some systems can't check a connection while a statement runs, and Postgres then refuses the setting.
  return await prepare([...patient, CHECK_CLIENT]).catch((error: unknown) => {
    if (sqlState(error) === null || isConnectionLoss(error)) throw error;
    return prepare(patient);
  });
}

function setting([name, value]: readonly [string, string]): string {
  return `SET ${name} = ${value}`;
}

/** For a connection that always belongs to one lane. */
export function fastSessionSql(limits: SessionLimits): string {
  const settings = [
    ...shared,
    ...keepAlive,
    ["plan_cache_mode", "force_generic_plan"],
    ["statement_timeout", String(wholeMs(limits.statementTimeoutMs))],
    ["lock_timeout", String(wholeMs(limits.lockTimeoutMs))],
    ["idle_in_transaction_session_timeout", "5000"],
  ] as const;
  return settings.map(setting).join("; ");
}

const TENANT_IDLE_MS_MAX = 10_000;

/** Begins a transaction on a pooled connection; `role` must be a checked identifier. */
export async function beginTransaction(client: ClientBase, role: string, limits: SessionLimits): Promise<void> {
  noteTimeout(client, limits.statementTimeoutMs, "transaction");
  noteIdleLimit(client, TENANT_IDLE_MS_MAX);
  await client.query(beginTransactionSql(role, limits));
}

/** Limits the statements that follow in the current transaction, on the server and here. */
export async function limitStatements(client: ClientBase, ms: number): Promise<void> {
  noteTimeout(client, ms, "transaction");
  await client.query(`SET LOCAL statement_timeout = ${wholeMs(ms)}`);
}

/** Limits how long the current transaction can wait for its next statement, on the server and here. */
export async function limitIdle(client: ClientBase, ms: number): Promise<void> {
  noteIdleLimit(client, ms);
  await client.query(`SET LOCAL idle_in_transaction_session_timeout = ${wholeMs(ms)}`);
}

/**
 * For work whose statements take as long as the data needs, outside of a transaction. After an error, the caller must
 * close the connection.
 */
export async function withoutTimeout<Result>(client: ClientBase, work: () => Promise<Result>): Promise<Result> {
  noteTimeout(client, null, "session");
  await client.query("SET statement_timeout = 0");
  const result = await work();
  await client.query("RESET statement_timeout");
  noteTimeout(client, undefined, "session");
  return result;
}

function beginTransactionSql(role: string, limits: SessionLimits): string {
  const settings = [
    ...shared,
    ["statement_timeout", String(wholeMs(limits.statementTimeoutMs))],
    ["lock_timeout", String(wholeMs(limits.lockTimeoutMs))],
    ["idle_in_transaction_session_timeout", String(TENANT_IDLE_MS_MAX)],
  ] as const;
  return ["BEGIN", `SET LOCAL ROLE "${role}"`, ...settings.map(([name, value]) => `SET LOCAL ${name} = ${value}`)].join(
    "; ",
  );
}

function wholeMs(value: number): number {
  if (!Number.isInteger(value) || value < 1) throw new Error(`A timeout must be a whole number of ms, not ${value}`);
  return value;
}
