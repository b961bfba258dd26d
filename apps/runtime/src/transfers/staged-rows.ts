// Reads a batch's rows into a table that only this transaction sees. In: lines in COPY's text format. Out: the number
// of rows, and the sum of their hashes from the source. The table ends with the transaction, and leaves nothing in the
// project's schema.
import { finished } from "node:stream/promises";
import { type BulkTransaction, isConnectionLoss, isTimeout } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import { from } from "pg-copy-streams";

export const STAGED = "pg_temp._staged";
/** The valid rows with their numbers, and every value in its type. */
export const JUDGED = "pg_temp._judged";

export function stagedColumn(at: number): string {
  return `_c${at}`;
}

export interface Staged {
  readonly count: number;
  readonly checksum: string;
}

/** @throws Fault `bad_request` if the lines are not those that were announced. */
export async function stageRows(
  { client, makeTable }: BulkTransaction,
  { rows, count, width }: { readonly rows: string; readonly count: number; readonly width: number },
): Promise<Staged> {
  const columns = Array.from({ length: width }, (_, at) => stagedColumn(at));
  const texts = ["_key", ...columns].map((name) => `${name} text`);
  await makeTable("_staged", { columns: [...texts, "_hash bigint"].join(", ") });
  const stream = client.query(from(`COPY ${STAGED} (_key, _hash, ${columns.join(", ")}) FROM STDIN`));
  stream.end(rows);
  try {
    await finished(stream);
  } catch (error) {
    if (isConnectionLoss(error) || isTimeout(error)) throw error;
    throw new Fault("bad_request", { detail: "The rows of the batch can't be read.", cause: error });
  }
  const { rows: counted } = await client.query<{ count: string; checksum: string }>(
    `SELECT count(*), coalesce(sum(_hash), 0)::text AS checksum FROM ${STAGED}`,
  );
  const found = counted[0];
  if (Number(found?.count) !== count)
    throw new Fault("bad_request", {
      detail: "The number or the checksum of the rows differs from what the batch declares.",
    });
  return { count, checksum: found?.checksum ?? "0" };
}
