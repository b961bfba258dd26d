// The SDK against a real cell: each of its calls works as described, and its types are those that the compiler
// generates.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkBlueprint } from "@plinth/blueprint";
import { compileModel } from "@plinth/compiler";
import { type Client, createClient, NotFound, PreconditionFailed } from "@plinth/sdk";
import { afterAll, beforeAll, expect, expectTypeOf, test } from "vitest";
import { blueprint, type Desk, startDesk } from "./sdk-desk.ts";
import type { TodoDesk } from "./sdk-types.gen.ts";

let desk: Desk;
let ana: Client<TodoDesk>;

beforeAll(async () => {
  desk = await startDesk();
  ana = await desk.user("ana");
}, 120_000);
afterAll(() => desk?.close());

test("the types match the blueprint", () => {
  const { model, diagnostics } = checkBlueprint(blueprint);
  expect(diagnostics).toEqual([]);
  const file = join(import.meta.dirname, "sdk-types.gen.ts");
  const types = model === null ? "" : compileModel(model).sdkTypes;
  if (process.env["UPDATE_GOLDENS"] === "1") writeFileSync(file, types);
  expect(readFileSync(file, "utf8")).toBe(types);
});

test("views and keys of an entity have types", async () => {
  const [boards, tasks] = [desk.admin.entity("board"), desk.admin.entity("task")];
  const board = await boards.create({ name: "a/b, c%" });
  const low = await tasks.create({ title: "low", rank: 1, board_id: board.id, place: 7 });
  await tasks.create({ title: "ten", rank: 10 });
  await tasks.create({ title: "top", rank: 30 });
  const urgent = await ana
    .entity("task")
    .view("urgent")
    .findMany({ fields: ["title"] });
  expectTypeOf(urgent).toEqualTypeOf<readonly { title: string }[]>();
  expect(urgent).toEqual([{ title: "top" }, { title: "ten" }]);
  expect(await tasks.view("urgent").findPage({ count: "exact", limit: 1 })).toMatchObject({ count: 2, hasMore: true });
  expect(await boards.findOne({ name: "a/b, c%" })).toEqual(board);
  expect(await tasks.findOne({ "board_id,place": [board.id, 7] }, { fields: ["id"] })).toEqual({ id: low.id });
  await expect(boards.findOne({ name: "none" })).rejects.toBeInstanceOf(NotFound);
  const mistakes = (): readonly unknown[] => [
    // @ts-expect-error: there is no such view.
    tasks.view("latest"),
    // @ts-expect-error: a title is not unique.
    tasks.findOne({ title: "low" }),
    // @ts-expect-error: a place is a number.
    tasks.findOne({ "board_id,place": [board.id, "7"] }),
    // @ts-expect-error: there is no view of boards.
    boards.view("urgent"),
    // @ts-expect-error: a title is no number.
    tasks.update(low.id, { title: { add: 1 } }),
    // @ts-expect-error: boards have no transitions.
    desk.admin.can([{ resource: "board", op: "transition:close" }]),
  ];
  expect(mistakes).toBeTypeOf("function");
  await expect(boards.findOne({ name: "" })).rejects.toBeInstanceOf(TypeError);
});

test("several records are written at once: all or none, or each separately", async () => {
  const tasks = ana.entity("task");
  const made = await tasks.createMany([{ title: "a" }, { title: "b" }], { idempotencyKey: "two" });
  expectTypeOf(made[0]!.title).toEqualTypeOf<string>();
  expect(made.map(({ title }) => title)).toEqual(["a", "b"]);
  expect(await tasks.createMany([{ title: "a" }, { title: "b" }], { idempotencyKey: "two" })).toEqual(made);
  const [a, b] = made.map(({ id }) => id) as [string, string];
  await expect(
    tasks.updateMany([
      { id: a, rank: { add: 2 } },
      { id: b, version: 9, rank: 1 },
    ]),
  ).rejects.toBeInstanceOf(PreconditionFailed);
  const results = await tasks.updateMany(
    [
      { id: a, rank: { add: 2 } },
      { id: b, version: 9, rank: 1 },
    ],
    { mode: "each" },
  );
  expect(results[0]).toMatchObject({ ok: true, data: { rank: 2 } });
  const [, refused] = results;
  expect(refused?.ok === false && refused.error).toBeInstanceOf(PreconditionFailed);
  const gone = await tasks.deleteMany([a, a.replace(/.$/, (last) => (last === "0" ? "1" : "0"))], { mode: "each" });
  expectTypeOf(gone[0]!.ok).toEqualTypeOf<boolean>();
  expect(gone.map(({ ok }) => ok)).toEqual([true, false]);
  expect(await tasks.deleteMany([b])).toBeUndefined();
  expect(await tasks.count({ id: { in: [a, b] } })).toBe(0);
});

test("a unique key creates, updates and deletes a record", async () => {
  const boards = desk.admin.entity("board");
  const made = await boards.upsert({ name: "once/more" }, {});
  expect(await boards.upsert({ name: "once/more" }, {})).toMatchObject({ id: made.id });
  await expect(boards.upsert({ name: "never" }, {}, { version: 3 })).rejects.toBeInstanceOf(PreconditionFailed);
  expect(await boards.update({ name: "once/more" }, { name: "again" })).toMatchObject({ id: made.id });
  await boards.delete({ name: "again" });
  await expect(boards.findOne(made.id)).rejects.toBeInstanceOf(NotFound);
});

test("a batch has all its effects or none, and operations use earlier results", async () => {
  const boards = desk.admin.entity("board");
  const [board, task, seen] = await desk.admin.batch((plan) => {
    const first = plan.entity("board").upsert({ name: "batched" }, {});
    const second = plan.entity("task").create({ title: "in it", board_id: first.ref("id") });
    plan.entity("task").update(second.ref("id"), { rank: 4 });
    return [first, second, plan.entity("task").findOne(second.ref("id"))];
  });
  expectTypeOf(board.name).toEqualTypeOf<string>();
  expectTypeOf(task.rank).toEqualTypeOf<number>();
  expect(seen).toMatchObject({ title: "in it", board_id: board.id, rank: 4 });
  const refused = desk.admin.batch((plan) => [
    plan.entity("board").create({ name: "undone" }),
    plan.entity("task").update(task.id, { rank: 5 }, { version: 9 }),
  ]);
  await expect(refused).rejects.toBeInstanceOf(PreconditionFailed);
  expect(await boards.count({ name: "undone" })).toBe(0);
  await desk.admin.batch((plan) => [plan.entity("board").create({ name: "tried" })], { dryRun: true });
  expect(await boards.count({ name: "tried" })).toBe(0);
});

test("a dry run saves nothing", async () => {
  const tasks = ana.entity("task");
  const { id } = await tasks.create({ title: "kept" });
  expect(await tasks.create({ title: "tried" }, { dryRun: true })).toMatchObject({ title: "tried" });
  expect(await tasks.update(id, { rank: { add: 3 } }, { dryRun: true })).toMatchObject({ rank: 3, version: 2 });
  await tasks.delete(id, { dryRun: true });
  expect(await tasks.findOne(id)).toMatchObject({ rank: 0, version: 1 });
  expect(await tasks.count({ title: "tried" })).toBe(0);
});

test("permissions are checked by the names of entities and operations", async () => {
  const visitor = createClient<TodoDesk>({
    project: "todo-desk",
    apiKey: desk.publishable,
    baseUrl: desk.cell.origin,
  });
  const questions = [
    { resource: "task", op: "create" },
    { resource: "board", op: "list" },
  ] as const;
  const answers = await visitor.can(questions);
  expectTypeOf(answers[0]!.resource).toEqualTypeOf<"task" | "board">();
  expect(answers.map(({ allowed }) => allowed)).toEqual([false, true]);
  expect((await ana.can(questions)).map(({ allowed }) => allowed)).toEqual([true, true]);
});

test("a record is written with its children, with their types", async () => {
  const boards = desk.admin.entity("board");
  const board = await boards.create({ name: "family", tasks: [{ title: "one" }, { title: "two", rank: 3 }] });
  expectTypeOf(board.tasks?.[0]?.title).toEqualTypeOf<string | undefined>();
  expect(board.tasks?.map(({ title, board_id }) => [title, board_id])).toEqual([
    ["one", board.id],
    ["two", board.id],
  ]);
  const [one, two] = (board.tasks ?? []).map(({ id }) => id);
  const changed = await boards.update(board.id, {
    tasks: { update: [{ id: one ?? "", rank: { add: 2 } }], delete: [two ?? ""] },
  });
  expect(changed.tasks).toMatchObject([{ id: one, rank: 2 }]);
  const unknown = boards.create({
    name: "x",
    // @ts-expect-error a task has no colour
    tasks: [{ title: "one", colour: "red" }],
  });
  await expect(unknown).rejects.toMatchObject({ code: "validation_failed" });
  // @ts-expect-error a child can't set its reference to the board that contains it
  const moved = boards.create({ name: "y", tasks: [{ title: "one", board_id: board.id }] });
  await expect(moved).rejects.toMatchObject({ errors: [{ path: "/tasks/0/board_id" }] });
});

test("a write returns the requested fields, with their type", async () => {
  const boards = desk.admin.entity("board");
  const board = await boards.create(
    {
      name: "shown",
      tasks: [
        { title: "b", rank: 1 },
        { title: "a", rank: 2 },
      ],
    },
    { fields: ["name"], expand: { tasks: { fields: ["title"], sort: "title" } } },
  );
  expectTypeOf(board).toEqualTypeOf<{ name: string; readonly tasks: readonly { title: string }[] }>();
  expect(board).toEqual({ name: "shown", tasks: [{ title: "a" }, { title: "b" }] });
  const renamed = await boards.upsert({ name: "shown" }, {}, { fields: ["id"] });
  expectTypeOf(renamed).toEqualTypeOf<{ id: string }>();
  const changed = await boards.update(renamed.id, { name: "seen" }, { version: 1, fields: ["name", "version"] });
  expect(changed).toEqual({ name: "seen", version: 2 });
});
