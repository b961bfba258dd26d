// The runner on a real database, with plans written by hand: phases, kinds, locks, and what a kill leaves at every
// step.
import type { MigrationStep } from "@plinth/bundle";
import { quoteIdentifier, tenantNames } from "@plinth/postgres";
import { startProcess } from "@plinth/testkit";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inspectSchema } from "./drift.ts";
import {
  aside,
  backfill,
  bundleOf,
  entityOf,
  listingColumns,
  liveListings,
  noteAside,
  openRunner,
  publicationOf,
  type Runner,
  statement,
  verify,
} from "./testing/runner.ts";

let runner: Runner;
beforeAll(async () => {
  runner = await openRunner();
});
afterAll(() => runner?.close());

const ROWS = 1_200;
const liveProject = (rows = ROWS) => liveListings(runner, rows);

const copyPrice = `with batch as (
    select id from {schema}.listings where {after} is null or id > {after}::uuid order by id limit {limit}),
  written as (update {schema}.listings l set cents = l.price::int * 100, writes = l.writes + 1 from batch b where l.id = b.id returning l.id)
  select (select max(id::text) from batch), (select count(*) from written)`;

/**
 * Every kind in every phase where it can be: a type change with a new column, a drop, a rename, an index built during
 * traffic.
 */
const everyKind = (): MigrationStep[] => [
  verify("001-verify", "listings", "price"),
  statement("002-add", "alter table {schema}.listings add column cents int, add column writes int not null default 0", {
    table: "listings",
    lock: "access exclusive",
  }),
  statement("003-index", "create unique index concurrently listings__n__key on {schema}.listings (n)", {
    table: "listings",
    cleanup: "drop index concurrently if exists {schema}.listings__n__key",
  }),
  backfill("004-copy", copyPrice, { table: "listings" }),
  statement(
    "005-not-null",
    "alter table {schema}.listings add constraint listings__cents__set check (cents is not null) not valid",
    {
      phase: "switch",
      table: "listings",
      lock: "access exclusive",
    },
  ),
  aside("set_aside", "006-drop-note", noteAside, { lock: "access exclusive" }),
  statement("007-rename", "alter table {schema}.listings rename column title to name", {
    phase: "switch",
    table: "listings",
    lock: "access exclusive",
  }),
  statement("008-validate", "alter table {schema}.listings validate constraint listings__cents__set", {
    phase: "after",
  }),
  statement("009-index", "create index concurrently listings__name__idx on {schema}.listings (name)", {
    phase: "after",
    cleanup: "drop index concurrently if exists {schema}.listings__name__idx",
  }),
];

async function outcome(projectId: string): Promise<unknown> {
  const rows = await runner.sql(
    projectId as never,
    "select count(*)::int, sum(cents)::int as cents, min(writes) as least, max(writes) as most from {schema}.listings",
  );
  const { rows: catalogue } = await runner.pool.query(
    "SELECT entries::text FROM plinth.catalogues WHERE project_id = $1 ORDER BY recorded_at DESC LIMIT 1",
    [projectId],
  );
  const { schema } = tenantNames(projectId);
  return { rows, catalogue: catalogue[0].entries.replaceAll(schema, "schema") };
}

describe("a plan of every kind", () => {
  const expected = {
    rows: [{ count: ROWS, cents: (ROWS * (ROWS + 1) * 100) / 2, least: 1, most: 1 }],
    catalogue: expect.stringContaining("listings__name__idx"),
  };

  it("completes, and writes each row once", async () => {
    const { projectId, bundle } = await liveProject();
    const status = await runner.deploy(publicationOf(projectId, bundleOf(), bundle, everyKind()));
    expect(status).toMatchObject({ status: "active", error: null, finished: true });
    expect(status.steps.map((step) => step.status)).toEqual(everyKind().map(() => "done"));
    expect(status.steps.find((step) => step.id === "004-copy")?.rows).toBe(ROWS);
    expect(await outcome(projectId)).toEqual(expected);
  });

  // Guarantee 5: a deploy that is killed at any statement is resumed, and no step runs twice.
  it.each(everyKind().map((step) => step.id))("stopped before %s, is resumed to the same end", async (stepId) => {
    const whole = await liveProject();
    await runner.deploy(publicationOf(whole.projectId, bundleOf(), whole.bundle, everyKind()));
    const { projectId, bundle } = await liveProject();
    const publication = publicationOf(projectId, bundleOf(), bundle, everyKind());
    await runner.receive(publication);
    const broken = runner.migrator({
      beforeStep: async (id) => {
        if (id === stepId) throw new Error("killed");
      },
    });
    broken.start(publication.releaseId);
    await broken.idle();
    await broken.stop();
    expect((await runner.status(publication)).finished).toBe(false);

    const next = runner.migrator();
    await expect.poll(async () => (await runner.status(publication)).finished, { timeout: 10_000 }).toBe(true);
    await next.stop();
    expect((await runner.status(publication)).error).toBeNull();
    expect(await outcome(projectId)).toEqual(await outcome(whole.projectId));
    expect(await outcome(projectId)).toEqual(expected);
  });

  it.each(["003-index", "004-copy", "006-drop-note", "009-index"])(
    "killed at %s is continued by another process after that point",
    async (stepId) => {
      const { projectId, bundle } = await liveProject();
      const publication = publicationOf(projectId, bundleOf(), bundle, everyKind());
      await runner.receive(publication);
      const child = await startProcess({
        command: process.execPath,
        args: ["--input-type=module", "--eval", killedAt(stepId)],
        cwd: import.meta.dirname,
        env: { URL_UNDER_TEST: runner.database.url, RELEASE_UNDER_TEST: publication.releaseId },
      });
      expect(await child.exited).toBe("SIGKILL");
      const halfway = await runner.status(publication);
      expect(halfway.finished).toBe(false);
      const copied = halfway.steps.find((step) => step.id === "004-copy");
      if (stepId === "004-copy") expect(copied?.rows).toBeGreaterThan(0);
      if (stepId === "004-copy") expect(copied?.rows).toBeLessThan(ROWS);
      const next = runner.migrator();
      await expect.poll(async () => (await runner.status(publication)).finished, { timeout: 10_000 }).toBe(true);
      await next.stop();
      expect(await runner.status(publication)).toMatchObject({ status: "active", error: null });
      expect(await outcome(projectId)).toEqual(expected);
    },
  );
});

/** A process that ends itself in the middle: between two batches of a backfill, else before the step. */
function killedAt(stepId: string): string {
  return `
    import { createPool } from "@plinth/postgres";
    import { createLogger } from "@plinth/service";
    import { createMigrator } from "./migrate.ts";
    const pool = createPool({ connectionString: process.env.URL_UNDER_TEST, max: 3, applicationName: "child", onIdleError() {} });
    let batches = 0;
    const end = () => { process.kill(process.pid, "SIGKILL"); return new Promise(() => {}); };
    const migrator = createMigrator({
      pool, logger: createLogger({ name: "child", level: "silent" }),
      beforeStep: async (id) => { if (id === "${stepId}" && id !== "004-copy") await end(); },
      beforeBatch: async (id) => { if (id === "${stepId}" && ++batches === 2) await end(); },
    });
    migrator.start(process.env.RELEASE_UNDER_TEST);
    setInterval(() => {}, 1000);`;
}

describe("what fails", () => {
  it("before the switch leaves the old release live; the reason names how many records and which", async () => {
    const { projectId, bundle } = await liveProject(20);
    await runner.sql(projectId, "update {schema}.listings set price = null where n <= 12");
    const publication = publicationOf(projectId, bundleOf(), bundle, everyKind());
    const failed = await runner.deploy(publication);
    expect(failed).toMatchObject({ status: "failed", finished: true });
    expect(failed.error).toMatch(
      /^Step 001-verify: 12 records of listings have no value for price: [0-9a-f-]{36} \(no "price"\), .*, \.\.\.$/,
    );
    expect(failed.steps.slice(1).every((step) => step.status === "pending")).toBe(true);
    expect((await inspectSchema(runner.pool, projectId))?.drift).toEqual([]);
    await runner.sql(projectId, "update {schema}.listings set price = '1' where n < 12");
    await runner.receive(publication);
    const one = await runner.deploy(publication);
    expect(one.error).toContain("1 record of listings has no value for price");
    await runner.sql(projectId, "update {schema}.listings set price = '1'");
    expect(await runner.deploy(publication)).toMatchObject({ status: "active", finished: true, error: null });
  });

  it("only names ids if a sample would show masked values", async () => {
    const { projectId, bundle } = await liveProject(1);
    await runner.sql(projectId, "update {schema}.listings set price = null");
    const entities = [entityOf("listings", listingColumns, { change: { price: { masked: true } } })];
    const masked = bundleOf({ tables: bundle.tables, entities });
    expect((await runner.deploy(publicationOf(projectId, masked, bundle, []))).error).toBeNull();
    const failed = await runner.deploy(publicationOf(projectId, bundleOf(), masked, everyKind()));
    expect(failed.error).toMatch(/1 record of listings has no value for price: [0-9a-f-]{36}$/);
  });

  it("in the switch rolls all of it back", async () => {
    const { projectId, bundle } = await liveProject(3);
    const steps = [
      aside("set_aside", "001-drop-note", noteAside),
      statement("002-broken", "alter table {schema}.listings rename column nothing to something", { phase: "switch" }),
    ];
    const failed = await runner.deploy(publicationOf(projectId, bundleOf(), bundle, steps));
    expect(failed).toMatchObject({ status: "failed", error: expect.stringContaining("Step 002-broken: column") });
    expect(failed.steps.map((step) => step.status)).toEqual(["pending", "failed"]);
    expect(await inspectSchema(runner.pool, projectId)).toEqual({ drift: [], setAside: [] });
    expect(await runner.sql(projectId, "select note from {schema}.listings")).toHaveLength(3);
  });

  it("in the switch: each step reports its own duration", async () => {
    const { projectId, bundle } = await liveProject(3);
    const steps = ["001", "002", "003"].map((id) => statement(id, "select pg_sleep(0.2)", { phase: "switch" }));
    const status = await runner.deploy(publicationOf(projectId, bundleOf(), bundle, steps));
    expect(status).toMatchObject({ status: "active", error: null });
    for (const [i, { startedAt, finishedAt }] of status.steps.entries()) {
      expect(Date.parse(finishedAt ?? "") - Date.parse(startedAt ?? "")).toBeGreaterThanOrEqual(190);
      const before = status.steps[i - 1]?.finishedAt ?? null;
      if (before !== null) expect(Date.parse(startedAt ?? "")).toBeGreaterThanOrEqual(Date.parse(before));
    }
  });

  it("after the switch leaves the new release live with an error, and is resumed when posted again", async () => {
    const { projectId, bundle } = await liveProject(3);
    const steps = [
      statement("001-add", "alter table {schema}.listings add constraint has_note check (note is not null) not valid"),
      statement("002-validate", "alter table {schema}.listings validate constraint has_note", { phase: "after" }),
      statement("003-last", "comment on table {schema}.listings is 'through'", { phase: "after" }),
    ];
    const next = bundleOf();
    const publication = publicationOf(projectId, next, bundle, steps);
    const half = await runner.deploy(publication);
    expect(half).toMatchObject({
      status: "active",
      finished: true,
      error: expect.stringMatching(/has_note.*then resume the deployment\.$/),
    });
    expect(half.steps.map((step) => step.status)).toEqual(["done", "failed", "pending"]);
    const another = publicationOf(projectId, bundleOf(), next, []);
    await expect(runner.receive(another)).rejects.toMatchObject({ code: "conflict" });
    await runner.sql(projectId, "update {schema}.listings set note = 'x'");
    const whole = await runner.deploy(publication);
    expect(whole).toMatchObject({ status: "active", finished: true, error: null });
    expect(whole.steps[0]).toEqual(half.steps[0]);
    expect(await runner.deploy(another)).toMatchObject({ status: "active" });
  });

  it("in an index build removes the incomplete index", async () => {
    const { projectId, bundle } = await liveProject(5);
    await runner.sql(projectId, "update {schema}.listings set title = 'same'");
    const index = statement(
      "001",
      "create unique index concurrently listings__title__key on {schema}.listings (title)",
      {
        cleanup: "drop index concurrently if exists {schema}.listings__title__key",
      },
    );
    const failed = await runner.deploy(publicationOf(projectId, bundleOf(), bundle, [index]));
    expect(failed.error).toContain("could not create unique index");
    const { rowCount } = await runner.pool.query("SELECT FROM pg_class WHERE relname = 'listings__title__key'");
    expect(rowCount).toBe(0);
  });
});

describe("locks", () => {
  it("make the switch give up soon: nobody who queues behind it waits for long", async () => {
    const { projectId, bundle } = await liveProject(3);
    const { schema } = tenantNames(projectId);
    const reader = new pg.Client({ connectionString: runner.database.url });
    await reader.connect();
    await reader.query(`BEGIN; SELECT * FROM ${schema}.listings`);
    const steps = ["a", "b", "c"].map((name) =>
      statement(name, `alter table {schema}.listings add column ${name} text`, {
        phase: "switch",
        table: "listings",
        lock: "access exclusive",
      }),
    );
    const publication = publicationOf(projectId, bundleOf(), bundle, steps);
    await runner.receive(publication);
    const migrator = runner.migrator();
    migrator.start(publication.releaseId);
    let longest = 0;
    const end = Date.now() + 2_500;
    while (Date.now() < end) {
      const started = performance.now();
      await runner.pool.query(`UPDATE ${quoteIdentifier(schema)}.listings SET note = 'written' WHERE n = 1`);
      longest = Math.max(longest, performance.now() - started);
    }
    expect((await runner.status(publication)).status).toBe("migrating");
    expect(longest).toBeGreaterThan(100);
    expect(longest).toBeLessThan(1_000);
    await reader.query("COMMIT");
    await reader.end();
    await migrator.idle();
    await migrator.stop();
    expect(await runner.status(publication)).toMatchObject({ status: "active", error: null });
  });
});
