// Seed rows: once, by the first release that has the entity, in the transaction that makes it live.
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  aside,
  bundleOf,
  entityOf,
  openRunner,
  publicationOf,
  type Runner,
  statement,
  tableOf,
} from "./testing/runner.ts";

let runner: Runner;
beforeAll(async () => {
  runner = await openRunner();
});
afterAll(() => runner?.close());

const create = statement(
  "001-create",
  `create table {schema}.audit_log (id bigint generated always as identity, request_id text, actor_kind text, actor_id text,
     operation text, entity text, record_id uuid, changes jsonb);
   create table {schema}.kinds (id uuid primary key, name text not null, made_at timestamptz not null, maker text);
   create table {schema}.things (id uuid primary key, kind_id uuid references {schema}.kinds);`,
);
const KIND = "0190aaaa-0000-7000-8000-000000000001";
const kinds = (seed: readonly Record<string, string>[], table = "kinds") =>
  entityOf(table, ["name", "made_at", "maker"], {
    seed,
    change: {
      made_at: { sqlType: "timestamptz", default: "now()" },
      maker: { sqlType: "text", default: "{user.email}" },
    },
  });
const things = entityOf("things", ["kind_id"], {
  seed: [{ kind_id: KIND }],
  change: { kind_id: { sqlType: "uuid", references: "kinds" } },
});
const tables = [tableOf("kinds"), tableOf("things")];

it("is inserted with the switch, referenced rows first, and logged; a later seed adds nothing", async () => {
  const projectId = await runner.newProject();
  const first = bundleOf({ entities: [things, kinds([{ id: KIND, name: "big" }])], tables });
  const status = await runner.deploy(publicationOf(projectId, first, null, [create]));
  expect(status.error).toBeNull();
  const found =
    "select k.name, k.maker, k.made_at is not null as dated from {schema}.kinds k join {schema}.things t on t.kind_id = k.id";
  expect(await runner.sql(projectId, found)).toEqual([{ name: "big", maker: null, dated: true }]);
  const logged = await runner.sql(
    projectId,
    "select actor_kind, operation, entity from {schema}.audit_log order by id",
  );
  expect(logged).toEqual(["kinds", "things"].map((entity) => ({ actor_kind: "release", operation: "create", entity })));

  await runner.sql(projectId, "delete from {schema}.things");
  const second = bundleOf({ entities: [things, kinds([{ name: "another" }])], tables });
  expect((await runner.deploy(publicationOf(projectId, second, first, []))).error).toBeNull();
  expect(await runner.sql(projectId, "select from {schema}.things")).toHaveLength(0);

  const renamed = bundleOf({
    entities: [things, kinds([{ name: "third" }], "sorts")],
    tables: [tableOf("sorts"), tableOf("things")],
  });
  const rename = statement("001", "alter table {schema}.kinds rename to sorts", { phase: "switch", table: "kinds" });
  expect((await runner.deploy(publicationOf(projectId, renamed, second, [rename]))).error).toBeNull();
  expect(await runner.sql(projectId, "select name from {schema}.sorts")).toEqual([{ name: "big" }]);

  const what = {
    kind: "table",
    table: "sorts",
    column: null,
    keptAs: "sorts__kept",
    sqlType: null,
    was: null,
  } as const;
  const without = bundleOf({ entities: [things], tables: [tableOf("things")] });
  await runner.deploy(publicationOf(projectId, without, renamed, [aside("set_aside", "001", what)]));
  const back = await runner.deploy(publicationOf(projectId, renamed, without, [aside("restore", "001", what)]));
  expect(back.error).toBeNull();
  expect(await runner.sql(projectId, "select name from {schema}.sorts")).toEqual([{ name: "big" }]);
});

it("that can't be inserted fails the release, and the whole switch is rolled back", async () => {
  const projectId = await runner.newProject();
  const bad = bundleOf({ entities: [things, kinds([{ id: KIND }])], tables });
  const status = await runner.deploy(publicationOf(projectId, bad, null, [create]));
  expect(status).toMatchObject({ status: "failed", error: expect.stringContaining('"name"') });
  expect(await runner.sql(projectId, "select from {schema}.things")).toHaveLength(0);
});

it("gets the values of a create: slugs, numbers and pairs; a secret is refused", async () => {
  const projectId = await runner.newProject();
  const more = statement(
    "002-more",
    `create table {schema}.sequences (name text primary key, value bigint not null);
     create table {schema}.posts (id uuid primary key, title text not null, slug text not null, number text not null, hidden text);
     create table {schema}.posts__kinds (post_id uuid references {schema}.posts, kind_id uuid references {schema}.kinds);`,
  );
  const posts = (row: Record<string, string>) =>
    entityOf("posts", ["title", "slug", "number", "hidden", "kinds"], {
      seed: [row, { title: "Second" }],
      change: {
        slug: { slugFrom: "title" },
        number: { sequence: { counter: "posts.number", prefix: "P-" } },
        hidden: { secret: true },
        kinds: { column: null, references: "kinds", join: { table: "posts__kinds", own: "post_id", other: "kind_id" } },
      },
    });
  const withPosts = (row: Record<string, string>) =>
    bundleOf({
      entities: [posts(row), kinds([{ id: KIND, name: "big" }])],
      tables: [...tables, tableOf("posts"), tableOf("posts__kinds")],
    });
  const open = await runner.deploy(
    publicationOf(projectId, withPosts({ title: "One", hidden: "x" }), null, [create, more]),
  );
  expect(open).toMatchObject({
    status: "failed",
    error: expect.stringContaining("a blueprint must not contain secrets"),
  });
  const row = { title: "Größe one!", kinds: `{${KIND}}` };
  expect((await runner.deploy(publicationOf(projectId, withPosts(row), null, [create, more]))).error).toBeNull();
  expect(await runner.sql(projectId, "select title, slug, number from {schema}.posts order by number")).toEqual([
    { title: "Größe one!", slug: "grosse-one", number: "P-1" },
    { title: "Second", slug: "second", number: "P-2" },
  ]);
  const pairs = "select p.number, k.kind_id from {schema}.posts__kinds k join {schema}.posts p on p.id = k.post_id";
  expect(await runner.sql(projectId, pairs)).toEqual([{ number: "P-1", kind_id: KIND }]);
});
