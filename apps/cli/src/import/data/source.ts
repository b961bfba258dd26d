// A Postgres database as the source of records. In: its address. Out: rows as of one moment, in batches. One connection reads
// them in a read-only transaction. If the connection is lost, the import stops, because a new one would see another moment.
import { createHash } from "node:crypto";
import postgres from "postgres";
import { CommandFailure, messageOf } from "../../failure.ts";
import { type Batch, type BatchBounds, cutBatches } from "./batches.ts";

export interface Source {
  /** Whether the server has trim_scale (13). */
  readonly trimsScale: boolean;
  /** Identifies the database, whatever address or user reads it. */
  readonly fingerprint: string;
  /** For people, without a password. */
  readonly label: string;
  rows<Row>(sql: string): Promise<readonly Row[]>;
  batches(copy: string, bounds: BatchBounds): AsyncGenerator<Batch>;
  close(): Promise<void>;
}

const BEGIN = [
  "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
  // The text form of values. The cell uses the same settings.
  "SET LOCAL timezone = 'UTC'",
  "SET LOCAL datestyle = 'ISO, YMD'",
  "SET LOCAL intervalstyle = 'iso_8601'",
  "SET LOCAL extra_float_digits = 1",
  "SET LOCAL bytea_output = 'hex'",
  "SET LOCAL standard_conforming_strings = on",
  "SET LOCAL search_path = pg_catalog",
  "SET LOCAL statement_timeout = 0",
  "SET LOCAL idle_in_transaction_session_timeout = 0",
  // If this machine disappears, the server closes its old view of the data within minutes instead of hours.
  "SET LOCAL tcp_keepalives_idle = 60",
  "SET LOCAL tcp_keepalives_interval = 15",
  "SET LOCAL tcp_keepalives_count = 4",
].join("; ");

/** @throws CommandFailure if the database can't be reached. */
export async function openSource(url: string, schemas: readonly string[]): Promise<Source> {
  let lost = false;
  const sql = postgres(url, {
    max: 1,
    onnotice: () => {},
    onclose: () => {
      lost = true;
    },
    connect_timeout: 10,
    idle_timeout: 0,
    max_lifetime: null,
    fetch_types: false,
    connection: { application_name: "plinth import", client_encoding: "UTF8" },
  });
  const failed = (error: unknown): CommandFailure =>
    error instanceof CommandFailure
      ? error
      : new CommandFailure(`The source could not be read: ${messageOf(error)}`, 1, { cause: error });
  const whole = (): void => {
    if (lost)
      throw new CommandFailure(
        "The connection to the source was lost. Run the import again: it continues where it stopped.",
      );
  };
  try {
    await sql.unsafe(BEGIN).simple();
    const [about] = await sql.unsafe<{ database: string; version: number; system: string; host: string }[]>(
      `SELECT current_database() AS database, current_setting('server_version_num')::int AS version,
         coalesce(inet_server_port()::text, current_setting('port')) AS host,
         (SELECT oid::text FROM pg_database WHERE datname = current_database()) AS system`,
    );
    const parsed = URL.canParse(url) ? new URL(url) : null;
    const place = `${parsed?.host ?? about?.host}/${about?.database}`;
    return {
      trimsScale: (about?.version ?? 0) >= 130_000,
      fingerprint: createHash("sha256")
        .update(JSON.stringify([place, about?.system, [...schemas].sort()]))
        .digest("hex"),
      label: `postgres://${place}`,
      rows: async <Row>(text: string) => {
        whole();
        const rows = await sql.unsafe(text).catch((error: unknown) => {
          throw failed(error);
        });
        whole();
        return [...rows] as unknown as Row[];
      },
      async *batches(copy, bounds) {
        whole();
        try {
          const stream = await sql.unsafe(copy).readable();
          yield* cutBatches(stream, bounds);
          // The driver pauses its socket while the stream is full, and resumes it at the next read. If the end arrives with the last
          // rows, there is no next read, and the socket would stay paused (porsager/postgres, issues 499 and 917).
          stream._read(0);
        } catch (error) {
          throw failed(error);
        }
        whole();
      },
      close: () => sql.end({ timeout: 5 }),
    };
  } catch (error) {
    await sql.end({ timeout: 1 });
    throw failed(error);
  }
}
