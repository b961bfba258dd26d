// The effects of a plan, measured without changing anything.
import type { ProjectId } from "@plinth/bundle";
import { tenantNames } from "@plinth/postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { measurePlan } from "./measure.ts";
import {
  backfill,
  bundleOf,
  entityOf,
  openRunner,
  publicationOf,
  type Runner,
  statement,
  tableOf,
  verify,
} from "./testing/runner.ts";

let runner: Runner;
let projectId: ProjectId;
const live = bundleOf({ tables: [tableOf("listings", ["price"])], entities: [entityOf("listings", ["price"])] });

beforeAll(async () => {
  runner = await openRunner();
  projectId = await runner.newProject();
  const create = statement(
    "001",
    `create table {schema}.listings (id uuid primary key default gen_random_uuid(), price text);
     create table {schema}.large (id int, filler text);
     grant select on {schema}.listings, {schema}.large to {worker};`,
  );
  await runner.deploy(publicationOf(projectId, live, null, [create]));
  await runner.sql(
    projectId,
    "insert into {schema}.listings (price) select case when n > 7 then '1' end from generate_series(1, 30) n",
  );
  await runner.sql(projectId, "insert into {schema}.large select n, repeat('x', 200) from generate_series(1, 30000) n");
  await runner.sql(projectId, "analyze {schema}.large");
});
afterAll(() => runner?.close());

it("counts and samples the rows in the way, and reports sizes, locks and an expected time", async () => {
  const steps = [
    verify("001-verify", "listings", "price"),
    statement("002-index", "create index concurrently x on {schema}.large (id)", {
      table: "large",
      cleanup: "select 1",
      scans: true,
    }),
    backfill("003-fill", "select 1", { table: "large", lock: "row exclusive" }),
    statement("004-new", "create table {schema}.fresh (id int)", {}),
  ];
  const { steps: measured, rates } = await measurePlan(runner.pool, projectId, { steps }, live);
  expect(rates).toContain("are assumed for backfills");
  const [violated, indexed, filled, fresh] = measured;
  expect(violated).toMatchObject({ stepId: "001-verify", rows: 30, rowsExact: true, violators: { count: 7 } });
  expect(violated?.violators?.samples).toHaveLength(5);
  expect(violated?.violators?.samples[0]).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    text: 'no "price"',
  });
  expect(indexed).toMatchObject({ rows: 30_000, rowsExact: false, violators: null });
  expect(indexed?.bytes).toBeGreaterThan(30_000 * 200);
  expect(indexed?.expectedMs).toBeGreaterThan(300);
  expect(filled).toMatchObject({ expectedMs: 12_000 });
  expect(fresh).toMatchObject({ rows: null, bytes: null, expectedMs: 10 });
});

it("doesn't show masked values", async () => {
  const entities = [entityOf("listings", ["price"], { change: { price: { secret: true } } })];
  const plan = { steps: [verify("001", "listings", "price")] };
  const { steps } = await measurePlan(runner.pool, projectId, plan, bundleOf({ ...live, entities }));
  expect(steps[0]?.violators?.count).toBe(7);
  expect(steps[0]?.violators?.samples.map((each) => each.text)).toEqual(["", "", "", "", ""]);
});

it("doesn't show masked values of another table, which a fill reads by a reference", async () => {
  const people = entityOf("people", ["ssn"], { change: { ssn: { masked: true } } });
  const entities = [entityOf("listings", ["price", "owner"]), people];
  const step = verify("001", "listings", "price");
  const sample = `select id::text, (select _f1."ssn" from (values ('secret')) _f1("ssn"), {schema}."listings" "people" limit 1) from {schema}.listings`;
  const { steps } = await measurePlan(
    runner.pool,
    projectId,
    { steps: [{ ...step, sample }] } as never,
    bundleOf({ ...live, entities }),
  );
  expect(steps[0]?.violators?.count).toBe(7);
  expect(new Set(steps[0]?.violators?.samples.map((each) => each.text))).toEqual(new Set([""]));
});

it("says unknown if counting takes too long or isn't possible yet, and continues", async () => {
  const slow = { ...verify("001", "listings", "price"), count: "select count(*) from pg_sleep(5)" };
  const early = verify("002", "listings", "not_yet_there");
  const plan = { steps: [slow, early, verify("003", "listings", "price")] };
  const { steps } = await measurePlan(runner.pool, projectId, plan as never, live);
  expect(steps.map((each) => each.violators?.count)).toEqual([null, null, 7]);
});

it("changes nothing, whatever a plan says", async () => {
  const { schema, owner } = tenantNames(projectId);
  const attempts = [
    `delete from {schema}.listings returning 1`,
    `with gone as (delete from {schema}.listings returning 1) select count(*) from gone`,
    `select 1; commit; delete from ${schema}.listings`,
    `select count(*) from plinth.projects`,
    `select set_config('role', '${owner}', true)`,
  ];
  for (const count of attempts) {
    const step = { ...verify("001", "listings", "price"), count };
    const { steps } = await measurePlan(runner.pool, projectId, { steps: [step] } as never, live);
    expect(steps[0]?.violators?.count, count).toSatisfy((found) => found === null || Number.isNaN(found));
  }
  expect(await runner.sql(projectId, "select from {schema}.listings")).toHaveLength(30);
});

it("estimates by the durations of earlier backfills in this database", async () => {
  await runner.pool.query(
    `UPDATE plinth.migration_ledger SET status = 'done', rows_done = 20000, started_at = now() - interval '1 s', finished_at = now()`,
  );
  const plan = { steps: [backfill("001", "select 1", { table: "large" })] };
  const { steps, rates } = await measurePlan(runner.pool, projectId, plan, live);
  expect(rates).toContain("backfills have written 20000 rows a second in this database");
  expect(steps[0]?.expectedMs).toBe(1_500);
});
