// The options of an import of rows, and fields with their own rules: exclusions, numbers, mappings, organizations,
// pairs of refused records, and an abandoned import.
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type DataInstallation, startDataInstallation } from "./data-installation.ts";

let installation: DataInstallation;
let source: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  [installation, source] = await Promise.all([startDataInstallation(), createTestDatabase()]);
  client = new pg.Client({ connectionString: source.adminUrl });
  await client.connect();
}, 120_000);
afterAll(async () => {
  await client?.end();
  await Promise.all([installation?.stop(), source?.drop()]);
});

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
type Json = any;

const wordsOf = (schema: string, ...words: readonly string[]): readonly string[] => [
  ...["import", "data", source.adminUrl, "--schema", schema, "--project", schema, "--yes", "--json", ...words],
];

async function imported(schema: string, ...words: readonly string[]): Promise<Json> {
  const { code, stdout, stderr } = await installation.plinth(...wordsOf(schema, ...words));
  expect(stdout, `${stderr}${installation.output()}`).not.toBe("");
  return { code, ...JSON.parse(stdout) };
}

async function create(key: string, plural: string, body: Json): Promise<Json> {
  const response = await fetch(`${installation.apiUrl}/v1/resources/${plural}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.json();
}

test("overlapping rows are refused, and rows that the exclusion doesn't count are imported", async () => {
  await client.query(`
    CREATE SCHEMA hotel;
    CREATE TABLE hotel.booking (id serial PRIMARY KEY, room int NOT NULL, starts_at timestamptz NOT NULL, ends_at timestamptz, state text NOT NULL);
    INSERT INTO hotel.booking (room, starts_at, ends_at, state) VALUES (1, '2024-01-01', '2024-01-05', 'booked'), (1, '2024-01-04', '2024-01-06', 'booked'),
      (1, '2024-01-05', '2024-01-07', 'booked'), (2, '2024-01-04', '2024-01-06', 'booked'), (1, '2024-01-01', '2024-01-02', 'canceled'),
      (1, '2024-01-06', NULL, 'booked'), (2, '2024-01-08', '2024-01-07', 'booked');
  `);
  await installation.deploy(
    "hotel",
    `
project: hotel
entities:
  booking:
    exclude:
      one_at_a_time: { same: [room], overlap: [starts_at, ends_at], where: state != canceled }
    fields: { room: int, starts_at: datetime, ends_at: datetime?, state: "enum[booked, canceled]" }
    permissions: { admin: { all: true } }
`,
  );
  const { results } = await imported("hotel", "--refused", "hotel.jsonl");
  expect(results).toMatchObject([{ found: 7, accepted: 4, refused: 3, isWhole: true }]);
  const refusals = await installation.refusals("hotel.jsonl");
  expect(refusals.map(([, key, , code]) => [key, code])).toEqual([
    ["2", "overlaps"],
    ["6", "overlaps"],
    ["7", expect.stringMatching(/^(?!overlaps)/)],
  ]);
});

test("records without a number get one, and new numbers follow the imported ones", async () => {
  await client.query(`
    CREATE SCHEMA shelf;
    CREATE TABLE shelf.box (id serial PRIMARY KEY, label text NOT NULL);
    CREATE TABLE shelf.jar (id serial PRIMARY KEY, number text NOT NULL);
    INSERT INTO shelf.box (label) SELECT 'Box ' || n FROM generate_series(1, 30) n;
    INSERT INTO shelf.jar (number) VALUES ('J-7'), ('J-41'), ('old');
  `);
  const { schema, key } = await installation.deploy(
    "shelf",
    `
project: shelf
entities:
  box: { fields: { label: text, number: sequence(B-) }, permissions: { admin: { all: true } } }
  jar: { fields: { number: sequence(J-) }, permissions: { admin: { all: true } } }
`,
  );
  const { results } = await imported("shelf");
  expect(results).toMatchObject([
    { entity: "box", found: 30, accepted: 30, isWhole: true },
    { entity: "jar", found: 3, accepted: 3, isWhole: true },
  ]);
  const { rows } = await installation.cellPool.query(
    `SELECT count(DISTINCT number)::int AS numbers, min(substr(number, 3)::int) AS first, max(substr(number, 3)::int) AS last FROM ${schema}.boxes`,
  );
  expect(rows).toEqual([{ numbers: 30, first: 1, last: 30 }]);
  expect(await create(key, "boxes", { label: "new" })).toMatchObject({ data: { number: "B-31" } });
  expect(await create(key, "jars", {})).toMatchObject({ data: { number: "J-42" } });
});

test("a mapping leaves out a table, and imports a column into another field", async () => {
  await client.query(`
    CREATE SCHEMA press;
    CREATE TABLE press.author (id serial PRIMARY KEY, name text NOT NULL, bio text);
    CREATE TABLE press.log (id serial PRIMARY KEY, line text NOT NULL);
    INSERT INTO press.author (name, bio) VALUES ('Ann', 'A'), ('Bo', NULL);
    INSERT INTO press.log (line) VALUES ('x');
  `);
  const { schema } = await installation.deploy(
    "press",
    `
project: press
entities:
  author: { fields: { name: text, about: text?, legacy_id: int? }, permissions: { admin: { all: true } } }
  log: { fields: { line: text }, permissions: { admin: { all: true } } }
`,
  );
  const file = join(installation.home, "press.yaml");
  const shown = await installation.plinth(...wordsOf("press", "--write-map", "press.yaml", "--dry-run"));
  expect(JSON.parse(shown.stdout).plan.left).toContain("press.author.bio: author has no field bio");
  const written = await readFile(file, "utf8");
  expect(written).toContain("press.author:\n    entity: author\n    fields:\n");
  const table = "  press.log:\n    entity: log\n    fields:\n      legacy_id: id\n      line: line\n";
  expect(written).toContain(table);
  await writeFile(file, written.replace("bio: bio", "about: bio").replace(table, "  press.log: null\n"));
  const { code, results, plan } = await imported("press", "--map", "press.yaml");
  expect(results).toMatchObject([{ entity: "author", found: 2, accepted: 2, isWhole: true }]);
  expect(plan.left).toContain("press.log: no entity is mapped to it");
  expect(code).toBe(0);
  const { rows } = await installation.cellPool.query(
    `SELECT name, about, (SELECT count(*)::int FROM ${schema}.logs) AS logs FROM ${schema}.authors ORDER BY name`,
  );
  expect(rows).toEqual([
    { name: "Ann", about: "A", logs: 0 },
    { name: "Bo", about: null, logs: 0 },
  ]);
  await writeFile(file, JSON.stringify({ tables: { "press.author": { entity: "author", fields: { nam: "name" } } } }));
  const wrong = await imported("press", "--map", "press.yaml");
  expect(wrong).toMatchObject({ code: 1, results: null });
  expect(wrong.plan.problems).toContain("press.author.name: author has no field nam");
});

test("records of organizations belong to the named one", async () => {
  await client.query(`
    CREATE SCHEMA firm;
    CREATE TABLE firm.client (id serial PRIMARY KEY, name text NOT NULL);
    CREATE TABLE firm.offer (id serial PRIMARY KEY, client_id int NOT NULL REFERENCES firm.client);
    INSERT INTO firm.client (name) VALUES ('Ann'), ('Bo');
    INSERT INTO firm.offer (client_id) VALUES (1), (2), (2);
  `);
  const { schema } = await installation.deploy(
    "firm",
    `
project: firm
modules: [auth, users, roles, organizations]
entities:
  client: { org_scoped: true, fields: { name: text }, permissions: { admin: { all: true } } }
  offer: { org_scoped: true, fields: { client_id: ref(client), number: sequence(O-) per(org) }, permissions: { admin: { all: true } } }
`,
  );
  const { rows: made } = await installation.cellPool.query(
    `INSERT INTO ${schema}.organizations (id, name) VALUES (gen_random_uuid(), 'Firm') RETURNING id`,
  );
  const unnamed = await imported("firm");
  expect(unnamed.code).toBe(1);
  expect(unnamed.plan.problems).toContain(
    "client.org_id: each record needs an organization: name one with --organization ID",
  );
  const strange = await imported(
    "firm",
    "--organization",
    "11111111-1111-4111-8111-111111111111",
    "--refused",
    "firm.jsonl",
  );
  expect(strange.results).toMatchObject([
    { accepted: 0, refused: 2 },
    { accepted: 0, refused: 3 },
  ]);
  expect((await installation.refusals("firm.jsonl"))[0]).toEqual(["client", "1", "org_id", "unknown_reference"]);
  const { results } = await imported("firm", "--organization", made[0].id);
  expect(results.filter((one: Json) => !one.isWhole || one.refused > 0)).toEqual([]);
  const { rows } = await installation.cellPool.query(
    `SELECT o.org_id, count(DISTINCT o.number)::int AS offers FROM ${schema}.offers o JOIN ${schema}.clients c ON c.id = o.client_id AND c.org_id = o.org_id GROUP BY 1`,
  );
  expect(rows).toEqual([{ org_id: made[0].id, offers: 3 }]);
}, 120_000);

test("pairs of a refused record are refused with it", async () => {
  await client.query(`
    CREATE SCHEMA zoo;
    CREATE TABLE zoo.animal (id serial PRIMARY KEY, name text NOT NULL);
    CREATE TABLE zoo.food (id serial PRIMARY KEY, name text NOT NULL);
    CREATE TABLE zoo.eats (animal_id int NOT NULL REFERENCES zoo.animal ON DELETE CASCADE, food_id int NOT NULL REFERENCES zoo.food ON DELETE CASCADE,
      PRIMARY KEY (animal_id, food_id));
    INSERT INTO zoo.animal (name) VALUES ('Ape'), ('A name that is too long'), ('Cat');
    INSERT INTO zoo.food (name) VALUES ('Fig'), ('A food that is too long');
    INSERT INTO zoo.eats SELECT a, f FROM generate_series(1, 3) a, generate_series(1, 2) f;
  `);
  const { stdout } = await installation.plinth(
    ...["import", "postgres", source.adminUrl, "--schema", "zoo", "--project", "zoo", "--json"],
  );
  const { schema } = await installation.deploy(
    "zoo",
    JSON.parse(stdout).blueprint.replaceAll("name: text", "name: string(1, 5)"),
  );
  const { results } = await imported("zoo", "--refused", "zoo.jsonl");
  expect(results).toMatchObject([
    { entity: "animal", accepted: 2, refused: 1, isWhole: true },
    { entity: "food", accepted: 1, refused: 1, isWhole: true },
    { kind: "links", found: 6, accepted: 2, refused: 4, isWhole: true },
  ]);
  const refusals = (await installation.refusals("zoo.jsonl")).slice(2);
  expect(refusals.map(([, , , code]) => code)).toEqual(Array(4).fill("unknown_reference"));
  const { rows } = await installation.cellPool.query(`SELECT count(*)::int AS n FROM ${schema}.animals__food`);
  expect(rows).toEqual([{ n: 2 }]);
});

test("an abandoned import keeps its records and allows another one", async () => {
  await client.query(`
    CREATE SCHEMA long; CREATE TABLE long.thing (id bigserial PRIMARY KEY, name text NOT NULL);
    INSERT INTO long.thing (name) SELECT 'Thing ' || n FROM generate_series(1, 60000) n;
  `);
  const blueprint = `
project: long
entities:
  thing: { fields: { name: text }, permissions: { admin: { all: true } } }
`;
  const { schema } = await installation.deploy("long", blueprint);
  const stored = async (): Promise<number> => {
    const { rows } = await installation.cellPool.query(`SELECT count(*)::int AS n FROM ${schema}.things`);
    return rows[0].n;
  };
  const begun = installation.start(...wordsOf("long"));
  while ((await stored()) === 0) await pause(20);
  begun.kill("SIGKILL");
  await once(begun, "exit");
  await client.query("CREATE SCHEMA other; CREATE TABLE other.thing (id serial PRIMARY KEY, name text NOT NULL)");
  await client.query("INSERT INTO other.thing (name) VALUES ('Another')");
  const other = ["import", "data", source.adminUrl, "--schema", "other", "--project", "long", "--yes", "--json"];
  const inTheWay = await installation.plinth(...other);
  expect(inTheWay).toMatchObject({ code: 1, stderr: expect.stringContaining("--abandon") });
  const abandoned = await installation.plinth("import", "data", "--project", "long", "--abandon");
  expect(abandoned).toMatchObject({ code: 0, stdout: expect.stringContaining("The unfinished import is ended") });
  const before = await stored();
  expect(before).toBeGreaterThan(0);
  const again = await installation.plinth("import", "data", "--project", "long", "--abandon");
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("No import is unfinished") });
  const { results } = JSON.parse((await installation.plinth(...other)).stdout);
  expect(results).toMatchObject([{ found: 1, accepted: 1, isWhole: true }]);
  expect(await stored()).toBe(before + 1);
}, 120_000);

test("the rows of a database that Prisma made come to the names of its schema", async () => {
  await client.query(`
    CREATE SCHEMA bakery;
    CREATE TYPE bakery.mood AS ENUM ('good', 'so-so');
    CREATE TABLE bakery.tbl_loaf (loaf_id serial PRIMARY KEY, full_name text NOT NULL, mood bakery.mood NOT NULL, moods bakery.mood[] NOT NULL, baker int);
    CREATE TABLE bakery.people (id serial PRIMARY KEY, mail text NOT NULL UNIQUE, handle text NOT NULL UNIQUE);
    ALTER TABLE bakery.tbl_loaf ADD FOREIGN KEY (baker) REFERENCES bakery.people;
    CREATE TABLE bakery."Grain" (id serial PRIMARY KEY, name text NOT NULL);
    CREATE TABLE bakery."_GrainToLoaf" ("A" int NOT NULL REFERENCES bakery."Grain" ON DELETE CASCADE, "B" int NOT NULL REFERENCES bakery.tbl_loaf ON DELETE CASCADE);
    CREATE UNIQUE INDEX ON bakery."_GrainToLoaf" ("A", "B");
    CREATE TABLE bakery."_liked" ("A" int NOT NULL REFERENCES bakery.tbl_loaf ON DELETE CASCADE, "B" int NOT NULL REFERENCES bakery.people ON DELETE CASCADE);
    CREATE UNIQUE INDEX ON bakery."_liked" ("A", "B");
    INSERT INTO bakery.people (mail, handle) VALUES ('Ann@example.com', 'ann'), ('bo@example.com', 'bo');
    INSERT INTO bakery.tbl_loaf (full_name, mood, moods, baker) VALUES ('Rye', 'good', '{so-so,good}', 1), ('Spelt', 'so-so', '{}', NULL);
    INSERT INTO bakery."Grain" (name) VALUES ('rye'), ('spelt');
    INSERT INTO bakery."_GrainToLoaf" VALUES (1, 1), (1, 2), (2, 2);
    INSERT INTO bakery."_liked" VALUES (1, 2), (2, 1);
  `);
  const schemaFile = join(installation.home, "bakery.prisma");
  await writeFile(
    schemaFile,
    `model Loaf {
  id     Int    @id @default(autoincrement()) @map("loaf_id")
  name   String @map("full_name")
  mood   Mood
  moods  Mood[]
  bakerId Int? @map("baker")
  baker  User?  @relation("baked", fields: [bakerId], references: [id])
  grains Grain[]
  likedBy User[] @relation("liked")
  @@map("tbl_loaf")
}
model User {
  id    Int    @id @default(autoincrement())
  email String @unique @map("mail")
  handle String @unique
  baked Loaf[] @relation("baked")
  likes Loaf[] @relation("liked")
  @@map("people")
}
model Grain {
  id    Int    @id @default(autoincrement())
  name  String
  loaves Loaf[]
}
enum Mood {
  GOOD @map("good")
  SO_SO @map("so-so")
  @@map("mood")
}
`,
  );
  const { stdout } = await installation.plinth("import", "prisma", schemaFile, "--project", "bakery", "--json");
  const { schema } = await installation.deploy("bakery", JSON.parse(stdout).blueprint);
  const elsewhere = ["import", "data", source.adminUrl, "--schema", "bakery", "--project", "hotel", "--yes"];
  const unknown = await installation.plinth(...elsewhere);
  expect(unknown).toMatchObject({ code: 1, stdout: expect.stringContaining("--prisma") });
  const { code, results, plan } = await imported("bakery", "--prisma", "bakery.prisma");
  expect(plan).toMatchObject({ problems: [], left: [] });
  expect(results.filter((one: Json) => !one.isWhole || one.refused > 0)).toEqual([]);
  expect(results.map((one: Json) => one.found).sort()).toEqual([2, 2, 2, 2, 2, 3]);
  expect(code).toBe(0);
  const { rows } = await installation.cellPool.query(
    `SELECT l.name, l.mood, l.moods, u.email, d.handle, l.legacy_id FROM ${schema}.loaves l LEFT JOIN ${schema}.users u ON u.id = l.baker_id
     LEFT JOIN ${schema}.user_details d ON d.user_id = u.id ORDER BY 1`,
  );
  expect(rows).toEqual([
    { name: "Rye", mood: "GOOD", moods: ["SO_SO", "GOOD"], email: "ann@example.com", handle: "ann", legacy_id: 1 },
    { name: "Spelt", mood: "SO_SO", moods: [], email: null, handle: null, legacy_id: 2 },
  ]);
}, 120_000);
