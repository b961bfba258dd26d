// Workers by `http` and calls of other services, from a blueprint's text to what the service receives: signed so that
// it knows the caller, with one key for all attempts, and its answer becomes the run's output.
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { callModule, dataOf, makeKey } from "../modes/testing/cell.ts";
import { createRecord } from "../query/run.ts";
import { type Answer, type Receiver, startReceiver } from "./testing/receiver.ts";
import { openWorkCell, type WorkCell } from "./testing/work-cell.ts";

const entities = `entities:
  ticket:
    fields:
      title: string
      draft: string internal = "hidden"
    permissions:
      admin: { all: true }
`;
const head = `project: desk\nmodules: [auth, users, roles, workers, audit_logs]\n${entities}`;

let work: WorkCell | null = null;
let receiver: Receiver | null = null;
afterEach(async () => {
  await work?.close();
  await receiver?.close();
  work = null;
  receiver = null;
});

async function open(
  answer: (at: number) => Answer,
  sections: (url: string) => string,
): Promise<{ readonly cell: WorkCell; readonly service: Receiver }> {
  receiver = await startReceiver((_, at) => answer(at));
  work = await openWorkCell(head + sections(receiver.url), {});
  return { cell: work, service: receiver };
}

const worker = (url: string): string =>
  `workers:\n  print:\n    on: ticket.created\n    retry: { attempts: 4, backoff: constant, delay: 1s }\n    http: { url: '${url}/print' }\n`;
const step = (url: string, more = ""): string =>
  `workflows:\n  tell:\n    on: ticket.created\n    steps:\n      - http.request: { with: { url: '${url}/tickets/\${{ record.id }}', method: PUT, headers: { x-title: "\${{ record.title }}" }, body: { title: "\${{ record.title }}" } }, retry: { attempts: 2, delay: 1s }${more} }\n`;

async function createTicket({ request }: WorkCell, title = "first"): Promise<string> {
  const id = crypto.randomUUID();
  await createRecord(await request("ticket"), id, new Map([["title", title]]));
  return id;
}

const json = (body: unknown): Answer => ({
  headers: { "content-type": "application/json", "set-cookie": "session=1" },
  body: JSON.stringify(body),
});

async function secretOf({ cell, projectId }: WorkCell, rotate = false): Promise<[string, string | null]> {
  const { key } = await makeKey(cell, projectId, { role: "admin" });
  const path = rotate ? "/v1/signing-secret/rotate" : "/v1/signing-secret";
  const reply = await callModule(cell, { key, path, method: rotate ? "POST" : "GET" });
  const { secret, previous } = dataOf(reply);
  return [secret, previous?.secret ?? null];
}

/** Like a receiver, following the documentation of Standard Webhooks. */
function signatureOf(secret: string, { headers, body }: Receiver["received"][number]): string {
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}

it("a worker's service gets event, input and run, signed, and its answer is the run's output", async () => {
  const { cell, service } = await open(() => json({ printed: 3 }), worker);
  const id = await createTicket(cell);
  await cell.settled();
  const [run] = await cell.sql("SELECT id, status, output FROM {schema}.workers__runs");
  expect(run).toMatchObject({ status: "completed", output: { printed: 3 } });
  expect(service.received).toHaveLength(1);
  const [call] = service.received;
  expect(call).toMatchObject({ method: "POST", path: "/print" });
  expect(JSON.parse(call!.body)).toMatchObject({
    event: { name: "ticket.created", record_id: id, record: { id, title: "first" }, old: null },
    input: null,
    run: { id: run!["id"], worker: "print", attempt: 1, request_id: "req_test" },
  });
  expect(await cell.sql("SELECT draft FROM {schema}.tickets")).toEqual([{ draft: "hidden" }]);
  expect(call!.body).not.toContain("hidden");
  expect(call!.headers["webhook-signature"]).toBe(signatureOf((await secretOf(cell))[0], call!));
  expect(Math.abs(Number(call!.headers["webhook-timestamp"]) - Date.now() / 1_000)).toBeLessThan(60);
});

it("the documentation's own code verifies a call, and nothing similar", async () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/blueprint/calls.md"), "utf8");
  const code = /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  const { isGenuine } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const { cell, service } = await open(() => json({}), worker);
  const [old] = await secretOf(cell);
  const [secret] = await secretOf(cell, true);
  await createTicket(cell);
  await cell.settled();
  const { headers, body } = service.received[0]!;
  expect([isGenuine(headers, body, secret), isGenuine(headers, body, old)]).toEqual([true, true]);
  const stale = { ...headers, "webhook-timestamp": String(Number(headers["webhook-timestamp"]) - 1) };
  const other = `whsec_${Buffer.alloc(32).toString("base64")}`;
  expect([
    isGenuine(headers, `${body} `, secret),
    isGenuine(stale, body, secret),
    isGenuine(headers, body, other),
  ]).toEqual([false, false, false]);
});

it("all attempts have one id, each with its own signature", async () => {
  const { cell, service } = await open((at) => (at < 3 ? { status: 503 } : json({ ok: true })), worker);
  await createTicket(cell);
  await cell.settled(20_000);
  expect(new Set(service.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  expect(service.received.map(({ body }) => JSON.parse(body).run.attempt)).toEqual([1, 2, 3]);
  const [secret] = await secretOf(cell);
  for (const call of service.received) expect(call.headers["webhook-signature"]).toBe(signatureOf(secret, call));
});

it("after a rotation both secrets sign, but no earlier one", async () => {
  const { cell, service } = await open(() => json({}), worker);
  const [first] = await secretOf(cell);
  expect(await secretOf(cell, true)).toEqual([expect.not.stringContaining(first), first]);
  const [third, second] = await secretOf(cell, true);
  expect(second).not.toBe(first);
  expect(await secretOf(cell)).toEqual([third, second]);
  await createTicket(cell);
  await cell.settled();
  const [call] = service.received;
  expect(call!.headers["webhook-signature"]!.toString().split(" ")).toEqual([
    signatureOf(third, call!),
    signatureOf(second!, call!),
  ]);
  const stored = await cell.sql("SELECT sealed FROM plinth.call_secrets");
  expect(stored).toHaveLength(2);
  expect(JSON.stringify(stored)).not.toContain(third.slice(6));
  const log = await cell.sql(
    "SELECT operation, actor_kind, request_id, changes FROM {schema}.audit_log WHERE entity = 'signing_secret' ORDER BY id",
  );
  const line = { actor_kind: "key", request_id: "req_test", changes: {} };
  expect(log).toEqual(["read", "rotate", "rotate", "read"].map((operation) => ({ ...line, operation })));
});

it("only an admin sees the signing secret", async () => {
  const { cell } = await open(() => json({}), worker);
  for (const key of [{ kind: "publishable" }, { kind: "secret", role: "user" }] as const) {
    for (const [method, path] of [
      ["GET", "/v1/signing-secret"],
      ["POST", "/v1/signing-secret/rotate"],
    ] as const) {
      const made = await makeKey(cell.cell, cell.projectId, key);
      await expect(callModule(cell.cell, { key: made.key, path, method })).rejects.toMatchObject({ code: "forbidden" });
    }
  }
  expect(await cell.sql("SELECT 1 FROM plinth.call_secrets")).toEqual([]);
});

it("a step calls with its own method, headers and body, and returns status, headers and body", async () => {
  const { cell, service } = await open(() => json({ ok: true }), step);
  const id = await createTicket(cell);
  await cell.settled();
  const [call] = service.received;
  expect(call).toMatchObject({
    method: "PUT",
    path: `/tickets/${id}`,
    body: '{"title":"first"}',
    headers: { "x-title": "first", "content-type": "application/json" },
  });
  expect(call!.headers["webhook-signature"]).toBeUndefined();
  const [run] = await cell.sql("SELECT output FROM {schema}.workers__runs");
  expect(run!["output"]).toMatchObject({ status: 200, body: { ok: true } });
  expect(JSON.stringify(run)).not.toContain("session=1");
});

it.each([
  ["a zero character", '{"a\\u0000":"b\\u0000c"}', { "a\ufffd": "b\ufffdc" }],
  ["half a surrogate pair", '["\\ud800"]', ["\ufffd"]],
  ["a deep nesting", `${"[".repeat(5_000)}${"]".repeat(5_000)}`, `${"[".repeat(5_000)}${"]".repeat(5_000)}`],
  ["no JSON at all", "{", "{"],
])("an answer with %s is stored, and the call is not repeated", async (_, body, output) => {
  const { cell, service } = await open(() => ({ headers: { "content-type": "application/json" }, body }), worker);
  await createTicket(cell);
  await cell.settled();
  expect(await cell.sql("SELECT status, output FROM {schema}.workers__runs")).toEqual([
    { status: "completed", output },
  ]);
  expect(service.received).toHaveLength(1);
});

it("the words of a refusal are kept for `on_error` and for admins, bounded and without the values of headers", async () => {
  const said = `{"title":"taken","by":"secret-token"}${"x".repeat(5_000)}`;
  const sections = (url: string): string =>
    `workflows:\n  tell:\n    on: ticket.created\n    steps:\n      - http.request: { with: { url: '${url}/x', headers: { authorization: "Bearer secret-token" } }, on_error: [{ id: note, action: audit.write, with: { note: "\${{ error.status }} \${{ error.body }}" } }, { id: stop, action: record.delete, with: { entity: ticket, id: "\${{ event.id }}" } }] }\n`;
  const { cell } = await open(() => ({ status: 422, body: said }), sections);
  await createTicket(cell);
  await cell.settled();
  const [line] = await cell.sql("SELECT changes->>'note' AS note FROM {schema}.audit_log WHERE operation = 'note'");
  const kept = String(line?.["note"]);
  expect([kept.slice(0, 36), kept.length]).toEqual(['422 {"title":"taken","by":"[masked]"}'.slice(0, 36), 2_004]);
  expect(kept).not.toContain("secret-token");
  const [step] = await cell.sql("SELECT error FROM {schema}.workers__steps WHERE path = 'request'");
  expect(step?.["error"]).toMatchObject({ code: "http_status", status: 422, body: kept.slice(4) });
});

it("an invalid header value fails the step at once", async () => {
  const { cell, service } = await open(() => json({}), step);
  await createTicket(cell, "two\nlines");
  await cell.settled();
  expect(await cell.sql("SELECT status, error->>'code' AS code FROM {schema}.workers__runs")).toEqual([
    { status: "failed", code: "refused" },
  ]);
  expect(await cell.sql("SELECT attempts FROM {schema}.workers__steps WHERE path NOT LIKE '_record/%'")).toEqual([
    { attempts: 1 },
  ]);
  expect(service.received).toEqual([]);
});
