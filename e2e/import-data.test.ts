// Imports the rows of a database: `plinth import data` copies them to the blueprint from `plinth import postgres`,
// through the control API and the cell. Both sides are compared.
import { once } from "node:events";
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

/** Deploys the imported blueprint of a source schema, unchanged. */
async function deployed(schema: string): Promise<{ readonly schema: string; readonly key: string }> {
  const { stdout } = await installation.plinth(
    ...["import", "postgres", source.adminUrl, "--schema", schema, "--project", schema, "--json"],
  );
  return installation.deploy(schema, JSON.parse(stdout).blueprint);
}

async function imported(schema: string, ...words: readonly string[]): Promise<Json> {
  const { code, stdout, stderr } = await installation.plinth(
    ...["import", "data", source.adminUrl, "--schema", schema, "--project", schema, "--yes", "--json", ...words],
  );
  expect(stdout, `${stderr}${installation.output()}`).not.toBe("");
  return { code, ...JSON.parse(stdout) };
}

test("rows keep their UUIDs and their values", async () => {
  await client.query(`
    CREATE SCHEMA notes;
    CREATE TABLE notes.note (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), title varchar(80) NOT NULL, price numeric(10, 2),
      done boolean NOT NULL DEFAULT false, made_at timestamp NOT NULL DEFAULT now());
    INSERT INTO notes.note (title, price, done, made_at)
      SELECT E'Note\\t' || n || E'\\n\\\\', n / 4.0, n % 2 = 0, '2024-02-29 12:00:00.5' FROM generate_series(1, 25) n;
  `);
  const { schema } = await deployed("notes");
  const { code, results } = await imported("notes");
  expect(results).toMatchObject([{ table: "notes.note", found: 25, accepted: 25, refused: 0, isWhole: true }]);
  expect(code).toBe(0);
  const { rows: sent } = await client.query(
    "SELECT id, title, price, done, made_at::text || '+00' AS at FROM notes.note ORDER BY id",
  );
  const { rows: stored } = await installation.cellPool.query(
    `SELECT id, title, price, done, (made_at AT TIME ZONE 'UTC')::text || '+00' AS at FROM ${schema}.notes ORDER BY id`,
  );
  expect(stored).toEqual(sent);
  const { rows: audit } = await installation.cellPool.query(
    `SELECT actor_kind, actor_id, operation, entity, changes FROM ${schema}.audit_log`,
  );
  expect(audit).toMatchObject([
    {
      actor_kind: "operator",
      operation: "import",
      entity: "note",
      changes: { count: 25, refused: 0, checksum: results[0].checksum },
    },
  ]);
});

test("keys become ids, and references follow: to the same table, in a circle, many-to-many, to users", async () => {
  await client.query(`
    CREATE SCHEMA shop;
    CREATE TYPE shop.state AS ENUM ('new', 'in work', 'done');
    CREATE TABLE shop.users (id serial PRIMARY KEY, email text NOT NULL UNIQUE, name text, password_hash text, nickname text);
    CREATE TABLE shop.team (id serial PRIMARY KEY, name text NOT NULL, lead_id int);
    CREATE TABLE shop.player (id serial PRIMARY KEY, team_id int NOT NULL REFERENCES shop.team, user_id int NOT NULL REFERENCES shop.users,
      boss_id int REFERENCES shop.player, state shop.state NOT NULL DEFAULT 'new', tags text[] NOT NULL DEFAULT '{}', data json,
      joined timestamptz, rate numeric, span interval);
    ALTER TABLE shop.team ADD FOREIGN KEY (lead_id) REFERENCES shop.player;
    CREATE TABLE shop.skill (code text PRIMARY KEY, label text NOT NULL);
    CREATE TABLE shop.player_skill (player_id int NOT NULL REFERENCES shop.player ON DELETE CASCADE,
      skill_code text NOT NULL REFERENCES shop.skill ON DELETE CASCADE, PRIMARY KEY (player_id, skill_code));
    CREATE TABLE shop.entry (day date, line int, note text, PRIMARY KEY (day, line));
    INSERT INTO shop.users (email, name, password_hash, nickname) SELECT 'User' || n || '@Example.com', 'U' || n, 'secret', 'n' FROM generate_series(1, 20) n;
    INSERT INTO shop.team (name) SELECT 'Team ' || n FROM generate_series(1, 3) n;
    INSERT INTO shop.player (team_id, user_id, boss_id, state, tags, data, joined, rate, span)
      SELECT n % 3 + 1, n, nullif(n % 5, 0) + 10, (ARRAY['new', 'in work', 'done'])[n % 3 + 1]::shop.state, ARRAY['a b', 'c,"d"'],
        '{"b":1, "a":[1,2.50]}', '2024-01-02 03:04:05.678+02', 1.50, '3 days 04:05:06' FROM generate_series(1, 20) n;
    UPDATE shop.team SET lead_id = id;
    INSERT INTO shop.skill VALUES ('a', 'A'), ('b', 'B');
    INSERT INTO shop.player_skill SELECT n, c FROM generate_series(1, 20) n, unnest(ARRAY['a', 'b']) c;
    INSERT INTO shop.entry SELECT '2024-01-01'::date + n, n, NULL FROM generate_series(1, 15) n;
  `);
  const { schema } = await deployed("shop");
  const { code, results, plan } = await imported("shop");
  expect(
    results.filter((one: Json) => !one.isWhole || one.refused > 0),
    JSON.stringify(plan.left),
  ).toEqual([]);
  expect(code).toBe(0);
  const { rows } = await installation.cellPool.query(`
    SELECT m.legacy_id, t.name AS team, u.email, u.password_hash, b.legacy_id AS boss, m.state, m.tags, m.data, m.joined, m.rate::text,
      l.legacy_id AS lead, (SELECT count(*)::int FROM ${schema}.players__skill p WHERE p.player_id = m.id) AS skills
    FROM ${schema}.players m JOIN ${schema}.teams t ON t.id = m.team_id JOIN ${schema}.users u ON u.id = m.user_id
    LEFT JOIN ${schema}.players b ON b.id = m.boss_id LEFT JOIN ${schema}.players l ON l.id = t.lead_id ORDER BY m.legacy_id`);
  expect(rows).toHaveLength(20);
  expect(rows[6]).toMatchObject({
    team: "Team 2",
    email: "user7@example.com",
    password_hash: null,
    boss: 12,
    state: "in_work",
    tags: ["a b", 'c,"d"'],
    data: { a: [1, 2.5], b: 1 },
    lead: 2,
    skills: 2,
  });
  const again = await imported("shop");
  expect(again).toMatchObject({ code: 0, plan: { steps: expect.any(Array) } });
  expect(again.results).toEqual(results);
  for (const { sample } of again.plan.steps) expect(sample?.refused ?? 0).toBe(0);
  await client.query(
    "INSERT INTO shop.skill VALUES ('c', 'C'); UPDATE shop.skill SET label = 'Other' WHERE code = 'b'",
  );
  const { code: changed, results: changes } = await imported("shop", "--refused", "shop.jsonl");
  expect(changed).toBe(1);
  expect(changes.find((one: Json) => one.entity === "skill")).toMatchObject({ found: 3, accepted: 2, refused: 1 });
  expect(await installation.refusals("shop.jsonl")).toEqual([["skill", "b", "id", "exists"]]);
});

test("users with columns that a profile can't have, users of another schema, and rows without a time", async () => {
  await client.query(`
    CREATE SCHEMA club;
    CREATE TABLE club.users (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), email text NOT NULL, handle text NOT NULL UNIQUE, tier text NOT NULL,
      created_at timestamptz, updated_at timestamptz);
    CREATE TABLE club.visit (id serial PRIMARY KEY, user_id uuid NOT NULL REFERENCES club.users, created_at timestamp);
    INSERT INTO club.users (email, handle, tier, created_at, updated_at) VALUES ('a@example.com', 'a', 'free', NULL, '2024-01-02 03:04:05+02'), ('b@example.com', 'b', 'gold', NULL, NULL);
    INSERT INTO club.visit (user_id) SELECT id FROM club.users;
    CREATE SCHEMA auth;
    CREATE TABLE auth.users (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), email varchar(255), encrypted_password text, created_at timestamptz, updated_at timestamptz);
    CREATE SCHEMA base;
    CREATE TABLE base.profiles (id uuid PRIMARY KEY REFERENCES auth.users ON DELETE CASCADE, about text);
    INSERT INTO auth.users (email, encrypted_password, created_at) VALUES ('C@Example.com', 'hash', now());
    INSERT INTO base.profiles SELECT id, 'hello' FROM auth.users;
  `);
  const club = await deployed("club");
  const first = await imported("club");
  expect(first.plan.problems).toEqual([]);
  expect(first.results.filter((one: Json) => !one.isWhole || one.refused > 0)).toEqual([]);
  const { rows: members } = await installation.cellPool.query(
    `SELECT u.email, d.handle, d.tier, u.created_at, u.updated_at, v.created_at AS visited FROM ${club.schema}.users u
     JOIN ${club.schema}.user_details d ON d.user_id = u.id JOIN ${club.schema}.visits v ON v.user_id = u.id ORDER BY 1`,
  );
  const [updated, never] = [new Date("2024-01-02T01:04:05Z"), new Date(0)];
  expect(members).toEqual([
    { email: "a@example.com", handle: "a", tier: "free", created_at: updated, updated_at: updated, visited: never },
    { email: "b@example.com", handle: "b", tier: "gold", created_at: never, updated_at: never, visited: never },
  ]);
  expect(await imported("club")).toMatchObject({ code: 0 });
  const base = await deployed("base");
  const second = await imported("base");
  expect(second.plan).toMatchObject({ problems: [], left: [] });
  expect(second).toMatchObject({ code: 0 });
  const { rows: people } = await installation.cellPool.query(
    `SELECT u.email, u.password_hash, p.about FROM ${base.schema}.users u JOIN ${base.schema}.profiles p ON p.user_id = u.id`,
  );
  expect(people).toEqual([{ email: "c@example.com", password_hash: null, about: "hello" }]);
});

test("rows that break a rule are listed and refused, and all others are imported", async () => {
  await client.query(`
    CREATE SCHEMA desk;
    CREATE TABLE desk.customer (id serial PRIMARY KEY, code text, level int, mail text);
    CREATE TABLE desk.ticket (id serial PRIMARY KEY, customer_id int REFERENCES desk.customer, title text, price numeric, due date);
    INSERT INTO desk.customer (code, level, mail) VALUES ('a', 1, 'a@example.com'), ('b', 2, 'no address'), ('a', 3, NULL),
      ('c', 99, NULL), (NULL, 1, NULL), ('d', 1, 'd@example.com');
    INSERT INTO desk.ticket (customer_id, title, price, due) VALUES (1, 'ok', 1.50, '2024-01-01'), (2, 'of nobody', 1, NULL),
      (1, 'rounded', 1.555, NULL), (1, 'for ever', 2, 'infinity'), (6, 'ok, too', 3, NULL), (1, repeat('x', 81), 1, NULL);
  `);
  const { schema } = await installation.deploy(
    "desk",
    `
project: desk
modules: [auth, users, roles]
entities:
  customer:
    fields:
      code: string unique
      level: { type: int, min: 1, max: 10 }
      mail: email?
    permissions: { admin: { all: true } }
  ticket:
    fields:
      customer_id: ref(customer)?
      title: string(1, 80)
      price: decimal(10, 2)
      due: date?
    permissions: { admin: { all: true } }
`,
  );
  const { code, results, plan } = await imported("desk", "--refused", "desk.jsonl");
  expect(code).toBe(1);
  expect(plan.left).toEqual([
    "desk.customer.id: customer has no field legacy_id",
    "desk.ticket.id: ticket has no field legacy_id",
  ]);
  expect(results).toMatchObject([
    { entity: "customer", found: 6, accepted: 2, refused: 4, isWhole: true },
    { entity: "ticket", found: 6, accepted: 2, refused: 4, isWhole: true },
  ]);
  expect(await installation.refusals("desk.jsonl")).toEqual([
    ["customer", "2", "mail", "invalid_format"],
    ["customer", "3", "code", "taken"],
    ["customer", "4", "level", "out_of_range"],
    ["customer", "5", "code", "required"],
    ["ticket", "2", "customer_id", "unknown_reference"],
    ["ticket", "3", "price", "inexact"],
    ["ticket", "4", "due", "invalid_format"],
    ["ticket", "6", "title", "out_of_range"],
  ]);
  const { rows } = await installation.cellPool.query(`SELECT title FROM ${schema}.tickets ORDER BY title`);
  expect(rows.map(({ title }) => title)).toEqual(["ok", "ok, too"]);
});

test("without confirmation nothing is written, and a required field without a column stops the import", async () => {
  await client.query(
    `CREATE SCHEMA lab; CREATE TABLE lab.probe (id serial PRIMARY KEY, name text); INSERT INTO lab.probe (name) VALUES ('x')`,
  );
  const { schema } = await installation.deploy(
    "lab",
    `
project: lab
entities:
  probe:
    fields: { name: text, weight: int }
    permissions: { admin: { all: true } }
`,
  );
  const words = ["import", "data", source.adminUrl, "--schema", "lab", "--project", "lab"];
  const refused = await installation.plinth(...words, "--yes");
  expect(refused.code).toBe(1);
  expect(refused.stdout).toContain("probe.weight: it is required, and no column of lab.probe is mapped to it");
  await client.query("ALTER TABLE lab.probe ADD weight int DEFAULT 7");
  const shown = await installation.plinth(...words);
  expect(shown).toMatchObject({ code: 0, stderr: expect.stringContaining("--yes") });
  const { rows } = await installation.cellPool.query(`SELECT count(*)::int AS n FROM ${schema}.probes`);
  expect(rows).toEqual([{ n: 0 }]);
});

test("a killed cell loses or repeats no row, and a killed command can continue", async () => {
  await client.query(`
    CREATE SCHEMA bulk;
    CREATE TABLE bulk.thing (id bigserial PRIMARY KEY, name text NOT NULL, parent_id bigint REFERENCES bulk.thing);
    INSERT INTO bulk.thing (name, parent_id) SELECT 'Thing ' || n, nullif(n / 2, 0) FROM generate_series(1, 60000) n;
  `);
  const { schema } = await deployed("bulk");
  const words = ["import", "data", source.adminUrl, "--schema", "bulk", "--project", "bulk", "--yes", "--json"];
  const stored = async (): Promise<number> => {
    const { rows } = await installation.cellPool.query(`SELECT count(*)::int AS n FROM ${schema}.things`);
    return rows[0]?.n ?? 0;
  };
  const begun = installation.start(...words);
  while ((await stored()) === 0) await pause(20);
  begun.kill("SIGKILL");
  await once(begun, "exit");
  const resumed = await installation.plinth(...words, "--dry-run");
  expect(JSON.parse(resumed.stdout).plan.steps[0]).toMatchObject({ kind: "records", sample: { refused: 0 } });
  const going = installation.plinth(...words);
  for (let kills = 0; kills < 3; kills++) {
    await pause(150 + 400 * kills);
    await installation.killCell();
    await installation.startCell();
  }
  const { code, stdout, stderr } = await going;
  expect(stdout, `${stderr}${installation.output()}`).not.toBe("");
  const { results } = JSON.parse(stdout);
  expect(results).toMatchObject([
    { kind: "records", found: 60_000, accepted: 60_000, refused: 0, isWhole: true },
    { kind: "fill", found: 59_999, accepted: 59_999, refused: 0, isWhole: true },
  ]);
  expect(code).toBe(0);
  expect(await stored()).toBe(60_000);
  const { rows } = await installation.cellPool.query(
    `SELECT sum((changes ->> 'count')::int)::int AS n FROM ${schema}.audit_log WHERE operation = 'import'`,
  );
  expect(rows).toEqual([{ n: 119_999 }]);
});

test("an export has every record of the same moment, and no password", async () => {
  const { schema } = await installation.deploy(
    "archive",
    `
project: archive
modules: [auth, users, roles]
entities:
  tag:
    fields: { name: text }
    permissions: { admin: { all: true } }
  note:
    fields: { title: text?, price: "decimal(10, 2)?", tags: refs(tag) }
    permissions: { admin: { all: true } }
`,
  );
  const pool = installation.cellPool;
  await pool.query(`
    INSERT INTO ${schema}.users (id, email, password_hash) VALUES (gen_random_uuid(), 'a@example.com', 'the hash');
    INSERT INTO ${schema}.tags (id, name) SELECT gen_random_uuid(), 'T' || n FROM generate_series(1, 3) n;
    INSERT INTO ${schema}.notes (id, title, price) SELECT gen_random_uuid(), nullif(E'a,"b"\n' || n, E'a,"b"\n7'), n / 4.0 FROM generate_series(1, 12000) n;
    INSERT INTO ${schema}.notes__tags SELECT n.id, t.id FROM (SELECT id FROM ${schema}.notes LIMIT 5) n, ${schema}.tags t;
  `);
  const first = await installation.plinth("export", "--project", "archive", "--out", "first", "--json");
  expect(first.code, first.stderr).toBe(0);
  const { parts } = JSON.parse(first.stdout);
  expect(parts.map(({ name, count }: Json) => [name, count])).toEqual([
    ["user", 1],
    ["tag", 3],
    ["note", 12_000],
    ["note.tags", 15],
  ]);
  const users = await installation.read("first/user.csv");
  expect(users).toContain("a@example.com");
  expect(users).not.toMatch(/hash/);
  expect(await installation.read("first/note.csv")).toMatch(/^id,title,price,.*\r\n.*"a,""b""\n\d+",/);
  const again = await installation.plinth("export", "--project", "archive", "--out", "second", "--json");
  expect(JSON.parse(again.stdout).parts).toEqual(parts);
  const refused = await installation.plinth("export", "--project", "archive", "--out", "second");
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("is not empty") });
  const { rows } = await pool.query(`SELECT actor_kind FROM ${schema}.audit_log WHERE operation = 'export'`);
  expect(rows).toEqual([{ actor_kind: "operator" }, { actor_kind: "operator" }]);
});
