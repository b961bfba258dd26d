// `for_each` with `max_parallel`, against a service that counts: the right number at once, each with its own retries,
// outputs in their order, no new ones after a failure, and none twice after a crash.
import type { BundleStep } from "@plinth/bundle";
import { afterEach, expect, it } from "vitest";
import { createRecord } from "../query/run.ts";
import { type Answer, type Receiver, startReceiver } from "./testing/receiver.ts";
import { openWorkCell, stepOf, type WorkCell, workflowOf } from "./testing/work-cell.ts";

const TEXT = `project: desk
modules: [auth, users, roles, workers, audit_logs]
entities:
  ticket:
    fields:
      title: string
    permissions:
      admin: { all: true }
  note:
    fields:
      text: string
    permissions:
      admin: { all: true }
`;

let work: WorkCell | null = null;
let receiver: Receiver | null = null;
afterEach(async () => {
  await work?.close();
  await receiver?.close();
  work = null;
  receiver = null;
});

const each = { kind: "value", expression: { kind: "value", type: { kind: "text" }, root: "each", path: [] } } as const;
const items = ["a", "b", "c", "d", "e", "f", "g", "h"];
const memberOf = (path: string): string => path.slice(1);

async function open(
  answer: (member: string, at: number) => Answer,
  more: Partial<BundleStep> = {},
  parallelMax = 3,
): Promise<[WorkCell, Receiver]> {
  receiver = await startReceiver(({ path }, at) => answer(memberOf(path), at));
  work = await openWorkCell(TEXT, {});
  const call = stepOf(
    "call",
    {
      kind: "http.request",
      method: "PUT",
      url: { kind: "text", parts: [`${receiver.url}/`, each.expression] },
      headers: {},
      body: null,
      signed: true,
      repeat: "idempotent",
    },
    {
      forEach: { items: { kind: "literal", value: items }, parallelMax },
      retry: { attempts: 3, backoff: "constant", delayMs: 400, delayMsMax: 1_000 },
      ...more,
    },
  );
  await work.redeploy({
    workflows: [workflowOf({ name: "tell", on: ["ticket.created"], entity: "ticket", steps: [call] })],
  });
  await createRecord(await work.request("ticket"), crypto.randomUUID(), new Map([["title", "x"]]));
  return [work, receiver];
}

const told = (value: string, afterMs = 0): Answer => ({
  headers: { "content-type": "application/json" },
  body: JSON.stringify(value),
  afterMs,
});

const countsOf = ({ received }: Receiver): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { path } of received) counts[memberOf(path)] = (counts[memberOf(path)] ?? 0) + 1;
  return counts;
};
const once = Object.fromEntries(items.map((item) => [item, 1]));

it("the maximum number is called at once, and the outputs are in the order of the members", async () => {
  const [cell, service] = await open((member) => told(member.toUpperCase(), member === "a" ? 300 : 60));
  await cell.settled();
  expect(service.atOnceMax()).toBe(3);
  expect(countsOf(service)).toEqual(once);
  expect(await cell.sql("SELECT status, output FROM {schema}.workers__runs")).toEqual([
    { status: "completed", output: items.map((item) => item.toUpperCase()) },
  ]);
});

it("a retried member keeps its place and delays no other", async () => {
  const tries = { b: 0 };
  const [cell, service] = await open((member) => (member === "b" && ++tries.b < 3 ? { status: 503 } : told(member)));
  await cell.settled();
  expect(countsOf(service)).toEqual({ ...once, b: 3 });
  const [run] = await cell.sql("SELECT status, output FROM {schema}.workers__runs");
  expect(run).toEqual({ status: "completed", output: items });
  // The others were done before its second attempt.
  expect(
    service.received
      .slice(0, 8)
      .map(({ path }) => memberOf(path))
      .sort(),
  ).toEqual(items);
});

it("one at a time, none starts while one is retried", async () => {
  let tries = 0;
  const [cell, service] = await open(
    (member) => (member === "b" && ++tries < 2 ? { status: 503 } : told(member)),
    {},
    1,
  );
  await cell.settled();
  expect(service.received.map(({ path }) => memberOf(path)).join("")).toBe("abbcdefgh");
  expect(service.atOnceMax()).toBe(1);
});

it("after a failed member no new one starts, and those in progress end", async () => {
  const [cell, service] = await open((member) => (member === "b" ? { status: 400 } : told(member, 200)));
  await cell.settled();
  expect(Object.keys(countsOf(service)).sort()).toEqual(["a", "b", "c"]);
  expect(await cell.sql("SELECT path, status FROM {schema}.workers__steps ORDER BY path")).toEqual([
    { path: "call/0", status: "completed" },
    { path: "call/1", status: "failed" },
    { path: "call/2", status: "completed" },
  ]);
  expect(await cell.sql("SELECT status, error->>'code' AS code FROM {schema}.workers__runs")).toEqual([
    { status: "failed", code: "http_status" },
  ]);
});

it("the handler of a failure runs for each failed member, and the others continue", async () => {
  const note = stepOf("note", {
    kind: "record.create",
    entity: "note",
    values: { text: { kind: "literal", value: "no" } },
  });
  const again = stepOf("again", {
    kind: "record.update",
    entity: "note",
    id: { kind: "value", expression: { kind: "value", type: { kind: "text" }, root: "steps", path: ["note", "id"] } },
    values: { text: { kind: "literal", value: "noted" } },
  });
  const [cell, service] = await open((member) => (member < "d" ? { status: 400 } : told(member)), {
    onError: { kind: "steps", steps: [note, again] },
  });
  await cell.settled();
  expect(countsOf(service)).toEqual(once);
  expect(await cell.sql("SELECT text FROM {schema}.notes")).toEqual([
    { text: "noted" },
    { text: "noted" },
    { text: "noted" },
  ]);
  expect(await cell.sql("SELECT status, output FROM {schema}.workers__runs")).toEqual([
    { status: "completed", output: [null, null, null, ...items.slice(3)] },
  ]);
});

it("after a process counts as dead in the middle, completed calls are not repeated", async () => {
  const [cell, service] = await open((member) => told(member, 150));
  const completed = async (): Promise<readonly string[]> =>
    (await cell.sql("SELECT path FROM {schema}.workers__steps WHERE status = 'completed'")).map(
      ({ path }) => items[Number(String(path).split("/")[1])] ?? "",
    );
  while ((await completed()).length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  // As if another process had claimed it and died.
  await cell.sql("UPDATE {schema}.workers__runs SET fence = nextval('plinth.run_fence')");
  const before = await completed();
  await cell.sql("UPDATE plinth.due_runs SET handed_at = NULL, holder = NULL, due_at = now()");
  await cell.settled(20_000);
  const counts = countsOf(service);
  for (const member of before) expect([member, counts[member]]).toEqual([member, 1]);
  expect(Math.max(...Object.values(counts))).toBeLessThanOrEqual(2);
  // The same key for both attempts of those that were in progress.
  expect(new Set(service.received.map(({ headers }) => headers["webhook-id"])).size).toBe(items.length);
  expect(await cell.sql("SELECT status, output FROM {schema}.workers__runs")).toEqual([
    { status: "completed", output: items },
  ]);
});

it("the limit also applies to workers that members call", async () => {
  receiver = await startReceiver(() => told("ok", 100));
  const service = receiver;
  work = await openWorkCell(TEXT, {});
  const call = stepOf(
    "call",
    { kind: "worker.run", worker: "print", input: { kind: "object", members: { item: each } } },
    { forEach: { items: { kind: "literal", value: items }, parallelMax: 2 } },
  );
  const print = stepOf("print", {
    kind: "http.request",
    method: "POST",
    url: { kind: "literal", value: `${service.url}/print` },
    headers: {},
    body: null,
    signed: true,
    repeat: "idempotent",
  });
  await work.redeploy({
    workflows: [
      workflowOf({ name: "print", kind: "worker", on: [], steps: [print] }),
      workflowOf({ name: "tell", on: ["ticket.created"], entity: "ticket", steps: [call] }),
    ],
  });
  await createRecord(await work.request("ticket"), crypto.randomUUID(), new Map([["title", "x"]]));
  while (
    (await work.sql("SELECT 1 FROM {schema}.workers__runs WHERE kind = 'workflow' AND ended_at IS NOT NULL")).length ===
    0
  ) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(service.atOnceMax()).toBe(2);
  expect(service.received.map(({ body }) => JSON.parse(body).input.item).sort()).toEqual(items);
});
