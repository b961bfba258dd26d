// How much unfinished work a project can have: beyond the limit no write is lost, and work that is not started says
// why.
import { afterEach, expect, it } from "vitest";
import { callModule, makeKey } from "../modes/testing/cell.ts";
import { createRecord } from "../query/run.ts";
import { openWorkCell, type WorkCell } from "../workflows/testing/work-cell.ts";
import { createWorkBudget } from "./work-budget.ts";

const TEXT = `project: desk
modules: [auth, users, roles, workers, audit_logs]
entities:
  ticket:
    fields: { title: string }
    permissions: { admin: { all: true } }
  note:
    fields: { text: string }
    permissions: { admin: { all: true } }
workflows:
  wait:
    on: ticket.created
    steps:
      - { wait_for: { event: note.created } }
      - audit.write: { with: { note: came } }
  hand_over:
    on: note.updated
    steps:
      - worker.run: { with: { worker: sit } }
workers:
  sit:
    steps:
      - approval: { roles: [admin] }
actions:
  later:
    mode: async
    permissions: { admin: true }
    steps:
      - delay: 1h
`;
/** How long a count is cached. */
const COUNTED_MS = 1_100;

let work: WorkCell | null = null;
afterEach(async () => {
  await work?.close();
  work = null;
});

async function create({ request }: WorkCell, times: number): Promise<void> {
  const tickets = await request("ticket");
  for (let at = 0; at < times; at++) {
    await createRecord(tickets, crypto.randomUUID(), new Map([["title", `${at}`]]));
  }
}
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const runsOf = (cell: WorkCell): Promise<unknown> =>
  cell.sql(
    `SELECT status, error->>'code' AS code, count(*)::int FROM {schema}.workers__runs GROUP BY 1, 2 ORDER BY 1, 2`,
  );

it("counts at most once a second, and takes no more than there is room for", async () => {
  let nowMs = 0;
  let counts = 0;
  const { runs } = createWorkBudget({ openRunsMax: 10, openWaitsMax: 1 }, () => nowMs);
  const take = (wanted: number, there: number) =>
    runs.take("a", wanted, async () => {
      counts++;
      return there;
    });
  expect([await take(4, 3), await take(4, 99), await take(1, 0), counts]).toEqual([4, 3, 0, 1]);
  nowMs = 1_000;
  expect([await take(4, 10), await take(4, 0), counts]).toEqual([0, 0, 2]);
  nowMs = 2_000;
  expect([await take(4, 0), counts]).toEqual([4, 3]);
});

it("an event that would start one run too many is stored, with a failed run that can be retried", async () => {
  work = await openWorkCell(TEXT, {}, { workLimits: { openRunsMax: 3, openWaitsMax: 100 } });
  const { cell, projectId } = work;
  await create(work, 5);
  await expect
    .poll(() => runsOf(work!), { timeout: 10_000 })
    .toEqual([
      { status: "failed", code: "too_many_runs", count: 2 },
      { status: "waiting", code: null, count: 3 },
    ]);
  expect(await work.sql("SELECT count(*)::int AS n FROM {schema}.workers__events")).toEqual([{ n: 5 }]);
  expect(await work.sql("SELECT count(*)::int AS n FROM plinth.due_runs")).toEqual([{ n: 3 }]);
  await pause(COUNTED_MS);
  const { key } = await makeKey(cell, projectId, { role: "admin" });
  const refused = callModule(cell, { key, path: "/v1/actions/later", body: {} });
  await expect(refused).rejects.toMatchObject({ code: "rate_limited" });
  // The note is still written. The waiting runs continue, and then there is room.
  await createRecord(await work.request("note"), crypto.randomUUID(), new Map([["text", "x"]]));
  await expect
    .poll(() => runsOf(work!), { timeout: 10_000 })
    .toEqual([
      { status: "completed", code: null, count: 3 },
      { status: "failed", code: "too_many_runs", count: 2 },
    ]);
  await pause(COUNTED_MS);
  expect((await callModule(cell, { key, path: "/v1/actions/later", body: {} })).status).toBe(202);
  const [failed] = await work.sql("SELECT id FROM {schema}.workers__runs WHERE status = 'failed'");
  await callModule(cell, { key, path: `/v1/runs/${failed?.["id"]}/retry`, body: {} });
  // The note came after its event.
  await expect
    .poll(() => work!.sql("SELECT status FROM {schema}.workers__runs WHERE id = $1", [failed?.["id"]]))
    .toEqual([{ status: "completed" }]);
}, 40_000);

it("a run that would wait for one thing too many fails with the reason", async () => {
  work = await openWorkCell(TEXT, {}, { workLimits: { openRunsMax: 100, openWaitsMax: 2 } });
  await create(work, 4);
  const some = [
    { status: "failed", code: "too_many_waits", count: 2 },
    { status: "waiting", code: null, count: 2 },
  ];
  await expect.poll(() => runsOf(work!), { timeout: 10_000 }).toEqual(some);
}, 40_000);

it("a step that would run a worker too many fails", async () => {
  work = await openWorkCell(TEXT, {}, { workLimits: { openRunsMax: 1, openWaitsMax: 100 } });
  await work.sql(
    `INSERT INTO plinth.outbox (project_id, name, entity, record) VALUES ($1, 'note.updated', 'note', '{}')`,
    [work.projectId],
  );
  await expect
    .poll(() => runsOf(work!), { timeout: 10_000 })
    .toEqual([{ status: "failed", code: "too_many_runs", count: 1 }]);
}, 40_000);
