// The generated types accept what the API accepts. Each operator, sort order and calculation of each field type is sent to a real cell,
// and written into a program that the TypeScript compiler checks line by line.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { checkBlueprint, type FieldType, type Model, userFields } from "@plinth/blueprint";
import { compileModel } from "@plinth/compiler";
import { type Client, createClient, PlinthError } from "@plinth/sdk";
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PublishedCell, startPublishedCell } from "./published-cell.ts";

const root = resolve(import.meta.dirname, "..");
// The Postgres of the tests has no pgvector.
const text = readFileSync(resolve(root, "packages/compiler/src/testdata/every-type/blueprint.yaml"), "utf8").replace(
  /^ *a_vector: .*\n/m,
  "",
);
let database: TestDatabase;
let cell: PublishedCell;
let db: Client;
let model: Model;

beforeAll(async () => {
  const checked = checkBlueprint(text);
  if (checked.model === null) throw new Error(JSON.stringify(checked.diagnostics));
  model = checked.model;
  database = await createTestDatabase();
  cell = await startPublishedCell(database.url, "every-type");
  await cell.publish(text);
  db = createClient({ project: "every-type", apiKey: await cell.makeKey("secret"), baseUrl: cell.origin });
}, 180_000);
afterAll(async () => {
  cell?.process.kill("SIGTERM");
  await database?.drop();
});

const operators = [
  ...["eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "is_null"],
  ...["ieq", "contains", "icontains", "starts_with", "istarts_with", "ends_with", "iends_with"],
  ...["has", "has_any", "has_all"],
];

/** A value of the type; of a list, one of its items. */
function sampleOf(type: FieldType): unknown {
  switch (type.kind) {
    case "int":
    case "float":
    case "percent":
      return 1;
    case "bigint":
    case "decimal":
    case "money":
      return "1";
    case "bool":
      return true;
    case "date":
      return "2026-01-01";
    case "time":
      return "10:00:00";
    case "datetime":
      return "2026-01-01T00:00:00Z";
    case "duration":
      return "PT1H";
    case "uuid":
    case "ref":
    case "refs":
    case "user_ref":
    case "org_ref":
      return "018f0000-0000-7000-8000-000000000001";
    case "enum":
    case "enum_set":
      return type.values[0];
    case "list":
      return sampleOf(type.of);
    default:
      return "x";
  }
}

/** An object has no comparable value. Conditions use its members, or test for null. */
function holdsNoValue(type: FieldType): boolean {
  return ["object", "i18n"].includes(type.kind) || (type.kind === "list" && type.of.kind === "object");
}

function conditionsOf(name: string, type: FieldType): readonly object[] {
  const value = sampleOf(type);
  // The API accepts operators of lists for all JSON, but translations are strings.
  const fit = name.startsWith("an_i18n.") ? operators.filter((operator) => !operator.startsWith("has")) : operators;
  return (holdsNoValue(type) ? ["is_null"] : fit).map((operator) => {
    const isText = /contains|with|ieq/.test(operator);
    const several = ["in", "nin", "has_any", "has_all"].includes(operator) ? [value] : value;
    return { [name]: { [operator]: operator === "is_null" ? true : isText ? "x" : several } };
  });
}

interface Asked {
  readonly method: "findMany" | "aggregate";
  readonly options: object;
}

const known: Readonly<Record<string, FieldType>> = {
  "a_json.site": { kind: "json" },
  "an_i18n.de": { kind: "string" },
  "an_object.street": { kind: "string" },
  "an_object.number": { kind: "int" },
  "an_object.town": { kind: "string" },
  "a_plate.country": { kind: "country" },
  nothing: { kind: "string" },
};

function everything(): readonly Asked[] {
  const sample = model.entities.find(({ name }) => name === "sample");
  const fields: readonly (readonly [string, FieldType])[] = [
    ...(sample?.fields ?? []).map(({ name, type }) => [name, type] as const),
    ...Object.entries(known),
  ];
  const users = userFields(model.userFields).map(({ name, type }): readonly [string, FieldType] =>
    name === "roles" ? [name, { kind: "list", of: { kind: "enum", values: ["admin"] } }] : [name, type],
  );
  const names = fields.map(([name]) => name);
  const conditions = [
    ...fields.flatMap(([name, type]) => conditionsOf(name, type)),
    ...users.flatMap(([name, type]) => conditionsOf(name, type).map((created_by) => ({ created_by }))),
    ...conditionsOf("email", { kind: "email" }).map((created_by) => ({ a_ref: { created_by } })),
  ];
  const orders = [...names, ...names.map((name) => `a_ref.${name}`), "samples.an_int", "samples.a_user.email"];
  const ofUsers = users.flatMap(([name]) => [`created_by.${name}`, `a_user.${name}`, `a_ref.created_by.${name}`]);
  // Postgres has no min and max of ids. The generated types do not tell ids from other strings, and accept them.
  const isId = (name: string): boolean =>
    ["uuid", "ref", "user_ref", "org_ref"].includes(fields.find(([each]) => each === name)?.[1].kind ?? "");
  const values = ["count", "count_distinct", "sum", "avg", "min", "max"].flatMap((called) =>
    names.filter((name) => !(called.startsWith("m") && isId(name))).map((name) => `${called}(${name})`),
  );
  const groups = [...orders, ...ofUsers].flatMap((name) => [name, `${name}.month`]);
  return [
    ...conditions.map((where): Asked => ({ method: "findMany", options: { where } })),
    ...[...orders, ...ofUsers].map((name): Asked => ({ method: "findMany", options: { sort: `-${name}` } })),
    ...values.map((value): Asked => ({ method: "aggregate", options: { select: [value] } })),
    ...groups.map((group): Asked => ({ method: "aggregate", options: { groupBy: [group] } })),
  ];
}

/** Returns the error code; null if the API accepts it. */
async function refusalOf({ method, options }: Asked): Promise<string | null> {
  const samples = db.entity("sample");
  try {
    await (method === "findMany" ? samples.findMany({ limit: 1, ...options }) : samples.aggregate(options));
    return null;
  } catch (error) {
    if (!(error instanceof PlinthError) || ![400, 403].includes(error.status)) throw error;
    return error.errors[0]?.code ?? error.code;
  }
}

/** Returns the positions of those that the TypeScript compiler refuses. */
function refusedLines(asked: readonly Asked[]): ReadonlySet<number> {
  mkdirSync(resolve(import.meta.dirname, ".plinth"), { recursive: true });
  const folder = mkdtempSync(resolve(import.meta.dirname, ".plinth/operators-"));
  try {
    writeFileSync(resolve(folder, "every-type.d.ts"), compileModel(model).sdkTypes);
    const head = [
      'import type { Client } from "@plinth/sdk";',
      'import type { EveryType } from "./every-type.d.ts";',
      'declare const samples: ReturnType<typeof db.entity<"sample">>;',
      "declare const db: Client<EveryType>;",
    ];
    const lines = asked.map(({ method, options }) => `void samples.${method}(${JSON.stringify(options)});`);
    writeFileSync(resolve(folder, "program.ts"), [...head, ...lines].join("\n"));
    writeFileSync(
      resolve(folder, "tsconfig.json"),
      JSON.stringify({ extends: "../../tsconfig.json", compilerOptions: { types: [] }, include: ["."] }),
    );
    const { stdout } = spawnSync(resolve(root, "node_modules/.bin/tsc"), ["-p", folder, "--pretty", "false"], {
      encoding: "utf8",
      cwd: folder,
    });
    const found = [...stdout.matchAll(/^(.*?)\((\d+),\d+\): error/gm)];
    expect(found.filter(([, file]) => file !== "program.ts")).toEqual([]);
    const at = new Set(found.map(([, , line]) => Number(line) - 1 - head.length));
    expect([...at].filter((line) => line < 0)).toEqual([]);
    return at;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("the types and the API allow the same operators", async () => {
  const asked = everything();
  expect(asked.length).toBeGreaterThan(1_500);
  const refused = refusedLines(asked);
  const codes: (string | null)[] = [];
  for (let at = 0; at < asked.length; at += 20) {
    codes.push(...(await Promise.all(asked.slice(at, at + 20).map(refusalOf))));
  }
  const different = asked.flatMap(({ options }, line) => {
    const code = codes[line] ?? null;
    if ((code !== null) === refused.has(line)) return [];
    return [`${JSON.stringify(options)}: ${code === null ? "taken by the API alone" : `the API says ${code}`}`];
  });
  expect(different).toEqual([]);
  // None is refused because of its value.
  expect([...new Set(codes.map((code) => code ?? "taken"))].toSorted()).toEqual([
    "not_allowed",
    "not_readable",
    "taken",
    "unknown_field",
    "unknown_operator",
    "unknown_parameter",
  ]);
}, 180_000);

test("in JSON, a text is never compared as a number", async () => {
  const samples = db.entity("sample");
  const { id } = await samples.create({ a_string: "Json", a_json: { site: "7", floor: 7, isNew: "true" } });
  const found = async (where: Readonly<Record<string, string | number | boolean>>): Promise<boolean> =>
    (await samples.count({ id, ...where })) === 1;
  expect(await found({ "a_json.site": "7", "a_json.floor": 7, "a_json.isNew": "true" })).toBe(true);
  expect(await found({ "a_json.site": 7 })).toBe(false);
  expect(await found({ "a_json.floor": "7" })).toBe(false);
  expect(await found({ "a_json.isNew": true })).toBe(false);
});
