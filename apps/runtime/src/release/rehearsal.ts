// Runs the blueprint's own tests on Postgres. In: a bundle that is about to be deployed. Out: the first unexpected
// result. Everything happens in a separate schema, in a transaction that is always rolled back: it writes no row and
// takes no lock of the project.
// The migrated schema would not work. The tests would have to run inside the switch, under its locks, with real records
// in the lists that they check, and their result would come after all the steps before the switch. So the tables are
// created again from the bundle, without the constraints that a test row of three values would violate. The plan
// guarantees that the migrated tables are the bundle's. The tests prove the rules, in the same statements that serve
// requests.
import { type Bundle, fillTemplate, type ProjectId } from "@plinth/bundle";
import {
  isConnectionLoss,
  limitStatements,
  quoteIdentifier,
  quoteLiteral,
  sqlState,
  tenantNames,
} from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { PoolClient } from "pg";
import type { ActiveRelease } from "../project/active-release.ts";
import { nothingKept } from "../project/derived.ts";
import type { Tenant } from "../project/tenant.ts";
import { hasListeners } from "../query/entity-view.ts";
import { arrayLiteral } from "../query/parameters.ts";
import { bringChangeViews } from "./change-views.ts";
import { askExpectation, type Rehearsed } from "./expectation.ts";
import { makeOutbox } from "./listeners.ts";

/**
 * The time in every test, here and when a blueprint is validated: a rule over `now` must not pass today and fail next
 * year.
 */
const TEST_NOW = "2026-01-01T12:00:00Z";
const REHEARSAL_MS_MAX = 60_000;
const STATEMENT_MS_MAX = 10_000;

/** Null if all expectations are met, or if there are no tests. @throws errors that say nothing about the tests. */
export async function rehearse(
  client: PoolClient,
  release: { readonly id: string; readonly projectId: ProjectId; readonly bundle: Bundle },
): Promise<string | null> {
  const { tests } = release.bundle;
  if (tests === null || tests.expect.length === 0) return null;
  await client.query("BEGIN");
  try {
    await limitStatements(client, STATEMENT_MS_MAX);
    return await runTests(client, release, tests);
  } catch (error) {
    if (isConnectionLoss(error) || (error instanceof Fault && isConnectionLoss(error.cause))) throw error;
    // For example, a type that this database doesn't have. It would fail the migration too.
    if (sqlState(error) === null && !(error instanceof Fault)) throw error;
    return `The blueprint's tests could not be run: ${(error as Error).message}`;
  } finally {
    await client.query("ROLLBACK");
  }
}

type Tests = NonNullable<Bundle["tests"]>;

async function runTests(
  client: PoolClient,
  { id: releaseId, projectId, bundle }: { readonly id: string; readonly projectId: ProjectId; readonly bundle: Bundle },
  tests: Tests,
): Promise<string | null> {
  const names = tenantNames(projectId);
  const schema = quoteIdentifier(`${names.schema}_rehearsal`);
  const worker = quoteIdentifier(names.worker);
  await makeSchema(client, schema, worker, bundle);
  await bringChangeViews(client, { projectId, bundle }, `${names.schema}_rehearsal`);
  if (hasListeners(bundle)) await makeOutbox(client, projectId, `${names.schema}_rehearsal`);
  await stopClock(client, quoteIdentifier(`${names.schema}_clock`), worker);
  await insertPeople(client, schema, bundle, tests);
  for (const row of tests.rows) await insertRow(client, schema, bundle, row);
  const release: ActiveRelease = {
    projectId,
    slug: "",
    releaseId,
    bundle: withUnsent(bundle, tests),
    schema,
    plans: nothingKept(),
    own: nothingKept(),
  };
  const rehearsed: Rehearsed = { release, tenant: tenantOf(client), tests, visible: new Map() };
  const deadline = performance.now() + REHEARSAL_MS_MAX;
  for (const expectation of tests.expect) {
    if (performance.now() > deadline) return "The blueprint's tests take longer than a minute.";
    await client.query(`SAVEPOINT expectation; SET LOCAL ROLE ${worker}`);
    const wrong = await askExpectation(rehearsed, expectation);
    await client.query("ROLLBACK TO SAVEPOINT expectation; RELEASE SAVEPOINT expectation");
    if (wrong !== null) return `The test in line ${expectation.line} fails: ${wrong}`;
  }
  return null;
}

/** A test's create may leave out required values. They are filled in, as when the blueprint is validated. */
function withUnsent(bundle: Bundle, tests: Tests): Bundle {
  const entities = bundle.entities.map((entity) => ({
    ...entity,
    fields: entity.fields.map((field) => ({
      ...field,
      default: field.default ?? tests.unsent[entity.name]?.[field.name] ?? null,
    })),
  }));
  return { ...bundle, entities };
}

const rawTypes = { getTypeParser: () => (text: string) => text };

/** Statements run as for a request, each in its own savepoint, so that a refused one doesn't end the transaction. */
function tenantOf(client: PoolClient): Tenant {
  return {
    run: async ({ text, values }) => {
      await client.query("SAVEPOINT statement");
      try {
        const raw = { text, values: [...values], rowMode: "array", types: rawTypes } as const;
        const result = await client.query<(string | null)[]>(raw);
        await client.query("RELEASE SAVEPOINT statement");
        return { rows: result.rows, rowCount: result.rowCount ?? 0 };
      } catch (error) {
        await client.query("ROLLBACK TO SAVEPOINT statement; RELEASE SAVEPOINT statement");
        throw error;
      }
    },
  };
}

async function makeSchema(client: PoolClient, schema: string, worker: string, bundle: Bundle): Promise<void> {
  const tables = bundle.tables.map((table) => {
    const columns = table.columns.map(({ name, sqlType, identity, default: fallback }) => {
      const type = sqlType === "text" ? 'text collate "C"' : sqlType;
      const value = fallback === null ? "" : ` default ${holesFilled(fallback, schema)}`;
      return `${quoteIdentifier(name)} ${type}${identity ? " generated always as identity" : value}`;
    });
    const key = table.primaryKey.map(quoteIdentifier).join(", ");
    return `CREATE TABLE ${schema}.${quoteIdentifier(table.name)} (${columns.join(", ")}, PRIMARY KEY (${key}));`;
  });
  await client.query(`
    CREATE SCHEMA ${schema};
    ${tables.join("\n")}
    GRANT USAGE ON SCHEMA ${schema} TO ${worker};
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${worker};`);
}

/**
 * Statements call `now()`. The schema for it on their search path contains nothing else, because a table would also be
 * a type there.
 */
async function stopClock(client: PoolClient, schema: string, worker: string): Promise<void> {
  await client.query(`
    CREATE SCHEMA ${schema};
    CREATE FUNCTION ${schema}.now() RETURNS timestamptz LANGUAGE sql STABLE AS ${quoteLiteral(`select ${quoteLiteral(TEST_NOW)}::timestamptz`)};
    GRANT USAGE ON SCHEMA ${schema} TO ${worker};
    SET LOCAL search_path = ${schema}, pg_catalog;`);
}

function holesFilled(template: string, schema: string): string {
  return fillTemplate(template, (hole) => (hole === "schema" ? schema : undefined));
}

async function insertPeople(client: PoolClient, schema: string, bundle: Bundle, tests: Tests): Promise<void> {
  const at = { created_at: TEST_NOW, updated_at: TEST_NOW };
  const organizations = new Map(tests.users.flatMap((user) => user.organizations.map(({ id, name }) => [id, name])));
  for (const [id, name] of organizations) await insert(client, schema, bundle, "organizations", { id, name, ...at });
  for (const { id, name, email, roles, profile, organizations: own } of tests.users) {
    await insert(client, schema, bundle, "users", { ...profile, id, name, email, roles: arrayLiteral(roles), ...at });
    for (const { id: organization_id, role } of own) {
      await insert(client, schema, bundle, "memberships", { organization_id, user_id: id, role });
    }
  }
}

async function insertRow(
  client: PoolClient,
  schema: string,
  bundle: Bundle,
  row: Tests["rows"][number],
): Promise<void> {
  const entity = bundle.entities.find((each) => each.name === row.entity);
  if (entity === undefined) throw new Error(`the bundle has no entity ${row.entity}`);
  const values: Record<string, string | null> = { id: row.id };
  for (const field of entity.fields) {
    const given = row.values[field.name];
    if (field.column !== null && given !== undefined) values[field.column] = given;
  }
  await insert(client, schema, bundle, entity.table, values);
  for (const field of entity.fields) {
    const ids = row.values[field.name];
    if (field.join === null || ids === undefined || ids === null) continue;
    const { table: pairs, own, other } = field.join;
    await client.query(
      `INSERT INTO ${schema}.${quoteIdentifier(pairs)} (${quoteIdentifier(own)}, ${quoteIdentifier(other)})
       SELECT $1::uuid, unnest($2::uuid[])`,
      [row.id, ids],
    );
  }
}

async function insert(
  client: PoolClient,
  schema: string,
  bundle: Bundle,
  name: string,
  values: Readonly<Record<string, string | null>>,
): Promise<void> {
  const table = bundle.tables.find((each) => each.name === name);
  if (table === undefined) return;
  const given = Object.entries(values).flatMap(([column, value]) => {
    const type = table.columns.find((each) => each.name === column)?.sqlType;
    return type === undefined ? [] : [{ column, value, type }];
  });
  const columns = given.map(({ column }) => quoteIdentifier(column)).join(", ");
  const parameters = given.map(({ type }, index) => `$${index + 1}::${type}`).join(", ");
  await client.query(
    `INSERT INTO ${schema}.${quoteIdentifier(name)} (${columns}) VALUES (${parameters})`,
    given.map(({ value }) => value),
  );
}
