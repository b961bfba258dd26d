// Saves the reply of a write with an `Idempotency-Key`, in the write's own statement. In: what the statement has
// written. Out: its last CTE; empty if the request has no key. If a reply is already saved, the whole statement fails,
// so that no replica can write anything twice.
import { isUniqueViolation, quoteIdentifier, tableName } from "@plinth/postgres";
import type { EntityView, StatementCaller } from "./entity-view.ts";
import { IDEMPOTENCY_TABLE } from "./once.ts";
import type { Parameters } from "./parameters.ts";

interface Reply {
  readonly status: number;
  /** A source with one row if the write succeeded, and none if it was refused. */
  readonly row: string;
  /** The record in the reply; null if the reply has no body. */
  readonly record: {
    /** The alias of the row that has its id. */
    readonly alias: string;
    /** SQL of the record as the caller can read it; null if nothing has changed. */
    readonly json: string | null;
  } | null;
}

/** A larger record is not saved a second time. Only its id is saved, and a repeated request reads the record again. */
export const KEPT_RECORD_BYTES_MAX = 65_536;

export function keptReply(
  { schema }: EntityView,
  caller: StatementCaller,
  parameters: Parameters,
  { status, row, record }: Reply,
): string {
  if (caller.isOnce !== true) return "";
  const found = `${parameters.once("principal")}, ${parameters.once("key")}, ${parameters.once("fingerprint")}`;
  return (
    `, _once as (insert into ${schema}.${quoteIdentifier(IDEMPOTENCY_TABLE)} ` +
    `("principal", "key", "fingerprint", "status", "location", "body") ` +
    `select ${found}, ${status}, ${parameters.once("location")}, ${bodyFrom(row, record)})`
  );
}

function bodyFrom(row: string, record: Reply["record"]): string {
  if (record === null) return `'' from ${row}`;
  const id = `'{"id":"' || ${record.alias}."id" || '"}'`;
  if (record.json === null) return `${id} from ${row}`;
  // The record is converted to text once.
  return (
    `case when octet_length(_k._json) <= ${KEPT_RECORD_BYTES_MAX} then _k._json else _k._id end ` +
    `from (select ${id} as _id, ${record.json} as _json from ${row} offset 0) _k`
  );
}

const idAlone = /^\{"id":"([0-9a-f-]{36})"\}$/;

/** The id of the record that a repeated request reads again; null if the saved text is complete. */
export function keptIdIn(body: string): string | null {
  return idAlone.exec(body)?.[1] ?? null;
}

/** The statement was rolled back, because a request with the same key had its effect before. */
export class AlreadyKept extends Error {
  constructor(cause: unknown) {
    super("A reply is already saved for this key", { cause });
    this.name = "AlreadyKept";
  }
}

export function isAlreadyKept(error: unknown): boolean {
  return isUniqueViolation(error) && tableName(error) === IDEMPOTENCY_TABLE;
}
