// A reference becomes a list of links, and the other way round, on a real Postgres while the old release writes.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createModelWalk, id, type ModelWalk, modelOf, propose } from "./testing/model-walk.ts";
import { openWalker, type Walker } from "./testing/walk.ts";

let walker: Walker;
let walk: ModelWalk;
beforeAll(async () => {
  walker = await openWalker();
  walk = createModelWalk(walker);
});
afterAll(() => walker?.close());

const tag = { fields: ["name: string"] };
const withField = (field: string) => modelOf({ tag, note: { fields: ["title: string", field] } });
const one = withField("label: ref(tag)?");
const required = withField("label: ref(tag)");
const many = withField("label: refs(tag)");

const tags = `insert into $.tags (id, name) values (${id(1)}, 'a'), (${id(2)}, 'b'), (${id(3)}, 'c');`;
const notes = `${tags} insert into $.notes (id, title, label) values (${id(11)}, 'x', ${id(1)}), (${id(12)}, 'y', null), (${id(13)}, 'z', ${id(1)})`;
const links = "select right(note_id::text, 2), right(tag_id::text, 1) from $.notes__label order by 1, 2";
const labels = "select right(id::text, 2), right(label::text, 1) from $.notes order by 1";

describe("a reference that becomes a list", () => {
  test("keeps the reference of each record as one link", async () => {
    const names = await walk.started(one, notes);
    await walk.go(names, one, many);
    expect(await walk.run(names, links)).toEqual([
      ["11", "1"],
      ["13", "1"],
    ]);
  });

  test("follows writes of the old release during the change", async () => {
    const names = await walk.started(one, notes);
    await walk.go(names, one, many, {
      meanwhile: [
        "insert into $.notes (id, title, label) values (('00000000-0000-7000-8000-' || lpad('#' || '0', 12, '5'))::uuid, 'new', '00000000-0000-7000-8000-000000000002')",
        `update $.notes set label = ${id(2)} where id = ${id(11)}`,
        `update $.notes set label = null where id = ${id(13)}`,
        `update $.notes set label = ${id(3)} where id = ${id(12)}`,
        `delete from $.notes where title = 'new' and random() < 0.3`,
      ].join(";"),
    });
    const found = await walk.run(
      names,
      `${links.split(" order")[0]} where note_id < '00000000-0000-7000-8000-000000000099' order by 1`,
    );
    expect(found).toEqual([
      ["11", "2"],
      ["12", "3"],
    ]);
    const [[made]] = (await walk.run(names, "select count(*)::int from $.notes where title = 'new'")) as [[number]];
    const [[linked]] = (await walk.run(
      names,
      "select count(*)::int from $.notes__label where tag_id = '00000000-0000-7000-8000-000000000002'",
    )) as [[number]];
    expect(linked).toBe(made + 1);
  });

  test("can have a new name", async () => {
    const names = await walk.started(one, notes);
    await walk.go(names, one, withField("marks: refs(tag) was(label)"));
    expect(await walk.run(names, links.replace("notes__label", "notes__marks"))).toHaveLength(2);
  });

  test("is shown in the diff, and needs no consent to a loss", () => {
    const { changes, consents } = propose(one, many);
    expect(changes.find(({ path }) => path === "note.label")).toMatchObject({
      kind: "field_changed",
      classes: ["breaking", "rewrite"],
    });
    expect(consents.filter((consent) => consent.startsWith("destructive"))).toEqual([]);
  });
});

describe("a list that becomes a reference", () => {
  const linked = (...pairs: readonly (readonly [number, number])[]): string =>
    `${tags} insert into $.notes (id, title) values (${id(11)}, 'x'), (${id(12)}, 'y'); ${pairs.map(([note, to]) => `insert into $.notes__label (note_id, tag_id) values (${id(note)}, ${id(to)})`).join(";")}`;

  test("keeps the one link of each record", async () => {
    const names = await walk.started(many, linked([11, 2]));
    await walk.go(names, many, one);
    expect(await walk.run(names, labels)).toEqual([
      ["11", "2"],
      ["12", null],
    ]);
  });

  test("stops before anything runs if a record has more than one link", async () => {
    const names = await walk.started(many, linked([11, 1], [11, 2], [12, 1]));
    await expect(walk.go(names, many, one)).rejects.toThrow(
      /1 of notes have more than one link in label: .*0011 2 links/,
    );
    expect(await walk.run(names, links)).toHaveLength(3);
  });

  test("stops if it becomes required, and a record has no link", async () => {
    const names = await walk.started(many, linked([11, 1]));
    await expect(walk.go(names, many, required)).rejects.toThrow(/1 of notes have no value for label: .*0012/);
    await walk.run(names, `insert into $.notes__label values (${id(12)}, ${id(3)})`);
    await walk.go(names, many, required);
    expect(await walk.run(names, labels)).toEqual([
      ["11", "1"],
      ["12", "3"],
    ]);
  });

  test("follows links that the old release adds and removes during the change", async () => {
    const names = await walk.started(many, linked([11, 1]));
    await walk.go(names, many, one, {
      meanwhile: [
        `delete from $.notes__label where note_id = ${id(11)}`,
        `insert into $.notes__label values (${id(11)}, ${id(3)})`,
        `insert into $.notes__label values (${id(12)}, ${id(2)}) on conflict do nothing`,
      ].join(";"),
    });
    expect(await walk.run(names, labels)).toEqual([
      ["11", "3"],
      ["12", "2"],
    ]);
  });

  test("stops at the switch if the old release has added a second link", async () => {
    const names = await walk.started(many, linked([11, 1]));
    const meanwhile = `insert into $.notes__label values (${id(11)}, ${id(3)}) on conflict do nothing`;
    await expect(walk.go(names, many, one, { meanwhile })).rejects.toThrow(/with more than one link in label/);
    expect(await walk.run(names, links)).toHaveLength(2);
  });
});

test("can be changed back, and links from in between count", async () => {
  const names = await walk.started(one, notes);
  const kept = await walk.go(names, one, many);
  await walk.run(names, `update $.notes__label set tag_id = ${id(3)} where note_id = ${id(11)}`);
  const keptToo = await walk.go(names, many, one, { setAside: kept, tag: "t2" });
  expect(await walk.run(names, labels)).toEqual([
    ["11", "3"],
    ["12", null],
    ["13", "1"],
  ]);
  await walk.run(names, `update $.notes set label = ${id(2)} where id = ${id(12)}`);
  await walk.go(names, one, many, { setAside: [...kept, ...keptToo], tag: "t3" });
  expect(await walk.run(names, links)).toEqual([
    ["11", "3"],
    ["12", "2"],
    ["13", "1"],
  ]);
});

test("links to another entity are not converted", () => {
  const other = modelOf({ tag, mark: tag, note: { fields: ["title: string", "label: refs(mark)"] } });
  const before = modelOf({ tag, mark: tag, note: { fields: ["title: string", "label: ref(tag)?"] } });
  expect(propose(before, other).refused).toHaveLength(1);
});
