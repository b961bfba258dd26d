// "An admin passes `org_scoped`" means the same in four places: the predicate of the scope, `can` in SQL and in memory,
// and the diff.
import { type Change, checkBlueprint, diffModels, type Model } from "@plinth/blueprint";
import { ALWAYS, type BundleEntity, fillTemplate, predicateSql } from "@plinth/bundle";
import { allows, type EvaluationContext, type Row } from "@plinth/expression";
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compileModel } from "./compile.ts";
import { apply, firstPlan, provision } from "./testing/sample-schema.ts";

const [ana, org, other] = [1, 2, 3].map((n) => `0190b3c2-0000-7000-8000-00000000000${n}`) as [string, string, string];
const [ours, theirs] = [4, 5].map((n) => `0190b3c2-0000-7000-8000-00000000000${n}`) as [string, string];
const member = { organization: org, role: "member" };

/** The caller, and the organization whose records they can see, through each possible grant. */
const callers: readonly [string, EvaluationContext["user"], readonly string[]][] = [
  ["a member", { id: ana, email: "a", roles: ["public", "user", "owner"], memberships: [member] }, [ours]],
  [
    "a member who is an admin",
    { id: ana, email: "a", roles: ["public", "user", "owner", "admin"], memberships: [member] },
    [ours],
  ],
  ["a key", { id: null, email: null, roles: ["public"] }, []],
  ["a key of an admin", { id: null, email: null, roles: ["public", "admin"] }, [ours, theirs]],
];
const grants = ["public: { read: true }", "admin: { read: true }"] as const;

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});

afterAll(async () => {
  await client?.end();
  await database?.drop();
});

describe.each(grants)("access by %s", (grant) => {
  const model = modelOf(scoped(grant));
  const bundle = compileModel(model);
  const schema = `scope_${grant.split(":")[0]}`;
  const byName = new Map(bundle.entities.map((one) => [one.name, one]));

  beforeAll(async () => {
    await apply(client, firstPlan(bundle.tables), await provision(client, schema));
    await client.query(`
      insert into ${schema}.users (id, email) values ('${ana}', 'a');
      insert into ${schema}.organizations (id, name) values ('${org}', 'a'), ('${other}', 'b');
      insert into ${schema}.memberships (organization_id, user_id, role) values ('${org}', '${ana}', 'member');
      insert into ${schema}.projects (id, title, org_id) values ('${ours}', 'a', '${org}'), ('${theirs}', 'b', '${other}');
      insert into ${schema}.tasks (id, project_id) values ('${ours}', '${ours}'), ('${theirs}', '${theirs}');`);
  });

  test.each(callers)("%s", async (_, user, all) => {
    const held = user.roles.includes(grant.split(":")[0]!);
    const wanted = held ? all : [];
    expect(await seen(byName.get("project")!, user)).toEqual(wanted);
    expect(await seen(byName.get("task")!, user)).toEqual(wanted);
    expect([ours, theirs].filter((id) => allowedInMemory(id, user))).toEqual(wanted);
  });

  async function seen({ table, access, scope }: BundleEntity, user: EvaluationContext["user"]): Promise<unknown[]> {
    const holes: Readonly<Record<string, string>> = { schema, record: "r", "user.id": "$1", "user.roles": "$2" };
    const own = Object.entries(access.read ?? {}).filter(([role]) => user.roles.includes(role));
    const rules = own.map(([, { rule }]) => predicateSql(rule));
    const where = fillTemplate(
      `(${["false", ...rules].join(" or ")}) and ${predicateSql(scope ?? ALWAYS)}`,
      (hole) => holes[hole],
    );
    const { rows } = await client.query<{ id: string }>(
      `select id from ${schema}."${table}" r where (${where}) and ($1::uuid is null or $2::text[] is null or true) order by id`,
      [user.id, user.roles],
    );
    return rows.map(({ id }) => id);
  }

  function allowedInMemory(id: string, user: EvaluationContext["user"]): boolean {
    const project: Row = { values: { id, version: 1, org_id: id === ours ? org : other } };
    const record: Row = { values: { id, project_id: id }, related: { project_id: project } };
    const task = model.entities.find((one) => one.name === "task")!;
    return task.permissions.some(
      ({ operation, role, rule }) =>
        operation === "read" && user.roles.includes(role) && allows(rule, { rows: { record }, user }),
    );
  }
});

test.each(grants)("the diff treats the scope in the same way: %s", (grant) => {
  const ruled = (rule: string): Model =>
    modelOf(
      scoped(grant).replace("org_scoped: true", "org_scoped: false").replace("{ read: true }", `{ read: "${rule}" }`),
    );
  const bound = modelOf(scoped(grant));
  expect(loosened(ruled("member(org_id) || current_user.id == null && current_user.is(admin)"), bound)).toEqual([]);
  expect(loosened(ruled("member(org_id)"), bound)).toHaveLength(1);
  expect(loosened(ruled("member(org_id) || current_user.id == null && false"), bound)).toHaveLength(1);
});

function loosened(before: Model, after: Model): Change[] {
  return diffModels(before, after).filter(
    ({ path, classes }) => path.startsWith("project") && classes.includes("loosens_access"),
  );
}

function scoped(grant: string): string {
  return `project: sample
modules: [auth, users, roles, organizations]
entities:
  project:
    org_scoped: true
    fields: { title: string, org_id: org_ref }
    permissions:
      ${grant}
  task:
    fields: { project_id: ref(project) }
    permissions:
      public: { read: "can(read, project)" }
`;
}

function modelOf(text: string): Model {
  const { model, diagnostics } = checkBlueprint(text);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  if (model === null) throw new Error("no model");
  return model;
}
