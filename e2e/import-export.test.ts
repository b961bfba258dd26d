// The folder of `plinth export` can be imported: `plinth import data FOLDER` copies the records into another project with their ids, and
// an export of that project is the same.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type DataInstallation, startDataInstallation } from "./data-installation.ts";

let installation: DataInstallation;

beforeAll(async () => {
  installation = await startDataInstallation();
}, 120_000);
afterAll(async () => {
  await installation?.stop();
});

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
type Json = any;

const blueprint = (project: string): string => `
project: ${project}
modules: [auth, users, roles]
entities:
  team:
    fields: { name: text, lead: "ref(player)?" }
    permissions: { admin: { all: true } }
  tag:
    fields: { name: string unique }
    permissions: { admin: { all: true } }
  player:
    soft_delete: true
    fields:
      team: ref(team)
      boss: ref(player)?
      account: user_ref?
      friends: refs(player) as(befriended)
      tags: refs(tag)
      number: sequence(P-)
      a_string: string?
      a_text: text? searchable
      a_slug: slug(a_string)? unique
      an_email: email?
      a_phone: phone?
      a_color: color?
      an_int: int?
      a_bigint: bigint?
      a_float: float?
      a_decimal: decimal(10, 2)?
      a_money: money(EUR)?
      a_percent: percent?
      a_date: date?
      a_time: time?
      a_datetime: datetime?
      a_duration: duration?
      a_bool: bool = false
      an_enum: enum[one, two] = one
      an_enum_set: "enum_set[red, green, blue]?"
      a_country: country?
      a_json: json?
      an_object: "object{street: string, number: int?}?"
      a_list: list<string>?
      moments: list<datetime>?
      prices: "list<decimal(10, 2)>?"
      things: "list<object{name: string}>?"
      an_i18n: i18n<string>?
      a_point: point?
      a_uuid: uuid?
      a_secret: secret?
      a_hidden: string? internal
    permissions: { admin: { all: true } }
`;

async function fill(schema: string): Promise<void> {
  await installation.cellPool.query(`
    SET intervalstyle = 'iso_8601';
    INSERT INTO ${schema}.users (id, email, password_hash) SELECT gen_random_uuid(), 'u' || n || '@example.com', 'the hash' FROM generate_series(1, 3) n;
    INSERT INTO ${schema}.teams (id, name, created_at, updated_at) SELECT gen_random_uuid(), 'Team ' || n, '2024-01-02 03:04:05.678901', '2025-01-01' FROM generate_series(1, 2) n;
    INSERT INTO ${schema}.tags (id, name) VALUES (gen_random_uuid(), 'red'), (gen_random_uuid(), 'blue');
    INSERT INTO ${schema}.players (id, team, account, number, a_string, a_text, a_slug, created_by, deleted_at)
      SELECT gen_random_uuid(), (SELECT id FROM ${schema}.teams WHERE name = 'Team ' || (n % 2 + 1)), (SELECT id FROM ${schema}.users WHERE email = 'u' || (n % 4) || '@example.com'),
        'P-' || n, CASE n % 3 WHEN 0 THEN '' WHEN 1 THEN 'N' || n END, E'a "b", (c)\\\\ \\t\\r\\n\\v é 😀 ' || n, 'p-' || n,
        (SELECT id FROM ${schema}.users WHERE email = 'u1@example.com'), CASE WHEN n % 5 = 0 THEN '2025-02-03'::timestamptz END
      FROM generate_series(1, 400) n;
    UPDATE ${schema}.players SET boss = (SELECT id FROM ${schema}.players WHERE number = 'P-7') WHERE number <> 'P-7';
    UPDATE ${schema}.teams t SET lead = (SELECT id FROM ${schema}.players p WHERE p.team = t.id ORDER BY number LIMIT 1), updated_at = '2025-01-01';
    UPDATE ${schema}.players SET an_email = 'x@example.com', a_phone = '+4930123456', a_color = '#ff0000', an_int = -5, a_bigint = 9007199254740993,
      a_float = 1e-9, a_decimal = 12.50, a_money = 3.10, a_percent = 12.5, a_date = '2024-02-29', a_time = '23:59:59.5',
      a_datetime = '2024-02-29 12:00:00.123456+00', a_duration = '1 day 02:03:04.5', a_bool = true, an_enum = 'two', an_enum_set = '{red,blue}',
      a_country = 'DE', a_json = '{"b":[1,2.50,null,""], "a":"x\\\\ \\" y"}', an_object = '{"street":"Weg", "number":1}', a_list = ARRAY['', 'a,b', '"', 'NULL'],
      moments = ARRAY['2024-01-01 00:00:00+00'::timestamptz], prices = '{1.50,2.00}', things = '[{"name":"x"}]', an_i18n = '{"de":"Hallo"}',
      a_point = '(1.5,2)', a_uuid = gen_random_uuid(), a_hidden = 'hidden' WHERE number = 'P-7';
    INSERT INTO ${schema}.players__friends SELECT a.id, b.id FROM ${schema}.players a, ${schema}.players b WHERE a.number < 'P-102' AND b.number IN ('P-7', 'P-5');
    INSERT INTO ${schema}.players__tags SELECT p.id, t.id FROM ${schema}.players p, ${schema}.tags t WHERE p.number > 'P-9';
  `);
}

async function exported(project: string, out: string): Promise<Json> {
  const { code, stdout, stderr } = await installation.plinth("export", "--project", project, "--out", out, "--json");
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

async function imported(folder: string, project: string, ...words: readonly string[]): Promise<Json> {
  const { code, stdout, stderr } = await installation.plinth(
    ...["import", "data", folder, "--project", project, "--yes", "--json", ...words],
  );
  expect(stdout, `${stderr}${installation.output()}`).not.toBe("");
  return { code, ...JSON.parse(stdout) };
}

test("an export is imported into another project unchanged: ids, values, references and pairs", async () => {
  const origin = await installation.deploy("origin", blueprint("origin"));
  const copy = await installation.deploy("copy", blueprint("copy"));
  await fill(origin.schema);
  const { parts } = await exported("origin", "origin");
  const tried = await installation.plinth("import", "data", "origin", "--project", "copy", "--dry-run");
  expect(tried, tried.stderr).toMatchObject({ code: 0 });
  expect(tried.stdout).not.toContain("would be refused");
  const { code, plan, results } = await imported("origin", "copy");
  expect(plan).toMatchObject({ problems: [], left: [] });
  expect(results.filter((one: Json) => !one.isWhole || one.refused > 0 || one.accepted !== one.found)).toEqual([]);
  expect(code).toBe(0);
  expect((await exported("copy", "copy")).parts).toEqual(parts);
  for (const { file } of parts)
    expect(await installation.read(`copy/${file}`)).toBe(await installation.read(`origin/${file}`));
  const { rows } = await installation.cellPool.query(
    `SELECT count(*)::int AS users, count(password_hash)::int AS passwords FROM ${copy.schema}.users`,
  );
  expect(rows).toEqual([{ users: 3, passwords: 0 }]);
  const response = await fetch(`${installation.apiUrl}/v1/resources/players`, {
    method: "POST",
    headers: { authorization: `Bearer ${copy.key}`, "content-type": "application/json" },
    body: JSON.stringify({
      team: (await installation.cellPool.query(`SELECT id FROM ${copy.schema}.teams`)).rows[0].id,
    }),
  });
  expect(await response.json()).toMatchObject({ data: { number: "P-401" } });
}, 120_000);

test("a killed import of an export continues, and imports no row twice", async () => {
  const { schema } = await installation.deploy("again", blueprint("again"));
  const words = ["import", "data", "origin", "--project", "again", "--yes", "--json"];
  const going = installation.plinth(...words);
  await installation.killCell();
  await installation.startCell();
  const first = await going;
  expect(JSON.parse(first.stdout).results.every((one: Json) => one.isWhole)).toBe(true);
  const { results } = await imported("origin", "again");
  expect(results.find((one: Json) => one.entity === "tag")).toMatchObject({ found: 2, accepted: 2, refused: 0 });
  const { rows } = await installation.cellPool.query(`SELECT count(*)::int AS n FROM ${schema}.players`);
  expect(rows).toEqual([{ n: 400 }]);
}, 120_000);

test("a blueprint that is only compatible leaves out the fields it lacks, and refuses the rows that it forbids", async () => {
  const { schema } = await installation.deploy(
    "lesser",
    `
project: lesser
entities:
  tag:
    fields: { name: { type: string, max: 3 } }
    permissions: { admin: { all: true } }
  team:
    fields: { name: text, size: "int = 1" }
    permissions: { admin: { all: true } }
`,
  );
  const { code, plan, results } = await imported("origin", "lesser", "--refused", "lesser.jsonl");
  expect(code).toBe(1);
  expect(plan.left).toContain("player.csv: the project has no entity player");
  expect(plan.left).toContain("team.csv, lead: team has no field lead");
  expect(results).toMatchObject([
    { table: "user.csv", entity: "user", found: 3, accepted: 3, isWhole: true },
    { table: "team.csv", entity: "team", found: 2, accepted: 2, isWhole: true },
    { table: "tag.csv", entity: "tag", found: 2, accepted: 1, refused: 1, isWhole: true },
  ]);
  const { rows } = await installation.cellPool.query(`SELECT name, size FROM ${schema}.teams ORDER BY name`);
  expect(rows).toEqual([
    { name: "Team 1", size: 1 },
    { name: "Team 2", size: 1 },
  ]);
});

test("a changed folder, or a folder that is no export, stops the import before anything is written", async () => {
  const { schema } = await installation.deploy("fresh", blueprint("fresh"));
  const file = join(installation.home, "origin/tag.csv");
  const was = await readFile(file, "utf8");
  await writeFile(file, was.replace("blue", "bleu"));
  const changed = await installation.plinth("import", "data", "origin", "--project", "fresh", "--yes");
  await writeFile(file, was);
  expect(changed).toMatchObject({ code: 1 });
  expect(changed.stdout).toContain("tag.csv: its checksum differs from the manifest");
  const none = await installation.plinth("import", "data", "nowhere", "--project", "fresh", "--yes");
  expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining("nowhere is neither") });
  const mapped = await installation.plinth("import", "data", "origin", "--project", "fresh", "--map", "map.yaml");
  expect(mapped).toMatchObject({ code: 2, stderr: expect.stringContaining("--map is only for databases") });
  const { rows } = await installation.cellPool.query(`SELECT count(*)::int AS n FROM ${schema}.teams`);
  expect(rows).toEqual([{ n: 0 }]);
});
