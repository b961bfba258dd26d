// Going back to a blueprint from before a rename, on a real Postgres: the values of the renamed field return under its
// former name.
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

const notes = (...fields: readonly string[]) => modelOf({ note: { fields } });

test("a field goes back to its former name with its values", async () => {
  const [a, b] = [notes("title: string"), notes("heading: string was(title)")];
  const names = await walk.started(a, `insert into $.notes (id, title) values (${id(1)}, 'x')`);
  await walk.go(names, a, b);
  await walk.run(names, `insert into $.notes (id, heading) values (${id(2)}, 'y')`);
  await walk.go(names, b, a, { tag: "t2" });
  expect(await walk.run(names, "select title from $.notes order by id")).toEqual([["x"], ["y"]]);
});

test("a field that was renamed and converted goes back, too", async () => {
  const [a, b] = [notes("size: string"), notes("bytes: int was(size)")];
  const names = await walk.started(a, `insert into $.notes (id, size) values (${id(1)}, '12')`);
  const setAside = await walk.go(names, a, b);
  await walk.run(names, `update $.notes set bytes = 13`);
  await walk.go(names, b, a, { setAside, tag: "t2" });
  expect(await walk.run(names, "select size from $.notes")).toEqual([["13"]]);
});

test("an entity goes back to its former name with its records and links", async () => {
  const tag = { fields: ["name: string"] };
  const a = modelOf({ tag, note: { fields: ["title: string", "tag_ids: refs(tag)"] } });
  const b = modelOf({ tag, memo: { fields: ["title: string", "tag_ids: refs(tag)"], options: ["was: note"] } });
  const names = await walk.started(a, `insert into $.notes (id, title) values (${id(1)}, 'x')`);
  await walk.go(names, a, b);
  await walk.run(
    names,
    `insert into $.tags (id, name) values (${id(9)}, 't'); insert into $.memos__tag_ids values (${id(1)}, ${id(9)})`,
  );
  await walk.go(names, b, a, { tag: "t2" });
  expect(await walk.run(names, "select count(*)::int from $.notes join $.notes__tag_ids on note_id = id")).toEqual([
    [1],
  ]);
});

test("it is reported as a rename, and nothing is set aside", () => {
  const { changes, consents } = propose(notes("heading: string was(title)"), notes("title: string"));
  expect(changes.map(({ kind, path }) => `${kind} ${path}`)).toContain("field_renamed note.title");
  expect(consents.filter((consent) => consent.startsWith("destructive"))).toEqual([]);
});

test("a rename from a field that stays is refused if its own rename has already been carried out", () => {
  const live = notes("title: string was(name)");
  const { refused } = propose(live, notes("title: string was(name)", "heading: string? was(title)"));
  expect(refused).toEqual([
    {
      path: "note.heading",
      reason:
        "`heading` of `note` can't be what `title` was before: `title` stays, and its own `was(name)` has already been carried out. Remove `was(title)`, or the field `title`.",
    },
  ]);
});
