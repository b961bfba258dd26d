// The blueprint's own tests on Postgres: it agrees with the in-memory evaluator, each reversed test fails in its line,
// a release that fails them changes nothing, and no lock of the project is taken.
import { checkBlueprint } from "@plinth/blueprint";
import type { Bundle, ProjectId } from "@plinth/bundle";
import { compileModel, planMigration } from "@plinth/compiler";
import { tenantNames } from "@plinth/postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rehearse } from "./rehearsal.ts";
import { openRunner, publicationOf, type Runner } from "./testing/runner.ts";

const TEXT = `project: desk
modules: [auth, users, roles, organizations]
roles:
  clerk: {}
users:
  fields:
    level: int = 2
entities:
  shop:
    fields:
      name: string
      open: bool = true
    permissions:
      public:
        read: open
      admin:
        all: true
  listing:
    fields:
      title: string
      price: int
      shop_id: ref(shop)?
      sale_ends: datetime?
      status: enum[draft, active, sold] = draft
      seller_id: user_ref = current_user.id
    transitions:
      status:
        initial: draft
        publish: { from: draft, to: active, roles: [user], when: seller_id == current_user.id, require: [shop_id] }
        sell: { from: active, to: sold, roles: [clerk] }
    permissions:
      public:
        read: status == active && shop.open
      user:
        read: seller_id == current_user.id
        create: price <= 100
        update: seller_id == current_user.id && status == draft
      clerk:
        read: sale_ends > now
        delete: status == sold
  memo:
    org_scoped: true
    fields:
      body: text
    permissions:
      user:
        read: true
        create: true
  plain:
    fields:
      title: string
      price: { type: int, min: 3 }
      kind: enum[low, high]
      at: datetime = now
      place: point
      tags: list<string>
      more: json
      note: text?
      rank: int? = 7
      by: user_ref?
      org: org_ref?
    permissions:
      public:
        read: price == 3 && kind == low && at == now && tags.size() == 0 && note == null && rank == 7 && title == "x"
        create: price == 3 && kind == low && note == null && rank == 7 && !has(input.price)
      user:
        read: by.name == "ana" && by.level == 2 && org.name == "acme" && org.created_at == now
        create: current_user.level == 2 && price == 4
tests:
  users:
    ana: { roles: [], organizations: { acme: member } }
    cy: { roles: [], organizations: { acme: member, other: owner } }
    di: { roles: [], organizations: { other: owner, acme: member } }
    bo: { roles: [clerk] }
    root: { roles: [admin] }
  rows:
    shop:
      good: { open: true }
      shut: { open: false }
    listing:
      shown: { status: active, shop_id: good, seller_id: ana }
      hidden: { status: active, shop_id: shut, seller_id: ana }
      mine: { status: draft, seller_id: ana, shop_id: good }
      bare: { status: draft, seller_id: ana }
      late: { status: sold, seller_id: ana, sale_ends: "2026-01-02T00:00:00Z" }
    memo:
      ours: { org_id: acme }
    plain:
      bare: {}
      told: { price: 4, by: ana, org: acme }
  expect:
    - { as: public, list: listing, sees: [shown] }
    - { as: ana, list: listing, sees: [shown, hidden, mine, bare, late] }
    - { as: bo, list: listing, sees: [shown, late] }
    - { as: public, list: shop, sees: [good] }
    - { as: root, list: shop, sees: [good, shut] }
    - { as: ana, list: memo, sees: [ours] }
    - { as: bo, list: memo, sees: [] }
    - { as: public, read: listing.hidden, allow: false }
    - { as: ana, update: listing.mine, with: { title: new }, allow: true }
    - { as: ana, update: listing.shown, with: { title: new }, allow: false }
    - { as: bo, update: listing.mine, with: { title: new }, allow: false }
    - { as: ana, create: listing, with: { title: a, price: 100 }, allow: true }
    - { as: ana, create: listing, with: { title: a, price: 101 }, allow: false }
    - { as: ana, create: listing, with: { title: a, price: 1, status: active }, allow: false }
    - { as: ana, create: listing, with: { title: a, price: 1, seller_id: bo }, allow: false }
    - { as: public, create: listing, with: { title: a, price: 1 }, allow: false }
    - { as: ana, transition: listing.mine.publish, allow: true }
    - { as: ana, transition: listing.bare.publish, allow: false }
    - { as: bo, transition: listing.mine.publish, allow: false }
    - { as: bo, transition: listing.shown.sell, allow: true }
    - { as: bo, delete: listing.late, allow: true }
    - { as: bo, delete: listing.shown, allow: false }
    - { as: ana, create: memo, with: { body: a }, allow: true }
    - { as: ana, create: memo, with: { body: a, org_id: acme }, allow: true }
    - { as: bo, create: memo, with: { body: a }, allow: false }
    - { as: public, list: plain, sees: [bare] }
    - { as: ana, list: plain, sees: [bare, told] }
    - { as: public, create: plain, allow: true }
    - { as: public, create: plain, with: { price: 3 }, allow: false }
    - { as: ana, create: plain, with: { price: 4 }, allow: true }
    - { as: cy, list: memo, sees: [ours] }
    - { as: di, list: memo, sees: [] }
`;

let runner: Runner;
let projectId: ProjectId;
let bundle: Bundle;

beforeAll(async () => {
  runner = await openRunner();
  projectId = await runner.newProject();
  const { model, diagnostics } = checkBlueprint(TEXT);
  const errors = diagnostics.filter((each) => each.severity === "error");
  if (model === null || errors.length > 0) throw new Error(JSON.stringify(errors, null, 1));
  bundle = compileModel(model);
});
afterAll(() => runner?.close());

async function run(changed: Bundle): Promise<string | null> {
  const client = await runner.pool.connect();
  try {
    return await rehearse(client, { id: "rel_test", projectId, bundle: changed });
  } finally {
    client.release();
  }
}

type Tests = NonNullable<Bundle["tests"]>;
const testsOf = (): Tests => {
  if (bundle.tests === null) throw new Error("there are no tests");
  return bundle.tests;
};

describe("a blueprint's tests", () => {
  it("have the same results on Postgres as in memory", async () => {
    expect(testsOf().expect.length).toBe(32);
    expect(await run(bundle)).toBeNull();
  });

  it("when reversed, each fails in its line", async () => {
    const tests = testsOf();
    const found: (string | null)[] = [];
    for (const expectation of tests.expect) {
      const other = tests.rows.find((row) => row.entity === expectation.entity)?.id ?? "";
      const sees = expectation.sees === null ? null : expectation.sees.length > 0 ? expectation.sees.slice(1) : [other];
      const turned = { ...expectation, allow: expectation.allow === null ? null : !expectation.allow, sees };
      found.push(await run({ ...bundle, tests: { ...tests, expect: [turned] } }));
    }
    const first = TEXT.split("\n").findIndex((line) => line.includes("as: public, list: listing")) + 1;
    expect(found.map((message) => message?.split(" fails")[0])).toEqual(
      tests.expect.map((_, index) => `The test in line ${first + index}`),
    );
    expect(found[0]).toContain("`public` sees shown of `listings`, but should see nothing.");
    expect(found[9]).toMatch(/`ana` may not update `listing.shown`: A rule/);
    expect(found[8]).toMatch(/`ana` may update `listing.mine`, but should not\.$/);
  });

  it("run if a table is named like a type, a function or a catalogue", async () => {
    const names = ["text", "uuid", "jsonb", "timestamptz", "now", "count"];
    const entities = names.map(
      (name) =>
        `  ${name}:\n    plural: ${name}\n    fields: { title: text, at: datetime = now }\n    permissions: { user: { all: 'title == "a" && at <= now' } }\n`,
    );
    const rows = names.map((name) => `    ${name}: { one: { title: a } }\n`).join("");
    const wanted = names.map((name) => `    - { as: ana, update: ${name}.one, with: { title: a }, allow: true }\n`);
    const text = `project: types\nmodules: [auth, users, roles]\nentities:\n${entities.join("")}tests:\n  users: { ana: { roles: [user] } }\n  rows:\n${rows}  expect:\n${wanted.join("")}`;
    const { model, diagnostics } = checkBlueprint(text);
    if (model === null) throw new Error(JSON.stringify(diagnostics, null, 1));
    expect(await run(compileModel(model))).toBeNull();
  });

  it("leave nothing behind, and wait for no lock", async () => {
    const { schema } = tenantNames(projectId);
    const { plan } = planMigration({
      before: null,
      after: bundle.tables,
      renames: { tables: {}, columns: {} },
      setAside: [],
      tag: "first",
    });
    const wrong = { ...testsOf(), expect: testsOf().expect.map((each) => ({ ...each, sees: [], allow: false })) };
    const refused = await runner.deploy(publicationOf(projectId, { ...bundle, tests: wrong }, null, plan.steps));
    expect(refused).toMatchObject({ status: "failed", error: expect.stringMatching(/^The test in line \d+ fails: /) });
    expect(refused.steps.every((step) => step.status === "pending")).toBe(true);
    const { rows } = await runner.pool.query("SELECT relname FROM pg_class WHERE relnamespace = $1::regnamespace", [
      schema,
    ]);
    expect(rows).toEqual([]);

    const live = await runner.deploy(publicationOf(projectId, bundle, null, plan.steps));
    expect(live).toMatchObject({ status: "active", error: null });
    const holder = await runner.pool.connect();
    await holder.query(`BEGIN; LOCK TABLE ${schema}.listings, ${schema}.users IN ACCESS EXCLUSIVE MODE`);
    expect(await run(bundle)).toBeNull();
    await holder.query("ROLLBACK");
    holder.release();
    expect(await runner.sql(projectId, "select from {schema}.listings")).toEqual([]);
    const leftovers = await runner.pool.query("SELECT FROM pg_namespace WHERE nspname LIKE '%rehearsal%'");
    expect(leftovers.rowCount).toBe(0);
  });
});
