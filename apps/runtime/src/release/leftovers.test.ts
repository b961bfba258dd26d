// Leftovers of a failed release: used by a plan that does the same, and removed before any other.
import type { ProjectId } from "@plinth/bundle";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pathOf, readCatalogue } from "./catalogue.ts";
import { inspectSchema } from "./drift.ts";
import { bundleOf, liveListings, openRunner, publicationOf, type Runner, statement } from "./testing/runner.ts";

let runner: Runner;
beforeAll(async () => {
  runner = await openRunner();
});
afterAll(() => runner?.close());

const liveProject = (rows: number) => liveListings(runner, rows);

describe("leftovers of a failed release", () => {
  const broken = statement("009-broken", "select 1 / 0");
  const steps = [
    statement("001-add", "alter table {schema}.listings add column extra text default 'x'", { table: "listings" }),
    statement("002-check", "alter table {schema}.listings add constraint extra_set check (extra is not null)"),
    statement("003-index", "create index concurrently listings__extra__idx on {schema}.listings (extra)", {
      cleanup: "drop index concurrently if exists {schema}.listings__extra__idx",
    }),
    statement(
      "004-feed",
      `create function {schema}.feed() returns trigger language plpgsql as 'begin return new; end';
       create trigger feed before insert on {schema}.listings for each row execute function {schema}.feed();`,
    ),
    statement(
      "005-table",
      "create table {schema}.others (id uuid primary key, listing_id uuid references {schema}.listings)",
    ),
  ];

  it("are used if the next plan does the same, unless they are older than the live release", async () => {
    const { projectId, bundle } = await liveProject(2);
    const add = statement("001-add", "alter table {schema}.listings add column extra text");
    const broken = statement("002-broken", "select 1 / 0");
    const failed = await runner.deploy(publicationOf(projectId, bundleOf(), bundle, [add, broken]));
    expect(failed.status).toBe("failed");
    expect((await inspectSchema(runner.pool, projectId))?.drift).toEqual([]);
    const drop = statement("002-drop", "alter table {schema}.listings drop column extra", { phase: "switch" });
    expect(await runner.deploy(publicationOf(projectId, bundle, bundle, [add, drop]))).toMatchObject({ error: null });
    expect(await runner.deploy(publicationOf(projectId, bundleOf(), bundle, [add]))).toMatchObject({ error: null });
    expect(await runner.sql(projectId, "select extra from {schema}.listings")).toHaveLength(2);
  });

  it("are removed if the next plan does something else, and nothing else is removed", async () => {
    const { projectId, bundle } = await liveProject(2);
    const before = await outcomeOf(projectId);
    const failed = publicationOf(projectId, bundleOf(), bundle, [...steps, broken]);
    expect((await runner.deploy(failed)).status).toBe("failed");
    expect(await outcomeOf(projectId)).not.toEqual(before);
    await runner.sql(projectId, "alter table {schema}.listings add column by_hand int");
    const other = statement("001-add", "alter table {schema}.listings add column extra int", { table: "listings" });
    const next = bundleOf();
    expect((await runner.deploy(publicationOf(projectId, next, bundle, [other]))).error).toBeNull();
    const after = await outcomeOf(projectId);
    expect(after.filter((path) => !before.includes(path))).toEqual(["listings.by_hand", "listings.extra"]);
    expect(before.filter((path) => !after.includes(path))).toEqual([]);
  });

  it("are removed after a first release too, and the same release starts again when it is posted again", async () => {
    const projectId = await runner.newProject();
    const create = statement("000-create", "create table {schema}.listings (id uuid primary key)");
    const first = publicationOf(projectId, bundleOf(), null, [create, ...steps, broken]);
    expect((await runner.deploy(first)).status).toBe("failed");
    const other = publicationOf(projectId, bundleOf(), null, [statement("001", "select 1 / 0")]);
    expect((await runner.deploy(other)).status).toBe("failed");
    expect(await outcomeOf(projectId)).toEqual([]);
    expect((await inspectSchema(runner.pool, projectId))?.drift).toEqual([]);
    const again = await runner.deploy(first);
    expect(again.steps.map((step) => step.status)).toEqual([...steps, create].map(() => "done").concat("failed"));
  });

  async function outcomeOf(projectId: string): Promise<readonly string[]> {
    const client = await runner.pool.connect();
    try {
      return (await readCatalogue(client, projectId as ProjectId)).entries.map(pathOf);
    } finally {
      client.release();
    }
  }
});
