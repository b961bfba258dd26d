// Plans, carried out on a real Postgres: what they reach is what the new schema is from nothing, and no value is lost.
import type { MigrationStep, Table } from "@plinth/bundle";
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  apply,
  check,
  giveUp,
  index,
  inspect,
  makeRoles,
  makeSchema,
  type Names,
  optional,
  type PlanOptions,
  plan,
  references,
  required,
  table,
  unique,
} from "./sample-tables.ts";

let database: TestDatabase;
let client: pg.Client;
let roles: Omit<Names, "schema">;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  roles = await makeRoles(client, Math.random().toString(36).slice(2, 8));
});

afterAll(async () => {
  await client?.end();
  await database?.drop();
});

let schemas = 0;

interface Walked {
  readonly names: Names;
  readonly steps: readonly MigrationStep[];
  readonly written: number;
  query(sql: string): Promise<readonly unknown[]>;
}

/** From one schema with rows to the next; holds the catalog against one made from nothing. `$` in SQL stands for the schema. */
async function walk(
  before: readonly Table[],
  after: readonly Table[],
  options: PlanOptions & {
    readonly rows?: string;
    /** What the old release writes behind each step before the switch; `#` is a fresh number. */
    readonly meanwhile?: string;
    readonly afterwards?: string;
  } = {},
): Promise<Walked> {
  const names = await makeSchema(client, roles, `s${++schemas}`);
  const query = async (sql: string): Promise<readonly unknown[]> =>
    (await client.query({ text: sql.replaceAll("$", names.schema), rowMode: "array" })).rows;
  await apply(client, plan(null, before).plan, names);
  if (options.rows !== undefined) await query(options.rows);
  return advance({ names, query }, before, after, options);
}

async function advance(
  { names, query }: Pick<Walked, "names" | "query">,
  before: readonly Table[],
  after: readonly Table[],
  options: Parameters<typeof walk>[2] = {},
): Promise<Walked> {
  const planned = plan(before, after, options);
  expect(planned.refused).toEqual([]);
  let number = 0;
  const write = (sql: string | undefined) => async (): Promise<void> => {
    if (sql === undefined) return;
    await client.query(`set role ${names.worker}`);
    await query(sql.replaceAll("#", String(++number)));
    await client.query("reset role");
  };
  const written = await apply(client, planned.plan, names, {
    before: write(options.meanwhile),
    after: write(options.afterwards),
  });
  const fresh = await makeSchema(client, roles, `s${++schemas}`);
  await apply(client, plan(null, after).plan, fresh);
  expect(await inspect(client, names)).toEqual(await inspect(client, fresh));
  expect(plan(after, after).plan.steps).toEqual([]);
  return { names, steps: planned.plan.steps, written, query };
}

const id = (n: number): string => `'00000000-0000-7000-8000-${String(n).padStart(12, "0")}'`;

describe("what is added", () => {
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

  test("stands while the old release writes, and after", async () => {
    const { query } = await walk(before, after, {
      rows: `insert into $.listings values (${id(1)}, 'one')`,
      meanwhile: `insert into $.listings (id, title) values (gen_random_uuid(), 'more #')`,
    });
    expect(await query("select title, note, kind from $.listings where title = 'one'")).toEqual([
      ["one", null, "offer"],
    ]);
  });
});

describe("what is dropped", () => {
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
  const asideOf = (steps: readonly MigrationStep[]) =>
    steps.flatMap((step) => (step.kind === "set_aside" ? [step.what] : []));

  test("is kept, comes back, and takes part in all that a new one would", async () => {
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
      "Bring owners back, with the records that it had when it was taken out of service.",
      "Bring listings.price back, with what it held when it was taken out of service.",
      "Bring listings.owner_id back, with what it held when it was taken out of service.",
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
    // What is dropped again gets a name of its own.
    await advance(back, before, after, { tag: "t3" });
  });

  test("is made anew where its type is another by now", () => {
    const texts = [table("listings", { columns: [required("title", "text"), optional("price", "text")] })];
    const setAside = asideOf(plan(before, after).plan.steps);
    expect(plan(after, texts, { setAside }).plan.steps.map((step) => step.summary)).toEqual([
      "Add the column listings.price (optional).",
    ]);
  });

  test("comes back while another thing still has its name", async () => {
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

  test("goes along with its table, and comes back under its new name", async () => {
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

  test("a name can be taken by another in the same plan", async () => {
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

describe("what is renamed", () => {
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

  test("tables, columns and all that is called after them, without a row written", async () => {
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

  test("two tables and two columns that change places, and a chain", async () => {
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

  test("and a new one takes the name", async () => {
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

  test("a pair table", async () => {
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

describe("what changes its type", () => {
  const before = table("things", {
    columns: [required("code", "integer"), optional("price", "text"), required("amount", "numeric(10,2)")],
    uniques: [unique("things", ["code"])],
    indexes: [index("things", ["price"])],
    checks: [
      check("things", "code", { kind: "range", min: "0", max: "1000000" }),
      check("things", "price", { kind: "length", min: null, max: 10 }),
      check("things", "amount", { kind: "range", min: "0", max: null }),
    ],
  });
  const after = table("things", {
    columns: [
      required("code", "text", "'none'"),
      optional("price", "numeric(8,2)"),
      required("amount", "numeric(14,2)"),
    ],
    uniques: [unique("things", ["code"])],
    indexes: [index("things", ["price"])],
    checks: [
      check("things", "code", { kind: "length", min: 1, max: 40 }),
      check("things", "price", { kind: "range", min: "0", max: null }),
      check("things", "amount", { kind: "range", min: "0", max: null }),
    ],
  });
  const rows = `insert into $.things values (${id(1)}, 1, '1.5', 1), (${id(2)}, 2, null, 2), (${id(3)}, 3, '3', 3)`;

  test("goes on being written by the old release until the switch", async () => {
    const { query, written } = await walk([before], [after], {
      rows,
      meanwhile:
        "insert into $.things values (gen_random_uuid(), 100 + #, '#', #); update $.things set price = '33' where code = 3",
      afterwards:
        "insert into $.things (id, price, amount) values (gen_random_uuid(), 4, 4) on conflict do nothing; update $.things set code = 'x#' where code = 'none'",
    });
    expect(
      await query(
        "select code, price, aside__t1__code, aside__t1__price from $.things where length(code) = 1 order by code",
      ),
    ).toEqual([
      ["1", "1.50", 1, "1.5"],
      ["2", null, 2, null],
      ["3", "33.00", 3, "33"],
    ]);
    expect(
      await query(
        "select count(*)::int from $.things where aside__t1__price is not null and price is distinct from aside__t1__price::numeric",
      ),
    ).toEqual([[0]]);
    expect(written).toBeGreaterThanOrEqual(3);
  });

  test("a value that can't be converted stops it, before anything and at the switch", async () => {
    const bad = `${rows}; update $.things set price = 'dear' where code = 2`;
    await expect(walk([before], [after], { rows: bad })).rejects.toThrow(
      "1 of things have a price that is no number of at most 6 digits and 2 after the point: 00000000-0000-7000-8000-000000000002 a price that",
    );
    await expect(
      walk([before], [after], { rows, meanwhile: "update $.things set price = 'dear' where code = 2" }),
    ).rejects.toThrow("can't be converted");
  });

  test("and its name at once, beside a column that takes its name", async () => {
    const first = table("things", {
      columns: [required("a", "integer"), required("b", "integer")],
      uniques: [unique("things", ["a"])],
    });
    const then = table("things", {
      columns: [required("b", "bigint"), required("a", "text"), optional("c", "integer")],
      uniques: [unique("things", ["b"])],
    });
    const { query } = await walk([first], [then], {
      rows: `insert into $.things values (${id(1)}, 1, 2)`,
      columns: { things: { a: "b", b: "a" } },
      meanwhile: "insert into $.things values (gen_random_uuid(), 10 + #, #)",
    });
    expect(await query(`select a, b, c from $.things where id = ${id(1)}`)).toEqual([["2", "1", null]]);
  });
});

describe("what is tightened", () => {
  const columns = (nullable: boolean) => [
    { ...required("title", "text"), nullable },
    { ...required("status", "text"), nullable },
    { ...required("owner_id", "uuid"), nullable: true },
  ];
  const before = [
    table("owners"),
    table("people"),
    table("listings", {
      columns: columns(true),
      checks: [check("listings", "status", { kind: "one_of", values: ["a", "b", "c"] })],
      foreignKeys: [references("listings", "owner_id", "people")],
    }),
  ];
  const after = [
    table("owners"),
    table("people"),
    table("listings", {
      columns: [...columns(false), required("extra", "integer")],
      checks: [
        check("listings", "title", { kind: "length", min: 2, max: 9 }),
        check("listings", "status", { kind: "one_of", values: ["b", "a"] }),
      ],
      uniques: [unique("listings", ["title", "status"])],
      foreignKeys: [references("listings", "owner_id", "owners")],
    }),
  ];

  test("and loosened again", async () => {
    const tight = await walk(before, after);
    await advance(tight, after, before, { tag: "t2" });
  });

  test.each([
    ["(1, null, 'a', null)", "1 of listings have no value for title: "],
    ["(1, 'tt', 'c', null)", "1 of listings have a status other than b, a: 00000000-0000-7000-8000-000000000001 c"],
    ["(1, 't', 'a', null)", "1 of listings have a title shorter than 2 or longer than 9"],
    [
      "(1, 'tt', 'a', null), (2, 'tt', 'a', null), (3, 'tt', 'a', null)",
      "2 of listings have the same title+status as another: 00000000-0000-7000-8000-000000000001 the same as 2 more",
    ],
    [
      "(1, 'tt', 'a', 8)",
      "1 of listings have a owner_id that names no record of owners: 00000000-0000-7000-8000-000000000001 00000000",
    ],
    ["(1, 'tt', 'a', 9)", "1 of listings have no value for extra"],
  ])("%s stands in the way", async (values, message) => {
    const ids = values
      .replace(/\((\d)/g, (_, n: string) => `(${id(Number(n))}`)
      .replace(/ (\d)\)/g, (_, n: string) => ` ${id(Number(n))})`);
    const rows = `insert into $.people values (${id(8)}), (${id(9)}); insert into $.owners values (${id(9)}); insert into $.listings values ${ids}`;
    const target = message.includes("extra")
      ? after
      : after.map((one) => ({ ...one, columns: one.columns.filter((column) => column.name !== "extra") }));
    const { plan: planned } = plan(before, target);
    await expect(walk(before, target, { rows })).rejects.toThrow(message);
    expect(planned.steps.find((step) => step.kind !== "verify")?.id).not.toMatch(/^001/);
  });
});

describe("soft delete", () => {
  const plain = table("posts", { columns: [required("slug", "text")], uniques: [unique("posts", ["slug"])] });
  const soft = table("posts", {
    columns: [required("slug", "text"), optional("deleted_at", "timestamptz")],
    uniques: [unique("posts", ["slug"], '"deleted_at" is null')],
  });

  test("on, and off again: unique all the way", async () => {
    const on = await walk([plain], [soft], {
      rows: `insert into $.posts values (${id(1)}, 'a'), (${id(2)}, 'b')`,
      meanwhile: "insert into $.posts values (gen_random_uuid(), 'm#')",
    });
    expect(on.steps.some((step) => step.kind === "verify")).toBe(false);
    await on.query("update $.posts set deleted_at = now() where slug = 'a'");
    const off = await advance(on, [soft], [plain], { tag: "t2" });
    const kinds = off.steps.map((step) => step.id.slice(4));
    expect(kinds.indexOf("swap-unique-posts--slug--key")).toBeGreaterThan(kinds.indexOf("unique-posts--slug--key"));
    expect(await off.query("select count(*)::int from $.posts where slug in ('a', 'b')")).toEqual([[2]]);
  });
});

test("a release that is given up before its switch leaves nothing behind, wherever it stood", async () => {
  const kept = [
    table("owners"),
    table("listings", {
      columns: [required("code", "integer"), required("price", "text")],
      uniques: [unique("listings", ["code"])],
      indexes: [index("listings", ["price"])],
    }),
  ];
  const wanted = [
    table("owners"),
    table("notes", {
      columns: [optional("listing_id", "uuid")],
      foreignKeys: [references("notes", "listing_id", "listings")],
    }),
    table("listings", {
      columns: [
        required("code", "text"),
        required("price", "integer"),
        optional("owner_id", "uuid"),
        required("kind", "text", "'a'"),
      ],
      checks: [check("listings", "kind", { kind: "one_of", values: ["a"] })],
      uniques: [unique("listings", ["code"])],
      indexes: [index("listings", ["price"]), index("listings", ["owner_id"])],
      foreignKeys: [references("listings", "owner_id", "owners")],
    }),
  ];
  const names = await makeSchema(client, roles, `s${++schemas}`);
  await apply(client, plan(null, kept).plan, names);
  await client.query(`insert into ${names.schema}.listings values (${id(1)}, 1, '10'), (${id(2)}, 2, '20')`);
  const { plan: planned } = plan(kept, wanted);
  const before = await inspect(client, names);
  const count = planned.steps.filter(({ phase }) => phase === "before").length;
  expect(count).toBeGreaterThan(12);
  for (let done = 1; done <= count; done++) {
    await giveUp(client, planned, names, done);
    expect(await inspect(client, names), planned.steps[done - 1]?.id).toEqual(before);
  }
  await apply(client, planned, names);
  const { rows } = await client.query(`select code, price from ${names.schema}.listings order by code`);
  expect(rows).toEqual([
    { code: "1", price: 10 },
    { code: "2", price: 20 },
  ]);
});
