// The use of the operator's limits in the view of queues. Guarantees that it says what counts against a limit, and
// marks it from 80 %; and that events that nobody hands on are shown.

import { defaultLimitsMax } from "@plinth/bundle";
import { createLogger } from "@plinth/service";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createDispatcher } from "../events/dispatch.ts";
import { createWorkBudget } from "../events/work-budget.ts";
import { callModule, dataOf, makeKey } from "../modes/testing/cell.ts";
import { createRecord } from "../query/run.ts";
import { createRegistry } from "../release/registry.ts";
import { openWorkCell, type WorkCell } from "./testing/work-cell.ts";

const TEXT = `project: usage
modules: [auth, users, roles, workers]
entities:
  job:
    fields: { title: string }
    permissions: { admin: { all: true } }
workflows:
  wait:
    on: job.created
    steps:
      - approval: { roles: [admin] }
`;

let work: WorkCell;
let key: string;

beforeAll(async () => {
  work = await openWorkCell(TEXT, {}, { works: false, workLimits: { openRunsMax: 5, openWaitsMax: 4 } });
  ({ key } = await makeKey(work.cell, work.projectId, { role: "admin" }));
}, 60_000);
afterAll(() => work?.close());

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
const usage = async (): Promise<any> =>
  (dataOf(await callModule(work.cell, { method: "GET", path: "/v1/queues", key })) as { usage: unknown }).usage;

const due = (count: number): Promise<unknown> =>
  work.sql(
    `INSERT INTO plinth.due_runs (project_id, run_id, worker, due_at)
     SELECT $1, gen_random_uuid(), '', 'infinity' FROM generate_series(1, $2::int)`,
    [work.projectId, count],
  );

it("shows used and allowed, and marks it from 80 % on", async () => {
  await due(3);
  expect(await usage()).toEqual({
    open_runs: { used: 3, allowed: 5, near: false },
    open_waits: { used: 0, allowed: 4, near: false },
    active_runs: { used: 0, allowed: 150, near: false },
    calls: { used: 0, allowed: 20, near: false },
    kept_events: { used: 0, allowed: 1_000_000, near: false },
    kept_runs: { used: 0, allowed: 1_000_000, near: false },
  });
  await due(1);
  expect((await usage()).open_runs).toEqual({ used: 4, allowed: 5, near: true });
  await due(10);
  expect((await usage()).open_runs).toEqual({ used: 5, allowed: 5, near: true });
});

it("shows runs and calls in progress, as the processes report them", async () => {
  const { projectId } = work;
  await work.sql(
    "UPDATE plinth.due_runs SET handed_at = 'infinity' WHERE run_id IN (SELECT run_id FROM plinth.due_runs LIMIT 2)",
  );
  const add = (calls: number, ago: string): Promise<unknown> =>
    work.sql(
      `INSERT INTO plinth.work_processes (id, beat_at, queue_workers, calls)
       VALUES (gen_random_uuid(), clock_timestamp() - $1::interval, '{}', $2)`,
      [ago, JSON.stringify({ [projectId]: calls, other: 20 })],
    );
  await add(20, "1 second");
  await add(13, "1 second");
  await add(20, "1 minute");
  expect(await usage()).toMatchObject({
    active_runs: { used: 2, allowed: 150, near: false },
    calls: { used: 33, allowed: 40, near: true },
  });
});

it("counts waits until they are answered, and estimates stored rows if there are many", async () => {
  await work.sql(
    `WITH r AS (INSERT INTO {schema}.workers__runs (id, workflow, kind, definition, status)
       SELECT gen_random_uuid(), 'wait', 'workflow', 'rel_none', 'waiting' FROM generate_series(1, 4) RETURNING id)
     INSERT INTO {schema}.workers__waits (run_id, path, kind, answer)
       SELECT id, 'ask', 'approval', CASE WHEN row_number() OVER () = 1 THEN '{"approved": true}'::jsonb END FROM r`,
  );
  await work.sql(
    `INSERT INTO {schema}.workers__events (id, seq, name, at)
     SELECT gen_random_uuid(), n, 'job.created', now() FROM generate_series(1, 12000) n`,
  );
  const shown = await usage();
  expect(shown.open_waits).toEqual({ used: 3, allowed: 4, near: false });
  expect(shown.kept_runs.used).toBe(4);
  expect(shown.kept_events.used).toBeGreaterThanOrEqual(10_000);
  expect(shown.kept_events.used).toBeLessThanOrEqual(12_000);
});

it("shows how many events wait to be handed on, and since when", async () => {
  await createRecord(await work.request("job"), crypto.randomUUID(), new Map([["title", "x"]]));
  const { events_waiting } = dataOf(await callModule(work.cell, { method: "GET", path: "/v1/queues", key })) as {
    events_waiting: { count: number; oldest_at: string };
  };
  expect(events_waiting.count).toBe(1);
  expect(Math.abs(Date.now() - Date.parse(events_waiting.oldest_at))).toBeLessThan(60_000);
});

it("the log also reports a live release that can't be read", async () => {
  const { cell, projectId } = work;
  await work.sql(
    "UPDATE plinth.releases SET bundle = '{}' WHERE id = (SELECT active_release_id FROM plinth.projects WHERE id = $1)",
    [projectId],
  );
  const logged: unknown[] = [];
  const logger = createLogger({
    name: "test",
    level: "warn",
    destination: { write: (line: string) => void logged.push(JSON.parse(line)) },
  });
  const registry = createRegistry({ pool: cell.pool, logger, limitsMax: defaultLimitsMax, bytesMax: 1_000_000 });
  try {
    const dispatcher = createDispatcher({
      pool: cell.pool,
      registry,
      scopeOf: cell.scopeOf,
      newId: () => crypto.randomUUID(),
      budget: createWorkBudget(),
      logger,
    });
    expect(await dispatcher.dispatch()).toBe(0);
  } finally {
    await registry.stop();
  }
  expect(logged).toContainEqual(
    expect.objectContaining({
      msg: "events could not be handed on",
      projectId,
      waiting: 1,
      oldestAt: expect.any(String),
    }),
  );
});
