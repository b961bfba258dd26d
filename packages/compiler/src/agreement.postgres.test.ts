// Both evaluators agree: for generated schemas, rules, rows and callers, a real Postgres gives the same results as
// `evaluate`.
import type { Entity, FieldType, Model } from "@plinth/blueprint";
import { fillTemplate } from "@plinth/bundle";
import { evaluate, printExpression, type Value } from "@plinth/expression";
import {
  type Case,
  contextOf,
  type GeneratedField,
  sampleCases,
  sampleWorlds,
  type World,
} from "@plinth/expression/generate";
import { createTestDatabase, sampleOf, type TestDatabase } from "@plinth/testkit";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compileModel } from "./compile.ts";
import { fails, holds, lower } from "./rules/lower.ts";
import { type Catalog, catalogOf, joinTableOf } from "./sql/catalog.ts";
import { quoteIdentifier as q, quoteText } from "./sql/sql-text.ts";
import { entering } from "./sql/wire-sql.ts";
import { entity, field, modelWith, optional } from "./testing/sample-model.ts";
import { apply, firstPlan, provision } from "./testing/sample-schema.ts";

const { runs: WORLDS, seed: SEED } = sampleOf(2, 8);
const RULES_PER_WORLD = 840;
const RULES_PER_STATEMENT = 50;

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  // The meaning of a rule must not depend on the session.
  await client.query(
    "set timezone = 'America/New_York'; set datestyle = 'German, DMY'; set intervalstyle = 'postgres_verbose'; set jit = off",
  );
});

afterAll(async () => {
  await client?.end();
  await database?.drop();
});

function modelOfWorld(world: World): Model {
  const declared = (one: GeneratedField) => optional(one.name, one.declared as FieldType);
  const entities = world.records.map((record, at): Entity => {
    const refs = record.refs.map((one) => field(one.name, { kind: "refs", entity: one.entity }));
    return entity(record.name, {
      fields: [...record.fields.map(declared), ...refs],
      relations: record.relations,
      // Rules only see live records: each of these records has one deleted row.
      softDelete: at > 0,
    });
  });
  return modelWith({
    modules: ["auth", "users", "organizations"],
    userFields: world.userFields.map(declared),
    entities,
  });
}

/** The world without the deleted rows of the database. */
function living(world: World, model: Model): { readonly world: World; readonly dead: ReadonlySet<string> } {
  const dead = new Set<string>();
  for (const { name, softDelete } of model.entities) if (softDelete) dead.add(String(world.rows[name]?.at(-1)?.id));
  const rows = Object.fromEntries(
    Object.entries(world.rows).map(([name, all]) => [name, all.filter((row) => !dead.has(String(row.id)))]),
  );
  return { world: { ...world, rows }, dead };
}

function constant(value: Value | undefined, type: FieldType): string {
  if (value === null || value === undefined) return entering(type, "null");
  if (type.kind === "duration" && typeof value === "string" && value.startsWith("-"))
    return `(-${quoteText(value.slice(1))}::interval)`;
  return entering(type, quoteText(typeof value === "string" && type.kind !== "json" ? value : JSON.stringify(value)));
}

type Values = Readonly<Record<string, Value>>;

async function fill(world: World, model: Model, dead: ReadonlySet<string>, schema: string): Promise<void> {
  const insert = (table: string, columns: readonly string[], values: readonly string[]): string =>
    `insert into ${schema}.${q(table)} (${columns.map(q).join(", ")}) values (${values.join(", ")});`;
  const filled = (sql: string): string => fillTemplate(sql, () => undefined).replaceAll("chr(123)", "'{'");
  const sql: string[] = [];
  for (const user of world.users) {
    const names = ["id", "email", "name", ...world.userFields.map((one) => one.name)];
    const profile = world.userFields.map((one) => constant(user.profile[one.name], one.declared as FieldType));
    sql.push(insert("users", names, [quoteText(user.id), quoteText(user.email), quoteText(user.name), ...profile]));
  }
  for (const { id, name } of world.organizations)
    sql.push(insert("organizations", ["id", "name"], [quoteText(id), quoteText(name)]));
  for (const { id, memberships } of world.users)
    for (const { organization, role } of memberships)
      sql.push(
        insert(
          "memberships",
          ["user_id", "organization_id", "role"],
          [id, organization, role].map((one) => quoteText(one)),
        ),
      );
  const updates: string[] = [];
  for (const record of world.records) {
    const { plural, softDelete } = model.entities.find((one) => one.name === record.name)!;
    for (const row of world.rows[record.name] ?? []) {
      const id = quoteText(String(row.id));
      sql.push(insert(plural, ["id"], [id]));
      const sets = record.fields.map(
        ({ name, declared }) => `${q(name)} = ${constant(row[name], declared as FieldType)}`,
      );
      const deleted = softDelete && dead.has(String(row.id)) ? [`"deleted_at" = now()`] : [];
      updates.push(`update ${schema}.${q(plural)} set ${[...sets, ...deleted].join(", ")} where id = ${id};`);
    }
  }
  for (const { record, field: name, id, other } of world.pairs) {
    const own = model.entities.find((one) => one.name === record)!;
    const type = own.fields.find((one) => one.name === name)!.type as Extract<FieldType, { kind: "refs" }>;
    const join = joinTableOf({ name: record, table: own.plural }, name, type.entity);
    updates.push(insert(join.table, [join.own, join.other], [quoteText(id), quoteText(other)]));
  }
  await client.query([...sql, ...updates].map(filled).join("\n"));
}

/** A case as one row: its number, and the result of each form of the compiled rule. */
function caseSql(
  one: Case,
  at: number,
  model: Model,
  catalog: Catalog,
  schema: string,
  rows: readonly string[],
): string {
  const own = model.entities.find((entity) => entity.name === one.record)!;
  const types = new Map(own.fields.map((each) => [each.name, each.type]));
  const text = (value: string | null, type: string): string =>
    value === null ? `null::${type}` : `${quoteText(value)}::${type}`;
  const next = one.after === null ? null : nextRow(one.after, own);
  const fillHole = (hole: string): string | undefined => {
    if (hole.startsWith("sent.")) return String(one.sent.includes(hole.slice(5)));
    if (hole.startsWith("input.")) {
      const name = hole.slice(6);
      return constant(one.sent.includes(name) ? one.after?.[name] : null, types.get(name)!);
    }
    // Nothing is written here, so the pairs are the stored ones.
    if (hole.startsWith("pairs.")) return `${schema}.${q(hole.split(".", 3)[2]!)}`;
    switch (hole) {
      case "schema":
        return schema;
      case "record":
      case "old":
        return "stored";
      case "new":
        return "changed";
      case "user.id":
        return text(one.caller?.id ?? null, "uuid");
      case "user.email":
        return text(one.caller?.email ?? null, "text");
      case "user.roles":
        return `array[${(one.caller?.roles ?? ["public"]).map((role) => quoteText(role)).join(", ")}]::text[]`;
      case "org":
        return text(one.organization, "uuid");
      case "now":
        return text(one.now, "timestamptz");
      case "request.ip":
        return text(one.request.ip, "text");
      case "request.key_kind":
        return text(one.request.keyKind, "text");
      default:
        return undefined;
    }
  };
  const scope = { entity: one.record, catalog };
  const forms = [holds, fails, lower].map((form) =>
    fillTemplate(fillTemplate(form(one.rule, scope), fillHole), fillHole),
  );
  const stored = `${schema}.${q(own.plural)} stored`;
  const ids = rows.map((id) => quoteText(id)).join(", ");
  const from =
    one.operation === "create"
      ? `(${next}) changed`
      : one.operation === "update"
        ? `${stored}, lateral (${next}) changed where stored.id in (${ids})`
        : `${stored} where stored.id in (${ids})`;
  const key = one.operation === "create" ? "null::uuid" : "stored.id";
  return `select ${at} as at, ${key} as id, ${forms[0]} as holds, ${forms[1]} as fails, ${forms[2]} as value from ${from}`;
}

/** The row after the request: sent values over stored values. */
function nextRow(after: Values, own: Entity): string {
  const columns = own.fields
    .filter((each) => each.type.kind !== "refs")
    .map(({ name, type }) => `${constant(after[name], type)} as ${q(name)}`);
  return `select ${columns.join(", ")}`;
}

interface Answer {
  readonly at: number;
  readonly id: string | null;
  readonly holds: boolean;
  readonly fails: boolean;
  readonly value: boolean | null;
}

test("Postgres gives the same results as the evaluator", async () => {
  const counts = { cases: 0, true: 0, false: 0, unknown: 0 };
  const wrong: string[] = [];
  for (const [number, generated] of sampleWorlds({ seed: SEED, count: WORLDS }).entries()) {
    const model = modelOfWorld(generated);
    const catalog = catalogOf(model);
    const schema = `world_${number}`;
    await apply(client, firstPlan(compileModel(model).tables), await provision(client, schema));
    const { world, dead } = living(generated, model);
    await fill(generated, model, dead, schema);
    const cases = sampleCases(world, { seed: SEED + number, count: RULES_PER_WORLD });
    for (let from = 0; from < cases.length; from += RULES_PER_STATEMENT) {
      const batch = cases.slice(from, from + RULES_PER_STATEMENT);
      const texts = batch.map((one, at) => caseSql(one, at, model, catalog, schema, rowsOf(one)));
      const answers = await ask(texts, batch);
      for (const answer of answers) judge(batch[answer.at]!, answer, counts, wrong);
    }
  }
  process.stdout.write(`rules held against Postgres: ${JSON.stringify(counts)}, seed ${SEED}\n`);
  expect(wrong.slice(0, 5).join("\n\n")).toBe("");
  expect(counts.cases).toBeGreaterThanOrEqual(WORLDS * 3_000);
  for (const answer of ["true", "false", "unknown"] as const) expect(counts[answer]).toBeGreaterThan(counts.cases / 10);
}, 60_000);

/** Every stored row in turn, so that a rule that is planned once is evaluated often. */
function rowsOf({ world, record }: Case): readonly string[] {
  return (world.rows[record] ?? []).map((row) => String(row.id));
}

async function ask(texts: readonly string[], batch: readonly Case[]): Promise<readonly Answer[]> {
  try {
    const { rows } = await client.query<Answer>(texts.join("\nunion all\n"));
    return rows;
  } catch {
    for (const [at, text] of texts.entries()) {
      await client.query(text).catch((cause: Error) => {
        throw new Error(`${cause.message}: ${printExpression(batch[at]!.rule)}\n${text}`, { cause });
      });
    }
    throw new Error("each statement alone succeeds");
  }
}

function judge(
  one: Case,
  answer: Answer,
  counts: { cases: number; true: number; false: number; unknown: number },
  wrong: string[],
): void {
  const moved = answer.id === null ? one : withRow(one, answer.id);
  const expected = evaluate(one.rule, contextOf(moved));
  counts.cases++;
  counts[expected === null ? "unknown" : expected ? "true" : "false"]++;
  const agrees =
    answer.value === expected && answer.holds === (expected === true) && answer.fails === (expected === false);
  if (agrees) return;
  const { holds: held, fails: failed, value } = answer;
  wrong.push(
    `${one.operation} ${one.record} ${answer.id ?? ""}: evaluate says ${expected}, Postgres ${JSON.stringify({ value, held, failed })}\n${printExpression(one.rule)}`,
  );
}

/** The same case for another stored row. */
function withRow(one: Case, id: string): Case {
  return { ...one, id };
}
