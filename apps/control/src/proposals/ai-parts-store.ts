// What programs wrote, in the database. In: hashes of parts of a blueprint. Out: the same, for all environments of a project.
import type { Connection } from "../database/tables.ts";

/** The newest ones; a blueprint of the largest size has about 20,000 parts. */
const READ_MAX = 50_000;
/** A statement has at most 65,535 parameters. */
const ROWS_MAX = 10_000;

export async function keepAiParts(
  trx: Connection,
  { rootId, hashes }: { readonly rootId: string; readonly hashes: readonly string[] },
): Promise<void> {
  const rows = [...new Set(hashes)].map((part_hash) => ({ project_id: rootId, part_hash }));
  for (let at = 0; at < rows.length; at += ROWS_MAX) {
    await trx
      .insertInto("ai_parts")
      .values(rows.slice(at, at + ROWS_MAX))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

export async function aiPartsOf(db: Connection, rootId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("ai_parts")
    .select("part_hash")
    .where("project_id", "=", rootId)
    .orderBy("created_at", "desc")
    .limit(READ_MAX)
    .execute();
  return rows.map(({ part_hash }) => part_hash);
}
