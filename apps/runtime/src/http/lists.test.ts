// Lists: pages that neither lose nor repeat a row, filters, sorts, NULLs, and cursors that only work for their own
// list.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testBlueprint } from "./testing/blueprint.ts";
import { createTestCell, keyPrincipal, type TestCell, type TestProject } from "./testing/test-cell.ts";

let cell: TestCell;
let project: TestProject;
let other: TestProject;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(testBlueprint);
  other = await cell.addProject(testBlueprint);
  const ana = await cell.addUser("ana", project, ["owner", "user"]);
  cell.addCaller("admin", project, keyPrincipal("key_admin", ["admin"]));
  cell.addCaller("pub", project, keyPrincipal("key_pub", []));
  cell.addCaller("elsewhere", other, keyPrincipal("key_other", ["admin"]));
  // 45 rows. Prices and descriptions repeat, some descriptions and dates are missing, and times differ by microseconds.
  await cell.rows(
    project,
    `insert into {schema}.listings (id, title, description, price, featured, status, opens_at, created_by, created_at)
     select ('018f0000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'T' || n,
       case when n % 3 = 0 then null else 'd"' || n % 4 end, n % 5, n % 2 = 0,
       (array['draft', 'active', 'sold'])[n % 3 + 1],
       case when n % 4 = 0 then null else timestamptz '2024-01-01' + n * interval '1 microsecond' end,
       case when n <= 10 then $1::uuid end, timestamptz '2024-01-01' + (n % 7) * interval '1 microsecond'
     from generate_series(1, 45) n`,
    [ana],
  );
});
afterAll(() => cell?.close());

type Row = Record<string, unknown>;

async function pages(as: string, query: string): Promise<{ rows: Row[]; sizes: number[] }> {
  const rows: Row[] = [];
  const sizes: number[] = [];
  let cursor: string | null = null;
  do {
    const reply: Awaited<ReturnType<TestCell["send"]>> = await cell.send(
      as,
      "GET",
      `/api/listings?${query}${cursor === null ? "" : `&cursor=${cursor}`}`,
    );
    expect(reply.status, reply.text).toBe(200);
    rows.push(...reply.json.data);
    sizes.push(reply.json.data.length);
    cursor = reply.json.page.next_cursor;
    expect(reply.json.page.has_more).toBe(cursor !== null);
  } while (cursor !== null && sizes.length < 100);
  return { rows, sizes };
}

describe("without parameters", () => {
  test("come 20 at a time, the newest first", async () => {
    const { rows, sizes } = await pages("admin", "");
    expect(sizes).toEqual([20, 20, 5]);
    // Seven different times; the id breaks ties.
    const newest = Array.from({ length: 45 }, (_, i) => i + 1).sort((a, b) => (b % 7) - (a % 7) || b - a);
    expect(rows.map((row) => row.title)).toEqual(newest.map((n) => `T${n}`));
  });

  test("show a record as reading it does", async () => {
    const [row] = (await cell.send("admin", "GET", "/api/listings?limit=1&title=T7")).json.data;
    expect((await cell.send("admin", "GET", `/api/listings/${row.id}`)).json.data).toEqual(row);
    expect(row).toMatchObject({ featured: false, description: 'd"3', opens_at: "2024-01-01T00:00:00.000007Z" });
  });

  test("show only what the caller can read", async () => {
    expect(new Set((await pages("pub", "")).rows.map((row) => row.status))).toEqual(new Set(["active"]));
    expect((await pages("pub", "")).rows).toHaveLength(15);
    const own = (await pages("ana", "limit=100")).rows;
    expect(own).toHaveLength(15 + 6);
    expect((await pages("elsewhere", "")).rows).toHaveLength(0);
    expect((await cell.send("ana", "GET", "/api/secret_notes")).status).toBe(403);
  });
});

describe.each([
  "price",
  "-price",
  "description",
  "-description",
  "opens_at,-price",
  "-opens_at",
  "created_at",
  "-created_at",
  "featured,-title",
  "-id",
  "id",
  "status,-description,price",
])("sorted by %s", (sort) => {
  test("are the same in pages of any size as in one, and as Postgres has them", async () => {
    const whole = (await pages("admin", `limit=100&sort=${sort}`)).rows.map((row) => row.id);
    expect(new Set(whole).size).toBe(45);
    for (const limit of [1, 7, 11, 44, 45]) {
      const { rows } = await pages("admin", `limit=${limit}&sort=${sort}`);
      expect(rows.map((row) => row.id)).toEqual(whole);
    }
    const keys = sort
      .split(",")
      // A choice is in the order in which its values are declared.
      .map((key) => key.replace(/status/, "array_position(array['draft', 'active', 'sold'], status)"))
      .map((key) => (key.startsWith("-") ? `${key.slice(1)} desc nulls first` : `${key} asc nulls last`));
    const tie = sort.split(",").at(-1)?.startsWith("-") ? "desc" : "asc";
    const expected = await cell.rows(
      project,
      `select id from {schema}.listings order by ${keys.join(", ")}, id ${tie}`,
    );
    expect(whole).toEqual(expected.map((row) => row.id));
  });
});

describe("a filter", () => {
  test.each<[string, (row: Row) => boolean]>([
    ["status=active", (row) => row.status === "active"],
    ["price=3", (row) => row.price === 3],
    ["featured=true", (row) => row.featured === true],
    ["title=T9", (row) => row.title === "T9"],
    ["description=d%221", (row) => row.description === 'd"1'],
    ["opens_at=2024-01-01T01:00:00.000007%2B01:00", (row) => row.title === "T7"],
    [
      "status=active&price=1&featured=false",
      (row) => row.status === "active" && row.price === 1 && row.featured === false,
    ],
  ])("%s finds equal values", async (query, keep) => {
    const all = (await pages("admin", "limit=100")).rows;
    const expected = all.filter(keep);
    expect(expected.length).toBeGreaterThan(0);
    expect((await pages("admin", `limit=2&${query}`)).rows).toEqual(expected);
  });

  test("never shows more than the caller can read", async () => {
    expect((await pages("pub", "status=draft")).rows).toHaveLength(0);
  });

  test("takes quotes and backslashes literally", async () => {
    for (const value of ["' or true --", "\\", '"', "%25", "{user.id}", "$1"]) {
      expect((await pages("admin", `title=${encodeURIComponent(value)}`)).rows).toHaveLength(0);
    }
  });
});

describe("a cursor", () => {
  const first = async (query: string, as = "admin", path = "/api/listings"): Promise<string> =>
    (await cell.send(as, "GET", `${path}?limit=5${query}`)).json.page.next_cursor;

  test("only works for its own list", async () => {
    const cursor = await first("&sort=price&status=active");
    const use = async (query: string, as = "admin", path = "/api/listings"): Promise<number> =>
      (await cell.send(as, "GET", `${path}?cursor=${cursor}${query}`)).status;
    expect(await use("&sort=price&status=active")).toBe(200);
    expect(await use("&status=active&sort=price&limit=2", "admin", "/v1/resources/listings")).toBe(200);
    expect(await use("&sort=-price&status=active")).toBe(400);
    expect(await use("&sort=price&status=sold")).toBe(400);
    expect(await use("&sort=price")).toBe(400);
    expect(await use("")).toBe(400);
    expect(await use("&sort=price&status=active", "elsewhere")).toBe(400);
  });

  test("doesn't reveal its values", async () => {
    const cursor = await first("&sort=title");
    expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(Buffer.from(cursor, "base64url").toString("latin1")).not.toContain("T1");
  });

  test("that was changed in any character is refused", async () => {
    const cursor = await first("");
    for (let i = 0; i < cursor.length; i += 3) {
      const changed = `${cursor.slice(0, i)}${cursor[i] === "A" ? "B" : "A"}${cursor.slice(i + 1)}`;
      const reply = await cell.send("admin", "GET", `/api/listings?cursor=${changed}`);
      // The last character's unused bits may be lost in decoding; then it is the same cursor.
      if (reply.status === 200) expect(Buffer.from(changed, "base64url")).toEqual(Buffer.from(cursor, "base64url"));
      else expect(reply.json.code).toBe("invalid_cursor");
    }
    expect((await cell.send("admin", "GET", `/api/listings?cursor=${cursor.slice(0, -2)}`)).json.code).toBe(
      "invalid_cursor",
    );
  });
});

test("lists of users show what the rules let the caller see", async () => {
  const own = await cell.send("ana", "GET", "/v1/users");
  expect(own.status, own.text).toBe(200);
  expect(own.json.data.map((user: Row) => user.email)).toEqual(["ana@example.com"]);
  expect(Object.keys(own.json.data[0])).not.toContain("password_hash");
  expect(own.json.data[0].roles).toEqual(["owner", "user"]);
  expect((await cell.send("admin", "GET", "/v1/users")).json.data).toHaveLength(1);
});

test("a user can write their own name, but neither e-mail nor roles", async () => {
  const [{ id }] = (await cell.send("ana", "GET", "/v1/users")).json.data;
  const renamed = await cell.send("ana", "PATCH", `/v1/users/${id}`, { name: "Ana B" });
  expect(renamed.json.data).toMatchObject({ name: "Ana B", version: 2 });
  for (const body of [{ roles: ["admin"] }, { email: "x@example.com" }, { password_hash: "x" }]) {
    expect((await cell.send("ana", "PATCH", `/v1/users/${id}`, body)).status).toBe(422);
  }
  const [audit] = await cell.rows(project, "select changes::text from {schema}.audit_log where record_id = $1", [id]);
  expect(audit?.changes).toBe('{"name": ["ana", "Ana B"]}');
});
