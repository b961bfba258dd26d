// Actions of a published project, as an app meets them: each operation of its document is called without a credential, by who may
// not, by who may, and too often, and every reply is held to the document. And what a kill in the middle of one leaves behind.
import { setTimeout as pause } from "node:timers/promises";
import { createClient } from "@plinth/sdk";
import { createTestDatabase, freePort, type TestDatabase } from "@plinth/testkit";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, type Reply, signUp } from "./api.ts";
import { type ReplyCheck, replyCheckOf } from "./generated-openapi.ts";
import { type PublishedCell, startPublishedCell, until } from "./published-cell.ts";

const blueprint = `project: library
modules: [auth, users, roles, workers, audit_logs]
roles:
  librarian: { inherits: user }
entities:
  book:
    fields:
      title: string unique
      price: money(EUR) = 0.00
      status: enum[on_shelf, lent] = on_shelf
      holder_id: user_ref?
    transitions:
      status:
        initial: on_shelf
        lend: { from: on_shelf, to: lent, roles: [librarian] }
        return: { from: lent, to: on_shelf, roles: [librarian] }
    permissions:
      user: { read: true }
      librarian: { create: true, update: true }
      admin: { all: true }
  fee:
    fields:
      book_id: ref(book)
      amount: money(EUR)
    permissions:
      admin: { all: true }
events:
  book.lent:
    payload: { book_id: uuid }
workflows:
  note_it:
    on: book.lent
    steps: [audit.write: { with: { note: "lent" } }]
actions:
  lend-book:
    input: { book_id: ref(book), days: { type: int, min: 1, max: 60 } }
    permissions: { librarian: input.days < 30, admin: true }
    steps:
      - record.transition: { with: { entity: book, id: "\${{ input.book_id }}", edge: lend } }
      - id: fee
        action: record.create
        as: service
        with: { entity: fee, book_id: "\${{ input.book_id }}", amount: 1.50 }
      - event.emit: { with: { name: book.lent, payload: { book_id: "\${{ input.book_id }}" } } }
    output: { book: "\${{ steps.transition.title }}", fee: "\${{ steps.fee.amount }}", days: "\${{ input.days }}" }
  buy-book:
    mode: async
    input: { title: string, price: money(EUR) }
    permissions: { user: true }
    steps:
      - approval: { roles: [librarian] }
      - id: create
        action: record.create
        as: service
        with: { entity: book, title: "\${{ input.title }}", price: "\${{ input.price }}" }
    output: { book: "\${{ steps.create.id }}" }
  add-book:
    input: { title: string }
    permissions: { librarian: true }
    steps: [record.create: { with: { entity: book, title: "\${{ input.title }}" } }]
    output: "\${{ steps.create.id }}"
`;

let database: TestDatabase;
let cell: PublishedCell;
let replies: ReplyCheck;
let document: { readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
/** A second process that allows each caller one request a second. */
let strictOrigin: string;
let key: string;
let admin: string;
const children: { kill(signal: "SIGKILL"): unknown }[] = [];
const tokens: Record<string, string> = {};

beforeAll(async () => {
  database = await createTestDatabase();
  cell = await startPublishedCell(database.url, "library");
  children.push(cell.process, cell.start("worker", { PLINTH_HEALTH_PORT: String(await freePort()) }));
  await cell.publish(blueprint);
  [key, admin] = await Promise.all([cell.makeKey("publishable"), cell.makeKey("secret")]);
  for (const name of ["reader", "other", "librarian"]) {
    const { id } = await signUp(cell.origin, key, `${name}@example.com`);
    const roles = name === "librarian" ? ["librarian"] : [];
    await send("admin", "PUT", `/v1/users/${id}/roles`, { roles });
    const body = { email: `${name}@example.com`, password: "correct horse battery" };
    tokens[name] = (await send("visitor", "POST", "/v1/auth/sign-in", body)).body.data.access_token;
  }
  document = (await send("admin", "GET", "/v1/openapi.json")).body;
  replies = replyCheckOf(document);
  const [apiPort, internalPort] = await Promise.all([freePort(), freePort()]);
  strictOrigin = `http://127.0.0.1:${apiPort}`;
  const strict = {
    PLINTH_API_PORT: String(apiPort),
    PLINTH_INTERNAL_PORT: String(internalPort),
    // Tokens name the address that they were given out under.
    PLINTH_PUBLIC_API_URL: cell.origin,
    PLINTH_RATE_LIMIT: "1",
    PLINTH_RATE_BURST: "1",
  };
  children.push(cell.start("web", strict));
  await until(async () => (await fetch(`${strictOrigin}/readyz`)).ok, 20);
}, 120_000);

afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await database?.drop();
});

type Who = "nobody" | "visitor" | "reader" | "other" | "librarian" | "admin";

function send(
  who: Who,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
  origin: string = cell.origin,
): Promise<Reply> {
  const bearer = who === "nobody" ? null : who === "admin" ? admin : key;
  const token = tokens[who];
  return call(origin + path, {
    method,
    headers: {
      ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
      ...(token === undefined ? {} : { "plinth-user-token": token }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** The reply, held to the document. */
async function typed(
  status: number,
  template: string,
  ...[who, method, path, body, headers, origin]: Parameters<typeof send>
): Promise<Reply> {
  const reply = await send(who, method, path, body, headers, origin);
  expect(reply.status, reply.text).toBe(status);
  const type = reply.headers.get("content-type") ?? "";
  expect(replies.check(template, method, reply.status, type, reply.body)).toBeNull();
  return reply;
}

let books = 0;
async function book(): Promise<string> {
  const made = await send("admin", "POST", "/v1/resources/books", { title: `Book ${++books}` });
  expect(made.status, made.text).toBe(201);
  return made.body.data.id;
}

async function waitingRun(): Promise<string> {
  const path = "/v1/actions/buy-book";
  const begun = await typed(202, path, "reader", "POST", path, { title: `Wish ${++books}`, price: "9.90" });
  const { id } = begun.body.data;
  expect(begun.headers.get("location")).toBe(`/v1/runs/${id}`);
  await until(async () => (await send("reader", "GET", `/v1/runs/${id}`)).body.data.status === "waiting", 30);
  return id;
}

async function inDatabase<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: database.adminUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

interface Route {
  readonly template: string;
  readonly method: string;
  readonly success: number;
  /** What this caller is answered: actions say that the role is missing, a run of somebody else is. */
  readonly refused: readonly [Who, number];
  /** The right caller, the path and the body of a request that succeeds. */
  readonly good: () => Promise<readonly [Who, string, unknown]>;
  /** What stands in the audit log of it; null where nothing is written. */
  readonly operation: string | null;
}

const run = "/v1/runs/{id}";
const at = (template: string, id: string): string => template.replace("{id}", id);
const routes: readonly Route[] = [
  {
    template: "/v1/actions/lend-book",
    method: "POST",
    success: 200,
    refused: ["reader", 403],
    good: async () => ["librarian", "/v1/actions/lend-book", { book_id: await book(), days: 7 }],
    operation: "call",
  },
  {
    template: "/v1/actions/buy-book",
    method: "POST",
    success: 202,
    refused: ["visitor", 403],
    good: async () => ["reader", "/v1/actions/buy-book", { title: `Wish ${++books}`, price: "1" }],
    operation: "call",
  },
  {
    template: "/v1/actions/add-book",
    method: "POST",
    success: 200,
    refused: ["reader", 403],
    good: async () => ["librarian", "/v1/actions/add-book", { title: `New ${++books}` }],
    operation: "call",
  },
  {
    template: run,
    method: "GET",
    success: 200,
    refused: ["other", 404],
    good: async () => ["reader", at(run, await waitingRun()), undefined],
    operation: null,
  },
  {
    template: `${run}/approve`,
    method: "POST",
    success: 202,
    refused: ["other", 404],
    good: async () => ["librarian", at(`${run}/approve`, await waitingRun()), { note: "fine" }],
    operation: "approve",
  },
  {
    template: `${run}/reject`,
    method: "POST",
    success: 202,
    refused: ["other", 404],
    good: async () => ["librarian", at(`${run}/reject`, await waitingRun()), {}],
    operation: "refuse",
  },
  {
    template: `${run}/cancel`,
    method: "POST",
    success: 202,
    refused: ["reader", 403],
    good: async () => ["admin", at(`${run}/cancel`, await waitingRun()), {}],
    operation: "cancel",
  },
  {
    template: `${run}/retry`,
    method: "POST",
    success: 202,
    refused: ["reader", 403],
    good: async () => {
      const id = await waitingRun();
      expect((await send("admin", "POST", `/v1/runs/${id}/cancel`, {})).status).toBe(202);
      await until(async () => (await send("admin", "GET", `/v1/runs/${id}`)).body.data.status === "cancelled", 30);
      return ["admin", at(`${run}/retry`, id), {}];
    },
    operation: "retry",
  },
];

test("all routes of actions and runs in the project's document are looked at", () => {
  const documented = Object.entries(document.paths)
    .filter(([path]) => /^\/v1\/(actions|runs)\//.test(path))
    .flatMap(([path, item]) =>
      ["get", "post", "put", "patch", "delete"]
        .filter((verb) => verb in item)
        .map((verb) => `${verb.toUpperCase()} ${path}`),
    );
  expect(routes.map(({ method, template }) => `${method} ${template}`).sort()).toEqual(documented.sort());
});

describe.each(routes)("$method $template", ({ template, method, success, refused, good, operation }) => {
  const audited = async (id: string): Promise<readonly string[]> =>
    (await send("admin", "GET", `/v1/audit-log?request_id=${id}`)).body.data.map(
      (row: { operation: string }) => row.operation,
    );

  test("asks for a credential and for the right, serves who has it, and writes that down", async () => {
    const [who, path, body] = await good();
    const id = `e2e-${crypto.randomUUID()}`;
    await typed(401, template, "nobody", method, path, body, { "x-request-id": id });
    await typed(refused[1], template, refused[0], method, path, body, { "x-request-id": id });
    if (method === "POST") await typed(422, template, who, method, path, { unheard: 1 }, { "x-request-id": id });
    expect(await audited(id)).toEqual([]);
    await typed(success, template, who, method, path, body, { "x-request-id": id });
    const written = await audited(id);
    if (operation === null) expect(written).toEqual([]);
    else expect(written).toContain(operation);
  });

  test("counts against the caller's limit", async () => {
    const [who, path, body] = await good();
    // The bucket of a caller holds one request, and another test may just have taken it.
    let first = await send(who, method, path, body, {}, strictOrigin);
    for (let tries = 0; first.status === 429 && tries < 30; tries++) {
      await pause(100);
      first = await send(who, method, path, body, {}, strictOrigin);
    }
    expect(first.status, first.text).toBe(success);
    const second = await typed(429, template, who, method, path, body, {}, strictOrigin);
    expect(second.headers.get("retry-after")).toMatch(/^\d+$/);
  });
});

test("a call is traced from its request to the event that it emitted, and to what listened", async () => {
  const id = `e2e-${crypto.randomUUID()}`;
  const sent = { book_id: await book(), days: 3 };
  const { body } = await send("librarian", "POST", "/v1/actions/lend-book", sent, { "x-request-id": id });
  expect(body.data).toEqual({ book: `Book ${books}`, fee: "1.5", days: 3 });
  await until(async () => (await send("admin", "GET", `/v1/runs?request_id=${id}`)).body.data.length === 1, 30);
  const [heard] = (await send("admin", "GET", `/v1/runs?request_id=${id}`)).body.data;
  expect(heard).toMatchObject({ workflow: "note_it" });
  // A librarian lends for a month at most, and twice nobody lends what is lent.
  await typed(403, "/v1/actions/lend-book", "librarian", "POST", "/v1/actions/lend-book", { ...sent, days: 30 });
  const lent = await typed(409, "/v1/actions/lend-book", "librarian", "POST", "/v1/actions/lend-book", sent);
  expect(lent.body.code).toBe("transition_not_allowed");
});

test("the SDK calls an action, follows its run, and types both", async () => {
  interface Library {
    entities: object;
    actions: {
      "buy-book": { input: { title: string; price: string }; result: { id: string; status: string }; output: object };
    };
  }
  const db = createClient<Library>({
    project: "library",
    apiKey: key,
    baseUrl: cell.origin,
    userToken: tokens["reader"] ?? "",
  });
  const { id } = await db.action("buy-book", { title: "By the SDK", price: "3.00" }, { idempotencyKey: "sdk" });
  await until(async () => (await db.run(id)).status === "waiting", 30);
  expect((await db.run(id)).waits_for).toEqual([{ kind: "approval", roles: ["librarian"], until: null }]);
  expect((await send("librarian", "POST", `/v1/runs/${id}/approve`, {})).status).toBe(202);
  await until(async () => (await db.run(id)).status === "completed", 30);
  expect((await db.run(id)).output).toEqual({ book: expect.any(String) });
});

test("a process that is killed within a call leaves nothing of it, and the same key does it once", async () => {
  const path = "/v1/actions/add-book";
  const [sent, once] = [{ title: "Killed once" }, { "idempotency-key": "killed" }];
  await inDatabase(async (holder) => {
    // The call waits for a title that somebody else is about to take: it is in the middle of its transaction.
    await holder.query("begin");
    await holder.query(`insert into "${cell.schema}".books (id, title) values (gen_random_uuid(), 'Killed once')`);
    const cut = send("librarian", "POST", path, sent, once).catch(() => "cut");
    await until(() => inDatabase(isBlocked), 20);
    cell.process.kill("SIGKILL");
    expect(await cut).toBe("cut");
    await holder.query("rollback");
  });
  children.push(cell.start("web"));
  await until(async () => (await fetch(`${cell.origin}/readyz`)).ok, 20);
  const done = await sentOnce();
  const again = await send("librarian", "POST", path, sent, once);
  expect([again.status, again.text, again.headers.get("idempotency-replayed")]).toEqual([200, done.text, "true"]);
  const rows = await inDatabase(
    async (client) =>
      (
        await client.query(
          `select (select count(*) from "${cell.schema}".books where title = 'Killed once')::int as books,
             (select count(*) from "${cell.schema}".audit_log where changes->'input'->>'title' = 'Killed once')::int as calls`,
        )
      ).rows,
  );
  expect(rows).toEqual([{ books: 1, calls: 1 }]);

  /** Postgres finds out by itself that the killed process is gone; until then its key is in flight. */
  async function sentOnce(): Promise<Reply> {
    for (let tries = 0; ; tries++) {
      const reply = await send("librarian", "POST", path, sent, once);
      if (reply.status !== 409 || tries === 50) {
        expect(reply.status, reply.text).toBe(200);
        return reply;
      }
      expect(reply.body.code).toBe("idempotency_in_flight");
      await pause(200);
    }
  }
});

async function isBlocked(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%books%'",
  );
  return rows.length > 0;
}
