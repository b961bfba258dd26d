// The reply that a write with an `Idempotency-Key` keeps, in its own statement. In: what the statement has written. Out: its last
// CTE; empty where the request has no key. A reply that is kept already makes the whole statement fail, so that nothing is
// written twice, whichever replica was asked.
import { isUniqueViolation, quoteIdentifier, tableName } from "@plinth/postgres";
import type { Asker, EntityView } from "./entity-view.ts";
import { IDEMPOTENCY_TABLE } from "./idempotency.ts";
import type { Parameters } from "./parameters.ts";

interface Reply {
  readonly status: number;
  /** What has one row where the write was made, and none where it was refused. */
  readonly row: string;
  /** SQL of the record as the caller may read it; null where the reply has no body. */
  readonly json: string | null;
}

export function keptReply(
  { schema }: EntityView,
  asker: Asker,
  parameters: Parameters,
  { status, row, json }: Reply,
): string {
  if (asker.isOnce !== true) return "";
  const found = `${parameters.once("principal")}, ${parameters.once("key")}, ${parameters.once("fingerprint")}`;
  return (
    `, _once as (insert into ${schema}.${quoteIdentifier(IDEMPOTENCY_TABLE)} ` +
    `("principal", "key", "fingerprint", "status", "location", "body") ` +
    `select ${found}, ${status}, ${parameters.once("location")}, ${json ?? "''"} from ${row})`
  );
}

/** The statement was undone: a request with the same key had its effect before. */
export class AlreadyKept extends Error {
  constructor(cause: unknown) {
    super("A reply is kept under this key already", { cause });
    this.name = "AlreadyKept";
  }
}

export function isAlreadyKept(error: unknown): boolean {
  return isUniqueViolation(error) && tableName(error) === IDEMPOTENCY_TABLE;
}
