// The description of a plan: phases, classes, locks, reasons. Other tests run plans on a real Postgres.
import type { Check, Column, MigrationStep, Table } from "@plinth/bundle";
import { describe, expect, test } from "vitest";
import {
  check,
  index,
  optional,
  type PlanOptions,
  plan,
  references,
  required,
  type TableParts,
  table,
  unique,
} from "./testing/sample-tables.ts";

const title = required("title", "text");

function told(before: TableParts | null, after: TableParts, options?: PlanOptions): readonly string[] {
  const { plan: planned, refused } = plan(
    before === null ? null : [table("listings", before)],
    [table("listings", after)],
    options,
  );
  expect(refused).toEqual([]);
  return planned.steps.map(tell);
}

/** `before safe access exclusive: add-column-listings-note` */
function tell(step: MigrationStep): string {
  const costs = [step.lock, ...(step.scans ? ["scans"] : []), ...(step.rewrites ? ["rewrites"] : [])].join(", ");
  return `${step.phase} ${step.class} ${costs}: ${step.id.slice(4)}`;
}

const has = (column: Column, ...checks: readonly Check[]): TableParts => ({ columns: [column], checks });

describe("every plan", () => {
  const before = [table("a", { columns: [title, optional("n", "integer")] }), table("b")];
  const after: readonly Table[] = [
    table("a", {
      columns: [title, required("n", "text")],
      uniques: [unique("a", ["title"])],
      indexes: [index("a", ["n"])],
    }),
    table("c", { columns: [optional("a_id", "uuid")], foreignKeys: [references("c", "a_id", "a")] }),
  ];

  test("of a first schema creates tables, then references", () => {
    const { plan: planned } = plan(null, after);
    expect(planned.steps.map(tell)).toEqual([
      "before safe none: create-table-a",
      "before safe none: create-table-c",
      "before safe none: reference-c-a-id",
    ]);
    expect(planned.steps.map(({ id }) => id.slice(0, 4))).toEqual(["001-", "002-", "003-"]);
  });

  test("from a schema to itself is empty", () => {
    expect(plan(after, structuredClone(after))).toEqual({ plan: { steps: [] }, refused: [] });
  });

  test("is the same for the same change, and verifies before it changes anything", () => {
    const { steps } = plan(before, after).plan;
    expect(plan(structuredClone(before), structuredClone(after)).plan.steps).toEqual(steps);
    const kinds = steps.map(({ kind }) => kind);
    expect(kinds.lastIndexOf("verify")).toBe(kinds.filter((kind) => kind === "verify").length - 1);
    const phases = steps.map(({ phase }) => ["before", "switch", "after"].indexOf(phase));
    expect(phases).toEqual([...phases].sort());
    expect(new Set(steps.map(({ id }) => id)).size).toBe(steps.length);
  });

  test("says what each step does and how it is undone", () => {
    for (const step of plan(before, after).plan.steps) {
      expect(step.summary, step.id).toMatch(/^[A-Z].*\.$/);
      expect(step.undo, step.id).toMatch(/^[A-Z].*\.$/);
      expect(["a", "b", null], step.id).toContain(step.table);
      if (step.kind === "statement" && !step.transactional) expect(step.phase, step.id).not.toBe("switch");
      if (step.phase === "switch") expect([step.scans, step.rewrites], step.id).toEqual([false, false]);
    }
  });

  test("takes no lock that blocks writers while it reads all rows", () => {
    for (const step of plan(before, after).plan.steps)
      if (step.scans) expect(["none", "row exclusive", "share update exclusive"], step.id).toContain(step.lock);
  });
});

describe("columns", () => {
  test("optional, with a default, required", () => {
    expect(
      told({}, { columns: [optional("a", "text"), required("b", "integer", "0"), required("c", "text")] }),
    ).toEqual([
      "before data_dependent none, scans: verify-present-listings-c",
      "before safe access exclusive: add-column-listings-a",
      "before safe access exclusive: add-column-listings-b",
      "before safe access exclusive: add-column-listings-c",
      "before online share update exclusive, scans: guard-index-present-listings-c",
      "switch data_dependent access exclusive: guard-present-listings-c",
      "switch data_dependent access exclusive: require-listings-c",
      "after online share update exclusive, scans: validate-present-listings-c",
      "after safe access exclusive: not-null-listings-c",
    ]);
  });

  test("made optional, with another default, dropped", () => {
    expect(told(has(required("a", "integer", "1")), has(optional("a", "integer", "2")))).toEqual([
      "switch safe access exclusive: relax-listings-a",
      "switch safe access exclusive: default-listings-a",
    ]);
    expect(told(has(optional("a", "integer")), {})).toEqual([
      "switch destructive access exclusive: set-aside-listings-a",
    ]);
  });

  test("set aside under a name that Postgres accepts, however long their name is", () => {
    const long = "x".repeat(60);
    const { plan: planned } = plan([table("listings", has(optional(long, "text"))), table(long)], [table("listings")], {
      tag: "r_0123456789",
    });
    const names = planned.steps.flatMap((step) => (step.kind === "set_aside" ? [step.what.keptAs] : []));
    expect(names).toHaveLength(2);
    for (const name of names) expect(name).toMatch(/^aside__r_0123456789__x+__[0-9a-f]{8}$/);
    for (const name of names) expect(name.length).toBeLessThanOrEqual(63);
  });

  test("a rename and further changes of the same column are one plan", () => {
    const before = has(optional("a", "text"), check("listings", "a", { kind: "length", min: null, max: 9 }));
    const after = has(required("b", "text", "'x'"), check("listings", "b", { kind: "length", min: null, max: 20 }));
    expect(told(before, after, { columns: { listings: { a: "b" } } })).toEqual([
      "before data_dependent none, scans: verify-present-listings-b",
      "before online share update exclusive, scans: guard-index-present-listings-b",
      "switch data_dependent access exclusive: guard-present-listings-b",
      "switch safe access exclusive: drop-check-listings--a--check",
      "switch safe access exclusive: rename-columns-listings",
      "switch safe access exclusive: default-listings-b",
      "switch data_dependent access exclusive: require-listings-b",
      "switch online access exclusive: add-check-listings--b--check",
      "after online share update exclusive, scans: validate-present-listings-b",
      "after online share update exclusive, scans: validate-listings--b--check",
      "after safe access exclusive: not-null-listings-b",
    ]);
  });

  test("a rename of a missing column does nothing", () => {
    expect(
      told(has(title), has(title), { tables: { x: "listings" }, columns: { listings: { y: "title" }, z: { a: "b" } } }),
    ).toEqual([]);
  });
});

describe("types", () => {
  test.each([
    ["integer", "bigint"],
    ["numeric(8,2)", "numeric(9,4)"],
    ["text", "integer"],
    ["text", "text[]"],
  ])("%s becomes %s in a new column", (from, to) => {
    const steps = told(has(optional("a", from)), has(optional("a", to)));
    expect(steps).toContain("before backfill row exclusive, scans, rewrites: convert-listings");
    expect(steps).toContain("switch rewrite access exclusive: set-aside-listings-a");
    expect(
      steps.some((step) => step.includes("guard")) ||
        !["text>integer", "numeric(8,2)>numeric(9,4)"].includes(`${from}>${to}`),
    ).toBe(true);
  });

  test("more digits before the point only change the catalogue, unless an index would be rebuilt", () => {
    const change = (parts: TableParts) =>
      told(
        { ...parts, columns: [optional("a", "numeric(8,2)")] },
        { ...parts, columns: [optional("a", "numeric(12,2)")] },
      );
    expect(change({ uniques: [unique("listings", ["a"])] })).toEqual([
      "switch safe access exclusive: retype-listings-a",
    ]);
    expect(change({ uniques: [unique("listings", ["a"], '"a" > 0')] })).toContain(
      "before backfill row exclusive, scans, rewrites: convert-listings",
    );
  });

  test.each([
    ["jsonb", "integer"],
    ["text", "jsonb"],
    ["point", "text"],
    ["date", "integer"],
    ["vector(3)", "vector(4)"],
    ["uuid", "integer"],
    ["integer[]", "date[]"],
  ])("%s can't become %s", (from, to) => {
    const { plan: planned, refused } = plan(
      [table("listings", has(optional("a", from)))],
      [table("listings", has(optional("a", to)))],
    );
    expect(planned.steps).toEqual([]);
    expect(refused.map(({ path }) => path)).toEqual(["listings.a"]);
    expect(refused[0]?.reason).toMatch(/no conversion .* Add a new field of the new type/);
  });

  test("all refusals are reported at once", () => {
    const parts = (type: string): TableParts => ({ columns: [optional("a", type), optional("b", type)] });
    expect(plan([table("listings", parts("point"))], [table("listings", parts("date"))]).refused).toHaveLength(2);
  });
});

describe("an encrypted field", () => {
  const open = optional("token", "text");
  const secret: Column = { ...open, encrypted: true };
  const [plain, encrypted] = [[table("listings", has(open))], [table("listings", has(secret))]];

  test("never gets the value of another column, and no other column gets its value", () => {
    const reasons = [plan(plain, encrypted), plan(encrypted, plain)].map(({ refused }) => refused[0]?.reason);
    expect(reasons[0]).toMatch(/^listings\.token can't become a secret: .* Add a new field of the new type/);
    expect(reasons[1]).toMatch(/^listings\.token can't stop being a secret: .* Add a new field of the new type/);
    const moved = { columns: { listings: { token: "word" } } };
    const word = [table("listings", has(optional("word", "text")))];
    expect(plan(encrypted, word, moved).refused).toHaveLength(1);
    expect(plan(encrypted, encrypted).refused).toEqual([]);
  });

  test("is only restored as an encrypted field", () => {
    const without = [table("listings")];
    const kept = (before: readonly Table[]) =>
      plan(before, without).plan.steps.flatMap((step) => (step.kind === "set_aside" ? [step.what] : []));
    const kinds = (after: readonly Table[], of: readonly Table[]) =>
      plan(without, after, { setAside: kept(of) }).plan.steps.map(({ kind }) => kind);
    expect(kinds(encrypted, encrypted)).toEqual(["restore"]);
    expect(kinds(plain, encrypted)).toEqual(["statement"]);
    expect(kinds(encrypted, plain)).toEqual(["statement"]);
    const gone = (before: readonly Table[]) =>
      plan(before, []).plan.steps.flatMap((step) => (step.kind === "set_aside" ? [step.what] : []));
    expect(plan([], encrypted, { setAside: gone(encrypted) }).plan.steps.map(({ kind }) => kind)).toContain("restore");
    expect(plan([], encrypted, { setAside: gone(plain) }).plan.steps.map(({ kind }) => kind)).not.toContain("restore");
  });
});

describe("rules", () => {
  const status = (...values: readonly string[]) =>
    has(required("a", "text"), check("listings", "a", { kind: "one_of", values }));

  test("one more value needs no check of the rows; one less does", () => {
    expect(told(status("x"), status("y", "x"))).toEqual([
      "switch safe access exclusive: drop-check-listings--a--check",
      "switch online access exclusive: add-check-listings--a--check",
      "after online share update exclusive, scans: validate-listings--a--check",
    ]);
    expect(told(status("x", "y"), status("x"))[0]).toBe(
      "before data_dependent none, scans: verify-check-listings--a--check",
    );
    expect(told(status("x", "y"), status("y", "x"))).toEqual([]);
  });

  test.each<[string, Check["rule"], Check["rule"], boolean]>([
    ["a longer text", { kind: "length", min: 1, max: 9 }, { kind: "length", min: null, max: 10 }, true],
    ["a shorter text", { kind: "length", min: null, max: 9 }, { kind: "length", min: null, max: 8 }, false],
    ["a least length", { kind: "length", min: null, max: 9 }, { kind: "length", min: 1, max: 9 }, false],
    ["a wider range", { kind: "range", min: "-9.5", max: "10" }, { kind: "range", min: "-10", max: "100" }, true],
    ["a narrower range", { kind: "range", min: "2", max: null }, { kind: "range", min: "10", max: null }, false],
    ["an end to a range", { kind: "range", min: "2", max: null }, { kind: "range", min: "2", max: "3" }, false],
    [
      "an earlier day",
      { kind: "range", min: "2024-02-01", max: null },
      { kind: "range", min: "2024-01-31", max: null },
      true,
    ],
    ["a longer time", { kind: "range", min: null, max: "PT9M" }, { kind: "range", min: null, max: "PT10M" }, false],
    ["more members", { kind: "subset_of", values: ["a"] }, { kind: "subset_of", values: ["b", "a"] }, true],
    ["another kind", { kind: "length", min: null, max: 9 }, { kind: "one_of", values: ["a"] }, false],
  ])("%s", (_, from, to, wider) => {
    const steps = told(has(title, check("listings", "title", from)), has(title, check("listings", "title", to)));
    expect(steps.some((step) => step.includes("verify"))).toBe(!wider);
  });

  test("unique rules and indexes never block writers", () => {
    const both: TableParts = {
      columns: [title],
      uniques: [unique("listings", ["title"])],
      indexes: [index("listings", ["title", "id"])],
    };
    expect(told({ columns: [title] }, both)).toEqual([
      "before data_dependent none, scans: verify-unique-listings--title--key",
      "before online share update exclusive, scans: index-listings--title--id--idx",
      "after data_dependent share update exclusive, scans: unique-listings--title--key",
    ]);
    expect(told(both, { columns: [title] })).toEqual([
      "switch safe access exclusive: drop-unique-listings--title--key",
      "after online share update exclusive: drop-index-listings--title--id--idx",
    ]);
    const { plan: planned } = plan([table("listings", { columns: [title] })], [table("listings", both)]);
    const builds = planned.steps.filter((step) => step.kind === "statement" && !step.transactional);
    expect(builds.map((step) => step.kind === "statement" && step.cleanup)).toEqual([
      'drop index concurrently if exists {schema}."listings__title__id__idx"',
      'drop index concurrently if exists {schema}."listings__title__key"',
    ]);
  });

  test("a wider unique rule follows from a narrower one", () => {
    const uniques = (...columns: readonly string[]): TableParts => ({
      columns: [title, required("n", "integer")],
      uniques: [unique("listings", columns)],
    });
    expect(told(uniques("title"), uniques("n", "title")).filter((step) => step.includes("verify"))).toEqual([]);
    expect(told(uniques("n", "title"), uniques("title"))).toContain(
      "before data_dependent none, scans: verify-unique-listings--title--key",
    );
  });

  test("another delete rule needs no check of the rows; another target does", () => {
    const to = (target: string, onDelete: "cascade" | "no action") =>
      table("listings", {
        columns: [optional("x_id", "uuid")],
        foreignKeys: [references("listings", "x_id", target, onDelete)],
      });
    const rest = [table("xs"), table("ys")];
    const steps = (after: Table) => plan([...rest, to("xs", "no action")], [...rest, after]).plan.steps.map(tell);
    expect(steps(to("xs", "cascade"))).toEqual([
      "switch safe access exclusive: drop-reference-listings--x-id--fkey",
      "switch online share row exclusive: reference-listings-x-id",
      "after online share update exclusive, scans: validate-listings--x-id--fkey",
    ]);
    expect(steps(to("ys", "no action"))[0]).toBe("before data_dependent none, scans: verify-reference-listings-x-id");
  });
});

describe("tables", () => {
  test("a join table between other entities is another table", () => {
    const pairs = (other: string) =>
      table("a__bs", { primaryKey: ["a_id", other], columns: [required("a_id", "uuid"), required(other, "uuid")] });
    expect(plan([pairs("b_id")], [pairs("c_id")]).plan.steps.map(tell)).toEqual([
      "switch destructive access exclusive: set-aside-a--bs",
      "switch safe none: create-table-a--bs",
    ]);
  });

  test("the worker's rights on the rows", () => {
    const [may, maynot] = [table("a"), { ...table("a"), privileges: ["select", "insert"] as const }];
    expect(plan([may], [maynot]).plan.steps.map((step) => step.kind === "statement" && step.sql)).toEqual([
      'revoke update, delete on {schema}."a" from {worker};',
    ]);
    expect(plan([maynot], [may]).plan.steps.map((step) => step.kind === "statement" && step.sql)).toEqual([
      'grant update, delete on {schema}."a" to {worker};',
    ]);
  });

  test("a table that is set aside is only restored if it fits", () => {
    const old = table("a", { columns: [title] });
    const setAside = plan([old], []).plan.steps.flatMap((step) => (step.kind === "set_aside" ? [step.what] : []));
    expect(plan([], [old], { setAside }).plan.steps.map(({ id }) => id)).toEqual([
      "001-restore-a",
      "002-rename-indexes-a",
      "003-grant-a",
    ]);
    expect(
      plan([], [table("a", { columns: [optional("title", "integer")] })], { setAside }).plan.steps.map(({ id }) => id),
    ).toEqual(["001-create-table-a"]);
  });
});
