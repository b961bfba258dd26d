// Generated values for every type of the language. Guarantee 17: the reply to any request is the record or a 4xx
// problem, never a 5xx. Every accepted value is read back unchanged, in every way of reading.
import fc from "fast-check";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createTestCell, type TestCell, type TestProject } from "./testing/test-cell.ts";
import { wholeBlueprint } from "./testing/whole-blueprint.ts";

// Each new shape of a request is proven before its first run, which takes longer than the run.
vi.setConfig({ testTimeout: 60_000 });

const seed = 20_241;
let cell: TestCell;
let project: TestProject;
let record: string;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(wholeBlueprint);
  await cell.addUser("ana", project, ["owner", "user"]);
  record = (await cell.send("ana", "POST", "/api/samples", { title: "first" })).json.data.id;
});
afterAll(() => cell?.close());

const digits = fc.tuple(fc.bigInt(), fc.nat(12)).map(([whole, places]) => `${whole}.${"7".repeat(places)}`);
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -0,
    1.0,
    0.1,
    1e-7,
    12.5,
    2 ** 31,
    -(2 ** 31),
    1e300,
    -1e300,
    "",
    "\0",
    "\ud800",
  ),
  fc.constantFrom<unknown>("NaN", "Infinity", "1e5", "-0", "-0.00", "00.5", ".5", "5.", "0x1f", "1_000", " 1", "+1"),
  fc.constantFrom<unknown>("9223372036854775807", "-9223372036854775808", "99999999.99", "100000000.00", "0.001"),
  fc.constantFrom<unknown>(
    "2024-02-29",
    "2023-02-29",
    "0000-01-01",
    "0001-01-01",
    "9999-12-31",
    "10000-01-01",
    "-0044-03-15",
  ),
  fc.constantFrom<unknown>("00:00:00", "23:59:59.999999", "23:59:60", "24:00", "12:00Z", "12:00+01:00", "9:00"),
  fc.constantFrom<unknown>(
    "PT0S",
    "P1D",
    "-P1D",
    "P1W2DT3H4M5.678901S",
    "PT9999999999H",
    "P999999999D",
    "P",
    "PT",
    "P1M",
    "PT1.5H",
  ),
  fc.constantFrom<unknown>(
    "9999-12-31T23:59:59.999999-15:59",
    "0001-01-01T00:00:00+15:59",
    "2024-06-30T23:59:60Z",
    "now",
  ),
  fc.constantFrom<unknown>(
    [],
    ["a"],
    ["a", "a"],
    ["{", "}", '"', "\\", "NULL", ""],
    [null],
    [[1]],
    [1, 2.5],
    [2 ** 31],
  ),
  fc.constantFrom<unknown>(
    {},
    { lat: 0, lng: 0 },
    { lat: -90, lng: 180 },
    { lat: 90.1, lng: 0 },
    { lat: 1 },
    { lat: "1", lng: 1 },
  ),
  digits,
  fc.double({ noNaN: true }),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.jsonValue({ maxDepth: 3 }),
);
const fields = [
  "title",
  "handle",
  "number",
  "amount",
  "big",
  "ratio",
  "price",
  "cost",
  "share",
  "day",
  "at",
  "moment",
  "span",
  "flag",
  "kinds",
  "data",
  "words",
  "numbers",
  "place",
  "token",
  "inner",
  "phone",
  "code",
  "stamp",
  "doubled",
  "tags",
] as const;

const problems = [400, 403, 404, 409, 413, 422];

test("any value is accepted and read back unchanged, or refused at its field", async () => {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...fields), odd, fc.boolean(), async (field, value, isUpdate) => {
      const [method, path] = isUpdate ? ["PATCH", `/api/samples/${record}`] : ["POST", "/api/samples"];
      const unique = isUpdate || field === "handle" ? {} : { handle: `h-${crypto.randomUUID()}` };
      const text = JSON.stringify({ ...(isUpdate ? {} : { title: "t" }), ...unique, [field]: value });
      const reply = await cell.send("ana", method as string, path as string, text);
      if (reply.status >= 300) {
        expect(problems, `${text} ${reply.text}`).toContain(reply.status);
        expect(reply.headers.get("content-type")).toContain("problem+json");
        return;
      }
      accepted++;
      const { data } = reply.json;
      expect((await cell.send("ana", "GET", `/api/samples/${data.id}`)).json.data, text).toEqual(data);
      expect((await cell.send("ana", "GET", `/api/samples?id=${data.id}`)).json.data, text).toEqual([data]);
      if (["title", "flag", "amount", "big", "data", "words", "numbers", "phone"].includes(field)) {
        expect(data[field], text).toEqual(JSON.parse(JSON.stringify(value)));
      }
    }),
    { numRuns: 1_200, seed },
  );
  console.info(`generated values: 1200 sent, ${accepted} taken`);
  expect(accepted).toBeGreaterThan(100);
});

test("any filter and order return rows, a problem, or that the field can't be read", async () => {
  const part = fc
    .tuple(fc.constantFrom(...fields, "sort", "id", "deleted_at"), odd, fc.constantFrom(...fields))
    .map(([name, value, other]) => {
      const text = name === "sort" ? other : typeof value === "string" ? value : (JSON.stringify(value) ?? "");
      return `${name}=${encodeURIComponent(text.toWellFormed())}`;
    });
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 2 }), async (parts) => {
      const reply = await cell.send("ana", "GET", `/api/samples?${parts.join("&")}`);
      expect([200, 400, 403], `${parts.join("&")} ${reply.text}`).toContain(reply.status);
      if (reply.status === 200) answered++;
    }),
    { numRuns: 600, seed },
  );
  console.info(`generated queries: 600 sent, ${answered} answered`);
  expect(answered).toBeGreaterThan(30);
});
