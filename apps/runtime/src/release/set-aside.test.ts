// Data that is set aside: kept, listed, restored, dropped when its time is over. Also other differences from the
// recorded schema.
import type { SetAside } from "@plinth/bundle";
import { tenantNames } from "@plinth/postgres";
import { createLogger } from "@plinth/service";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inspectSchema } from "./drift.ts";
import { sweepSetAside } from "./set-aside.ts";
import {
  aside,
  bundleOf,
  liveListings,
  noteAside,
  openRunner,
  publicationOf,
  type Runner,
  statement,
  tableOf,
} from "./testing/runner.ts";

const logger = createLogger({ name: "test", level: "silent" });

let runner: Runner;
beforeAll(async () => {
  runner = await openRunner();
});
afterAll(() => runner?.close());

const liveProject = (rows: number) => liveListings(runner, rows);

describe("data that is set aside", () => {
  it("is kept, listed, restored with its values, and dropped when its time is over", async () => {
    const { projectId, bundle } = await liveProject(3);
    await runner.sql(projectId, "update {schema}.listings set note = 'kept'");
    const without = bundleOf();
    await runner.deploy(publicationOf(projectId, without, bundle, [aside("set_aside", "001", noteAside)]));
    const schema = await inspectSchema(runner.pool, projectId);
    expect(schema).toEqual({ drift: [], setAside: [{ ...noteAside, until: expect.any(String) }] });
    const days = (Date.parse(schema?.setAside[0]?.until ?? "") - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6.9);
    expect(days).toBeLessThan(7.1);

    const back = publicationOf(projectId, bundle, without, [aside("restore", "001", noteAside)]);
    expect(await runner.deploy(back)).toMatchObject({ status: "active", error: null });
    expect(await runner.sql(projectId, "select distinct note from {schema}.listings")).toEqual([{ note: "kept" }]);
    expect(await inspectSchema(runner.pool, projectId)).toEqual({ drift: [], setAside: [] });

    await runner.deploy(publicationOf(projectId, without, bundle, [aside("set_aside", "001", noteAside)]));
    expect(await sweepSetAside({ pool: runner.pool, logger })).toBe(0);
    await runner.pool.query("UPDATE plinth.set_aside SET until = now() - interval '1 s' WHERE project_id = $1", [
      projectId,
    ]);
    expect((await inspectSchema(runner.pool, projectId))?.setAside).toEqual([]);
    expect(await sweepSetAside({ pool: runner.pool, logger })).toBe(1);
    expect(await inspectSchema(runner.pool, projectId)).toEqual({ drift: [], setAside: [] });
    await expect(runner.sql(projectId, "select note__kept_1 from {schema}.listings")).rejects.toThrow("does not exist");
    const late = await runner.deploy(publicationOf(projectId, bundle, without, [aside("restore", "001", noteAside)]));
    expect(late.error).toBe("Step 001: listings.note is no longer stored, so it can't be restored.");
  });

  it("follows its table's new name, and is dropped with it", async () => {
    const { projectId, bundle } = await liveProject(1);
    const without = bundleOf({ tables: [tableOf("listings")] });
    const second = bundleOf({ tables: [tableOf("offers")] });
    const rename = statement("002", "alter table {schema}.listings rename to offers", {
      phase: "switch",
      table: "listings",
    });
    const status = await runner.deploy(
      publicationOf(projectId, without, bundle, [aside("set_aside", "001", noteAside)]),
    );
    expect(status.error).toBeNull();
    expect((await runner.deploy(publicationOf(projectId, second, without, [rename]))).error).toBeNull();
    const kept = (await inspectSchema(runner.pool, projectId))?.setAside;
    expect(kept).toMatchObject([{ table: "offers", column: "note" }]);
    const table: SetAside = {
      kind: "table",
      table: "offers",
      column: null,
      keptAs: "offers__kept_2",
      sqlType: null,
      was: tableOf("offers__kept_2"),
    };
    await runner.deploy(publicationOf(projectId, bundleOf(), second, [aside("set_aside", "001", table)]));
    const { setAside, drift } = (await inspectSchema(runner.pool, projectId)) ?? {};
    expect(drift).toEqual([]);
    expect(setAside).toMatchObject([{ table: "offers__kept_2", column: "note" }, { ...table }]);
    await runner.pool.query("UPDATE plinth.set_aside SET until = now() - interval '1 s' WHERE project_id = $1", [
      projectId,
    ]);
    expect(await sweepSetAside({ pool: runner.pool, logger })).toBe(2);
    const { rowCount } = await runner.pool.query("SELECT FROM pg_tables WHERE schemaname = $1", [
      tenantNames(projectId).schema,
    ]);
    expect(rowCount).toBe(0);
  });
});

describe("drift", () => {
  it.each([
    ["a column added by hand", "alter table {schema}.listings add column mine int", "listings.mine", null, "integer"],
    [
      "a type",
      "alter table {schema}.listings alter column note type varchar(9)",
      "listings.note",
      "text",
      "character varying(9)",
    ],
    [
      "a default",
      "alter table {schema}.listings alter column note set default 'x'",
      "listings.note",
      "text",
      "text default 'x'::text",
    ],
    ["a table dropped by hand", "drop table {schema}.listings", "listings", /^owner t_/, null],
    [
      "a privilege",
      "grant truncate on {schema}.listings to {worker}",
      "listings",
      /grant delete insert select update to/,
      /truncate update/,
    ],
    [
      "an index",
      "create index mine on {schema}.listings (n)",
      "index mine of listings",
      null,
      /^CREATE INDEX mine ON listings/,
    ],
    [
      "a constraint",
      "alter table {schema}.listings add constraint mine check (n > 0)",
      "constraint mine of listings",
      null,
      /^CHECK/,
    ],
    [
      "a view",
      "create view {schema}.mine as select id from {schema}.listings",
      "view mine",
      null,
      /SELECT id\s+FROM listings/,
    ],
    [
      "a materialized view",
      "create materialized view {schema}.mine as select id from {schema}.listings",
      "view mine",
      null,
      /^materialized SELECT id/,
    ],
    [
      "a policy",
      "create policy mine on {schema}.listings for select to {worker} using (n > 0)",
      "policy mine of listings",
      null,
      /^permissive select to t_\w+ using \(n > 0\)$/,
    ],
    [
      "row security that binds the owner",
      "alter table {schema}.listings force row level security",
      "listings",
      /^owner t_/,
      / forced row security /,
    ],
    [
      "a rule",
      "create rule mine as on delete to {schema}.listings do instead nothing",
      "rule mine of listings",
      null,
      /^CREATE RULE mine AS\s+ON DELETE TO listings DO INSTEAD NOTHING;$/,
    ],
  ])("is found: %s", async (_, sql, path, expected, found) => {
    const { projectId } = await liveProject(1);
    expect((await inspectSchema(runner.pool, projectId))?.drift).toEqual([]);
    await runner.sql(projectId, sql.replace("{worker}", tenantNames(projectId).worker));
    const drift = (await inspectSchema(runner.pool, projectId))?.drift ?? [];
    const each = drift.find((one) => one.path === path);
    const like = (wanted: unknown): unknown => (wanted instanceof RegExp ? expect.stringMatching(wanted) : wanted);
    expect(each).toEqual({ path, expected: like(expected), found: like(found) });
  });

  it("is found if a trigger is disabled, even one that enforces references", async () => {
    const { projectId } = await liveProject(1);
    await runner.sql(
      projectId,
      `create table {schema}.notes (id uuid primary key, listing uuid constraint listing_known references {schema}.listings (id));
       create function {schema}.stamp() returns trigger language plpgsql as 'begin return new; end';
       create trigger stamp before insert on {schema}.notes for each row execute function {schema}.stamp()`,
    );
    const definitions = async () => {
      const drift = (await inspectSchema(runner.pool, projectId))?.drift ?? [];
      const found = new Map(drift.map((one) => [one.path, one.found]));
      return ["trigger stamp of notes", "constraint listing_known of notes"].map((path) => found.get(path) ?? "");
    };
    const [trigger, key] = await definitions();
    expect(key).toBe("FOREIGN KEY (listing) REFERENCES listings(id)");
    // Only a superuser can disable a trigger that enforces references.
    const admin = new pg.Client(runner.database.adminUrl);
    await admin.connect();
    await admin
      .query(`alter table ${tenantNames(projectId).schema}.notes disable trigger all`)
      .finally(() => admin.end());
    expect(await definitions()).toEqual([`${trigger} (D)`, `${key} (not enforced)`]);
  });

  it("is not checked in a project that the cell doesn't know", async () => {
    expect(await inspectSchema(runner.pool, "prj_00000000000000000000")).toBeNull();
  });
});
