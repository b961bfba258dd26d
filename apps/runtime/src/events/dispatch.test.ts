// Events from their writes to their runs, whatever else is open on the server.

import { createLogger, createUuidV7 } from "@plinth/service";
import { afterEach, expect, it } from "vitest";
import type { ReleaseRegistry } from "../project/active-release.ts";
import { createRecord } from "../query/run.ts";
import { openWorkCell, stepOf, type WorkCell, workflowOf } from "../workflows/testing/work-cell.ts";
import { createDispatcher } from "./dispatch.ts";

const TEXT = `project: desk
modules: [auth, users, roles, workers, audit_logs]
entities:
  ticket:
    fields: { title: string }
    permissions:
      admin: { all: true }
`;
const note = stepOf("note", { kind: "audit.write", note: { kind: "literal", value: "ran" } });
const workflows = [workflowOf({ name: "note", on: ["ticket.created"], entity: "ticket", steps: [note] })];

let work: WorkCell | null = null;
afterEach(async () => {
  await work?.close();
  work = null;
});

it("transactions that stay open hold no event up, and lose none", async () => {
  work = await openWorkCell(TEXT, { workflows });
  const { pool } = work.cell;
  const { schema } = work.cell.scopeOf(work.projectId);
  const create = async (): Promise<void> => {
    await createRecord(await work!.request("ticket"), crypto.randomUUID(), new Map([["title", "x"]]));
  };
  const ended = async (): Promise<unknown> =>
    (await work!.sql("SELECT count(*)::int AS n FROM {schema}.workers__runs WHERE status = 'completed'"))[0]?.["n"];
  const reader = await pool.connect();
  const writer = await pool.connect();
  try {
    await reader.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await reader.query(`SELECT count(*) FROM "${schema}".tickets`);
    // An event that took its number before all others, and is committed after them.
    await writer.query("BEGIN");
    await writer.query(
      `INSERT INTO "${schema}"."_outbox" (name, entity, record) VALUES ('ticket.created', 'ticket', '{}')`,
    );
    for (let i = 0; i < 20; i++) await create();
    await work.settled();
    expect(await ended()).toBe(20);
    await writer.query("COMMIT");
    await work.settled();
    expect(await ended()).toBe(21);
    expect((await reader.query(`SELECT count(*)::int AS n FROM "${schema}".tickets`)).rows).toEqual([{ n: 0 }]);
  } finally {
    for (const client of [reader, writer]) {
      await client.query("ROLLBACK");
      client.release();
    }
  }
});

it("a process that has not heard of a deployment yet starts the workflows that it brought", async () => {
  work = await openWorkCell(TEXT, {}, { works: false });
  const { cell, projectId } = work;
  const before = await cell.registry.get(projectId);
  let isLate = true;
  const registry: ReleaseRegistry = {
    ...cell.registry,
    get: async (id) => (isLate ? before : cell.registry.get(id)),
    reload: (id) => {
      isLate = false;
      return cell.registry.reload(id);
    },
  };
  const { dispatch } = createDispatcher({
    pool: cell.pool,
    registry,
    scopeOf: cell.scopeOf,
    newId: createUuidV7({ now: Date.now }),
    logger: createLogger({ name: "test", level: "silent" }),
  });
  await work.redeploy({ workflows });
  await createRecord(await work.request("ticket"), crypto.randomUUID(), new Map([["title", "x"]]));
  expect(await dispatch()).toBe(1);
  expect(await work.sql("SELECT workflow FROM {schema}.workers__runs")).toEqual([{ workflow: "note" }]);
});
