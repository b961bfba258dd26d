// Full text: what `q=` finds, in which order, and that it never finds a record by a hidden value.
import { quoteLiteral } from "@plinth/postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { entityView } from "../query/entity-view.ts";
import { Parameters as StatementParameters } from "../query/parameters.ts";
import { parseSearch, searchConditions } from "../query/reading/search.ts";
import { createTestCell, keyPrincipal, type TestCell, type TestProject, type TestReply } from "./testing/test-cell.ts";

const library = `
project: library
modules: [auth, users, roles]
entities:
  book:
    fields:
      title: string searchable
      blurb: text? searchable
      year: int
      public: bool = true
    permissions:
      public: { read: public }
      admin: { all: true }
  memo:
    fields:
      subject: string
      words: text searchable
      open: bool = false
    permissions:
      public: { read: { allow: true, fields: [subject] } }
      user:
        read: { allow: open, fields: [subject, words, open] }
      admin: { all: true }
`;

let cell: TestCell;
let project: TestProject;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(library);
  await cell.addUser("ana", project, ["user"]);
  cell.addCaller("admin", project, keyPrincipal("key_admin", ["admin"]));
  cell.addCaller("pub", project, keyPrincipal("key_pub", []));
  const books = [
    ["The Old Man and the Sea", "A fisherman fights a fish", 1952, true],
    ["The Sea, the Sea", "A retired director by the sea", 1978, true],
    ["Moby Dick", "A whale, a captain and the sea", 1851, true],
    ["Seabirds of the North", null, 1990, true],
    ["Hidden Sea", "for nobody's eyes", 2001, false],
    ["O'Brien's \\ Quotes & (Signs)", "a:* b | c !d <-> e", 2010, true],
  ];
  for (const [title, blurb, year, isPublic] of books) {
    const reply = await cell.send("admin", "POST", "/api/books", { title, blurb, year, public: isPublic });
    expect(reply.status, reply.text).toBe(201);
  }
  for (const [subject, open] of [
    ["one", true],
    ["two", false],
  ] as const) {
    await cell.send("admin", "POST", "/api/memos", { subject, words: "the password is swordfish", open });
  }
});
afterAll(() => cell?.close());

const get = (as: string, query: string, entity = "books"): Promise<TestReply> =>
  cell.send(as, "GET", `/api/${entity}?${query}`);

async function years(as: string, query: string): Promise<number[]> {
  const reply = await get(as, query);
  expect(reply.status, reply.text).toBe(200);
  return reply.json.data.map((row: { year: number }) => row.year);
}

describe("q", () => {
  test.each<[string, number[]]>([
    ["whale", [1851]],
    ["WHALE captain", [1851]],
    ["whale fisherman", []],
    ["whale or fisherman", [1851, 1952]],
    ["sea -whale -old", [1978]],
    ['"retired director"', [1978]],
    ['sea -"retired director" -old', [1851]],
    ["sea -o", [1851, 1952, 1978]],
    ["-whale sea", [1952, 1978, 1990]],
    ["seab", [1990]],
    ["fish", [1952]],
    ["o'brien", [2010]],
    ["\\ & | ! ( ) <-> :* '", []],
    ["'''", []],
    ["%", []],
    ["-", []],
  ])("%s", async (words, expected) => {
    expect((await years("pub", `q=${encodeURIComponent(words)}`)).sort()).toEqual(expected);
  });

  test("shows what matches best first, in pages as in one", async () => {
    const all = await years("admin", "q=sea");
    expect(all[0]).toBe(1978);
    expect(all).toHaveLength(5);
    const paged: number[] = [];
    let cursor = "";
    do {
      const { json } = await get("admin", `q=sea&limit=2&count=exact${cursor}`);
      expect(json.page.count).toBe(5);
      paged.push(...json.data.map((row: { year: number }) => row.year));
      cursor = json.page.next_cursor === null ? "" : `&cursor=${json.page.next_cursor}`;
    } while (cursor !== "");
    expect(paged).toEqual(all);
    expect(await years("admin", "q=sea&sort=year")).toEqual([...all].sort());
    expect(await years("admin", "q=sea&year[lt]=1960&sort=year")).toEqual([1851, 1952]);
  });

  test("finds nothing by values that the caller can't read", async () => {
    expect(await years("pub", "q=hidden")).toEqual([]);
    expect((await get("pub", "q=swordfish", "memos")).status).toBe(403);
    const found = (await get("ana", "q=swordfish", "memos")).json.data.map((row: { subject: string }) => row.subject);
    expect(found).toEqual(["one"]);
    expect((await get("admin", "q=swordfish", "memos")).json.data).toHaveLength(2);
  });

  test.each([
    ["q=", "required"],
    ["q=%20", "required"],
    [`q=${"a".repeat(501)}`, "too_long"],
  ])("%s is refused", async (query, code) => {
    const reply = await get("pub", query);
    expect([reply.status, reply.json.errors[0].code]).toEqual([400, code]);
  });
});

describe("words of a language", () => {
  const news = `
project: zeitung
modules: [auth, users, roles]
search: { language: german }
entities:
  artikel:
    plural: artikel
    fields:
      titel: string searchable(A)
      text: text? searchable
      ort: string? searchable(B, fuzzy)
    permissions:
      public: { read: true }
      admin: { all: true }
`;
  let zeitung: TestProject;
  beforeAll(async () => {
    zeitung = await cell.addProject(news);
    cell.addCaller("redaktion", zeitung, keyPrincipal("key_red", ["admin"]));
    for (const [titel, text, ort] of [
      ["Die Häuser am Fluss", "Über das Wohnen", "Łódź"],
      ["Ein Sommer", "Das Haus meiner Tante, und noch ein Haus, ein Haus", "Göttingen"],
      ["Café Größenwahn", "Zehn Bücher für Kinder", "Saarbrücken"],
    ]) {
      const reply = await cell.send("redaktion", "POST", "/api/artikel", { titel, text, ort });
      expect(reply.status, reply.text).toBe(201);
    }
  });

  test.each<[string, string[]]>([
    // By its other forms; a match in the title comes first.
    ["haus", ["Die Häuser am Fluss", "Ein Sommer"]],
    ["Hausern", ["Die Häuser am Fluss", "Ein Sommer"]],
    ["buch", ["Café Größenwahn"]],
    // `für` and `die` are stop words.
    ["buch für die kinder", ["Café Größenwahn"]],
    ["cafe grossenwahn", ["Café Größenwahn"]],
    ["lodz", ["Die Häuser am Fluss"]],
    // Misspelt words only match if the field is fuzzy.
    ["Götingen", ["Ein Sommer"]],
    ["saarbrucken", ["Café Größenwahn"]],
    ["Sarbrücken", ["Café Größenwahn"]],
    ["Somer", []],
    // Quoted and excluded words are taken literally.
    ['"Götingen"', []],
    ["Götingen -tante", []],
    ["haus -tante", ["Die Häuser am Fluss"]],
  ])("%s", async (words, titles) => {
    const reply = await get("redaktion", `q=${encodeURIComponent(words)}&fields=titel`, "artikel");
    expect(reply.status, reply.text).toBe(200);
    expect(reply.json.data.map(({ titel }: { titel: string }) => titel)).toEqual(titles);
  });

  test("works across pages, words before similar ones", async () => {
    await cell.send("redaktion", "POST", "/api/artikel", { titel: "Gottingen, das Lied", ort: "Paris" });
    const first = await get("redaktion", "q=Gottingen&limit=1", "artikel");
    const second = await get("redaktion", `q=Gottingen&limit=1&cursor=${first.json.page.next_cursor}`, "artikel");
    const titles = [first, second].map(({ json }) => json.data[0].titel);
    expect(titles).toEqual(["Gottingen, das Lied", "Ein Sommer"]);
    expect(second.json.page.has_more).toBe(false);
  });

  test("both indexes serve it", async () => {
    await cell.rows(
      zeitung,
      "insert into {schema}.artikel (id, titel, text, ort) select gen_random_uuid(), 'Titel ' || n, repeat(md5(n::text) || ' ', 40), md5(n::text) from generate_series(1, 5000) n",
    );
    await cell.rows(zeitung, "vacuum analyze {schema}.artikel");
    const plan = await planOf(zeitung, "artikel", "artikel", "Sarbrücken");
    for (const kind of ["gin", "trgm"]) expect(plan).toContain(`__${kind}`);
    expect(plan).not.toContain("Seq Scan");
  });
});

/** The plan in the fast lane, which doesn't know the words. */
async function planOf(of: TestProject, entity: string, table: string, words: string): Promise<string> {
  const view = entityView(of.release, entity);
  const parameters = new StatementParameters(view.fields);
  const search = parseSearch(words, view, ["admin"]);
  const conditions = searchConditions(view, search!, { roles: ["admin"], unscoped: false }, parameters);
  const values = parameters.slots.map((slot) =>
    quoteLiteral(slot({ search } as unknown as Parameters<(typeof parameters.slots)[number]>[0]) ?? ""),
  );
  const sql = conditions.join(" and ").replace(/\$(\d+)/g, (_, number) => values[Number(number) - 1]!);
  return JSON.stringify(await cell.rows(of, `explain select id from {schema}.${table} _r where ${sql}`));
}

test("the index of the texts serves it", async () => {
  await cell.rows(
    project,
    "insert into {schema}.books (id, title, blurb, year) select gen_random_uuid(), 'Book ' || n, repeat(md5(n::text) || ' ', 40), n from generate_series(3000, 8000) n",
  );
  await cell.rows(project, "vacuum analyze {schema}.books");
  const plan = await planOf(project, "book", "books", "whale");
  expect(plan).toContain("books__title__blurb__gin");
  expect(plan).not.toContain("Seq Scan");
});
