// The use of the operator's limits in the view of queues. Guarantees that it says what counts against a limit, and marks it from 80 %.
import { afterAll, beforeAll, expect, it } from "vitest";
import { callModule, dataOf, makeKey } from "../modes/cell-fixture.ts";
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

it("says how much is used of what is allowed, and marks it from 80 % on", async () => {
  await due(3);
  expect(await usage()).toEqual({
    open_runs: { used: 3, allowed: 5, near: false },
    open_waits: { used: 0, allowed: 4, near: false },
    kept_events: { used: 0, allowed: 1_000_000, near: false },
    kept_runs: { used: 0, allowed: 1_000_000, near: false },
  });
  await due(1);
  expect((await usage()).open_runs).toEqual({ used: 4, allowed: 5, near: true });
  await due(10);
  expect((await usage()).open_runs).toEqual({ used: 5, allowed: 5, near: true });
});

it("counts waits until they are answered, and estimates what is kept where it is much", async () => {
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
