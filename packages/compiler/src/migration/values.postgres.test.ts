// Fields that change their type, and rules that are added or removed, on a real Postgres while both releases write.
import type { Check, Table } from "@plinth/bundle";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  apply,
  check,
  index,
  inspect,
  optional,
  plan,
  references,
  required,
  table,
  unique,
} from "./testing/sample-tables.ts";
import { id, openWalker, type Walker } from "./testing/walk.ts";

let walker: Walker;
const walk: Walker["walk"] = (...of) => walker.walk(...of);
const advance: Walker["advance"] = (...of) => walker.advance(...of);

beforeAll(async () => {
  walker = await openWalker();
});

afterAll(() => walker?.close());

describe("a field that changes its type", () => {
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

  test("is still written by the old release until the switch", async () => {
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

  test("is stopped by a value that can't be converted, before anything runs and at the switch", async () => {
    const bad = `${rows}; update $.things set price = 'dear' where code = 2`;
    await expect(walk([before], [after], { rows: bad })).rejects.toThrow(
      "1 of things have a price that is not a number with at most 6 digits before and 2 after the decimal point: 00000000-0000-7000-8000-000000000002 a price that",
    );
    await expect(
      walk([before], [after], { rows, meanwhile: "update $.things set price = 'dear' where code = 2" }),
    ).rejects.toThrow(
      "a record of things with a price that is not a number with at most 6 digits before and 2 after the decimal point was written",
    );
  });

  test("can change its name at the same time, and another column can take the old name", async () => {
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

test("can have the name of a variable in a PL/pgSQL block", async () => {
  const text = table("things", { columns: [optional("found", "text")] });
  const number = table("things", { columns: [optional("found", "integer")] });
  const { query } = await walk([text], [number], {
    rows: `insert into $.things values (${id(1)}, '7')`,
    meanwhile: "insert into $.things values (gen_random_uuid(), '8')",
  });
  expect(await query(`select found from $.things where id = ${id(1)}`)).toEqual([[7]]);
});

describe("a stricter rule", () => {
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

  test("is loosened again", async () => {
    const tight = await walk(before, after);
    await advance(tight, after, before, { tag: "t2" });
  });

  test.each([
    ["(1, null, 'a', null)", "1 of listings have no value for title: "],
    ["(1, 'tt', 'c', null)", "1 of listings have a status other than b, a: 00000000-0000-7000-8000-000000000001 c"],
    ["(1, 't', 'a', null)", "1 of listings have a title shorter than 2 or longer than 9"],
    [
      "(1, 'tt', 'a', null), (2, 'tt', 'a', null), (3, 'tt', 'a', null)",
      "2 of listings have the same title+status as another record: 00000000-0000-7000-8000-000000000001 the same as 2 more",
    ],
    [
      "(1, 'tt', 'a', 8)",
      "1 of listings have an owner_id that refers to no record of owners: 00000000-0000-7000-8000-000000000001 00000000",
    ],
    ["(1, 'tt', 'a', 9)", "1 of listings have no value for extra"],
  ])("%s prevents it", async (values, message) => {
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

describe("values that the old release writes after the verification", () => {
  const of = (nullable: boolean, rule: Check["rule"] | null) => [
    table("things", {
      columns: [{ ...required("title", "text"), nullable }],
      checks: rule === null ? [] : [check("things", "title", rule)],
    }),
  ];
  const added = [table("things", { columns: [optional("title", "text"), required("price", "integer")] })];
  const rows = `insert into $.things values (${id(1)}, 'a')`;

  test.each<[string, readonly Table[], string, string]>([
    ["a null", of(false, null), `update $.things set title = null`, "without a value for title"],
    ["a row", added, `insert into $.things values (${id(1)}, 'a') on conflict do nothing`, "without a value for price"],
    [
      "too long a text",
      of(true, { kind: "length", min: null, max: 3 }),
      `update $.things set title = 'long'`,
      "with a title longer than 3",
    ],
    [
      "another choice",
      of(true, { kind: "one_of", values: ["a", "b"] }),
      `update $.things set title = 'c'`,
      "with a title other than a, b",
    ],
  ])("%s stops the switch, and nothing is changed", async (_, after, meanwhile, told) => {
    const names = await walker.make(of(true, null));
    const catalog = await inspect(walker.client, names);
    const run = (sql: string) => walker.client.query(sql.replaceAll("$", names.schema));
    if (after !== added) await run(rows);
    const { plan: planned } = plan(of(true, null), after);
    const going = apply(walker.client, planned, names, {
      before: async (step) => void (step.kind === "verify" && (await run(meanwhile))),
    });
    await expect(going).rejects.toThrow(`a record of things ${told} was written during the deployment`);
    const left = (await inspect(walker.client, names)).filter((line) => !catalog.includes(line));
    // The leftovers of a failed attempt are removed by the runtime.
    expect(left.filter((line) => !/guard__|price/.test(line))).toEqual([]);
  });
});

describe("soft delete", () => {
  const plain = table("posts", { columns: [required("slug", "text")], uniques: [unique("posts", ["slug"])] });
  const soft = table("posts", {
    columns: [required("slug", "text"), optional("deleted_at", "timestamptz")],
    uniques: [unique("posts", ["slug"], '"deleted_at" is null')],
  });

  test("can be added and removed, and unique rules always apply", async () => {
    const on = await walk([plain], [soft], {
      rows: `insert into $.posts values (${id(1)}, 'a'), (${id(2)}, 'b')`,
      meanwhile: "insert into $.posts values (gen_random_uuid(), 'm#')",
    });
    expect(on.steps.some((step) => step.kind === "verify")).toBe(false);
    await on.query("update $.posts set deleted_at = now() where slug = 'a'");
    const off = await advance(on, [soft], [plain], { tag: "t2" });
    const kinds = off.steps.map((step) => step.id.slice(4));
    expect(kinds.indexOf("swap-unique-posts--slug--key")).toBeGreaterThan(kinds.indexOf("unique-posts--slug--key"));
    expect(await off.query("select count(*)::int from $.posts where slug in ('a', 'b')")).toEqual([[1]]);
  });
});
