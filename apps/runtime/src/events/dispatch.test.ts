// Events from their writes to their runs, whatever other transactions are open on the server.

import { createUuidV7 } from "@plinth/service";
import { afterEach, expect, it } from "vitest";
import { createRecord } from "../query/run.ts";
import { openWorkCell, stepOf, type WorkCell, workflowOf } from "../workflows/testing/work-cell.ts";
import { createDispatcher } from "./dispatch.ts";
import { createWorkBudget } from "./work-budget.ts";

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

it("open transactions delay no event, and lose none", async () => {
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

it("events that are too many for one statement are handed on in parts", async () => {
  work = await openWorkCell(TEXT, { workflows }, { works: false });
  const { cell, projectId } = work;
  // As if so many runs were waiting that the statement takes too long.
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
  const dispatcher = createDispatcher({
    pool,
    registry,
    scopeOf,
    newId: createUuidV7({ now: Date.now }),
    budget: createWorkBudget(),
    logger,
  });
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

it("an event with very many waits is offered in parts, to each once, before later events", async () => {
  work = await openWorkCell(TEXT, {}, { works: false });
  const { cell, projectId } = work;
  // As if a statement had two seconds, on a slow disk.
  await work.sql(`CREATE FUNCTION {schema}.refuse_many() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF (SELECT count(*) FROM changed) > 5000 THEN RAISE EXCEPTION USING ERRCODE = 'query_canceled'; END IF; RETURN NULL; END $$`);
  await work.sql(
    `WITH made AS (SELECT gen_random_uuid() AS id FROM generate_series(1, 20000)), runs AS (
       INSERT INTO {schema}.workers__runs (id, workflow, kind, definition, status)
       SELECT id, 'wait', 'workflow', 'rel_x', 'waiting' FROM made)
     INSERT INTO {schema}.workers__waits (run_id, path, kind, event) SELECT id, 'wait', 'event', 'ticket.created' FROM made`,
  );
  await work.sql(
    `CREATE TRIGGER refuse_many AFTER UPDATE ON {schema}.workers__waits REFERENCING NEW TABLE AS changed
       EXECUTE FUNCTION {schema}.refuse_many()`,
  );
  const emit = (): Promise<unknown> =>
    work!.sql(
      "INSERT INTO plinth.outbox (project_id, name, entity, record) VALUES ($1, 'ticket.created', 'ticket', '{}')",
      [projectId],
    );
  const { pool, registry, scopeOf, logger } = cell;
  const newId = createUuidV7({ now: Date.now });
  await emit();
  // Each round like a process that does one round, and dies.
  for (let round = 0; round < 3; round++) {
    await createDispatcher({ pool, registry, scopeOf, newId, budget: createWorkBudget(), logger }).dispatch();
    if (round === 0) await emit();
  }
  const offered = async (): Promise<unknown> =>
    work!.sql(
      "SELECT cardinality(offered) AS events, count(*)::int AS waits FROM {schema}.workers__waits GROUP BY 1 ORDER BY 1",
    );
  expect(await offered()).toEqual([
    { events: 0, waits: expect.any(Number) },
    { events: 1, waits: expect.any(Number) },
  ]);
  const dispatcher = createDispatcher({ pool, registry, scopeOf, newId, budget: createWorkBudget(), logger });
  for (let round = 0; round < 40; round++) await dispatcher.dispatch();
  expect(await offered()).toEqual([{ events: 2, waits: 20_000 }]);
  expect(await work.sql(`SELECT count(DISTINCT offered)::int AS orders FROM {schema}.workers__waits`)).toEqual([
    { orders: 1 },
  ]);
  expect(await work.sql("SELECT count(*)::int AS due FROM plinth.due_runs WHERE due_at <= clock_timestamp()")).toEqual([
    { due: 20_000 },
  ]);
}, 60_000);
