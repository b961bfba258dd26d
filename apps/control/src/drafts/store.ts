// Drafts in the database. In: a person and project, and a text. Out: rows. Every save increments the version under a lock of the
// draft's row. The previous text goes to the history, which is limited. It never reads the text.
import { type Selectable, sql } from "kysely";
import { writeAudit } from "../database/audit.ts";
import type { Connection, ControlDatabase, DraftsTable } from "../database/tables.ts";
import type { Draft, EarlierDraft, EndedDraft } from "./api.ts";

export interface DraftOwner {
  readonly projectId: string;
  readonly personId: string;
}

export type Saved =
  | { readonly kind: "saved"; readonly version: number; readonly savedAt: string }
  /** The stored draft has another version. */
  | { readonly kind: "elsewhere" }
  /** The base isn't a version of this project. */
  | { readonly kind: "no_base" };

export interface DraftStore {
  get(of: DraftOwner): Promise<{ draft: Draft | null; ended: EndedDraft | null }>;
  save(
    of: DraftOwner,
    saved: { readonly text: string; readonly after: number | null; readonly baseVersionId: string | null },
  ): Promise<Saved>;
  /** Null if the draft has another version. */
  discard(of: DraftOwner, version: number): Promise<EndedDraft | null>;
  /** `open` if there is a draft; null if none ended lately. */
  restore(of: DraftOwner): Promise<Draft | "open" | null>;
  history(of: DraftOwner): Promise<readonly EarlierDraft[]>;
  earlier(of: DraftOwner, version: number): Promise<Draft | null>;
}

export interface DraftBounds {
  /** How many earlier texts of a draft are kept. */
  readonly stepsMax: number;
  /** Their total size in bytes. */
  readonly bytesMax: number;
}

/** Texts that are saved within this number of seconds are one step of undo. */
const STEP_SECONDS = 5;
const RESTORABLE_DAYS = 7;

type Row = Selectable<DraftsTable>;

export function createDraftStore(db: ControlDatabase, bounds: DraftBounds): DraftStore {
  return {
    get: async (of) => {
      const row = await rowOf(db, of);
      if (row === undefined) return { draft: null, ended: null };
      if (row.ended_at === null) return { draft: draft(row), ended: null };
      return { draft: null, ended: isRestorable(row) ? ended(row) : null };
    },

    save: (of, saved) =>
      db.transaction().execute(async (trx) => {
        if (saved.baseVersionId !== null && !(await isVersionOf(trx, of.projectId, saved.baseVersionId))) {
          return { kind: "no_base" };
        }
        const row = await lockRow(trx, of);
        const open = row === undefined || row.ended_at !== null ? null : row;
        // A repeated request, because the first answer was lost.
        if (open !== null && open.version === (saved.after ?? 0) + 1 && open.text === saved.text) return answer(open);
        if ((open?.version ?? null) !== saved.after) return { kind: "elsewhere" };
        if (row === undefined) return begin(trx, of, saved);
        await keepEarlier(trx, of, row, bounds);
        const written = await write(trx, of, {
          version: row.version + 1,
          text: saved.text,
          base_version_id: saved.baseVersionId,
          ended_at: null,
          ended_by: null,
        });
        if (open === null) await audit(trx, of, "draft.begun");
        return answer(written);
      }),

    discard: (of, version) =>
      db.transaction().execute(async (trx) => {
        const row = await lockRow(trx, of);
        if (row === undefined || row.version !== version) return null;
        // Already discarded, by a double click.
        if (row.ended_at !== null) return ended(row);
        await audit(trx, of, "draft.discarded");
        return ended(await write(trx, of, { ended_at: new Date(), ended_by: "discarded" }));
      }),

    restore: (of) =>
      db.transaction().execute(async (trx) => {
        const row = await lockRow(trx, of);
        if (row === undefined) return null;
        if (row.ended_at === null) return "open";
        if (!isRestorable(row)) return null;
        await audit(trx, of, "draft.restored");
        return draft(await write(trx, of, { version: row.version + 1, ended_at: null, ended_by: null }));
      }),

    history: async ({ projectId, personId }) => {
      const rows = await db
        .selectFrom("earlier_drafts")
        .select(["version", "saved_at", sql<number>`octet_length(text)`.as("bytes")])
        .where("project_id", "=", projectId)
        .where("person_id", "=", personId)
        .orderBy("version", "desc")
        .execute();
      return rows.map(({ version, saved_at, bytes }) => ({ version, savedAt: saved_at.toISOString(), bytes }));
    },

    earlier: async ({ projectId, personId }, version) => {
      const row = await db
        .selectFrom("earlier_drafts")
        .select(["version", "text", "base_version_id", "saved_at"])
        .where("project_id", "=", projectId)
        .where("person_id", "=", personId)
        .where("version", "=", version)
        .executeTakeFirst();
      return row === undefined ? null : draft(row);
    },
  };
}

/** Ends the draft of the person who wrote the text that went live. Other people keep their drafts. */
export async function endDeployedDrafts(trx: Connection, projectId: string, versionId: string): Promise<void> {
  await trx
    .updateTable("drafts")
    .set({ ended_at: new Date(), ended_by: "deployed" })
    .where("project_id", "=", projectId)
    .where("ended_at", "is", null)
    .where("text", "=", (eb) => eb.selectFrom("blueprint_versions").select("text").where("id", "=", versionId))
    .execute();
}

async function begin(
  trx: Connection,
  of: DraftOwner,
  { text, baseVersionId }: { readonly text: string; readonly baseVersionId: string | null },
): Promise<Saved> {
  const row = await trx
    .insertInto("drafts")
    .values({ project_id: of.projectId, person_id: of.personId, version: 1, text, base_version_id: baseVersionId })
    .onConflict((conflict) => conflict.columns(["project_id", "person_id"]).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return { kind: "elsewhere" };
  await audit(trx, of, "draft.begun");
  return answer(row);
}

async function write(trx: Connection, of: DraftOwner, changed: Partial<Omit<Row, "saved_at">>): Promise<Row> {
  return trx
    .updateTable("drafts")
    .set({ ...changed, saved_at: new Date() })
    .where("project_id", "=", of.projectId)
    .where("person_id", "=", of.personId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

async function keepEarlier(trx: Connection, of: DraftOwner, row: Row, bounds: DraftBounds): Promise<void> {
  await sql`
    WITH newest AS (
      SELECT max(saved_at) AS at FROM control.earlier_drafts
      WHERE project_id = ${of.projectId} AND person_id = ${of.personId}
    )
    INSERT INTO control.earlier_drafts (project_id, person_id, version, text, base_version_id, saved_at)
    SELECT ${of.projectId}, ${of.personId}, ${row.version}, ${row.text}, ${row.base_version_id}, ${row.saved_at}
    FROM newest
    WHERE newest.at IS NULL OR newest.at < ${row.saved_at}::timestamptz - make_interval(secs => ${STEP_SECONDS})
      OR ${row.ended_at !== null}`.execute(trx);
  await sql`
    DELETE FROM control.earlier_drafts e USING (
      SELECT version, row_number() OVER newest AS steps, sum(octet_length(text)) OVER newest AS bytes
      FROM control.earlier_drafts WHERE project_id = ${of.projectId} AND person_id = ${of.personId}
      WINDOW newest AS (ORDER BY version DESC)
    ) kept
    WHERE e.project_id = ${of.projectId} AND e.person_id = ${of.personId} AND e.version = kept.version
      AND (kept.steps > ${bounds.stepsMax} OR kept.bytes > ${bounds.bytesMax})`.execute(trx);
}

function rowOf(db: Connection, { projectId, personId }: DraftOwner): Promise<Row | undefined> {
  return db
    .selectFrom("drafts")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("person_id", "=", personId)
    .executeTakeFirst();
}

function lockRow(trx: Connection, { projectId, personId }: DraftOwner): Promise<Row | undefined> {
  return trx
    .selectFrom("drafts")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("person_id", "=", personId)
    .forUpdate()
    .executeTakeFirst();
}

async function isVersionOf(trx: Connection, projectId: string, versionId: string): Promise<boolean> {
  const found = await trx
    .selectFrom("blueprint_versions")
    .select("id")
    .where("id", "=", versionId)
    .where("project_id", "=", projectId)
    .executeTakeFirst();
  return found !== undefined;
}

function audit(trx: Connection, { projectId, personId }: DraftOwner, action: string): Promise<void> {
  return writeAudit(trx, { personId, projectId, action, subject: projectId });
}

function answer({ version, saved_at }: Pick<Row, "version" | "saved_at">): Saved {
  return { kind: "saved", version, savedAt: saved_at.toISOString() };
}

function draft({
  version,
  text,
  base_version_id,
  saved_at,
}: Omit<Row, "project_id" | "person_id" | "ended_at" | "ended_by">): Draft {
  return { version, text, baseVersionId: base_version_id, savedAt: saved_at.toISOString() };
}

function isRestorable({ ended_at }: Row): boolean {
  return ended_at !== null && ended_at.getTime() > Date.now() - RESTORABLE_DAYS * 86_400_000;
}

function ended({ version, ended_at, ended_by }: Row): EndedDraft {
  return { version, endedAt: (ended_at ?? new Date()).toISOString(), endedBy: ended_by ?? "discarded" };
}
