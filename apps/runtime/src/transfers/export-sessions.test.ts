// Many exports at the same time, and exports of wide records: the number of open transactions and the memory stay limited.
import { BATCH_CHARS_MAX } from "@plinth/bundle/cell";
import { type BulkScope, createBulkScope, createPool } from "@plinth/postgres";
import type { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestCell, type TestCell, type TestProject } from "../http/testing/test-cell.ts";
import { createExportSessions, type ExportSessions } from "./export-sessions.ts";

const NOTES = `project: notes
entities:
  note:
    fields: { title: text, more: json? }
    permissions: { admin: { all: true } }
`;
const SESSIONS_MAX = 2;

let cell: TestCell;
let pool: Pool;
let exports: ExportSessions;
let wide: TestProject;
let other: TestProject;
/** Characters of each answer of the database to an export. */
const answered: number[] = [];

beforeAll(async () => {
  cell = await createTestCell();
  [wide, other] = [await cell.addProject(NOTES), await cell.addProject(NOTES)];
  const connectionString = String((cell.pool.options as { connectionString?: string }).connectionString);
  pool = createPool({ connectionString, max: 2 + SESSIONS_MAX, applicationName: "exports under test" });
  exports = createExportSessions(counting(createBulkScope({ pool, places: 2 })), SESSIONS_MAX);
}, 60_000);

afterAll(async () => {
  await exports?.stop();
  await pool?.end();
  await cell?.close();
});

function counting(bulk: BulkScope): BulkScope {
  return {
    ...bulk,
    snapshot: async (projectId, idleMsMax) => {
      const { client, close } = await bulk.snapshot(projectId, idleMsMax);
      const counted = new Proxy(client, {
        get: (target, name) => {
          const value: unknown = Reflect.get(target, name);
          if (name !== "query") return value;
          return async (...given: unknown[]) => {
            const result = await (value as (...all: unknown[]) => Promise<{ rows?: unknown }>).apply(target, given);
            answered.push(JSON.stringify(result.rows ?? []).length);
            return result;
          };
        },
      });
      return { client: counted, close };
    },
  };
}

const begin = (project: TestProject) => exports.open(project.release, crypto.randomUUID(), "ana@example.com");

describe("exports that begin at the same moment", () => {
  it("are one for each project, and never more than the cell has places for", async () => {
    const begun = await Promise.allSettled(Array.from({ length: 6 }, () => begin(wide)));
    expect(begun.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const codes = begun.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []));
    expect(new Set(codes)).toEqual(new Set(["conflict"]));
    await begin(other);
    const { rows } = await cell.pool.query(
      "SELECT count(*)::int AS open FROM pg_stat_activity WHERE application_name = 'exports under test' AND state = 'idle in transaction'",
    );
    expect(rows).toEqual([{ open: SESSIONS_MAX }]);
    const third = await cell.addProject(NOTES);
    await expect(begin(third)).rejects.toMatchObject({ code: "unavailable" });
  });
});

describe("wide records", () => {
  const BYTES = 600_000;
  const COUNT = 12;

  it("are read a few at a time, however well they compress, and none is missing", async () => {
    await cell.rows(
      wide,
      `INSERT INTO {schema}.notes (id, title, more) SELECT gen_random_uuid(),
         CASE WHEN n % 2 = 0 THEN repeat('x', ${BYTES}) ELSE n::text END,
         CASE WHEN n % 2 = 1 THEN jsonb_build_object('text', repeat('y', ${BYTES})) END
       FROM generate_series(1, ${COUNT}) n`,
    );
    const { id } = await begin(wide);
    answered.length = 0;
    const lines: string[] = [];
    let after: string | null = null;
    let pages = 0;
    do {
      const page = await exports.page(wide.projectId, id, "note", after);
      lines.push(...page.rows.split("\n").slice(0, -1));
      after = page.last;
      pages++;
    } while (after !== null);
    expect(lines).toHaveLength(COUNT);
    expect(new Set(lines.map((line) => line.split("\t")[0])).size).toBe(COUNT);
    expect(pages).toBeGreaterThan(3);
    expect(Math.max(...answered)).toBeLessThan(BATCH_CHARS_MAX + 2 * BYTES);
  });
});
