// Values for existing rows (`fill`), and the numbers of a new sequence, on a real Postgres while the old release
// writes.
import { checkBlueprint, type Model } from "@plinth/blueprint";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compileModel } from "../compile.ts";
import { proposeChange } from "../propose.ts";
import { apply, inspect, type Names } from "./testing/sample-tables.ts";
import { type asideOf, openWalker, type Walker } from "./testing/walk.ts";

let walker: Walker;
beforeAll(async () => {
  walker = await openWalker();
});
afterAll(() => walker?.close());

const ids = { acme: "00000000-0000-7000-8000-0000000000a1", other: "00000000-0000-7000-8000-0000000000a2" };

/** Entity > its lines of fields, and options. */
function modelOf(
  entities: Readonly<Record<string, { fields: readonly string[]; options?: readonly string[] }>>,
): Model {
  const lines = Object.entries(entities).flatMap(([name, { fields, options = [] }]) => [
    `  ${name}:`,
    ...options.map((option) => `    ${option}`),
    "    fields:",
    ...fields.map((field) => `      ${field}`),
    "    permissions:",
    "      admin: { all: true }",
  ]);
  const text = ["project: fills", "modules: [auth, users, organizations]", "entities:", ...lines, ""].join("\n");
  const { model, diagnostics } = checkBlueprint(text);
  if (model === null) throw new Error(diagnostics.map((each) => `${each.message}`).join("\n"));
  return model;
}

const person = (...fields: readonly string[]) => modelOf({ person: { fields } });

function change(before: Model, after: Model, setAside: ReturnType<typeof asideOf> = [], tag = "t1") {
  const live = { model: before, bundle: compileModel(before) };
  const proposed = proposeChange({ before: live, after, setAside, tag, author: "person" });
  expect(proposed.refused).toEqual([]);
  return proposed.plan;
}

async function started(before: Model, rows: string): Promise<Names> {
  const names = await walker.make(compileModel(before).tables);
  await run(names, rows);
  return names;
}

const run = async (names: Names, sql: string): Promise<readonly unknown[]> =>
  (await walker.client.query({ text: sql.replaceAll("$", names.schema), rowMode: "array" })).rows as unknown[];

/** `#` is a fresh number. */
function writing(names: Names, sql: string): { before: () => Promise<void>; after: () => Promise<void> } {
  let count = 0;
  const before = async (): Promise<void> => {
    for (const one of sql.split(";")) await run(names, one.replaceAll("#", String(++count)));
  };
  return { before, after: async () => {} };
}

async function sameAsFresh(names: Names, after: Model): Promise<void> {
  const fresh = await walker.make(compileModel(after).tables);
  expect(await inspect(walker.client, names)).toEqual(await inspect(walker.client, fresh));
}

const id = (at: number): string => `'00000000-0000-7000-8000-${String(at).padStart(12, "0")}'`;

describe("a required field on a filled table", () => {
  const before = person("first: string", "last: string?", "age: int = 7");

  test("is filled from other fields, also for records that the old release writes during the change", async () => {
    const after = person(
      "first: string",
      "last: string?",
      "age: int = 7",
      `called: "string fill(first + ' #' + first)"`,
    );
    const names = await started(before, `insert into $.people (id, first) values (${id(1)}, 'Ana'), (${id(2)}, 'Bo')`);
    await apply(
      walker.client,
      change(before, after),
      names,
      writing(
        names,
        `insert into $.people (id, first) values (gen_random_uuid(), 'new'); update $.people set first = 'Cy' where id = ${id(2)}`,
      ),
    );
    const rows = (await run(names, "select first, called from $.people")) as [string, string][];
    expect(rows.length).toBeGreaterThan(5);
    for (const [first, called] of rows) expect(called).toBe(`${first} #${first}`);
    await sameAsFresh(names, after);
  });

  test("stops before anything runs if a record gets no value", async () => {
    const after = person("first: string", "last: string?", "age: int = 7", "called: string fill(last)");
    const names = await started(
      before,
      `insert into $.people (id, first, last) values (${id(1)}, 'Ana', 'A'), (${id(2)}, 'Bo', null)`,
    );
    const catalog = await inspect(walker.client, names);
    await expect(apply(walker.client, change(before, after), names)).rejects.toThrow(/1 .*no value for called/);
    expect(await inspect(walker.client, names)).toEqual(catalog);
  });

  test("stops at the switch if the old release has written a record that gets no value", async () => {
    const after = person("first: string", "last: string?", "age: int = 7", "called: string fill(last)");
    const names = await started(before, `insert into $.people (id, first, last) values (${id(1)}, 'Ana', 'A')`);
    const meanwhile = writing(names, "insert into $.people (id, first) values (gen_random_uuid(), 'new')");
    await expect(apply(walker.client, change(before, after), names, meanwhile)).rejects.toThrow(
      "without a value for called",
    );
  });

  test.each([
    ["string(1, 3) fill(first)", /1 .*called/],
    ["email fill(first)", /called that is not an email/],
    ["string unique fill(first)", /same called/],
    ["enum[Ana, Cy] fill(first)", /called other than/],
  ])("%s: values outside the limits are found before anything runs", async (notation, message) => {
    const after = person("first: string", "last: string?", "age: int = 7", `called: "${notation}"`);
    const names = await started(
      before,
      `insert into $.people (id, first) values (${id(1)}, 'Ana'), (${id(2)}, '${notation.includes("unique") ? "Ana" : "Boris"}')`,
    );
    await expect(apply(walker.client, change(before, after), names)).rejects.toThrow(message);
  });

  test("rounds numbers to the column's decimal places, and counts numbers that are too large as missing", async () => {
    const half = person("first: string", "last: string?", "age: int = 7", `half: "decimal(3, 1) fill(age / 3.0)"`);
    const names = await started(before, `insert into $.people (id, first, age) values (${id(1)}, 'Ana', 100)`);
    await apply(walker.client, change(before, half), names);
    expect(await run(names, "select half from $.people")).toEqual([["33.3"]]);
    const large = person("first: string", "last: string?", "age: int = 7", `half: "decimal(3, 1) fill(age * 7)"`);
    const other = await started(before, `insert into $.people (id, first, age) values (${id(1)}, 'Ana', 100)`);
    await expect(apply(walker.client, change(before, large), other)).rejects.toThrow(/no value for half/);
  });

  test("is split from another field, which the next change removes", async () => {
    const both = person(
      "first: string",
      "last: string?",
      "age: int = 7",
      `grown: "bool fill(age >= 18)"`,
      `group: "enum[child, adult] fill(age >= 18 ? adult : child)"`,
    );
    const names = await started(
      before,
      `insert into $.people (id, first, age) values (${id(1)}, 'Ana', 40), (${id(2)}, 'Bo', 3)`,
    );
    await apply(walker.client, change(before, both), names);
    const wanted = [
      [true, "adult"],
      [false, "child"],
    ];
    expect(await run(names, `select grown, "group" from $.people order by id`)).toEqual(wanted);
    const without = person("first: string", "last: string?", "grown: bool", "group: enum[child, adult]");
    await apply(walker.client, change(both, without, [], "t2"), names);
    expect(await run(names, `select grown, "group" from $.people order by id`)).toEqual(wanted);
    await sameAsFresh(names, without);
  });
});

describe("an existing field", () => {
  const before = person("first: string", "nick: string?");
  const rows = `insert into $.people (id, first, nick) values (${id(1)}, 'Ana', null), (${id(2)}, 'Bo', 'B')`;

  test("that becomes required is filled if it is empty", async () => {
    const after = person("first: string", "nick: string fill(first)");
    const names = await started(before, rows);
    const meanwhile = writing(names, "insert into $.people (id, first) values (gen_random_uuid(), 'new')");
    await apply(walker.client, change(before, after), names, meanwhile);
    expect(await run(names, `select nick from $.people where id in (${id(1)}, ${id(2)}) order by id`)).toEqual([
      ["Ana"],
      ["B"],
    ]);
    expect(await run(names, "select distinct nick from $.people where first = 'new'")).toEqual([["new"]]);
    await sameAsFresh(names, after);
  });

  test("that stays optional is filled once", async () => {
    const after = person("first: string", "nick: string? fill(first)");
    const names = await started(before, rows);
    await apply(walker.client, change(before, after), names);
    expect(await run(names, "select nick from $.people order by id")).toEqual([["Ana"], ["B"]]);
    await run(names, "update $.people set nick = null");
    const again = person("first: string", "nick: string? fill(first)", "more: int?");
    await apply(walker.client, change(after, again, [], "t2"), names);
    expect(await run(names, "select nick from $.people")).toEqual([[null], [null]]);
  });

  test("is filled from a field that is converted or renamed in the same change", async () => {
    const after = person(
      "called: string was(first)",
      "age: int? fill(size(called))",
      `nick: "string was(nick) fill(called)"`.replace(" was(nick)", ""),
    );
    const names = await started(before, rows);
    await apply(walker.client, change(before, after), names);
    expect(await run(names, "select called, age, nick from $.people order by id")).toEqual([
      ["Ana", 3, "Ana"],
      ["Bo", 2, "B"],
    ]);
  });

  test("stops the change if the filled values violate its check", async () => {
    const strict = person("first: string", "nick: string(1, 2)?");
    const after = person("first: string", "nick: string(1, 2) fill(first)");
    const names = await started(strict, rows);
    await expect(apply(walker.client, change(strict, after), names)).rejects.toThrow(/1 .*nick longer than 2|1 .*nick/);
  });

  test("whose type changes is filled if it was empty", async () => {
    const text = person("first: string", "nick: string?");
    const after = person("first: string", "nick: int fill(size(first))");
    const names = await started(
      text,
      `insert into $.people (id, first, nick) values (${id(1)}, 'Ana', null), (${id(2)}, 'Bo', '7')`,
    );
    await apply(walker.client, change(text, after), names);
    expect(await run(names, "select nick from $.people order by id")).toEqual([[3], [7]]);
    await sameAsFresh(names, after);
  });
});

test("a filled project gets organizations in one change: a constant for the parent, the parent's for the children", async () => {
  const before = modelOf({
    project: { fields: ["name: string"] },
    task: { fields: ["project_id: ref(project)", "title: string"] },
  });
  const after = modelOf({
    project: {
      options: ["org_scoped: true"],
      fields: ["name: string", `org_id: "org_ref fill('${ids.acme}') = current_org"`],
    },
    task: {
      options: ["org_scoped: true"],
      fields: [`org_id: "org_ref fill(project.org_id) = current_org"`, "project_id: ref(project)", "title: string"],
    },
  });
  const names = await started(
    before,
    `insert into $.organizations (id, name) values ('${ids.acme}', 'Acme');
    insert into $.projects (id, name) values (${id(1)}, 'P');
    insert into $.tasks (id, project_id, title) values (${id(2)}, ${id(1)}, 'T')`,
  );
  const meanwhile = writing(
    names,
    `insert into $.tasks (id, project_id, title) values (gen_random_uuid(), ${id(1)}, 'new')`,
  );
  await apply(walker.client, change(before, after), names, meanwhile);
  expect(await run(names, "select distinct org_id from $.tasks union select org_id from $.projects")).toEqual([
    [ids.acme],
  ]);
  await sameAsFresh(names, after);
});

describe("a sequence on a filled table", () => {
  const before = person("first: string");
  const three = `insert into $.people (id, first) values (${id(3)}, 'c'), (${id(1)}, 'a'), (${id(2)}, 'b')`;

  test("numbers the records in the order of their creation, and then those that the old release creates", async () => {
    const after = person("first: string", "number: sequence(P-)");
    const names = await started(before, three);
    const fresh = "00000000-0000-7000-9000-";
    const meanwhile = writing(
      names,
      `insert into $.people (id, first) values (('${fresh}' || lpad('#', 12, '0'))::uuid, 'new')`,
    );
    await apply(walker.client, change(before, after), names, meanwhile);
    const numbers = (await run(names, "select number from $.people order by id")).flat();
    expect(numbers).toEqual(numbers.map((_, at) => `P-${at + 1}`));
    expect(numbers.length).toBeGreaterThan(5);
    expect(await run(names, "select name, value::int from $.sequences")).toEqual([["people.number", numbers.length]]);
    await sameAsFresh(names, after);
  });

  test("continues if the table is renamed in the same change", async () => {
    const after = modelOf({ human: { options: ["was: person"], fields: ["first: string", "number: sequence"] } });
    const names = await started(before, three);
    await apply(walker.client, change(before, after), names);
    expect((await run(names, "select number from $.humans order by id")).flat()).toEqual(["1", "2", "3"]);
    expect(await run(names, "select name, value::int from $.sequences")).toEqual([["humans.number", 3]]);
  });

  test("counts for each organization, also if it is added in the same change", async () => {
    const owned = modelOf({ bill: { fields: ["name: string", "owner_id: uuid"] } });
    const after = modelOf({
      bill: {
        options: ["org_scoped: true"],
        fields: [
          "name: string",
          "owner_id: uuid",
          `org_id: "org_ref fill(owner_id) = current_org"`,
          "number: sequence(B-) per(org)",
        ],
      },
    });
    const names = await started(
      owned,
      `insert into $.organizations (id, name) values ('${ids.acme}', 'A'), ('${ids.other}', 'B');
      insert into $.bills (id, name, owner_id) values (${id(1)}, 'a', '${ids.acme}'), (${id(2)}, 'b', '${ids.other}'), (${id(3)}, 'c', '${ids.acme}')`,
    );
    await apply(walker.client, change(owned, after), names);
    expect((await run(names, "select number from $.bills order by id")).flat()).toEqual(["B-1", "B-1", "B-2"]);
    expect(await run(names, "select name, value::int from $.sequences order by name")).toEqual([
      [`bills.number/${ids.acme}`, 2],
      [`bills.number/${ids.other}`, 1],
    ]);
    await sameAsFresh(names, after);
  });
});

test("can move to a transition, and back", async () => {
  const entity = (number: string): Model =>
    modelOf({
      bill: {
        options: [
          "soft_delete: true",
          "transitions: { status: { initial: draft, issue: { from: draft, to: issued } } }",
        ],
        fields: ["status: enum[draft, issued]", `number: ${number}`],
      },
    });
  const [always, issued] = [entity("sequence(B-)"), entity("sequence(B-) at(transition:issue)")];
  const names = await started(
    always,
    `insert into $.bills (id, status, number) values (${id(1)}, 'draft', 'B-1');
     insert into $.sequences (name, value) values ('bills.number', 1)`,
  );
  await apply(walker.client, change(always, issued), names);
  await sameAsFresh(names, issued);
  await run(names, `insert into $.bills (id, status) values (${id(2)}, 'draft'), (${id(3)}, 'draft')`);
  await apply(walker.client, change(issued, always, [], "t2"), names);
  expect((await run(names, "select number from $.bills order by id")).flat()).toEqual(["B-1", "B-2", "B-3"]);
  expect(await run(names, "select value::int from $.sequences")).toEqual([[3]]);
  await sameAsFresh(names, always);
});

test("a text that looks like the end of a literal stays a text", async () => {
  const text = "$body$; {schema} {after} $$ $body_1$ it''s \\\\ end $guard$";
  const before = person("first: string");
  const after = person(
    "first: string",
    `odd: ${JSON.stringify(`string fill(${JSON.stringify("x")} + first + ${JSON.stringify(text)})`)}`,
  );
  const names = await started(before, `insert into $.people (id, first) values (${id(1)}, 'Ana')`);
  const meanwhile = writing(names, "insert into $.people (id, first) values (gen_random_uuid(), 'Ana')");
  await apply(walker.client, change(before, after), names, meanwhile);
  expect(await run(names, "select distinct odd from $.people")).toEqual([[`xAna${text}`]]);
  await sameAsFresh(names, after);
});

test("fills that read other fills repeatedly are refused", () => {
  const fields = [
    "start: string",
    ...Array.from(
      { length: 30 },
      (_, at) => `f${at}: "text fill(${at === 0 ? "start" : `f${at - 1}`} + ${at === 0 ? "start" : `f${at - 1}`})"`,
    ),
  ];
  const before = person("start: string");
  const live = { model: before, bundle: compileModel(before) };
  const { refused } = proposeChange({
    before: live,
    after: person(...fields),
    setAside: [],
    tag: "t1",
    author: "person",
  });
  expect(refused[0]?.reason).toContain("too many other fills");
});
