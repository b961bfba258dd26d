// `soft_delete` removed and added again, on a real Postgres: a deleted record never becomes a live one.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createModelWalk, id, type ModelWalk, modelOf, propose } from "./testing/model-walk.ts";
import { openWalker, type Walker } from "./testing/walk.ts";

let walker: Walker;
let walk: ModelWalk;
beforeAll(async () => {
  walker = await openWalker();
  walk = createModelWalk(walker);
});
afterAll(() => walker?.close());

const soft = { options: ["soft_delete: true"] };
const fields = ["title: string unique", "rank: int?"];
const on = modelOf({ note: { fields, ...soft } });
const off = modelOf({ note: { fields } });
const rows = `insert into $.notes (id, title, rank, deleted_at) values
  (${id(1)}, 'x', 1, null), (${id(2)}, 'x', 2, now()), (${id(3)}, 'y', null, now())`;
const titles = "select right(id::text, 1), title from $.notes order by id";

test("without soft_delete, deleted records are set aside and prevent nothing", async () => {
  const names = await walk.started(on, rows);
  const setAside = await walk.go(names, on, off, {
    meanwhile: `insert into $.notes (id, title) values (('00000000-0000-7000-8000-' || lpad('#', 12, '5'))::uuid, 'new #'); update $.notes set deleted_at = now() where title like 'new%'`,
  });
  expect(await walk.run(names, titles)).toEqual([["1", "x"]]);
  const aside = setAside.find(({ table }) => table === "notes__deleted_at");
  const kept = await walk.run(
    names,
    `select title from $."${aside?.keptAs}" where title not like 'new%' order by title`,
  );
  expect(kept).toEqual([["x"], ["y"]]);
  const rest = { setAside, tag: "t2" };
  await walk.go(names, off, on, rest);
  await walk.run(names, `insert into $.notes (id, title) values (${id(4)}, 'y')`);
  expect(await walk.run(names, "select count(*)::int from $.notes where deleted_at is null")).toEqual([[2]]);
});

test("a rule that only deleted records violate stops nothing", async () => {
  const names = await walk.started(on, rows);
  await walk.go(names, on, modelOf({ note: { fields: ["title: string unique", "rank: int"] } }));
  expect(await walk.run(names, titles)).toEqual([["1", "x"]]);
});

test("old marks in restored data delete nothing", async () => {
  const names = await walk.started(off, `insert into $.notes (id, title) values (${id(1)}, 'x')`);
  await walk.run(
    names,
    `alter table $.notes add column aside__t0__deleted_at timestamptz; update $.notes set aside__t0__deleted_at = now()`,
  );
  const what = { kind: "column", table: "notes", column: "deleted_at", keptAs: "aside__t0__deleted_at" } as const;
  await walk.go(names, off, on, { setAside: [{ ...what, sqlType: "timestamptz", was: null }] });
  expect(await walk.run(names, "select count(*)::int from $.notes where deleted_at is null")).toEqual([[1]]);
});

const tree = (...softOnes: readonly string[]) => {
  const options = (name: string) => (softOnes.includes(name) ? soft : {});
  return modelOf({
    shelf: { fields: ["name: string", "parent_id: ref(shelf)?"], ...options("shelf") },
    book: { fields: ["shelf_id: ref(shelf)?"], ...options("book") },
  });
};
const shelves = `insert into $.shelves (id, name, parent_id, deleted_at) values (${id(1)}, 'a', null, now()), (${id(2)}, 'b', ${id(1)}, now());
  insert into $.books (id, shelf_id, deleted_at) values (${id(3)}, ${id(2)}, now())`;

test("a deleted record that is kept and refers to a removed one is counted", async () => {
  const [both, books] = [tree("shelf", "book"), tree("book")];
  const names = await walk.started(both, shelves);
  await expect(walk.go(names, both, books)).rejects.toThrow(
    /1 of books have a shelf_id that refers to a deleted record/,
  );
  await walk.go(names, both, tree());
  expect(await walk.run(names, "select count(*)::int from $.shelves")).toEqual([[0]]);
  expect(await walk.run(names, "select count(*)::int from $.books")).toEqual([[0]]);
});

test("the diff describes it, asks for consent, and the deleted records are counted", () => {
  const { changes, consents } = propose(on, off);
  expect(changes.find(({ path }) => path === "note.soft_delete")).toMatchObject({
    classes: ["destructive", "breaking"],
    counted: { table: "notes", column: "deleted_at", only: null, except: [] },
  });
  expect(consents).toContain("destructive note.soft_delete");
  const own = modelOf({ note: { fields: [...fields, "deleted_at: datetime?"] } });
  const shelf = propose(tree("shelf"), tree()).changes.find(({ path }) => path === "shelf.soft_delete");
  expect(shelf?.classes).toEqual(["destructive", "breaking", "data_dependent"]);
  expect(propose(on, own).refused.map(({ path }) => path)).toEqual(["note.soft_delete"]);
});
