// The import from Postgres: a blueprint without errors, with everything of the source expressed or listed.
import { readFileSync } from "node:fs";
import { createPool } from "@plinth/postgres";
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fieldsOf, type Tried, tryPostgres } from "../testing/imported.ts";
import { readCatalogue } from "./catalogue.ts";

let database: TestDatabase;
let workshop: Tried;
beforeAll(async () => {
  database = await createTestDatabase();
  const pool = createPool({ connectionString: database.adminUrl, max: 1, applicationName: "test" });
  await pool.query(readFileSync(new URL("../testdata/workshop.sql", import.meta.url), "utf8"));
  await pool.end();
  workshop = await tryPostgres(database.adminUrl, "workshop");
});
afterAll(() => database.drop());

const typeOf = (entity: string, field: string): unknown =>
  workshop.entity(entity).fields.find((one) => one.name === field)?.type;

test("tables become entities; users are built in, and tables of pairs become a field", () => {
  expect(workshop.model.entities.map((one) => one.name)).toEqual([
    "machine",
    "note",
    "odd_type",
    "power_tool",
    "reading",
    "repair",
    "skill",
    "tool",
  ]);
  expect(fieldsOf(workshop.entity("repair"))).toEqual([
    "machine_id: ref",
    "spare_machine_id: ref?",
    "state: enum",
    "urgent: string",
    "cost: decimal",
    "takes: duration?",
    "started_on: date",
    "ended_on: date?",
    "tags: list",
    "details: json?",
    "reporter_id: user_ref?",
    "hall: int?",
    "place: int?",
    "doubled: computed?",
  ]);
  expect(workshop.model.userFields.map((field) => field.name)).toEqual(["phone"]);
  expect(typeOf("machine", "skills")).toEqual({ kind: "refs", entity: "skill" });
});

describe("constructs that earlier versions lost", () => {
  test("on delete, with two references to one table", () => {
    expect(typeOf("repair", "machine_id")).toEqual({ kind: "ref", entity: "machine", onDelete: "cascade" });
    expect(typeOf("repair", "spare_machine_id")).toEqual({ kind: "ref", entity: "machine", onDelete: "set_null" });
    expect(workshop.entity("machine").relations.map((one) => one.name)).toEqual([
      "readings",
      "repairs",
      "skills",
      "spare_machine_repairs",
    ]);
  });

  test("domains keep their type, their checks, and NOT NULL", () => {
    const { fields, checks } = workshop.entity("machine");
    expect(fields.find((field) => field.name === "code")).toMatchObject({ optional: false, type: { kind: "string" } });
    expect(checks.map((one) => one.name)).toEqual(["load_is_percentage", "code_is_short_code"]);
    expect(workshop.count("domains")).toEqual([2, 0]);
  });

  test("a key of several columns is listed in addition to simple ones, and its columns are kept", () => {
    expect(workshop.notesAt("workshop.repairs.at_place").join()).toMatch(/left_out: Its key has several columns/);
    expect(workshop.count("relations")).toEqual([10, 7]);
  });

  test("a table of the same name in another schema is another table", async () => {
    expect(workshop.notesAt("workshop.machines.machines_former_fkey").join()).toMatch(/wasn't imported/);
    const both = await tryPostgres(database.adminUrl, "workshop", "elsewhere");
    expect(both.model.entities.map((one) => one.name)).toContain("elsewhere_machine");
    expect(both.entity("workshop_machine").fields.find((field) => field.name === "former")?.type).toMatchObject({
      entity: "elsewhere_machine",
    });
  });

  test("INCLUDE and NULLS NOT DISTINCT: the unique is kept, and these options are listed", () => {
    expect(workshop.entity("machine").uniques).toContainEqual(["hall", "place"]);
    expect(workshop.entity("machine").uniques).toContainEqual(["former", "hall"]);
    // If every column is required, the option has no effect.
    expect(workshop.count("index details")).toEqual([4, 1]);
    const details = workshop.imported.inventory.notes.filter((note) => note.of === "index details");
    expect(details.map((note) => note.path.split(" ").slice(1).join(" "))).toEqual([
      "nulls not distinct",
      "include (name)",
      "order",
    ]);
  });

  test("partitions are one entity, with the references that all of them have", () => {
    expect(typeOf("reading", "machine_id")).toEqual({ kind: "ref", entity: "machine", onDelete: "cascade" });
    expect(workshop.count("partitions")).toEqual([2, 0]);
  });

  test("inheritance is listed, and both tables have all columns", () => {
    expect(fieldsOf(workshop.entity("power_tool"))).toEqual(["id_value: uuid", "name: text", "watts: int"]);
    expect(workshop.count("inheritance")).toEqual([1, 0]);
  });
});

test("checks and generated columns become rules with the same meaning, if there is one", () => {
  expect(workshop.entity("repair").checks.map((one) => one.name)).toEqual([
    "cost_is_positive",
    "done_has_end",
    "ends_after_start",
    "known_urgency",
  ]);
  expect(workshop.notesAt("workshop.repairs.not_a_palindrome").join()).toMatch(
    /left_out: No rule has the same meaning/,
  );
  expect(workshop.count("generated fields")).toEqual([1, 1]);
});

describe("row-level security", () => {
  const granted = (entity: string): readonly string[] =>
    workshop
      .entity(entity)
      .permissions.filter((one) => one.role !== "admin")
      .map((one) => `${one.role} ${one.operation}`);

  test("a policy about the owner is proposed, one that gives everybody access never is", () => {
    expect(granted("repair")).toEqual(["owner create", "owner delete", "owner read", "owner update"]);
    expect(workshop.imported.text).toContain("# review: proposed from the policy own_rows");
    expect(workshop.notesAt("workshop.repairs.all_may_look").join()).toMatch(
      /An import never gives access to `public`/,
    );
    expect(workshop.notesAt("workshop.repairs.by_skill").join()).toMatch(/left_out: No rule has the same meaning/);
  });

  test("a restrictive policy limits the others, so nothing is proposed", () => {
    expect(granted("note")).toEqual([]);
    expect(workshop.notesAt("workshop.notes.own").join()).toMatch(/left_out: A restrictive policy limits/);
  });

  test("users in another schema are users", () => {
    expect(typeOf("note", "owner_id")).toMatchObject({ kind: "user_ref" });
  });
});

test("policies for callers who are signed in are proposed to them", async () => {
  const pool = createPool({ connectionString: database.adminUrl, max: 1, applicationName: "test" });
  await pool.query(`
    CREATE FUNCTION auth.role() RETURNS text LANGUAGE sql AS 'select null::text';
    CREATE SCHEMA clinic;
    CREATE TABLE clinic.users (id uuid PRIMARY KEY, email text NOT NULL, nickname text, tier text);
    ALTER TABLE clinic.users ENABLE ROW LEVEL SECURITY;
    CREATE POLICY own_profile ON clinic.users FOR UPDATE USING (id = auth.uid());
    CREATE TABLE clinic.bed (id uuid PRIMARY KEY, room text, free boolean NOT NULL DEFAULT true, rate float8 NOT NULL DEFAULT 0.0,
      nurse_id uuid REFERENCES clinic.users, CONSTRAINT nurse_or_free CHECK ((nurse_id IS NOT NULL) <> (room IS NOT NULL)));
    ALTER TABLE clinic.bed ENABLE ROW LEVEL SECURITY;
    CREATE POLICY signed_in ON clinic.bed FOR SELECT USING (auth.uid() IS NOT NULL);
    CREATE POLICY by_role ON clinic.bed FOR INSERT WITH CHECK ((SELECT auth.role()) = 'authenticated' AND free);
    CREATE POLICY own_bed ON clinic.bed FOR UPDATE USING (auth.uid() IS NOT NULL AND nurse_id = auth.uid());
    CREATE POLICY nobody ON clinic.bed FOR DELETE USING (auth.uid() IS NULL);
    CREATE POLICY everybody ON clinic.bed FOR DELETE USING (free);`);
  await pool.end();
  const { entity, imported, notesAt } = await tryPostgres(database.adminUrl, "clinic");
  expect(imported.proposals.map(({ role, operation, rule }) => [role, operation, rule])).toEqual([
    ["user", "create", "free"],
    ["owner", "update", "nurse_id == current_user.id"],
    ["user", "read", true],
  ]);
  expect(notesAt("clinic.bed.nobody").join()).toMatch(/allows nothing to a caller who is signed in/);
  expect(notesAt("clinic.bed.everybody").join()).toMatch(/never gives access to `public`/);
  expect(entity("bed").checks.map(({ name }) => name)).toEqual(["nurse_or_free"]);
  expect(entity("bed").fields.find(({ name }) => name === "rate")?.default).not.toBeNull();
  expect(notesAt("clinic.users.own_profile").join()).toMatch(/changed: Users can write their own profile fields/);
  expect(imported.text).toMatch(/nickname: text\?\n/);
  expect(imported.text).toMatch(/tier: text\? writable\(admin\)\n/);
});

test("constructs without a counterpart are listed with their reasons", () => {
  const leftOut = workshop.imported.inventory.notes.filter((note) => note.kind === "left_out").map((note) => note.path);
  for (const path of [
    "workshop.open_repairs",
    "workshop.touch()",
    "workshop.repairs.touch_repairs",
    "workshop.repairs.once",
    "workshop.machines.one_spare_per_hall",
    "workshop.machines.machines_by_lower_name",
    "workshop.repairs.repairs_by_tag",
    "workshop.odd_types.shape",
    "workshop.odd_types.blob",
    "workshop.users.password_hash",
    "workshop.never_used",
    "workshop.size",
    "workshop.repairs.cost_is_positive",
    "workshop.odd_types to pg_monitor",
  ])
    expect(leftOut).toContain(path);
  expect(workshop.notesAt("workshop.odd_types.address").join()).toMatch(/changed: inet becomes text/);
  expect(workshop.notesAt("workshop.odd_types.at").join()).toMatch(/changed: The source stores no time zone/);
});

test("comments become help, with any characters", () => {
  expect(workshop.entity("odd_type").help).toBe('What other databases hold: "all" of it');
  expect(workshop.entity("odd_type").fields.find((field) => field.name === "address")?.help).toBe("Where # it is");
});

test("an unreachable database and a missing schema are reported in one line", async () => {
  await expect(readCatalogue(database.adminUrl, ["nowhere"])).rejects.toThrow('The database has no schema "nowhere".');
  await expect(readCatalogue("postgres://nobody@127.0.0.1:1/none", ["public"])).rejects.toThrow(/could not be read/);
});
