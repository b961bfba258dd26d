// Added, dropped, restored and renamed objects, on a real Postgres: no value is lost.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { check, index, optional, plan, references, required, table, unique } from "./testing/sample-tables.ts";
import { asideOf, id, openWalker, type Walker } from "./testing/walk.ts";

let walker: Walker;
const walk: Walker["walk"] = (...of) => walker.walk(...of);
const advance: Walker["advance"] = (...of) => walker.advance(...of);

beforeAll(async () => {
  walker = await openWalker();
});

afterAll(() => walker?.close());

describe("an added object", () => {
  const before = [table("listings", { columns: [required("title", "text")] })];
  const after = [
    table("categories", { columns: [required("name", "text")], uniques: [unique("categories", ["name"])] }),
    table("listings", {
      columns: [
        required("title", "text"),
        optional("note", "text"),
        required("kind", "text", "'offer'"),
        required("at", "timestamptz", "now()"),
        optional("category_id", "uuid"),
      ],
      checks: [
        check("listings", "kind", { kind: "one_of", values: ["request", "offer"] }),
        check("listings", "note", { kind: "length", min: 1, max: 9 }),
      ],
      uniques: [unique("listings", ["note"])],
      indexes: [index("listings", ["category_id"])],
      foreignKeys: [references("listings", "category_id", "categories")],
    }),
  ];

  test("exists while the old release writes, and afterwards", async () => {
    const { query } = await walk(before, after, {
      rows: `insert into $.listings values (${id(1)}, 'one')`,
      meanwhile: `insert into $.listings (id, title) values (gen_random_uuid(), 'more #')`,
    });
    expect(await query("select title, note, kind from $.listings where title = 'one'")).toEqual([
      ["one", null, "offer"],
    ]);
  });
});

describe("a dropped object", () => {
  const parts = {
    columns: [required("title", "text"), required("price", "integer", "7"), optional("owner_id", "uuid")],
    checks: [check("listings", "price", { kind: "range", min: "1", max: null })],
    uniques: [unique("listings", ["price", "title"])],
    indexes: [index("listings", ["price"]), index("listings", ["owner_id"])],
    foreignKeys: [references("listings", "owner_id", "owners")],
  } as const;
  const owners = table("owners", {
    columns: [required("name", "text")],
    uniques: [unique("owners", ["name"])],
    indexes: [index("owners", ["name", "id"])],
  });
  const before = [owners, table("listings", parts)];
  const after = [table("listings", { columns: [required("title", "text")] })];
  const rows = `insert into $.owners values (${id(9)}, 'ana');
    insert into $.listings values (${id(1)}, 'one', 5, ${id(9)}), (${id(2)}, 'two', 6, null)`;

  test("is set aside, restored, and then follows the same rules as a new one", async () => {
    const gone = await walk(before, after, {
      rows,
      meanwhile: `insert into $.listings (id, title) values (gen_random_uuid(), 'm#')`,
    });
    const setAside = asideOf(gone.steps);
    expect(
      setAside.map(({ kind, table: name, column, keptAs, sqlType }) => [kind, name, column, keptAs, sqlType]),
    ).toEqual([
      ["column", "listings", "price", "aside__t1__price", "integer"],
      ["column", "listings", "owner_id", "aside__t1__owner_id", "uuid"],
      ["table", "owners", null, "aside__t1__owners", null],
    ]);
    await gone.query(`insert into $.listings values (${id(3)}, 'three')`);
    const back = await advance(gone, after, before, {
      setAside,
      tag: "t2",
      meanwhile: `insert into $.listings (id, title) values (gen_random_uuid(), 'n#')`,
    });
    expect(back.steps.filter((step) => step.kind === "restore").map((step) => step.summary)).toEqual([
      "Restore owners, with the records that it had when it was removed.",
      "Restore listings.price, with the values that it had when it was removed.",
      "Restore listings.owner_id, with the values that it had when it was removed.",
    ]);
    expect(
      await back.query(
        "select title, price, owner_id is not null from $.listings where title in ('one', 'two', 'three') order by title",
      ),
    ).toEqual([
      ["one", 5, true],
      ["three", 7, false],
      ["two", 6, false],
    ]);
    expect(await back.query("select name from $.owners")).toEqual([["ana"]]);
    expect(await back.query("select count(*)::int from $.listings where price is null")).toEqual([[0]]);
    // An object that is dropped again gets a separate name.
    await advance(back, before, after, { tag: "t3" });
  });

  test("is created again if its type has changed in the meantime", () => {
    const texts = [table("listings", { columns: [required("title", "text"), optional("price", "text")] })];
    const setAside = asideOf(plan(before, after).plan.steps);
    expect(plan(after, texts, { setAside }).plan.steps.map((step) => step.summary)).toEqual([
      "Add the column listings.price (optional).",
    ]);
  });

  test("is restored while another object still has its name", async () => {
    const one = (of: string, column: string) =>
      table(of, { columns: [required(column, "text")], uniques: [unique(of, [column])] });
    const both = [one("posts", "title"), one("pages", "title")];
    const rows = `insert into $.posts values (${id(1)}, 'post'); insert into $.pages values (${id(2)}, 'page')`;
    const gone = await walk(both, [one("posts", "title")], { rows, tables: { pages: "posts" } });
    const back = await advance(gone, [one("posts", "title")], both, {
      tables: { posts: "pages" },
      setAside: asideOf(gone.steps),
      tag: "t2",
    });
    expect(await back.query("select title from $.posts union all select title from $.pages")).toEqual([
      ["post"],
      ["page"],
    ]);

    const pair = table("t", {
      columns: [optional("a", "text"), optional("b", "text")],
      uniques: [unique("t", ["a"]), unique("t", ["b"])],
    });
    const without = await walk(
      [pair],
      [one("t", "a")].map((t) => ({ ...t, columns: [t.columns[0]!, optional("a", "text")] })),
      {
        rows: `insert into $.t values (${id(1)}, 'was a', 'was b')`,
        columns: { t: { b: "a" } },
      },
    );
    const single = table("t", { columns: [optional("a", "text")], uniques: [unique("t", ["a"])] });
    const again = await advance(without, [single], [pair], {
      columns: { t: { a: "b" } },
      setAside: asideOf(without.steps),
      tag: "t2",
    });
    expect(await again.query("select a, b from $.t")).toEqual([["was a", "was b"]]);
  });

  test("follows its table, and is restored under its new name", async () => {
    const withPrice = (of: string) => [
      table(of, { columns: [required("price", "integer", "1"), required("title", "text")] }),
    ];
    const without = (of: string) => [table(of, { columns: [required("title", "text")] })];
    const gone = await walk(withPrice("listings"), without("listings"), {
      rows: `insert into $.listings values (${id(1)}, 5, 'one')`,
    });
    const moved = await advance(gone, without("listings"), without("offers"), {
      tables: { listings: "offers" },
      setAside: asideOf(gone.steps),
      tag: "t2",
    });
    const kinds = moved.steps.map(({ kind }) => kind);
    expect(kinds.slice(-2)).toEqual(["restore", "set_aside"]);
    const back = await advance(moved, without("offers"), withPrice("offers"), {
      setAside: asideOf(moved.steps),
      tag: "t3",
    });
    expect(await back.query("select price, title from $.offers")).toEqual([[5, "one"]]);
  });

  test("can lose its name to another object in the same plan", async () => {
    const other = [
      table("listings", {
        columns: [required("title", "text"), optional("price", "integer")],
        indexes: [index("listings", ["price"])],
      }),
    ];
    const shop = [table("shops", parts2("shops")), table("owners", { columns: [] })];
    const { query } = await walk(
      [...before, ...shop.slice(0, 1)],
      [
        ...other,
        table("owners", { columns: [optional("x", "text")], uniques: [unique("owners", ["x"])] }),
        table("stands", parts2("stands")),
      ],
      {
        rows: `${rows}; insert into $.shops values (${id(7)}, 'shop')`,
        tables: { shops: "owners", owners: "stands" },
        columns: { owners: { name: "x" } },
      },
    );
    expect(await query("select x from $.owners")).toEqual([["shop"]]);
    expect(await query("select name from $.stands")).toEqual([["ana"]]);
  });
});

function parts2(of: string) {
  return { columns: [required("name", "text")], uniques: [unique(of, ["name"])] };
}

describe("a rename", () => {
  const shape = (of: string, a: string, b: string, target: string) =>
    table(of, {
      columns: [required(a, "text"), optional(b, "uuid"), required("n", "integer", "1")],
      uniques: [unique(of, [a]), unique(of, [b, "n"], `"${a}" <> 'x'`)],
      indexes: [
        index(of, [b]),
        { name: `${of}__search__idx`, method: "gin", keys: [`(to_tsvector('simple', "${a}"))`], where: null },
      ],
      foreignKeys: [references(of, b, target)],
      checks: [
        check(of, a, { kind: "length", min: 1, max: 20 }),
        {
          name: `${of}__named__check`,
          columns: [a, "n"],
          rule: { kind: "sql", sql: `"${a}" <> 'the "title"' or "n" > 0` },
        },
      ],
    });
  const rows = `insert into $.posts values (${id(1)}, 'one', null, 1), (${id(2)}, 'two', null, 2)`;

  test("changes tables, columns and all derived names, without writing a row", async () => {
    const { query, written, steps } = await walk(
      [shape("posts", "title", "parent_id", "posts")],
      [shape("articles", "headline", "origin_id", "articles")],
      {
        rows,
        tables: { posts: "articles" },
        columns: { articles: { title: "headline", parent_id: "origin_id" } },
      },
    );
    expect(await query("select headline, origin_id is null, n from $.articles order by n")).toEqual([
      ["one", true, 1],
      ["two", true, 2],
    ]);
    expect(written).toBe(0);
    expect(new Set(steps.map((step) => step.phase))).toEqual(new Set(["switch"]));
    expect(steps.some((step) => step.rewrites || step.scans)).toBe(false);
  });

  test("can swap two tables and two columns, and rename in a chain", async () => {
    const before = [
      shape("posts", "title", "parent_id", "pages"),
      shape("pages", "title", "parent_id", "posts"),
      shape("notes", "title", "parent_id", "notes"),
    ];
    const after = [
      shape("pages", "n_title", "parent_id", "posts"),
      shape("posts", "title", "parent_id", "pages"),
      shape("memos", "title", "parent_id", "memos"),
      shape("notes", "title", "parent_id", "pages"),
    ];
    const { query } = await walk(before, after, {
      rows,
      tables: { posts: "pages", pages: "posts", notes: "memos" },
      columns: { pages: { title: "n_title" } },
    });
    expect(await query("select n_title from $.pages order by n")).toEqual([["one"], ["two"]]);
    const swapped = table("t", {
      columns: [required("a", "text"), required("b", "text"), required("c", "text")],
      uniques: [unique("t", ["a"]), unique("t", ["b"])],
      checks: ["a", "b"].map((name) => check("t", name, { kind: "length", min: null, max: 9 })),
    });
    const turned = await walk([swapped], [swapped], {
      rows: `insert into $.t values (${id(1)}, 'a', 'b', 'c')`,
      columns: { t: { a: "b", b: "c", c: "a" } },
    });
    expect(await turned.query("select a, b, c from $.t")).toEqual([["c", "a", "b"]]);
  });

  test("can free the name for a new object", async () => {
    const { query } = await walk(
      [shape("posts", "title", "parent_id", "posts")],
      [shape("articles", "title", "parent_id", "posts"), shape("posts", "title", "parent_id", "articles")],
      {
        rows: `insert into $.posts values (${id(1)}, 'one', null, 1)`,
        tables: { posts: "articles" },
      },
    );
    expect(await query("select title from $.articles")).toEqual([["one"]]);
    expect(await query("select title from $.posts")).toEqual([]);
  });

  test("can change a join table", async () => {
    const pairs = (of: string, own: string, other: string, target: string) =>
      table(of, {
        primaryKey: [own, other],
        columns: [required(own, "uuid"), required(other, "uuid")],
        foreignKeys: [references(of, own, target, "cascade"), references(of, other, target, "cascade")],
        indexes: [index(of, [other])],
      });
    await walk(
      [table("posts"), pairs("posts__friends", "post_id", "other_id", "posts")],
      [table("pages"), pairs("pages__friends", "page_id", "other_id", "pages")],
      {
        tables: { posts: "pages", posts__friends: "pages__friends" },
        columns: { pages__friends: { post_id: "page_id" } },
      },
    );
  });
});
