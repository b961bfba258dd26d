// Reading a source in a real Postgres: every batch comes, however the rows arrive, and the connection goes on after each.
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSource, type Source } from "./source.ts";
import { valueText } from "./source-sql.ts";

let database: TestDatabase;
let source: Source;

beforeAll(async () => {
  database = await createTestDatabase();
  source = await openSource(database.adminUrl, ["public"]);
});
afterAll(async () => {
  await source?.close();
  await database?.drop();
});

// The last rows of a step may arrive together with its end, while the buffer in front of them is full.
test("a step of any size is followed by the next one", async () => {
  for (const width of [100, 5_000, 25_000, 60_000]) {
    for (let rows = 1; rows <= 12; rows++) {
      const copy = `COPY (SELECT n, n, repeat('x', ${width}) FROM generate_series(1, ${rows}) n) TO STDOUT`;
      let count = 0;
      for await (const batch of source.batches(copy, { rowsMax: 1_000, charsMax: 1_500_000 })) count += batch.count;
      expect(count).toBe(rows);
      expect(await source.rows("SELECT 1 AS one")).toEqual([{ one: 1 }]);
    }
  }
}, 20_000);

test("an address is read without the mask of a single one", async () => {
  const column = { name: "at", type: { kind: "as_text", name: "inet" } };
  const read = async (list: boolean, sqlType: string, values: string): Promise<unknown> => {
    const text = valueText({ ...column, list } as never, { sqlType } as never, { trimsScale: true, byId: new Map() });
    return (await source.rows<{ text: string }>(`SELECT ${text} AS text FROM (VALUES ${values}) _t ("at")`)).map(
      (row) => row.text,
    );
  };
  const values = "('10.0.0.1'::inet), ('10.0.0.0/8'), ('::1'), (NULL)";
  expect(await read(false, "text", values)).toEqual(["10.0.0.1", "10.0.0.0/8", "::1", null]);
  const lists = "('{10.0.0.1,10.0.0.0/8}'::inet[]), (NULL)";
  expect(await read(true, "text[]", lists)).toEqual(["{10.0.0.1,10.0.0.0/8}", null]);
});
