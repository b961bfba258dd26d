// Added, removed and renamed exclusions on a real Postgres: they apply to existing and to new rows, and violators are
// reported before anything runs.
import type { Column, Exclusion, MigrationStep, Table } from "@plinth/bundle";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { quoteIdentifier as q } from "../sql/sql-text.ts";
import { apply, check, inspect, optional, plan, required, table } from "./testing/sample-tables.ts";
import { asideOf, id, openWalker, type Walker } from "./testing/walk.ts";

let walker: Walker;

beforeAll(async () => {
  walker = await openWalker();
  await walker.client.query("create schema extensions; create extension btree_gist with schema extensions");
});
afterAll(() => walker?.close());

function exclusion(of: string, parts: Partial<Exclusion> = {}): Exclusion {
  const [same, from, to] = [["room"], "starts", "ends"];
  const over = { same, rangeType: "int4range", from, to, where: null, ...parts };
  const guard = `_guard_${over.same.join("_")}_${over.from}`;
  return { name: `${of}__once__excl`, guard, ...over };
}

const columns = [optional("room", "text"), optional("starts", "integer"), optional("ends", "integer")];
const bookings = ({ columns: own = columns, ...parts }: Partial<Table> = {}, name = "bookings"): Table => ({
  ...table(name, { columns: own }),
  ...parts,
});
const guarded = bookings({ exclusions: [exclusion("bookings")] });

const overlaps = expect.objectContaining({ code: "23P01" });

describe("an exclusion of a filled table", () => {
  const rows = `insert into $.bookings values (${id(1)}, 'a', 1, 5), (${id(2)}, 'a', 5, 9), (${id(3)}, 'b', 1, 5), (${id(4)}, null, 1, 5)`;

  test("applies to existing records, to records written during the change, and to later ones", async () => {
    const { query } = await walker.walk([bookings()], [guarded], {
      rows,
      meanwhile: `insert into $.bookings values (gen_random_uuid(), 'old #', 1, 2)`,
    });
    await query("insert into $.bookings values (gen_random_uuid(), 'new', 1, 2)");
    const written = (await query("select room from $.bookings where room like 'old%' or room like 'new%'")) as [
      string,
    ][];
    expect(new Set(written.map(([room]) => room.slice(0, 3)))).toEqual(new Set(["old", "new"]));
    for (const taken of ["'a', 4, 6", ...written.map(([room]) => `'${room}', 0, null`)]) {
      const insert = query(`insert into $.bookings values (gen_random_uuid(), ${taken})`);
      await expect(insert, taken).rejects.toEqual(overlaps);
    }
    await query("insert into $.bookings values (gen_random_uuid(), 'a', 9, 10), (gen_random_uuid(), null, 1, 5)");
  });

  test("never lets the new release write overlapping records", async () => {
    const { names } = await walker.walk([bookings()], [bookings()], { rows });
    let served = 0;
    const attempt = async ({ phase }: MigrationStep): Promise<void> => {
      if (phase !== "after") return;
      served++;
      const insert = `insert into ${names.schema}.bookings values (gen_random_uuid(), 'a', 4, 6)`;
      await expect(walker.client.query(insert)).rejects.toEqual(overlaps);
    };
    const wider = bookings({
      exclusions: guarded.exclusions ?? [],
      checks: [check("bookings", "starts", { kind: "range", min: "-9", max: null })],
    });
    await apply(walker.client, plan([bookings()], [wider]).plan, names, { before: attempt, after: attempt });
    expect(served).toBeGreaterThan(0);
  });

  test("stops the deployment before the switch if the old release writes overlapping records", async () => {
    const { names } = await walker.walk([bookings()], [bookings()], { rows });
    const reached: MigrationStep[] = [];
    const meanwhile = async (step: MigrationStep): Promise<void> => {
      reached.push(step);
      if (!step.id.includes("add-exclusion")) return;
      await walker.client.query(`insert into ${names.schema}.bookings values (gen_random_uuid(), 'a', 4, 6)`);
    };
    const steps = plan([bookings()], [guarded]).plan;
    await expect(apply(walker.client, steps, names, { before: meanwhile, after: async () => {} })).rejects.toEqual(
      overlaps,
    );
    expect(reached.at(-1)?.phase).toBe("before");
  });

  test("follows renames, and leaves nothing behind", async () => {
    const first = await walker.walk([bookings()], [guarded], { rows });
    const named = [optional("hall", "text"), optional("begins", "integer"), optional("ends", "integer")];
    const other = exclusion("visits", { same: ["hall"], from: "begins" });
    const visits = bookings({ columns: named, exclusions: [other] }, "visits");
    const renames = { tables: { bookings: "visits" }, columns: { visits: { room: "hall", starts: "begins" } } };
    const second = await walker.advance(first, [guarded], [visits], renames);
    expect(second.steps.some(({ kind }) => kind === "backfill")).toBe(false);
    const insert = second.query("insert into $.visits values (gen_random_uuid(), 'a', 2, 3)");
    await expect(insert).rejects.toEqual(overlaps);
    const third = await walker.advance(second, [visits], [bookings({ columns: named }, "visits")]);
    await third.query("insert into $.visits values (gen_random_uuid(), 'a', 2, 3)");
  });

  test("is restored with a table that was set aside", async () => {
    const first = await walker.walk([bookings()], [guarded], { rows });
    const gone = await walker.advance(first, [guarded], []);
    const back = await walker.advance(gone, [], [guarded], { setAside: asideOf(gone.steps) });
    const insert = back.query("insert into $.bookings values (gen_random_uuid(), 'a', 2, 3)");
    await expect(insert).rejects.toEqual(overlaps);
  });

  test("that replaces another never allows an overlap in between", async () => {
    const first = await walker.walk([bookings()], [guarded], { rows });
    const where = `${q("room")} <> 'z'`;
    const other = bookings({ exclusions: [{ ...exclusion("bookings", { where }), guard: "_guard_other" }] });
    const { steps } = plan([guarded], [other]).plan;
    let refused = 0;
    const attempt = async (): Promise<void> => {
      const insert = first.query("insert into $.bookings values (gen_random_uuid(), 'a', 4, 6)");
      await expect(insert).rejects.toEqual(overlaps);
      refused++;
    };
    await apply(walker.client, { steps }, first.names, { before: attempt, after: attempt });
    expect(refused).toBeGreaterThan(2);
    await attempt();
    await first.query("insert into $.bookings values (gen_random_uuid(), 'z', 1, 5), (gen_random_uuid(), 'z', 1, 5)");
    const fresh = await walker.make([other]);
    expect(await inspect(walker.client, first.names)).toEqual(await inspect(walker.client, fresh));
  });

  test("of other columns is another exclusion", async () => {
    const first = await walker.walk([bookings()], [guarded], { rows });
    const where = `${q("room")} <> 'a'`;
    const narrower = bookings({ exclusions: [{ ...exclusion("bookings", { where }), guard: "_guard_other" }] });
    const { query } = await walker.advance(first, [guarded], [narrower]);
    await query("insert into $.bookings values (gen_random_uuid(), 'a', 2, 3)");
    await expect(query("insert into $.bookings values (gen_random_uuid(), 'b', 2, 3)")).rejects.toEqual(overlaps);
  });
});

describe("names that another object still has", () => {
  const rows = `insert into $.bookings values (${id(1)}, 'a', 1, 5), (${id(2)}, 'a', 5, 9)`;
  const taken = "insert into $.bookings values (gen_random_uuid(), 'a', 2, 3)";

  test("an exclusion of converted columns", async () => {
    const larger = [optional("room", "text"), optional("starts", "bigint"), optional("ends", "bigint")];
    const other = { ...exclusion("bookings", { rangeType: "int8range" }), guard: "_guard_larger" };
    const { query } = await walker.walk([guarded], [bookings({ columns: larger, exclusions: [other] })], { rows });
    await expect(query(taken)).rejects.toEqual(overlaps);
  });

  test("the guard of columns that swap names", async () => {
    const [room, starts, ends] = columns as [Column, Column, Column];
    const swapped = bookings({ columns: [room, ends, starts], exclusions: [exclusion("bookings")] });
    const renames = { columns: { bookings: { starts: "ends", ends: "starts" } } };
    const standing = `insert into $.bookings values (${id(1)}, 'a', 3, 3)`;
    const { query } = await walker.walk([guarded], [swapped], { ...renames, rows: standing });
    await query("update $.bookings set starts = 1");
    await expect(
      query("insert into $.bookings (id, room, starts, ends) values (gen_random_uuid(), 'a', 2, 3)"),
    ).rejects.toEqual(overlaps);
  });

  test("tables that swap names", async () => {
    const visits = bookings({ exclusions: [{ ...exclusion("visits"), guard: "_guard_visits" }] }, "visits");
    const exchanged = [
      bookings({ exclusions: [{ ...exclusion("bookings"), guard: "_guard_visits" }] }),
      bookings({ exclusions: [{ ...exclusion("visits"), guard: exclusion("bookings").guard }] }, "visits"),
    ];
    const renames = { tables: { bookings: "visits", visits: "bookings" } };
    const { query } = await walker.walk([guarded, visits], exchanged, { ...renames, rows });
    await expect(query(taken.replace("bookings", "visits"))).rejects.toEqual(overlaps);
    await query(taken);
  });
});

test("a new column of the exclusion starts with its default", async () => {
  const wider = [...columns, required("floor", "integer", "1")];
  const after = bookings({ columns: wider, exclusions: [exclusion("bookings", { same: ["room", "floor"] })] });
  const { query } = await walker.walk([bookings()], [after], {
    rows: `insert into $.bookings values (${id(1)}, 'a', 1, 5)`,
  });
  const insert = query("insert into $.bookings (id, room, starts, ends) values (gen_random_uuid(), 'a', 1, 2)");
  await expect(insert).rejects.toEqual(overlaps);
});

type Range = readonly [room: string | null, from: number | null, to: number | null];

/** Like ranges in Postgres: an empty one overlaps nothing, and a missing end is open. */
function meet([room, from, to]: Range, [other, begin, end]: Range): boolean {
  const isEmpty = (a: number | null, b: number | null): boolean => a !== null && b !== null && a >= b;
  if (room === null || room !== other || isEmpty(from, to) || isEmpty(begin, end)) return false;
  return (from ?? -99) < (end ?? 99) && (begin ?? -99) < (to ?? 99);
}

test("overlapping records are found in any set of rows", async () => {
  const names = await walker.make([bookings()]);
  const step = plan([bookings()], [guarded]).plan.steps.find(({ kind }) => kind === "verify") as Extract<
    MigrationStep,
    { readonly kind: "verify" }
  >;
  const run = async (sql: string): Promise<readonly unknown[][]> =>
    (await walker.client.query({ text: sql.replaceAll("{schema}", names.schema), rowMode: "array" })).rows;
  const moment = fc.option(fc.integer({ min: 0, max: 9 }));
  const range = fc.tuple(fc.constantFrom("a", "b", null), moment, moment).filter(([, from, to]) => {
    return from === null || to === null || from <= to;
  });
  await fc.assert(
    fc.asyncProperty(fc.array(range, { maxLength: 8 }), async (ranges) => {
      await run(`truncate {schema}.bookings`);
      for (const [at, one] of ranges.entries()) {
        const values = one.map((value) => (value === null ? "null" : typeof value === "string" ? `'${value}'` : value));
        await run(`insert into {schema}.bookings values (${id(at + 1)}, ${values.join(", ")})`);
      }
      const pairs = ranges.flatMap((one, at) => ranges.slice(at + 1).map((other) => meet(one, other)));
      const [[count]] = (await run(step.count)) as [[string]];
      expect(Number(count) > 0).toBe(pairs.includes(true));
      expect((await run(step.sample)).length > 0).toBe(pairs.includes(true));
    }),
    { numRuns: 200 },
  );
});
