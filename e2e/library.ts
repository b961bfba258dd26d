// A library that lends books with actions, published with a worker, for the tests of actions and their routes.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type ApiDocument,
  createTestDatabase,
  freePort,
  type JsonObject,
  readDocument,
  type TestDatabase,
} from "@plinth/testkit";
import pg from "pg";
import { expect } from "vitest";
import { call, type Reply, signUp } from "./api.ts";
import { type PublishedCell, startPublishedCell, until } from "./published-cell.ts";

/** @param bell A service that accepts calls and never answers. */
const blueprintOf = (bell: string): string => `project: library
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
workers:
  count_books:
    on: schedule
    steps: [record.find: { with: { entity: book, where: { status: lent }, limit: 10 } }]
schedules:
  yearly: { cron: "0 0 1 1 *", run: count_books }
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
  ring-bell:
    mode: async
    permissions: { user: true }
    steps: [http.request: { with: { url: "${bell}", method: POST } }]
  add-book:
    input: { title: string }
    permissions: { librarian: true }
    steps: [record.create: { with: { entity: book, title: "\${{ input.title }}" } }]
    output: "\${{ steps.create.id }}"
`;

/** Closes each connection, so that nobody knows whether the call had an effect. */
const bell = createServer((request) => request.socket.destroy());

let database: TestDatabase;
export let cell: PublishedCell;
let api: ApiDocument;
export let document: { readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
/** A second process that allows each caller one request per second. */
export let strictOrigin: string;
export let key: string;
let admin: string;
export const children: { kill(signal: "SIGKILL"): unknown }[] = [];
export const tokens: Record<string, string> = {};

/** Starts everything; then the variables above are set. */
export async function openLibrary(): Promise<void> {
  database = await createTestDatabase();
  cell = await startPublishedCell(database.url, "library");
  await new Promise<void>((resolve) => bell.listen(0, "127.0.0.1", resolve));
  const { port } = bell.address() as AddressInfo;
  const worker = { PLINTH_HEALTH_PORT: String(await freePort()), PLINTH_OUTBOUND_ALLOW: "127.0.0.1" };
  children.push(cell.process, cell.start("worker", worker));
  await cell.publish(blueprintOf(`http://localhost:${port}/ring`));
  [key, admin] = await Promise.all([cell.makeKey("publishable"), cell.makeKey("secret")]);
  for (const name of ["reader", "other", "librarian"]) {
    const { id } = await signUp(cell.origin, key, `${name}@example.com`);
    const roles = name === "librarian" ? ["librarian"] : [];
    await send("admin", "PUT", `/v1/users/${id}/roles`, { roles });
    const body = { email: `${name}@example.com`, password: "correct horse battery" };
    tokens[name] = (await send("visitor", "POST", "/v1/auth/sign-in", body)).body.data.access_token;
  }
  document = (await send("admin", "GET", "/v1/openapi.json")).body;
  api = readDocument(document as JsonObject);
  const [apiPort, internalPort] = await Promise.all([freePort(), freePort()]);
  strictOrigin = `http://127.0.0.1:${apiPort}`;
  const strict = {
    PLINTH_API_PORT: String(apiPort),
    PLINTH_INTERNAL_PORT: String(internalPort),
    // Tokens contain the address under which they were issued.
    PLINTH_PUBLIC_API_URL: cell.origin,
    PLINTH_RATE_LIMIT: "1",
    PLINTH_RATE_BURST: "1",
  };
  children.push(cell.start("web", strict));
  await until(async () => (await fetch(`${strictOrigin}/readyz`)).ok, 20);
}

export async function closeLibrary(): Promise<void> {
  for (const child of children) child.kill("SIGKILL");
  bell.close();
  await database?.drop();
}

export type Who = "nobody" | "visitor" | "reader" | "other" | "librarian" | "admin";

export function send(
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

/** The reply, after a check against the OpenAPI document. */
export async function typed(
  status: number,
  template: string,
  ...[who, method, path, body, headers, origin]: Parameters<typeof send>
): Promise<Reply> {
  const reply = await send(who, method, path, body, headers, origin);
  expect(reply.status, reply.text).toBe(status);
  expect(api.operations.filter((each) => each.path === template && each.method === method)).toHaveLength(1);
  const [type = ""] = (reply.headers.get("content-type") ?? "").split(";", 1);
  expect(api.replyProblem({ method, target: path, isList: false }, { status, type, text: reply.text })).toBeNull();
  return reply;
}

let books = 0;
/** A title that no other book has. */
export const newTitle = (): string => `Book ${++books}`;

export async function book(): Promise<string> {
  const made = await send("admin", "POST", "/v1/resources/books", { title: newTitle() });
  expect(made.status, made.text).toBe(201);
  return made.body.data.id;
}

/** The run of a call, once it has the expected status. */
export async function runOf(path: string, body: unknown, status: string): Promise<string> {
  const begun = await typed(202, path, "reader", "POST", path, body);
  const { id } = begun.body.data;
  expect(begun.headers.get("location")).toBe(`/v1/runs/${id}`);
  await hasStatus(id, status);
  return id;
}

export async function hasStatus(id: string, status: string): Promise<void> {
  await until(async () => (await send("admin", "GET", `/v1/runs/${id}`)).body.data.status === status, 30);
}

export const waitingRun = (): Promise<string> =>
  runOf("/v1/actions/buy-book", { title: newTitle(), price: "9.90" }, "waiting");
export const unknownCall = (): Promise<string> => runOf("/v1/actions/ring-bell", {}, "needs_attention");

export async function refusedRun(): Promise<string> {
  const id = await waitingRun();
  expect((await send("librarian", "POST", `/v1/runs/${id}/reject`, { step: "approve" })).status).toBe(202);
  await hasStatus(id, "failed");
  return id;
}

/** All runs of an action so far. */
export const queueOf = (workflow: string): object => ({ workflow, kind: "action", until: new Date().toISOString() });

export async function inDatabase<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: database.adminUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
