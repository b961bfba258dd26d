// Guarantee: a client that reads all pages sees each record that exists all the time exactly once, with equal sort
// values and nulls, while others create and delete records around its current position.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestCell, keyPrincipal, type TestCell, type TestProject } from "./testing/test-cell.ts";

const blueprint = `
project: walk
modules: [auth, users]
entities:
  item:
    fields: { rank: int?, label: string, kept: bool = false }
    permissions: { admin: { all: true } }
`;

const STABLE = 180;
let cell: TestCell;
let project: TestProject;
let stable: ReadonlySet<string>;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(blueprint);
  cell.addCaller("admin", project, keyPrincipal("key_admin", ["admin"]));
  // Few values for many records, and nulls: almost every page begins among equal values.
  const rows = await cell.rows(
    project,
    `insert into {schema}.items (id, rank, label, kept)
     select gen_random_uuid(), nullif(n % 5, 4), chr(97 + n % 3), true from generate_series(1, ${STABLE}) n returning id`,
  );
  stable = new Set(rows.map(({ id }) => String(id)));
});
afterAll(() => cell?.close());

/** Creates and deletes records among the others until it is stopped. @returns how many there were. */
async function disturb(seed: number, isOver: () => boolean): Promise<number> {
  const own: string[] = [];
  let made = 0;
  for (let n = seed; !isOver(); n = (n * 48_271) % 2_147_483_647) {
    if (own.length > 4 && n % 3 > 0) {
      const [id] = own.splice(n % own.length, 1);
      expect((await cell.send("admin", "DELETE", `/api/items/${id}`)).status).toBe(204);
    } else {
      const rank = n % 5 === 4 ? null : n % 5;
      const reply = await cell.send("admin", "POST", "/api/items", { rank, label: "abc"[n % 3] });
      expect(reply.status).toBe(201);
      own.push(reply.json.data.id);
      made++;
    }
  }
  for (const id of own) await cell.send("admin", "DELETE", `/api/items/${id}`);
  return made;
}

interface Walk {
  readonly ids: readonly string[];
  readonly lastPage: readonly string[];
  /** The address of the page before the last one. */
  readonly before: string | null;
}

async function walk(
  sort: string,
  limit: number,
  way: "next_cursor" | "prev_cursor",
  from: string | null,
): Promise<Walk> {
  const ids: string[] = [];
  let [cursor, before, lastPage]: [string | null, string | null, string[]] = [from, null, []];
  do {
    const after = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const { status, json, text } = await cell.send("admin", "GET", `/api/items?sort=${sort}&limit=${limit}${after}`);
    expect(status, text).toBe(200);
    lastPage = json.data.map(({ id }: { id: string }) => id);
    ids.push(...lastPage);
    before = json.page.prev_cursor;
    cursor = json.page[way];
  } while (cursor !== null);
  return { ids, lastPage, before };
}

test("a page that has become empty has a previous page", async () => {
  const get = async (cursor: string): Promise<{ data: { rank: number }[]; page: Record<string, string> }> =>
    (await cell.send("admin", "GET", `/api/items?kept=false&sort=rank&limit=2&cursor=${cursor}`)).json;
  const make = async (rank: number): Promise<string> =>
    (await cell.send("admin", "POST", "/api/items", { rank, label: "a" })).json.data.id;
  const [first, , last] = [await make(1), await make(2), await make(3)];
  const { page } = (await cell.send("admin", "GET", "/api/items?kept=false&sort=rank&limit=2")).json;
  await cell.send("admin", "DELETE", `/api/items/${last}`);
  const empty = await get(page.next_cursor);
  expect([empty.data, empty.page["next_cursor"]]).toEqual([[], null]);
  const back = await get(empty.page["prev_cursor"] ?? "");
  expect(back.data.map(({ rank }) => rank)).toEqual([1, 2]);
  await cell.send("admin", "DELETE", `/api/items/${first}`);
  const before = await get(back.page["next_cursor"] ?? "");
  expect(before.data).toEqual([]);
  const again = await get(before.page["prev_cursor"] ?? "");
  expect(again.data.map(({ rank }) => rank)).toEqual([2]);
  await cell.rows(project, "delete from {schema}.items where not kept");
});

test.each(["rank", "-rank", "label,-rank", "-label,rank,kept", "id"])("a walk by %s", async (sort) => {
  let isOver = false;
  const writers = [11, 23, 37].map((seed) => disturb(seed, () => isOver));
  const walked: string[][] = [];
  for (const limit of [3, 7]) {
    const { ids, lastPage, before } = await walk(sort, limit, "next_cursor", null);
    const back = await walk(sort, limit, "prev_cursor", before);
    walked.push([...ids], [...lastPage, ...back.ids]);
  }
  isOver = true;
  expect(Math.min(...(await Promise.all(writers)))).toBeGreaterThan(3);
  for (const ids of walked) {
    const kept = ids.filter((id) => stable.has(id));
    expect([kept.length, new Set(kept).size]).toEqual([STABLE, STABLE]);
    expect(new Set(ids).size).toBe(ids.length);
  }
});
