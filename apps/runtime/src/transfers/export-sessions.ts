// Exports in progress. Each reads one moment of its project, page by page. In: a project, a part, and the end of the
// last page. Out: lines in COPY's text format. It limits how long a view of the database is open, because an open view
// prevents the vacuum of every table.
import { newId, type ProjectId } from "@plinth/bundle";
import {
  BATCH_CHARS_MAX,
  BATCH_ROWS_MAX,
  type ExportPage,
  type ExportPart,
  type ExportState,
} from "@plinth/bundle/cell";
import { type BulkScope, quoteIdentifier, type Snapshot, writeCopyLine } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { ClientBase } from "pg";
import type { ActiveRelease } from "../project/active-release.ts";
import { findEntity } from "../query/entity-view.ts";
import { canonicalText, rowHash } from "./canonical.ts";
import { exportParts } from "./transfer-shape.ts";

export interface ExportSessions {
  /**
   * Ends another export of the project.
   * @throws Fault `unavailable` if the cell has too many, `conflict` if another export of the project is starting.
   */
  open(release: ActiveRelease, requestId: string, by: string): Promise<ExportState>;
  /** @throws Fault `not_found` if it has ended. */
  page(projectId: ProjectId, exportId: string, part: string, after: string | null): Promise<ExportPage>;
  close(projectId: ProjectId, exportId: string): Promise<void>;
  stop(): Promise<void>;
}

/** If nobody requests a page for this long, the reader has gone. */
const IDLE_MS_MAX = 60_000;
const TOTAL_MS_MAX = 30 * 60_000;

interface Session {
  readonly id: string;
  readonly release: ActiveRelease;
  readonly parts: readonly ExportPart[];
  readonly snapshot: Snapshot;
  readonly endsAt: number;
  idle: NodeJS.Timeout;
  reading: boolean;
}

/** @param sessionsMax In this process, over all projects. */
export function createExportSessions(bulk: BulkScope, sessionsMax: number): ExportSessions {
  const sessions = new Map<string, Session>();
  /** Projects whose export is about to have a session: it has its place already. */
  const opening = new Set<ProjectId>();
  const end = async (session: Session): Promise<void> => {
    if (!sessions.delete(session.id)) return;
    clearTimeout(session.idle);
    await session.snapshot.close();
  };
  const idleTimer = (session: () => Session | undefined): NodeJS.Timeout => {
    const timer = setTimeout(() => {
      const one = session();
      if (one !== undefined && !one.reading) void end(one);
    }, IDLE_MS_MAX);
    timer.unref();
    return timer;
  };
  const find = (projectId: ProjectId, exportId: string): Session => {
    const session = sessions.get(exportId);
    if (session === undefined || session.release.projectId !== projectId) {
      throw new Fault("not_found", { detail: "This export is not in progress. Start it again." });
    }
    return session;
  };
  const begin = async (release: ActiveRelease, requestId: string, by: string): Promise<ExportState> => {
    const id = newId("exp");
    const parts = exportParts(release);
    await bulk.transaction(release.projectId, ({ client }) =>
      client.query(
        `INSERT INTO ${release.schema}.audit_log (request_id, actor_kind, actor_id, operation, changes)
         VALUES ($1, 'operator', $2, 'export', $3)`,
        [requestId, by, JSON.stringify({ export: id, parts: parts.map(({ name }) => name) })],
      ),
    );
    const snapshot = await bulk.snapshot(release.projectId, IDLE_MS_MAX);
    const endsAt = performance.now() + TOTAL_MS_MAX;
    const idle = idleTimer(() => sessions.get(id));
    sessions.set(id, { id, release, parts, snapshot, endsAt, idle, reading: false });
    return { id, parts };
  };
  return {
    open: async (release, requestId, by) => {
      const { projectId } = release;
      if (opening.has(projectId)) throw new Fault("conflict", { detail: "An export of the project is starting." });
      // A new start means that the last export was lost, or is replaced.
      const own = [...sessions.values()].filter((one) => one.release.projectId === projectId);
      if (sessions.size - own.length + opening.size >= sessionsMax) {
        throw new Fault("unavailable", {
          detail: "Other exports are in progress in this cell.",
          headers: { "retry-after": "30" },
        });
      }
      opening.add(projectId);
      try {
        await Promise.all(own.map(end));
        return await begin(release, requestId, by);
      } finally {
        opening.delete(projectId);
      }
    },
    page: async (projectId, exportId, name, after) => {
      const session = find(projectId, exportId);
      const part = session.parts.find((one) => one.name === name);
      if (part === undefined) throw new Fault("not_found", { detail: `The export has no part called ${name}.` });
      if (session.reading) throw new Fault("conflict", { detail: "Another request is reading a page of this export." });
      if (performance.now() > session.endsAt) {
        await end(session);
        throw new Fault("timeout", {
          detail: "The export took too long. Its view of the database can be open for half an hour at most.",
        });
      }
      session.reading = true;
      clearTimeout(session.idle);
      try {
        return await readPage(session, part, after);
      } catch (error) {
        await end(session);
        throw error;
      } finally {
        session.reading = false;
        session.idle = idleTimer(() => sessions.get(exportId));
      }
    },
    close: async (projectId, exportId) => {
      const session = sessions.get(exportId);
      if (session !== undefined && session.release.projectId === projectId) await end(session);
    },
    stop: async () => {
      await Promise.all([...sessions.values()].map(end));
    },
  };
}

const ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

async function readPage({ release, snapshot }: Session, part: ExportPart, after: string | null): Promise<ExportPage> {
  const place = after === null ? [] : after.split(",");
  if (!place.every((id) => ID.test(id)))
    throw new Fault("bad_request", { detail: "The start of a page must be an id." });
  const { text, sizes, width } = pageStatement(release, part, place.length);
  const { client } = snapshot;
  const lines: string[] = [];
  let chars = 0;
  let checksum = 0n;
  let last: string | null = null;
  await client.query(`DECLARE _sizes NO SCROLL CURSOR FOR ${sizes}`, place);
  await client.query(`DECLARE _page NO SCROLL CURSOR FOR ${text}`, place);
  for (;;) {
    const ahead = await fetchRows(client, "_sizes", FETCHED_ROWS);
    const taken = countWithin(
      ahead.map(([size]) => Number(size)),
      BATCH_CHARS_MAX - chars,
    );
    for (const row of taken === 0 ? [] : await fetchRows(client, "_page", taken)) {
      const line = writeCopyLine(row.slice(2, 2 + width));
      lines.push(line);
      chars += line.length + 1;
      last = row[0] ?? null;
      checksum += BigInt(row[1] ?? 0);
    }
    const isEnd = ahead.length < FETCHED_ROWS && taken === ahead.length;
    const isFull = taken < ahead.length || chars >= BATCH_CHARS_MAX || lines.length >= BATCH_ROWS_MAX;
    if (!isEnd && !isFull) continue;
    await client.query("CLOSE _page; CLOSE _sizes");
    const rows = lines.map((line) => `${line}\n`).join("");
    return { rows, count: lines.length, checksum: String(checksum), last: isEnd ? null : last };
  }
}

async function fetchRows(client: ClientBase, cursor: string, count: number): Promise<readonly (string | null)[][]> {
  const { rows } = await client.query<(string | null)[]>({ text: `FETCH ${count} FROM ${cursor}`, rowMode: "array" });
  return rows;
}

/** The number of rows, from the first one on, that fit a page with this room. The last one may exceed it. */
function countWithin(sizes: readonly number[], room: number): number {
  let left = room;
  const at = sizes.findIndex((size) => {
    left -= size;
    return left <= 0;
  });
  return at === -1 ? sizes.length : at + 1;
}

/** The sizes of so many rows are read ahead. A page then takes as many of them as fit, so that one page and one record are in memory. */
const FETCHED_ROWS = 500;

/**
 * The position, the hash and the values of each row, and the sizes of the same rows in bytes. Postgres knows the size of a text without
 * reading it, even if it is compressed.
 */
function pageStatement(
  release: ActiveRelease,
  { entity, kind, fields }: ExportPart,
  placed: number,
): { readonly text: string; readonly sizes: string; readonly width: number } {
  const view = findEntity(release, entity);
  if (view === null) throw new Error(`an export of ${entity}, which the release lacks`);
  const named = (table: string): string => `${release.schema}.${quoteIdentifier(table)} _r`;
  if (kind === "links") {
    const join = view.fields.get(fields[0] ?? "")?.join;
    if (join == null) throw new Error(`${entity}.${fields[0]} is no many-to-many field`);
    const [own, other] = [quoteIdentifier(join.own), quoteIdentifier(join.other)];
    const texts = [`_r.${own}::text`, `_r.${other}::text`];
    const behind = placed === 2 ? `WHERE (_r.${own}, _r.${other}) > ($1::uuid, $2::uuid)` : "";
    const rows = `FROM ${named(join.table)} ${behind} ORDER BY _r.${own}, _r.${other}`;
    const text = `SELECT ${texts.join(" || ',' || ")}, ${rowHash(texts)}::text, ${texts.join(", ")} ${rows}`;
    return { text, sizes: `SELECT ${2 * PLAIN_BYTES} ${rows}`, width: 2 };
  }
  const stored = fields.flatMap((name) => view.stored.find((each) => each.name === name) ?? []);
  const texts = stored.map((field) => canonicalText("_r", field));
  const bytes = stored.map((field, at) => (isWide(field) ? `coalesce(octet_length(${texts[at]}), 0)` : PLAIN_BYTES));
  const behind = placed === 1 ? `WHERE _r."id" > $1::uuid` : "";
  const rows = `FROM ${named(view.entity.table)} ${behind} ORDER BY _r."id"`;
  const text = `SELECT _r."id"::text, ${rowHash(texts)}::text, ${texts.join(", ")} ${rows}`;
  return { text, sizes: `SELECT ${bytes.join(" + ")} ${rows}`, width: texts.length };
}

/** Of a number, a moment, an id: more than their text has. */
const PLAIN_BYTES = 40;

function isWide({ sqlType }: { readonly sqlType: string }): boolean {
  return (
    sqlType.endsWith("[]") || !/^(?:uuid|boolean|smallint|integer|bigint|date|time|interval|real|double)/.test(sqlType)
  );
}
