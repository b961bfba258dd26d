// Brings a batch's rows into a table of this transaction alone. In: lines in COPY's text format. Out: how many rows there are, and
// the sum of their hashes as the source has made them. The table is gone with the transaction: nothing is left in the project's schema.
import { finished } from "node:stream/promises";
import type { BulkTransaction } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import { from } from "pg-copy-streams";

export const STAGED = "pg_temp._staged";
/** Its rows with their numbers, and every value of its type; of those that have one. */
export const JUDGED = "pg_temp._judged";

export function stagedColumn(at: number): string {
  return `_c${at}`;
}

export interface Staged {
  readonly count: number;
  readonly checksum: string;
}

/** @throws Fault `bad_request` where the lines are not what was announced. */
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
    throw new Fault("bad_request", { detail: "The rows of the batch can't be read.", cause: error });
  }
  const { rows: counted } = await client.query<{ count: string; checksum: string }>(
    `SELECT count(*), coalesce(sum(_hash), 0)::text AS checksum FROM ${STAGED}`,
  );
  const found = counted[0];
  if (Number(found?.count) !== count)
    throw new Fault("bad_request", { detail: "The batch has other rows than it says." });
  return { count, checksum: found?.checksum ?? "0" };
}
