// A unique profile field that is added to existing users, executed by the runner: users who share a value are counted
// before anybody approves, and stop the deployment before it has changed anything. Without them it succeeds, even under
// a new name.
import { checkBlueprint, type Model } from "@plinth/blueprint";
import type { ProjectId, Publication } from "@plinth/bundle";
import { compileModel, proposeChange } from "@plinth/compiler";
import { afterAll, beforeAll, expect, it } from "vitest";
import { inspectSchema } from "./drift.ts";
import { measurePlan } from "./measure.ts";
import { openRunner, publicationOf, type Runner } from "./testing/runner.ts";

let runner: Runner;
let tag = 0;

beforeAll(async () => {
  runner = await openRunner();
});
afterAll(() => runner?.close());

function modelOf(fields: string): Model {
  const text = `project: desk\nmodules: [auth, users]\nusers:\n  fields:\n    ${fields}\n`;
  const { model, diagnostics } = checkBlueprint(text);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  return model;
}

const before = modelOf("handle: string?\n    floor: int = 1\n    desk: int?");
const after = modelOf("handle: string? unique searchable\n    floor: int = 1\n    desk: int? unique(floor)");
const renamed = modelOf("name_tag: string? unique was(handle)\n    floor: int = 1\n    desk: int? unique(floor)");

function publication(projectId: ProjectId, from: Model | null, to: Model): Publication {
  const live = from === null ? null : { model: from, bundle: compileModel(from) };
  const proposed = proposeChange({ before: live, after: to, setAside: [], tag: `t${++tag}`, author: "person" });
  expect(proposed.refused).toEqual([]);
  return publicationOf(projectId, proposed.bundle, live?.bundle ?? null, proposed.plan.steps);
}

/** A hundred users. The last `handles` of them have the handle of another user, and the last `desks` a taken desk. */
async function liveProject(handles: number, desks: number): Promise<ProjectId> {
  const projectId = await runner.newProject();
  expect((await runner.deploy(publication(projectId, null, before))).error).toBeNull();
  await runner.sql(
    projectId,
    `insert into {schema}.users (id, email, handle, desk)
     select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, n || '@example.com',
       case when n <= 10 then null when n > 100 - ${handles} then 'h11' else 'h' || n end,
       case when n <= 10 then null when n > 100 - ${desks} then 11 else n end
     from generate_series(1, 100) n`,
  );
  return projectId;
}

async function uniquesOf(projectId: ProjectId): Promise<readonly unknown[]> {
  const sql = `select indexname from pg_indexes where schemaname = '{schema}' and tablename = 'users' and indexdef like 'CREATE UNIQUE%' order by 1`;
  return (await runner.sql(projectId, sql)).map(({ indexname }) => indexname);
}

it("counts users who share a value, and changes nothing while there are any", async () => {
  const projectId = await liveProject(7, 3);
  const change = publication(projectId, before, after);
  const { steps } = await measurePlan(runner.pool, projectId, change.plan, compileModel(before));
  const counted = steps.filter(({ violators }) => violators !== null).map(({ violators }) => violators?.count);
  // All but the one who may keep it.
  expect(counted).toEqual([7, 3]);
  const failed = await runner.deploy(change);
  expect([failed.status, failed.finished]).toEqual(["failed", true]);
  expect(failed.error).toContain("the same handle as another");
  expect(await uniquesOf(projectId)).toEqual(["users__email__key", "users__pkey"]);
});

it("succeeds if nobody shares a value", async () => {
  const projectId = await liveProject(0, 0);
  expect(await runner.deploy(publication(projectId, before, after))).toMatchObject({ status: "active", error: null });
  const keys = ["users__desk__floor__key", "users__email__key", "users__handle__key", "users__pkey"];
  expect(await uniquesOf(projectId)).toEqual(keys);
  expect((await inspectSchema(runner.pool, projectId))?.drift).toEqual([]);
  const another = "insert into {schema}.users (id, email, handle) values (gen_random_uuid(), 'x@example.com', 'h50')";
  await expect(runner.sql(projectId, another)).rejects.toMatchObject({ constraint: "users__handle__key" });
  const rename = publication(projectId, after, renamed);
  expect(await runner.deploy(rename)).toMatchObject({ status: "active", error: null });
  expect(await uniquesOf(projectId)).toContain("users__name_tag__key");
  expect((await inspectSchema(runner.pool, projectId))?.drift).toEqual([]);
  expect(await runner.sql(projectId, "select count(name_tag)::int as n from {schema}.users")).toEqual([{ n: 90 }]);
});
