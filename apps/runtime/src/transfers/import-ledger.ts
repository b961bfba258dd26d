// The progress of imports, in the cell's own tables. In: a connection with the cell's role. Out: states. A step's row
// changes in the transaction of its batch, so that each row of a source is taken once, even after a crash.
import { randomBytes } from "node:crypto";
import type { ProjectId } from "@plinth/bundle";
import {
  BATCH_CHARS_MAX,
  BATCH_ROWS_MAX,
  type ImportBody,
  type ImportState,
  type StepState,
} from "@plinth/bundle/cell";
import { isUniqueViolation } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { ClientBase, Pool } from "pg";

export interface ImportName {
  readonly projectId: ProjectId;
  readonly source: string;
}

const bounds = { rowsMax: BATCH_ROWS_MAX, charsMax: BATCH_CHARS_MAX };

/** Starts an import, continues an unfinished one of the same source, or restarts a finished one with its ids. */
export async function openImport(
  pool: Pool,
  projectId: ProjectId,
  { source, label }: ImportBody,
  by: string,
): Promise<ImportState> {
  const { rows } = await pool
    .query<{ salt: string; again: boolean }>(
      `WITH was AS (SELECT finished_at FROM plinth.imports WHERE project_id = $1 AND source = $2),
         opened AS (
           INSERT INTO plinth.imports (project_id, source, label, salt, started_by) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (project_id, source) DO UPDATE SET finished_at = NULL, label = $3,
             started_by = CASE WHEN imports.finished_at IS NULL THEN imports.started_by ELSE $5 END,
             started_at = CASE WHEN imports.finished_at IS NULL THEN imports.started_at ELSE now() END
           RETURNING salt)
       SELECT salt, (SELECT finished_at FROM was) IS NOT NULL AS again FROM opened`,
      [projectId, source, label, randomBytes(16).toString("hex"), by],
    )
    .catch(async (error: unknown) => {
      if (!isUniqueViolation(error)) throw error;
      const { rows: open } = await pool.query<{ label: string; started_by: string }>(
        "SELECT label, started_by FROM plinth.imports WHERE project_id = $1 AND finished_at IS NULL",
        [projectId],
      );
      const [{ label: other, started_by: who } = { label: "another source", started_by: "somebody" }] = open;
      throw new Fault("conflict", {
        detail: `An import from ${other}, started by ${who}, is not finished. Run it again, or end it with --abandon.`,
        cause: error,
      });
    });
  const [opened] = rows;
  if (opened === undefined) throw new Error("an import was neither started nor found");
  if (opened.again) {
    await pool.query("DELETE FROM plinth.import_steps WHERE project_id = $1 AND source = $2", [projectId, source]);
  }
  return { salt: opened.salt, finished: false, ...bounds, steps: await stepsOf(pool, { projectId, source }) };
}

/** The state of an import, without starting or continuing it. Null if there is none. */
export async function findImport(pool: Pool, name: ImportName): Promise<ImportState | null> {
  const { rows } = await pool.query<{ salt: string; finished: boolean }>(
    "SELECT salt, finished_at IS NOT NULL AS finished FROM plinth.imports WHERE project_id = $1 AND source = $2",
    [name.projectId, name.source],
  );
  const [known] = rows;
  return known === undefined ? null : { ...known, ...bounds, steps: await stepsOf(pool, name) };
}

/** Ends an import, whether it is complete or not. Null if there is none. */
export async function closeImport(client: ClientBase, name: ImportName): Promise<ImportState | null> {
  const { rows } = await client.query<{ salt: string }>(
    `UPDATE plinth.imports SET finished_at = now() WHERE project_id = $1 AND source = $2 AND finished_at IS NULL
     RETURNING salt`,
    [name.projectId, name.source],
  );
  const [closed] = rows;
  if (closed === undefined) return null;
  const steps = await stepsOf(client, name);
  await client.query("UPDATE plinth.import_steps SET last_key = NULL WHERE project_id = $1 AND source = $2", [
    name.projectId,
    name.source,
  ]);
  return { salt: closed.salt, finished: true, ...bounds, steps };
}

/** Ends the project's unfinished import. Null if there is none. */
export async function abandonImport(client: ClientBase, projectId: ProjectId): Promise<ImportState | null> {
  const { rows } = await client.query<{ source: string }>(
    "SELECT source FROM plinth.imports WHERE project_id = $1 AND finished_at IS NULL",
    [projectId],
  );
  const [open] = rows;
  return open === undefined ? null : closeImport(client, { projectId, source: open.source });
}

/**
 * The state of a step, locked until the transaction ends, so that the same batch can't be taken twice. @throws Fault
 * `not_found` if no such import is in progress.
 */
export async function lockStep(client: ClientBase, name: ImportName, step: string): Promise<StepState> {
  const { rowCount } = await client.query(
    "SELECT 1 FROM plinth.imports WHERE project_id = $1 AND source = $2 AND finished_at IS NULL FOR SHARE",
    [name.projectId, name.source],
  );
  if (rowCount === 0) throw new Fault("not_found", { detail: "This import is not in progress." });
  await client.query(
    "INSERT INTO plinth.import_steps (project_id, source, step) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
    [name.projectId, name.source, step],
  );
  const { rows } = await client.query<StepRow>(`${SELECT} AND step = $3 FOR UPDATE`, [
    name.projectId,
    name.source,
    step,
  ]);
  const [row] = rows;
  if (row === undefined) throw new Error("a step that was just written is missing");
  return stateOf(row);
}

export async function storeStep(client: ClientBase, name: ImportName, state: StepState): Promise<void> {
  await client.query(
    `UPDATE plinth.import_steps SET last_key = $4, read = $5, accepted = $6, refused = $7, checksum = $8, sent_checksum = $9, refused_checksum = $10
     WHERE project_id = $1 AND source = $2 AND step = $3`,
    [
      name.projectId,
      name.source,
      state.name,
      state.lastKey,
      state.read,
      state.accepted,
      state.refused,
      state.checksum,
      state.sentChecksum,
      state.refusedChecksum,
    ],
  );
}

interface StepRow {
  readonly step: string;
  readonly last_key: string | null;
  readonly read: string;
  readonly accepted: string;
  readonly refused: string;
  readonly checksum: string;
  readonly sent_checksum: string;
  readonly refused_checksum: string;
}

const SELECT = `SELECT step, last_key, read, accepted, refused, checksum, sent_checksum, refused_checksum FROM plinth.import_steps
  WHERE project_id = $1 AND source = $2`;

async function stepsOf(client: ClientBase | Pool, { projectId, source }: ImportName): Promise<readonly StepState[]> {
  const { rows } = await client.query<StepRow>(`${SELECT} ORDER BY step`, [projectId, source]);
  return rows.map(stateOf);
}

function stateOf(row: StepRow): StepState {
  return {
    name: row.step,
    lastKey: row.last_key,
    read: Number(row.read),
    accepted: Number(row.accepted),
    refused: Number(row.refused),
    checksum: row.checksum,
    sentChecksum: row.sent_checksum,
    refusedChecksum: row.refused_checksum,
  };
}
