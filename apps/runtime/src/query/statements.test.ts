// The statements as text, and Postgres's plans for them: they contain the rule, they contain no value, and a page is a
// walk along an index.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testBlueprint } from "../http/testing/blueprint.ts";
import { bundleOf, createTestCell, type TestCell, type TestProject } from "../http/testing/test-cell.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import { nothingKept } from "../project/derived.ts";
import type { Principal } from "../project/principal.ts";
import { assembleCreate, assembleDelete, assembleList, assembleRead, assembleUpdate } from "./assemble.ts";
import { createCursorCodec } from "./cursor.ts";
import { entityView, type StatementCaller } from "./entity-view.ts";
import { listName } from "./reading/list-query.ts";
import { parseList } from "./reading/parse-list.ts";
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
const as = (...roles: readonly string[]): StatementCaller => ({ roles, unscoped: false });
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
    'select row_to_json(_x)::text from (select _r."id" as "id", _r."listing_id" as "listing_id", _r."name" as "name", ' +
      '_r."email" as "email", _r."message" as "message", _r."created_by" as "created_by", ' +
      `to_char(_r."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created_at", ` +
      `to_char(_r."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "updated_at", ` +
      '_r."version" as "version" from "t_x"."inquiries" _r where _r."id" = $2::uuid and ' +
      '(coalesce(((select _hop1."created_by" from "t_x"."listings" _hop1 where _hop1."id" = _r."listing_id") = $1::uuid::uuid), false))) _x',
  );
  expect(lane).toBe("fast");
});

test("an update locks, computes, judges, changes, and reports", () => {
  const statement = assembleUpdate(release, "shipment", owner, ["status"]);
  expect(statement.text.replaceAll(/, (?=\w+ as \()/g, ",\n")).toMatchInlineSnapshot(`
    "with _cur as (select _r."id", _r."status", _r."user_id", _r."created_by", _r."created_at", _r."updated_at", _r."version" from "t_x"."shipments" _r where _r."id" = $2::uuid and ((((_r."user_id" = $1::uuid::uuid) and (_r."user_id" = $1::uuid::uuid) is not null)) or ((((_r."user_id" = $1::uuid::uuid) and (_r."user_id" = $1::uuid::uuid) is not null) and ((_r."user_id" = $1::uuid::uuid) and (_r."user_id" = $1::uuid::uuid) is not null)))) for update of _r),
    _new as (select _cur."id", $6::text as "status", _cur."user_id", _cur."created_by", _cur."created_at", now() as "updated_at", _cur."version" + 1 as "version" from _cur),
    _chk as (select ((((_cur."user_id" = $1::uuid::uuid) and (_cur."user_id" = $1::uuid::uuid) is not null) and ((_new."user_id" = $1::uuid::uuid) and (_new."user_id" = $1::uuid::uuid) is not null))) as _allowed from _cur, _new),
    _upd as (update "t_x"."shipments" _r set "status" = _new."status", "updated_at" = _new."updated_at", "version" = _new."version" from _new, _chk where _r."id" = _new."id" and _chk._allowed returning _r.*),
    _aud as (insert into "t_x"."audit_log" ("request_id", "actor_kind", "actor_id", "operation", "entity", "record_id", "changes") select $3::text, $4::text, $5::text, 'update', 'shipment', _upd."id", (select to_jsonb(_x) from (select jsonb_build_array(_cur."status", _upd."status") as "status") _x) from _upd, _cur) select _chk._allowed, case when _upd."id" is not null then case when (((_upd."user_id" = $1::uuid::uuid) and (_upd."user_id" = $1::uuid::uuid) is not null)) then (select row_to_json(_x)::text from (select _upd."id" as "id", _upd."status" as "status", _upd."user_id" as "user_id", _upd."created_by" as "created_by", to_char(_upd."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "created_at", to_char(_upd."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "updated_at", _upd."version" as "version") _x) else json_build_object('id', _upd."id")::text end end from _chk left join _upd on true"
  `);
  expect(valuesOf(statement, { status: "purchased" })).toContain("purchased");
});

test("a body's values are only in parameters, and a missing value differs from null", () => {
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

test("a role without grants can do nothing, whatever its name is", () => {
  for (const roles of [as(), as("nobody"), as("constructor"), as("__proto__")]) {
    expect(assembleRead(release, "secret_note", roles).text).toContain(" and false)");
    expect(assembleDelete(release, "secret_note", roles).text).toContain("and false returning");
  }
});

test("shapes that callers invent are limited, and rare ones are not kept prepared", () => {
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
       select gen_random_uuid(), 'T', n, case when n % 50 = 0 then 'sold' else 'active' end, now() - n * interval '1 second' from generate_series(1, 20000) n`,
    );
    await cell.rows(project, "analyze {schema}.listings");
  });
  afterAll(() => cell?.close());

  const listNameOf = (sort: string): string => {
    const view = entityView(project.release, "listing");
    const parsed = parseList(`sort=${sort}`, view, { release: project.release, principal: as("admin"), cursors });
    return listName(project.projectId, "listing", parsed);
  };
  const after = (keys: readonly (string | null)[], sort: string): string =>
    `sort=${sort}&cursor=${cursors.seal(keys, listNameOf(sort))}`;

  /** The generic plan, as in the fast lane. */
  async function planOf(
    caller: StatementCaller,
    query: string,
  ): Promise<{ readonly plan: string; readonly lane: string }> {
    const view = entityView(project.release, "listing");
    const parsed = parseList(query, view, { release: project.release, principal: caller, cursors });
    const { text, slots, lane } = assembleList(project.release, "listing", caller, parsed);
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
    ["the newest", "", /^listings_+created_at_+id_+idx$/, "earned"],
    ["the newest of a state", "status=sold", /^listings_+status_+created_at_+id_+idx$/, "earned"],
    ["the highest ids", "sort=-id", /^listings_+pkey$/, "earned"],
    ["the newest by time", "sort=-created_at", /^listings_+created_at_+id_+idx$/, "earned"],
    ["the oldest by time", "sort=created_at", /^listings_+created_at_+id_+idx$/, "earned"],
  ])("of %s walks its index", async (_, query, index, lane) => {
    for (const roles of [as("admin"), owner]) {
      const page = await planOf(roles, query);
      expect(/Index Scan (?:Backward )?using (\w+)/.exec(page.plan)?.[1]).toMatch(index);
      expect(page.plan).not.toMatch(/Sort|Seq Scan/);
      expect(page.lane).toBe(lane);
    }
  });

  test("continues after the cursor by the index alone", async () => {
    const next = await planOf(as("admin"), after([time, id], "-created_at"));
    expect(next.plan).toMatch(/Index Cond: \(ROW\(created_at, id\) < ROW/);
    expect((await planOf(as("admin"), after([id], "id"))).plan).toMatch(/Index Cond: \(id > /);
  });

  test("have a time that depends on the rows, so they must earn the fast lane", async () => {
    for (const query of ["", "sort=price", "status=active", "price=1&sort=id", `id=${id}`]) {
      expect((await planOf(as("admin"), query)).lane).toBe("earned");
    }
  });
});
