// The retention of events and runs: everything that has ended is deleted after its days, and everything else stays.
import { createLogger } from "@plinth/service";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openWorkCell, type WorkCell } from "../workflows/testing/work-cell.ts";
import { createWorkRetention, type WorkRetention } from "./work-retention.ts";

const TEXT = `project: desk
modules: [auth, users, roles, workers, audit_logs]
entities:
  ticket:
    fields: { title: string }
    permissions: { admin: { all: true } }
`;

const logger = createLogger({ name: "test", level: "silent" });
let work: WorkCell;
let retention: WorkRetention;

beforeEach(async () => {
  work = await openWorkCell(TEXT, {});
  retention = createWorkRetention({ pool: work.cell.pool, scope: work.cell.scope, days: 30, rowsMax: 100_000, logger });
});
afterEach(() => work.close());

/** Runs with a step, an attempt and an event each. `ended` null: not yet. */
async function addRuns(
  count: number,
  {
    status = "completed",
    made = 40,
    ended = 40,
    causedBy = null,
  }: { status?: string; made?: number; ended?: number | null; causedBy?: string | null } = {},
): Promise<void> {
  await work.sql(
    `WITH made AS (SELECT gen_random_uuid() AS run, gen_random_uuid() AS event, n FROM generate_series(1, ${count}) n),
      e AS (INSERT INTO {schema}.workers__events (id, seq, name, at)
        SELECT event, (SELECT coalesce(max(seq), 0) FROM {schema}.workers__events) + n, 'ticket.created',
          now() - interval '${made} days' FROM made),
      r AS (INSERT INTO {schema}.workers__runs (id, workflow, kind, definition, event_id, status, created_at, ended_at, caused_by)
        SELECT run, '${status}', 'workflow', 'rel_x', event, '${status}', now() - interval '${made} days',
          now() - interval '${ended ?? 0} days' * nullif(${ended === null ? 0 : 1}, 0), $1 FROM made),
      s AS (INSERT INTO {schema}.workers__steps (run_id, path, status, key) SELECT run, 'a', 'completed', run || '/a' FROM made)
     INSERT INTO {schema}.workers__attempts (run_id, path, attempt, started_at) SELECT run, 'a', 1, now() FROM made`,
    [causedBy],
  );
}

const left = async (): Promise<Readonly<Record<string, unknown>>> =>
  (
    await work.sql(`SELECT (SELECT count(*) FROM {schema}.workers__events)::int AS events,
      (SELECT count(*) FROM {schema}.workers__runs)::int AS runs, (SELECT count(*) FROM {schema}.workers__steps)::int AS steps,
      (SELECT count(*) FROM {schema}.workers__attempts)::int AS attempts`)
  )[0] ?? {};

it("ended runs are deleted after their days, with all their parts, in batches", async () => {
  await addRuns(1_203);
  await addRuns(7, { made: 29, ended: 29 });
  await addRuns(2, { made: 50, ended: 3 });
  expect(await retention.sweep()).toEqual({ runs: 1_203, events: 1_203 });
  expect(await left()).toEqual({ events: 9, runs: 9, steps: 9, attempts: 9 });
  expect(await retention.sweep()).toEqual({ runs: 0, events: 0 });
}, 60_000);

it("a blueprint can shorten the operator's retention, but not extend it", async () => {
  await addRuns(3, { made: 8, ended: 8 });
  await addRuns(2, { made: 6, ended: 6 });
  await work.redeploy({ retentionDays: 7 });
  expect(await retention.sweep()).toEqual({ runs: 3, events: 3 });
  await addRuns(4, { made: 31, ended: 31 });
  await work.redeploy({ retentionDays: 300 });
  expect(await retention.sweep()).toEqual({ runs: 4, events: 4 });
  await work.redeploy({});
  await addRuns(1, { made: 29, ended: 29 });
  expect(await retention.sweep()).toEqual({ runs: 0, events: 0 });
  expect(await left()).toMatchObject({ events: 3, runs: 3 });
}, 60_000);

it("the oldest are deleted if a project has more than the operator allows", async () => {
  await addRuns(4, { made: 20, ended: 19 });
  await addRuns(3, { status: "waiting", made: 15, ended: null });
  await addRuns(10, { made: 10, ended: 9 });
  await addRuns(5, { made: 2, ended: 1 });
  const { pool, scope } = work.cell;
  const few = createWorkRetention({ pool, scope, days: 30, rowsMax: 15, logger });
  // Waiting runs stay, although they are older than the fifteenth.
  expect(await few.sweep()).toEqual({ runs: 4, events: 4 });
  expect(await left()).toMatchObject({ events: 18, runs: 18 });
  expect(await few.sweep()).toEqual({ runs: 0, events: 0 });
}, 60_000);

it("an unfinished run stays with its event, without stopping the deletion of later ones", async () => {
  await addRuns(600, { status: "waiting", made: 60, ended: null });
  await addRuns(3, { status: "needs_attention", made: 60 });
  const [waiting] = await work.sql("SELECT id FROM {schema}.workers__runs WHERE status = 'waiting' LIMIT 1");
  await addRuns(1, { causedBy: String(waiting?.["id"]) });
  await addRuns(5);
  expect(await retention.sweep()).toEqual({ runs: 5, events: 5 });
  expect(await left()).toEqual({ events: 604, runs: 604, steps: 604, attempts: 604 });
}, 60_000);

it("an event that some webhook endpoint has still to get stays, with all later ones", async () => {
  await addRuns(2, { made: 50, ended: 50 });
  await addRuns(3, { made: 40, ended: 40 });
  await work.sql(
    `INSERT INTO plinth.webhook_fan_outs (project_id, event_id, event_at, done)
     SELECT $1, id, at, true FROM {schema}.workers__events ORDER BY at DESC LIMIT 1`,
    [work.projectId],
  );
  expect(await retention.sweep()).toEqual({ runs: 5, events: 2 });
  await work.sql("DELETE FROM plinth.webhook_fan_outs");
  expect(await retention.sweep()).toEqual({ runs: 0, events: 3 });
}, 60_000);
