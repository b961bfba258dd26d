// Events from their writes to their runs, whatever else is open on the server.

import { createUuidV7 } from "@plinth/service";
import { afterEach, expect, it } from "vitest";
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

it("more than one statement can take is handed on in parts", async () => {
  work = await openWorkCell(TEXT, { workflows }, { works: false });
  const { cell, projectId } = work;
  // As where so many runs wait for them that the statement takes too long.
  await work.sql(`CREATE FUNCTION {schema}.refuse_many() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF (SELECT count(*) FROM added) > 20 THEN RAISE EXCEPTION USING ERRCODE = 'query_canceled'; END IF; RETURN NULL; END $$`);
  await work.sql(
    `CREATE TRIGGER refuse_many AFTER INSERT ON {schema}.workers__events REFERENCING NEW TABLE AS added
       EXECUTE FUNCTION {schema}.refuse_many()`,
  );
  await work.sql(
    `INSERT INTO plinth.outbox (project_id, name, entity, record)
     SELECT $1, 'ticket.created', 'ticket', '{}' FROM generate_series(1, 200)`,
    [projectId],
  );
  const { pool, registry, scopeOf, logger } = cell;
  const dispatcher = createDispatcher({ pool, registry, scopeOf, newId: createUuidV7({ now: Date.now }), logger });
  let handed = 0;
  await expect
    .poll(
      async () => {
        handed += await dispatcher.dispatch();
        return handed;
      },
      { timeout: 15_000 },
    )
    .toBe(200);
  expect(await work.sql("SELECT count(*)::int AS n FROM {schema}.workers__runs")).toEqual([{ n: 200 }]);
});
