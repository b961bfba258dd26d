// A program that uses the SDK as an app does, for a browser and an edge runtime. In: a cell with the README's project. Out: the results,
// as JSON. It uses nothing but the SDK and web standards.
import {
  type Client,
  Conflict,
  createClient,
  NotFound,
  PlinthError,
  PreconditionFailed,
  ValidationFailed,
  verifyWebhook,
} from "@plinth/sdk";
import { type LiveList, live } from "@plinth/sdk/live";
import type { TodoDesk } from "./sdk-types.gen.ts";

export interface TourSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The name of the user who signs up, and of their board. */
  readonly name: string;
}

type Task = TodoDesk["entities"]["task"]["record"];

export interface Tour {
  readonly user: string | null;
  readonly seen: readonly unknown[];
  readonly iterated: readonly string[];
  readonly once: boolean;
  readonly batched: readonly [string, string];
  readonly allowed: readonly boolean[];
  readonly errors: readonly string[];
  readonly aborted: readonly string[];
  readonly lists: readonly (readonly string[])[];
  readonly changes: readonly string[];
  readonly genuine: string;
  /** Globals of Node that exist there. */
  readonly node: readonly string[];
  readonly secretKey: string;
}

export async function tour(settings: TourSettings): Promise<Tour> {
  const { baseUrl, apiKey, name } = settings;
  const db = createClient<TodoDesk>({ project: "todo-desk", apiKey, baseUrl });
  const session = await db.auth.signUp({
    email: `${name}@example.com`,
    password: "correct horse battery",
    profile: { nickname: name },
  });
  const board = await db.entity("board").create({
    name,
    tasks: ["a", "b", "c", "d", "e"].map((title, rank) => ({ title: `${name} ${title}`, rank, place: rank })),
  });
  const iterated: string[] = [];
  for await (const task of db.entity("task").iterate({ where: { board_id: board.id }, sort: "rank", limit: 2 })) {
    iterated.push(task.title);
  }
  const [first, again] = [await createOnce(db, board.id), await createOnce(db, board.id)];
  const [garden, dig] = await db.batch((plan) => {
    const made = plan.entity("board").upsert({ name: `${name} garden` }, {});
    return [made, plan.entity("task").create({ title: "Dig", board_id: made.ref("id") })];
  });
  const answers = await db.can([
    { resource: "task", op: "create" },
    { resource: "board", op: "delete", id: board.id },
  ]);
  return {
    user: session?.user.nickname ?? null,
    seen: await db.entity("task").findMany({
      where: { created_by: { nickname: name }, rank: { in: [3, 4] }, board: { name: { starts_with: name } } },
      sort: ["created_by.nickname", "-rank"],
      fields: ["title"],
      expand: { board: { fields: ["name"] }, created_by: { fields: ["nickname"] } },
    }),
    iterated,
    once: first === again,
    batched: [garden.name, dig.board_id === garden.id ? dig.title : "elsewhere"],
    allowed: answers.map(({ allowed }) => allowed),
    errors: await failures(db, board.id, name),
    aborted: await abortions(db),
    ...(await followed(db, board.id)),
    genuine: await verified(),
    node: ["process", "Buffer", "require", "setImmediate", "__dirname"].filter((each) => each in globalThis),
    secretKey: outcome(() => createClient({ project: "todo-desk", apiKey: "plk_sec_x", baseUrl })),
  };
}

async function createOnce(db: Client<TodoDesk>, boardId: string): Promise<string> {
  const fields = { title: "Once", board_id: boardId };
  return (await db.entity("task").create(fields, { idempotencyKey: `once-${boardId}` })).id;
}

/** The class of each error, with its status and the fields that it names. */
async function failures(db: Client<TodoDesk>, boardId: string, name: string): Promise<readonly string[]> {
  const [boards, tasks] = [db.entity("board"), db.entity("task")];
  const task = await tasks.create({ title: "x", board_id: boardId });
  const calls: readonly (() => Promise<unknown>)[] = [
    () => boards.create({ name }),
    () => tasks.update(task.id, { rank: 1 }, { version: 7 }),
    () => tasks.findOne(crypto.randomUUID()),
    () => tasks.create({ title: "x", rank: "high" as never, place: 0.5 }),
  ];
  const classes = { Conflict, PreconditionFailed, NotFound, ValidationFailed };
  const told: string[] = [];
  for (const call of calls) {
    const error = await call().catch((thrown: unknown) => thrown);
    const [called = "none"] = Object.entries(classes).find(([, each]) => error instanceof each) ?? [];
    if (!(error instanceof PlinthError)) told.push(String(error));
    else told.push([called, error.status, ...error.errors.map(({ path }) => path).toSorted()].join(" "));
  }
  return told;
}

async function abortions(db: Client<TodoDesk>): Promise<readonly string[]> {
  const nameOf = (call: Promise<unknown>): Promise<string> =>
    call.then(
      () => "answered",
      (error: unknown) => (error instanceof Error ? error.name : String(error)),
    );
  const [reading, iterating] = [new AbortController(), new AbortController()];
  const read = nameOf(db.entity("task").findMany({ signal: reading.signal }));
  reading.abort();
  const iterate = async (): Promise<void> => {
    for await (const _ of db.entity("task").iterate({ limit: 1, signal: iterating.signal })) iterating.abort();
  };
  return [await read, await nameOf(iterate()), await nameOf(db.can([], { signal: AbortSignal.abort() }))];
}

/** The states of a live list while records change, and the changes of a subscription. */
async function followed(db: Client<TodoDesk>, boardId: string): Promise<Pick<Tour, "lists" | "changes">> {
  const tasks = db.entity("task");
  const where = { board_id: boardId, status: "open" } as const;
  const end = new AbortController();
  const changes: string[] = [];
  const subscribed = (async () => {
    for await (const change of tasks.subscribe({ where, signal: end.signal })) {
      changes.push(change.type === "updated" ? `updated ${change.record.title}` : change.type);
    }
  })();
  const list = live(tasks, { where, sort: "-rank", limit: 3 });
  const leave = list.subscribe(() => {});
  const lists: (readonly string[])[] = [];
  const becomes = async (wanted: readonly string[]): Promise<void> => {
    await until(() => list.getSnapshot().status === "live" && `${titlesOf(list)}` === `${wanted}`, list);
    lists.push(titlesOf(list));
  };
  const before = await tasks.findMany({ where, sort: "-rank", limit: 3, fields: ["title"] });
  await becomes(before.map(({ title }) => title));
  await until(() => changes.includes("ready"), changes);
  const made = await tasks.create({ title: "new", rank: 50, board_id: boardId });
  await becomes(["new", ...before.slice(0, 2).map(({ title }) => title)]);
  const other = await tasks.create({ title: "other", rank: 40, board_id: boardId });
  await becomes(["new", "other", before[0]?.title ?? ""]);
  await tasks.update(other.id, { title: "changed" });
  await becomes(["new", "changed", before[0]?.title ?? ""]);
  await tasks.update(made.id, { rank: { add: -20 } });
  await becomes(["changed", "new", before[0]?.title ?? ""]);
  await tasks.update(made.id, { status: "done" });
  await becomes(["changed", ...before.slice(0, 2).map(({ title }) => title)]);
  await until(() => changes.includes("gone"), changes);
  leave();
  end.abort();
  await subscribed;
  return { lists, changes: [...new Set(changes)] };
}

function titlesOf(list: LiveList<Task>): readonly string[] {
  return list.getSnapshot().records.map(({ title }) => title);
}

async function until(holds: () => boolean, shown: unknown): Promise<void> {
  for (let i = 0; i < 300; i++) {
    if (holds()) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`the condition was not true within 15 s: ${JSON.stringify(shown)}`);
}

/** Verifies a webhook that is signed here, and the same with another body. */
async function verified(): Promise<string> {
  const [secret, body] = [crypto.getRandomValues(new Uint8Array(32)), '{"id":"1"}'];
  const time = String(Math.floor(Date.now() / 1000));
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signed = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(`w1.${time}.${body}`));
  const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
  const headers = {
    "webhook-id": "w1",
    "webhook-timestamp": time,
    "webhook-signature": `v1,${base64(new Uint8Array(signed))}`,
  };
  const { id } = await verifyWebhook<{ id: string }>(body, headers, `whsec_${base64(secret)}`);
  const refused = await verifyWebhook(`${body} `, headers, `whsec_${base64(secret)}`).catch((error) => error.name);
  return `${id} ${refused}`;
}

function outcome(make: () => unknown): string {
  try {
    make();
    return "taken";
  } catch (error) {
    return error instanceof Error ? error.name : String(error);
  }
}
