// Live lists while several clients write at random and connections are cut. At the end, each list is the same as the
// result of findMany.
import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type Client, createClient } from "@plinth/sdk";
import { type LiveList, type LiveOptions, live } from "@plinth/sdk/live";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Desk, startDesk } from "./sdk-desk.ts";
import type { TodoDesk } from "./sdk-types.gen.ts";

type Task = TodoDesk["entities"]["task"]["record"];

const soon = { timeout: 15_000, interval: 50 };
let desk: Desk;
let ana: Client<TodoDesk>;
let line: Line;

beforeAll(async () => {
  desk = await startDesk();
  line = await openLine(Number(new URL(desk.cell.origin).port));
  ana = await desk.user("ana", null, { baseUrl: line.origin });
}, 120_000);
afterAll(async () => {
  line?.close();
  await desk?.close();
});

function titlesOf(list: LiveList<Task>): readonly string[] {
  return list.getSnapshot().records.map(({ title }) => title);
}

test("records appear, change, move and disappear, and others move up", async () => {
  const tasks = ana.entity("task");
  const list = live(tasks, { where: { status: "open", title: { starts_with: "w" } }, sort: "-rank", limit: 2 });
  const seen: (readonly string[])[] = [];
  const leave = list.subscribe(() => seen.push(titlesOf(list)));
  await expect.poll(() => list.getSnapshot().status, soon).toBe("live");
  const make = (title: string, rank: number): Promise<Task> => tasks.create({ title, rank });
  const one = await make("w1", 1);
  await expect.poll(() => titlesOf(list), soon).toEqual(["w1"]);
  const three = await make("w3", 3);
  await expect.poll(() => titlesOf(list), soon).toEqual(["w3", "w1"]);
  const two = await make("w2", 2);
  await expect.poll(() => titlesOf(list), soon).toEqual(["w3", "w2"]);
  expect(list.getSnapshot().hasMore).toBe(true);
  await tasks.update(three.id, { title: "w3 again" });
  await expect.poll(() => titlesOf(list), soon).toEqual(["w3 again", "w2"]);
  await tasks.update(two.id, { rank: 5 });
  await expect.poll(() => titlesOf(list), soon).toEqual(["w2", "w3 again"]);
  await tasks.update(two.id, { status: "done" });
  await expect.poll(() => titlesOf(list), soon).toEqual(["w3 again", "w1"]);
  await tasks.delete(three.id);
  await expect.poll(() => titlesOf(list), soon).toEqual(["w1"]);
  const before = list.getSnapshot();
  expect(list.getSnapshot()).toBe(before);
  leave();
  await tasks.update(one.id, { title: "w1 unseen" });
  await pause(500);
  expect(titlesOf(list)).toEqual(["w1"]);
  const again = list.subscribe(() => {});
  await expect.poll(() => titlesOf(list), soon).toEqual(["w1 unseen"]);
  again();
}, 60_000);

test("a change during the first read is not lost", async () => {
  let release = (): void => {};
  const released = new Promise<void>((done) => {
    release = done;
  });
  let isRead = false;
  const bea = await desk.user("bea", null, {
    fetch: async (input, init) => {
      const reply = await fetch(input, init);
      if (!String(input).includes("/v1/resources/task?")) return reply;
      isRead = true;
      await released;
      return reply;
    },
  });
  const list = live(bea.entity("task"), { where: { title: "meanwhile" }, sort: "rank" });
  const leave = list.subscribe(() => {});
  await expect.poll(() => isRead, soon).toBe(true);
  await ana.entity("task").create({ title: "meanwhile" });
  await pause(1_000);
  release();
  await expect.poll(() => titlesOf(list), soon).toEqual(["meanwhile"]);
  leave();
});

test("the list ends if the caller isn't allowed to follow, and when it is aborted", async () => {
  const visitor = createClient<TodoDesk>({ project: "todo-desk", apiKey: desk.publishable, baseUrl: line.origin });
  const refused = live(visitor.entity("task"));
  refused.subscribe(() => {});
  await expect.poll(() => refused.getSnapshot().status, soon).toBe("failed");
  expect(refused.getSnapshot().error).toMatchObject({ code: "forbidden" });
  const abort = new AbortController();
  const list = live(ana.entity("task"), { signal: abort.signal });
  list.subscribe(() => {});
  await expect.poll(() => list.getSnapshot().status, soon).toBe("live");
  const held = line.held();
  abort.abort();
  await expect.poll(() => line.held(), soon).toBeLessThan(held);
  // @ts-expect-error: a live list is only sorted by its own fields.
  expect(() => live(ana.entity("task"), { sort: "board.name" })).toThrow(TypeError);
});

const lists: readonly LiveOptions<TodoDesk, "task">[] = [
  {},
  { limit: 5, sort: "-rank" },
  { limit: 7, sort: ["rank", "-updated_at"], where: { status: "open" } },
  { limit: 6, sort: "title" },
  { limit: 6, sort: ["status", "-rank"] },
  { limit: 9, sort: "place", where: { rank: { lt: 6 } } },
];

test.each([
  { cuts: 0, seed: 11 },
  { cuts: 6, seed: 23 },
  { cuts: 12, seed: 37 },
])(
  "the list stays correct during random writes of three clients with $cuts cuts of all connections",
  async ({ cuts, seed }) => {
    const random = randomFrom(seed);
    const open = lists.map((options) => [options, live(ana.entity("task"), options)] as const);
    const leave = open.map(([, list]) => list.subscribe(() => {}));
    await expect.poll(() => open.every(([, list]) => list.getSnapshot().status === "live"), soon).toBe(true);
    const writers = [1, 2, 3].map(() => writeAtRandom(random, 100, cuts * 3));
    for (let i = 0; i < cuts; i++) {
      await pause(random() * 500);
      line.cut();
    }
    await Promise.all(writers);
    for (const [options, list] of open) {
      const fresh = await ana.entity("task").findMany({ limit: 20, ...options });
      expect(fresh.length).toBeGreaterThan(3);
      await expect.poll(() => list.getSnapshot().records, soon).toEqual(fresh);
    }
    for (const each of leave) each();
  },
  90_000,
);

async function writeAtRandom(random: () => number, count: number, pauseMs: number): Promise<void> {
  const tasks = desk.admin.entity("task");
  const value = (below: number): number => Math.floor(random() * below);
  const known: string[] = [];
  for (let i = 0; i < count; i++) {
    await pause(random() * pauseMs);
    const id = known[value(known.length)];
    const fields = {
      ...(random() < 0.5 && { title: ["a", "B", "c-d", "cd", "é", "Z"][value(6)] ?? "" }),
      ...(random() < 0.5 && { rank: value(12) }),
      ...(random() < 0.3 && { status: random() < 0.6 ? ("open" as const) : ("done" as const) }),
      ...(random() < 0.3 && { place: random() < 0.3 ? null : value(9) }),
    };
    if (id === undefined || random() < 0.35) known.push((await tasks.create({ title: `t${value(50)}`, ...fields })).id);
    else if (random() < 0.25) await tasks.delete(known.splice(known.indexOf(id), 1)[0] ?? "");
    else await tasks.update(id, fields);
  }
}

/** The same numbers for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** A proxy in front of the API whose connections can be cut. */
interface Line {
  readonly origin: string;
  readonly cut: () => void;
  /** The number of open connections. */
  readonly held: () => number;
  readonly close: () => void;
}

async function openLine(port: number): Promise<Line> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    origin: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    cut,
    held: () => sockets.size / 2,
    close: () => {
      cut();
      server.close();
    },
  };
}
