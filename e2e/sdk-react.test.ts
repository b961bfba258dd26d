// The React hooks, rendered by React against a real cell: reads have types and are shared; writes are shown at once,
// undone if they are refused, and update the lists.
import { stripTypeScriptTypes } from "node:module";
import { type Client, PreconditionFailed } from "@plinth/sdk";
import { createHooks, type Hooks } from "@plinth/sdk/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { Window } from "happy-dom";
import { act, createElement, StrictMode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterAll, afterEach, beforeAll, beforeEach, expect, expectTypeOf, test, vi } from "vitest";
import { type Desk, readme, startDesk } from "./sdk-desk.ts";
import type { TodoDesk } from "./sdk-types.gen.ts";

const soon = { timeout: 10_000, interval: 30 };
let desk: Desk;
let ana: Client<TodoDesk>;
let hooks: Hooks<TodoDesk>;
/** Holds back the writes of the hooks' client until it is resolved. */
let held: Promise<void> = Promise.resolve();
let root: Root;
let queries: QueryClient;

beforeAll(async () => {
  desk = await startDesk();
  ana = await desk.user("ana", null, {
    fetch: async (input, init) => {
      if (init?.method === "PATCH" || init?.method === "DELETE") await held;
      return fetch(input, init);
    },
  });
  hooks = createHooks(ana);
}, 120_000);
afterAll(() => desk?.close());

beforeEach(() => {
  const page = new Window({ url: "http://localhost/" });
  vi.stubGlobal("window", page);
  vi.stubGlobal("document", page.document);
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  const place = page.document.createElement("div");
  root = createRoot(place as never);
  queries = new QueryClient();
});
afterEach(async () => {
  await act(async () => root.unmount());
  queries.clear();
  vi.unstubAllGlobals();
});

interface ProbeProps {
  readonly hook: () => unknown;
  readonly onResult: (result: unknown) => void;
}

function Probe({ hook, onResult }: ProbeProps): null {
  onResult(hook());
  return null;
}

/** Renders a component that uses the hook. Out: the hook's last result. */
async function use<Result>(hook: () => Result): Promise<{ readonly now: () => Result }> {
  let last: { readonly result: Result } | null = null;
  const onResult = (result: unknown): void => {
    last = { result: result as Result };
  };
  const tree = createElement(QueryClientProvider, { client: queries }, createElement(Probe, { hook, onResult }));
  await act(async () => root.render(createElement(StrictMode, null, tree)));
  return {
    now: () => {
      if (last === null) throw new Error("it was not rendered");
      return last.result;
    },
  };
}

/** Waits until the condition is true, while React works. */
async function comes(actual: () => unknown, expected: unknown): Promise<void> {
  await expect
    .poll(async () => {
      await act(async () => new Promise((done) => setTimeout(done, 10)));
      return actual();
    }, soon)
    .toEqual(expected);
}

test("hooks read lists, pages and single records", async () => {
  const board = await desk.admin.entity("board").create({ name: "Home" });
  await desk.admin
    .entity("task")
    .createMany([1, 2, 3].map((place) => ({ title: `t${place}`, place, board_id: board.id })));
  const probe = await use(() => ({
    list: hooks.useFindMany("task", {
      where: { board_id: board.id },
      fields: ["title"],
      expand: { board: { fields: ["name"] } },
      sort: "place",
    }),
    pages: hooks.useInfiniteFindMany("task", { where: { board_id: board.id }, sort: "place", limit: 2 }),
    one: hooks.useFindOne("board", { name: "Home" }),
    none: hooks.useFindOne("board", { name: "None" }),
    off: hooks.useFindMany("board", {}, { enabled: false }),
  }));
  expectTypeOf(probe.now().list.data).toEqualTypeOf<
    readonly { title: string; readonly board: { name: string } | null }[] | undefined
  >();
  expectTypeOf(probe.now().one.data?.name).toEqualTypeOf<string | undefined>();
  await comes(
    () => probe.now().list.data?.map(({ title, board: of }) => `${title} ${of?.name}`),
    ["t1 Home", "t2 Home", "t3 Home"],
  );
  await comes(() => probe.now().one.data?.id, board.id);
  await comes(() => probe.now().none.error, expect.objectContaining({ code: "not_found" }));
  await comes(() => probe.now().pages.hasNextPage, true);
  await act(async () => void (await probe.now().pages.fetchNextPage()));
  await comes(() => probe.now().pages.data?.pages.map(({ data }) => data.length), [2, 1]);
  expect(probe.now().pages.hasNextPage).toBe(false);
  expect(probe.now().off.fetchStatus).toBe("idle");
});

test("hooks read views, and what the user can do", async () => {
  await desk.admin.entity("task").createMany([
    { title: "much", rank: 70 },
    { title: "more", rank: 80 },
    { title: "little", rank: 1 },
  ]);
  const probe = await use(() => ({
    urgent: hooks.useView("task", "urgent", { where: { rank: { gte: 70 } }, fields: ["title"] }),
    may: hooks.useCan([
      { resource: "task", op: "create" },
      { resource: "board", op: "delete" },
    ]),
  }));
  expectTypeOf(probe.now().urgent.data).toEqualTypeOf<readonly { title: string }[] | undefined>();
  await comes(() => probe.now().urgent.data, [{ title: "more" }, { title: "much" }]);
  await comes(
    () => probe.now().may.data?.map(({ resource, allowed }) => [resource, allowed]),
    [
      ["task", true],
      ["board", false],
    ],
  );
  const mistakes = (): unknown => [
    // @ts-expect-error: there is no such view.
    hooks.useView("task", "latest"),
    // @ts-expect-error: boards have no transitions.
    hooks.useCan([{ resource: "board", op: "transition:close" }]),
  ];
  expect(mistakes).toBeTypeOf("function");
});

test("a change is shown at once, and undone if somebody else was first", async () => {
  const task = await desk.admin.entity("task").create({ title: "mine", rank: 1 });
  const probe = await use(() => ({
    list: hooks.useFindMany("task", { where: { id: task.id } }),
    update: hooks.useUpdate("task"),
  }));
  const shown = (): unknown => probe.now().list.data?.map(({ title, rank, version }) => [title, rank, version]);
  await comes(shown, [["mine", 1, 1]]);
  let release = (): void => {};
  held = new Promise((done) => {
    release = done;
  });
  act(() => probe.now().update.mutate({ id: task.id, version: 1, fields: { title: "changed", rank: { add: 4 } } }));
  await comes(shown, [["changed", 5, 1]]);
  expect(await desk.admin.entity("task").findOne(task.id)).toMatchObject({ title: "mine" });
  release();
  await comes(shown, [["changed", 5, 2]]);
  await comes(() => probe.now().update.data?.version, 2);

  await desk.admin.entity("task").update(task.id, { title: "theirs" });
  held = new Promise((done) => {
    release = done;
  });
  act(() => probe.now().update.mutate({ id: task.id, version: 2, fields: { title: "late" } }));
  await comes(shown, [["late", 5, 2]]);
  release();
  await comes(shown, [["theirs", 5, 3]]);
  expect(probe.now().update.error).toBeInstanceOf(PreconditionFailed);
});

test("creates and deletes update lists, also of other entities", async () => {
  const board = await desk.admin.entity("board").create({ name: "Garden" });
  const probe = await use(() => ({
    boards: hooks.useFindMany("board", { where: { id: board.id }, expand: { tasks: { fields: ["title"] } } }),
    tasks: hooks.useFindMany("task", { where: { board_id: board.id } }),
    create: hooks.useCreate("task"),
    remove: hooks.useDelete("task"),
  }));
  const shown = (): unknown => [
    probe.now().boards.data?.map(({ tasks }) => tasks.map(({ title }) => title)),
    probe.now().tasks.data?.map(({ title }) => title),
  ];
  await comes(shown, [[[]], []]);
  await act(async () => void (await probe.now().create.mutateAsync({ fields: { title: "dig", board_id: board.id } })));
  await comes(shown, [[["dig"]], ["dig"]]);
  const made = probe.now().create.data;
  expectTypeOf(made?.title).toEqualTypeOf<string | undefined>();
  expect(made?.title).toBe("dig");
  const id = probe.now().tasks.data?.[0]?.id ?? "";
  let release = (): void => {};
  held = new Promise((done) => {
    release = done;
  });
  act(() => probe.now().remove.mutate({ id }));
  await comes(shown, [[["dig"]], []]);
  release();
  await comes(shown, [[[]], []]);
});

test("a record is created together with records that refer to it", async () => {
  const { useCreate, useUpdate, useFindMany } = createHooks(desk.admin, "admin");
  const probe = await use(() => ({
    create: useCreate("board"),
    update: useUpdate("board"),
    list: useFindMany("board", { where: { name: { starts_with: "Nest" } }, expand: { tasks: { sort: "title" } } }),
  }));
  const { create, update } = probe.now();
  await act(async () => void (await create.mutateAsync({ fields: { name: "Nest", tasks: [{ title: "egg" }] } })));
  await comes(() => probe.now().create.data?.tasks?.map(({ title }) => title), ["egg"]);
  expectTypeOf(probe.now().create.data?.tasks?.[0]?.title).toEqualTypeOf<string | undefined>();
  const shown = (): unknown => probe.now().list.data?.map(({ name, tasks }) => [name, tasks.map(({ title }) => title)]);
  await comes(shown, [["Nest", ["egg"]]]);
  const id = probe.now().list.data?.[0]?.id ?? "";
  const seen: unknown[] = [];
  const stop = queries.getQueryCache().subscribe(() => seen.push(shown()));
  await act(async () =>
    update.mutateAsync({ id, fields: { name: "Nest 2", tasks: { create: [{ title: "feather" }] } } }),
  );
  await comes(shown, [["Nest 2", ["egg", "feather"]]]);
  stop();
  // Before the reply, the name is the new one and the records are the old ones.
  expect(seen).toContainEqual([["Nest 2", ["egg"]]]);
});

test("a live list shows changes of others", async () => {
  const probe = await use(() => hooks.useLive("task", { where: { title: { starts_with: "live" } }, sort: "-rank" }));
  await comes(() => probe.now().status, "live");
  await desk.admin.entity("task").createMany([
    { title: "live a", rank: 1 },
    { title: "live b", rank: 2 },
  ]);
  await comes(() => probe.now().records.map(({ title }) => title), ["live b", "live a"]);
});

test("the hook in the README completes a task", async () => {
  const [, example = ""] = /```ts\n([^`]*createHooks[^`]*)```/.exec(readme) ?? [];
  const code = stripTypeScriptTypes(example.replace(/^import .*$/gm, "").replace(/^export /gm, ""));
  const make = new Function("db", "createHooks", `${code}\nreturn useOpenTasks;`) as (
    ...given: readonly unknown[]
  ) => () => {
    readonly tasks: readonly { readonly id: string; readonly version: number }[];
    readonly finish: (task: object) => void;
  };
  const { id } = await desk.admin.entity("task").create({ title: "finish me", rank: 99 });
  const probe = await use(make(ana, createHooks));
  await comes(() => probe.now().tasks[0]?.id, id);
  act(() => probe.now().finish(probe.now().tasks[0] ?? {}));
  await comes(() => probe.now().tasks.some((task) => task.id === id), false);
  expect(await desk.admin.entity("task").findOne(id)).toMatchObject({ status: "done", version: 2 });
});
