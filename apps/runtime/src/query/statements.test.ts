// The statements as text, and what Postgres plans for them: that a rule stands inside, that no value does, that a page is
// a walk along an index.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ActiveRelease, Principal } from "../http/contracts.ts";
import { testBlueprint } from "../http/testing/blueprint.ts";
import { bundleOf, createTestCell, type TestCell, type TestProject } from "../http/testing/test-cell.ts";
import { assembleCreate, assembleDelete, assembleList, assembleRead, assembleUpdate } from "./assemble.ts";
import { createCursorCodec } from "./cursor.ts";
import { nothingKept } from "./derived.ts";
import { type Asker, entityView } from "./entity-view.ts";
import { parseList } from "./parse-list.ts";
import type { Statement } from "./statement.ts";

const release: ActiveRelease = {
  projectId: "prj_x",
  slug: "test-market",
  releaseId: "rel_x",
  bundle: bundleOf(testBlueprint),
  schema: '"t_x"',
  plans: nothingKept(),
  own: nothingKept(),
};
const cursors = createCursorCodec("a secret of the tests alone");
const as = (...roles: readonly string[]): Asker => ({ roles, unscoped: false });
const owner = as("owner", "public", "user");

function valuesOf(statement: Statement, values: Record<string, string | null>): (string | null)[] {
  const principal: Principal = {
    kind: "user",
    userId: "U",
    sessionId: "s",
    email: "e",
    roles: ['a"b\\', "c"],
    keyId: null,
    keyKind: null,
    memberships: [],
  };
  const bindings = {
    principal,
    requestId: "R",
    ip: "::1",
    organization: null,
    recordId: "ID",
    values: new Map(Object.entries(values)),
    cursor: null,
    limit: null,
  };
  return statement.slots.map((slot) => slot(bindings));
}

test("a read joins the rules of the caller's roles", () => {
  const { text, lane } = assembleRead(release, "inquiry", owner);
  expect(text).toBe(
    'select row_to_json(x)::text from (select r."id" as "id", r."listing_id" as "listing_id", r."name" as "name", ' +
      'r."email" as "email", r."message" as "message", r."created_by" as "created_by", ' +
      `to_char(r."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created_at", ` +
      `to_char(r."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "updated_at", ` +
      'r."version" as "version" from "t_x"."inquiries" r where r."id" = $2::uuid and ' +
      '(coalesce(((select hop1."created_by" from "t_x"."listings" hop1 where hop1."id" = r."listing_id") = $1::uuid::uuid), false))) x',
  );
  expect(lane).toBe("fast");
});

test("an update locks, computes, judges, changes, and tells", () => {
  const statement = assembleUpdate(release, "shipment", owner, ["status"]);
  expect(statement.text.replaceAll(/, (?=\w+ as \()/g, ",\n")).toMatchInlineSnapshot(`
    "with cur as (select r."id", r."status", r."user_id", r."created_by", r."created_at", r."updated_at", r."version" from "t_x"."shipments" r where r."id" = $3::uuid and ((((r."user_id" = $2::uuid::uuid) and (r."user_id" = $2::uuid::uuid) is not null)) or ((((r."user_id" = $2::uuid::uuid) and (r."user_id" = $2::uuid::uuid) is not null) and ((r."user_id" = $2::uuid::uuid) and (r."user_id" = $2::uuid::uuid) is not null)))) for update of r),
    new_row as (select cur."id", $1::text as "status", cur."user_id", cur."created_by", cur."created_at", now() as "updated_at", cur."version" + 1 as "version" from cur),
    chk as (select ((((cur."user_id" = $2::uuid::uuid) and (cur."user_id" = $2::uuid::uuid) is not null) and ((new_row."user_id" = $2::uuid::uuid) and (new_row."user_id" = $2::uuid::uuid) is not null))) as allowed from cur, new_row),
    upd as (update "t_x"."shipments" r set "status" = new_row."status", "updated_at" = new_row."updated_at", "version" = new_row."version" from new_row, chk where r."id" = new_row."id" and chk.allowed returning r.*),
    aud as (insert into "t_x"."audit_log" ("request_id", "actor_kind", "actor_id", "operation", "entity", "record_id", "changes") select $4::text, $5::text, $6::text, 'update', 'shipment', upd."id", (select to_jsonb(x) from (select jsonb_build_array(cur."status", upd."status") as "status") x) from upd, cur) select chk.allowed, case when upd."id" is not null then case when (((upd."user_id" = $2::uuid::uuid) and (upd."user_id" = $2::uuid::uuid) is not null)) then (select row_to_json(x)::text from (select upd."id" as "id", upd."status" as "status", upd."user_id" as "user_id", upd."created_by" as "created_by", to_char(upd."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created_at", to_char(upd."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "updated_at", upd."version" as "version") x) else json_build_object('id', upd."id")::text end end from chk left join upd on true"
  `);
  expect(valuesOf(statement, { status: "purchased" })).toContain("purchased");
});

test("a body's values stand in parameters alone, and what wasn't given is told apart from null", () => {
  const statement = assembleCreate(release, "listing", owner, ["title"]);
  const given = valuesOf(statement, { title: "'; drop", description: null, featured: "true" });
  expect(statement.text).not.toContain("drop");
  expect(given).toEqual(expect.arrayContaining(["'; drop", "ID", "U", "R", "user"]));
  expect(given.filter((value) => value === "t")).toHaveLength(1);
});

test("the same request finds the same statement; another set of roles another one", () => {
  expect(assembleRead(release, "listing", owner)).toBe(assembleRead(release, "listing", as(...owner.roles)));
  expect(assembleRead(release, "listing", as("public"))).not.toBe(assembleRead(release, "listing", owner));
  expect(assembleUpdate(release, "listing", owner, ["price", "title"])).toBe(
    assembleUpdate(release, "listing", owner, ["title", "price"]),
  );
});

test("a role that has nothing may do nothing, whatever it is called", () => {
  for (const roles of [as(), as("nobody"), as("constructor"), as("__proto__")]) {
    expect(assembleRead(release, "secret_note", roles).text).toContain(" and false)");
    expect(assembleDelete(release, "secret_note", roles).text).toContain("and false returning");
  }
});

test("shapes that callers invent are bounded, and the rare ones not kept prepared", () => {
  const own = { ...release, own: nothingKept() };
  const names = ["title", "description", "price", "featured", "status", "code", "contact", "opens_at", "external"];
  const kept = [];
  for (let bits = 1; bits < 512; bits++) {
    kept.push(
      assembleUpdate(
        own,
        "listing",
        owner,
        names.filter((_, i) => (bits >> i) & 1),
      ).keep,
    );
  }
  expect(kept.filter(Boolean)).toHaveLength(64);
});

describe("a page", () => {
  let cell: TestCell;
  let project: TestProject;

  beforeAll(async () => {
    cell = await createTestCell();
    project = await cell.addProject(testBlueprint);
    await cell.rows(
      project,
      `insert into {schema}.listings (id, title, price, status, created_at)
       select gen_random_uuid(), 'T', n, 'active', now() - n * interval '1 second' from generate_series(1, 20000) n`,
    );
    await cell.rows(project, "analyze {schema}.listings");
  });
  afterAll(() => cell?.close());

  const after = (keys: readonly (string | null)[], sort: string): string =>
    `sort=${sort}&cursor=${cursors.seal(keys, JSON.stringify([project.projectId, "listing", sort === "id" ? ["id"] : [sort, sort.startsWith("-") ? "-id" : "id"], []]))}`;

  /** The generic plan, as the fast lane has it. */
  async function planOf(asker: Asker, query: string): Promise<{ readonly plan: string; readonly lane: string }> {
    const view = entityView(project.release, "listing");
    const parsed = parseList(query, view, { release: project.release, principal: asker, cursors });
    const { text, slots, lane } = assembleList(project.release, "listing", asker, parsed);
    const client = await cell.pool.connect();
    await client.query("set plan_cache_mode = force_generic_plan");
    await client.query(`prepare page as ${text}`);
    const nulls = slots.length === 0 ? "" : `(${slots.map(() => "null").join(", ")})`;
    const { rows } = await client.query(`explain execute page${nulls}`);
    await client.query("deallocate page; reset plan_cache_mode");
    client.release();
    return { plan: rows.map((row) => row["QUERY PLAN"]).join("\n"), lane };
  }

  const time = "2024-01-01 00:00:00+00";
  const id = "018f0000-0000-7000-8000-000000000001";

  test.each([
    ["the newest ids", "", /^listings_+pkey$/, "fast"],
    ["the newest by time", "sort=-created_at", /^listings_+created_at_+id_+idx$/, "fast"],
    ["the oldest by time", "sort=created_at", /^listings_+created_at_+id_+idx$/, "fast"],
  ])("of %s walks its index in the fast lane", async (_, query, index, lane) => {
    for (const roles of [as("admin"), owner]) {
      const page = await planOf(roles, query);
      expect(/Index Scan (?:Backward )?using (\w+)/.exec(page.plan)?.[1]).toMatch(index);
      expect(page.plan).not.toMatch(/Sort|Seq Scan/);
      expect(page.lane).toBe(lane);
    }
  });

  test("goes on where the cursor stands by the index alone", async () => {
    const next = await planOf(as("admin"), after([time, id], "-created_at"));
    expect(next.plan).toMatch(/Index Cond: \(ROW\(created_at, id\) < ROW/);
    expect((await planOf(as("admin"), after([id], "id"))).plan).toMatch(/Index Cond: \(id > /);
  });

  test("that no index serves goes to the slow lane", async () => {
    for (const query of [
      "sort=price",
      "sort=-created_at,title",
      "status=active",
      "sort=created_at,-id",
      "price=1&sort=id",
    ]) {
      expect((await planOf(as("admin"), query)).lane).toBe("slow");
    }
    for (const query of ["code=x", `id=${id}`, `created_by=${id}`]) {
      const { lane } = await planOf(as("admin"), query);
      expect([query, lane]).toEqual([query, query.startsWith("id") ? "fast" : "slow"]);
    }
  });
});
