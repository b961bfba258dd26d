// Runs from the write to the end, on Postgres and the job queue: a step's writes are committed with its row, failures
// are retried, and waits wake up.
import type { BundleStep, Template } from "@plinth/bundle";
import { afterEach, expect, it } from "vitest";
import { createRecord } from "../query/run.ts";
import { openWorkCell, stepOf, type WorkCell, workflowOf } from "./testing/work-cell.ts";

const TEXT = `project: desk
modules: [auth, users, roles, workers, audit_logs]
entities:
  ticket:
    fields:
      title: string
      status: enum[draft, sent] = draft
    permissions:
      admin: { all: true }
  note:
    fields:
      text: string
    permissions:
      admin: { all: true }
`;

let work: WorkCell | null = null;
afterEach(async () => {
  await work?.close();
  work = null;
});

const text = { kind: "text" } as const;
const field = (name: string): Template => ({
  kind: "value",
  expression: { kind: "field", type: text, row: "record", path: [name] },
});
const value = (root: string, ...path: readonly string[]): Template => ({
  kind: "value",
  expression: { kind: "value", type: text, root, path },
});
const literal = (json: string | number): Template => ({ kind: "literal", value: json });

const markSent: BundleStep = stepOf("update", {
  kind: "record.update",
  entity: "ticket",
  id: field("id"),
  values: { status: literal("sent") },
});

async function open(workflows: Parameters<typeof workflowOf>[0][]): Promise<WorkCell> {
  work = await openWorkCell(TEXT, { workflows: workflows.map(workflowOf) });
  return work;
}

async function createTicket(cell: WorkCell, title: string): Promise<string> {
  const id = crypto.randomUUID();
  await createRecord(await cell.request("ticket"), id, new Map([["title", title]]));
  return id;
}

it("a write starts the workflow that listens for it, and its steps are traced to it", async () => {
  const cell = await open([{ name: "label", on: ["ticket.created"], entity: "ticket", steps: [markSent] }]);
  const id = await createTicket(cell, "first");
  await cell.settled();
  expect(await cell.sql("SELECT status FROM {schema}.tickets WHERE id = $1", [id])).toEqual([{ status: "sent" }]);
  expect(await cell.sql("SELECT workflow, status, depth, request_id FROM {schema}.workers__runs")).toEqual([
    { workflow: "label", status: "completed", depth: 0, request_id: "req_test" },
  ]);
  expect(await cell.sql("SELECT path, status, attempts, input FROM {schema}.workers__steps")).toEqual([
    { path: "update", status: "completed", attempts: 1, input: { id, status: "sent" } },
  ]);
  expect(await cell.sql("SELECT path, attempt, error FROM {schema}.workers__attempts")).toEqual([
    { path: "update", attempt: 1, error: null },
  ]);
  expect(
    await cell.sql("SELECT actor_kind, actor_id, operation, request_id FROM {schema}.audit_log ORDER BY id"),
  ).toEqual([
    { actor_kind: "service", actor_id: "test", operation: "create", request_id: "req_test" },
    { actor_kind: "service", actor_id: "workflow label", operation: "update", request_id: "req_test" },
  ]);
});

it("an event that nobody listens for leaves no trace", async () => {
  const cell = await open([{ name: "label", on: ["ticket.deleted"], entity: "ticket", steps: [markSent] }]);
  await createTicket(cell, "first");
  await cell.settled();
  expect(await cell.sql("SELECT name FROM {schema}.workers__events")).toEqual([]);
  expect(await cell.sql("SELECT name FROM plinth.outbox")).toEqual([]);
});

it("a step sees the results of earlier steps", async () => {
  const make = stepOf("make", { kind: "record.create", entity: "note", values: { text: field("title") } });
  const again = stepOf("again", {
    kind: "record.create",
    entity: "note",
    values: {
      text: { kind: "text", parts: ["again: ", { kind: "value", type: text, root: "steps", path: ["make", "text"] }] },
    },
  });
  const cell = await open([{ name: "copy", on: ["ticket.created"], entity: "ticket", steps: [make, again] }]);
  await createTicket(cell, "hello");
  await cell.settled();
  expect(await cell.sql("SELECT text FROM {schema}.notes ORDER BY created_at")).toEqual([
    { text: "hello" },
    { text: "again: hello" },
  ]);
});

it("a step that can't succeed fails the run, and earlier steps are compensated in the opposite order", async () => {
  const make = (id: string): BundleStep =>
    stepOf(
      id,
      { kind: "record.create", entity: "note", values: { text: literal(id) } },
      { compensate: [stepOf(`undo_${id}`, { kind: "record.delete", entity: "note", id: value("steps", id, "id") })] },
    );
  const wrong = stepOf("wrong", {
    kind: "record.update",
    entity: "ticket",
    id: field("id"),
    values: { status: literal("lost") },
  });
  const cell = await open([
    { name: "book", on: ["ticket.created"], entity: "ticket", steps: [make("one"), make("two"), wrong] },
  ]);
  await createTicket(cell, "x");
  await cell.settled();
  expect(await cell.sql("SELECT text FROM {schema}.notes")).toEqual([]);
  const [run] = await cell.sql("SELECT status, error->>'code' AS code FROM {schema}.workers__runs");
  expect(run).toEqual({ status: "failed", code: "validation_failed" });
  const removed = "SELECT changes->>'text' AS text FROM {schema}.audit_log WHERE operation = 'delete' ORDER BY id";
  expect(await cell.sql(removed)).toEqual([{ text: "two" }, { text: "one" }]);
});

it("for_each creates one for each member, and a wait ends at its time", async () => {
  const each = stepOf(
    "each",
    { kind: "record.create", entity: "note", values: { text: value("each") } },
    { forEach: { items: { kind: "literal", value: ["a", "b", "c"] }, parallelMax: 1 } },
  );
  const pause = stepOf("pause", { kind: "wait", forMs: 300 });
  const cell = await open([{ name: "many", on: ["ticket.created"], entity: "ticket", steps: [pause, each] }]);
  const startedMs = performance.now();
  await createTicket(cell, "x");
  await cell.settled();
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(300);
  expect(await cell.sql("SELECT text FROM {schema}.notes ORDER BY text")).toEqual([
    { text: "a" },
    { text: "b" },
    { text: "c" },
  ]);
});

it("waits for a matching event, even one that came before it began to wait", async () => {
  const pause = stepOf("pause", { kind: "wait", forMs: 200 });
  const until = stepOf("until", { kind: "wait_for", event: "note.created", if: null, timeoutMs: null });
  const cell = await open([
    { name: "listen", on: ["ticket.created"], entity: "ticket", steps: [pause, until, markSent] },
  ]);
  const id = await createTicket(cell, "x");
  await createRecord(await cell.request("note"), crypto.randomUUID(), new Map([["text", "now"]]));
  await cell.settled();
  expect(await cell.sql("SELECT status FROM {schema}.tickets WHERE id = $1", [id])).toEqual([{ status: "sent" }]);
});

it("a failed worker passes its own error on to its caller", async () => {
  const call = stepOf("call", { kind: "worker.run", worker: "writer", input: { kind: "literal", value: {} } });
  const gone = { kind: "literal", value: "0190f3a1-0000-7000-8000-000000000001" } as const;
  const move = stepOf("move", {
    kind: "record.update",
    entity: "ticket",
    id: gone,
    values: { status: literal("sent") },
  });
  const cell = await open([
    { name: "outer", on: ["ticket.created"], entity: "ticket", steps: [call] },
    { name: "writer", kind: "worker", on: [], steps: [move] },
  ]);
  await createTicket(cell, "unlucky");
  await cell.settled();
  const runs = await cell.sql("SELECT workflow, status, error FROM {schema}.workers__runs ORDER BY depth");
  expect(runs).toMatchObject([
    { workflow: "outer", status: "failed", error: { code: "not_found" } },
    { workflow: "writer", status: "failed", error: { code: "not_found" } },
  ]);
  expect(runs[0]?.["error"]).toEqual(runs[1]?.["error"]);
});

it("a worker that a step calls is a separate run, and returns to its caller", async () => {
  const call = stepOf("call", {
    kind: "worker.run",
    worker: "writer",
    input: { kind: "object", members: { text: field("title") } },
  });
  const write = stepOf("write", { kind: "record.create", entity: "note", values: { text: value("input", "text") } });
  const cell = await open([
    { name: "outer", on: ["ticket.created"], entity: "ticket", steps: [call, markSent] },
    { name: "writer", kind: "worker", on: [], steps: [write] },
  ]);
  await createTicket(cell, "called");
  await cell.settled();
  expect(await cell.sql("SELECT text FROM {schema}.notes")).toEqual([{ text: "called" }]);
  expect(await cell.sql("SELECT workflow, status, depth FROM {schema}.workers__runs ORDER BY depth")).toEqual([
    { workflow: "outer", status: "completed", depth: 0 },
    { workflow: "writer", status: "completed", depth: 1 },
  ]);
});

it("finds its record if the event carries none, and returns its last step's output", async () => {
  const cell = await open([
    {
      name: "close",
      on: ["ticket.created"],
      entity: "note",
      lookup: { text: field("title") },
      steps: [stepOf("remove", { kind: "record.delete", entity: "note", id: field("id") })],
    },
  ]);
  const note = crypto.randomUUID();
  await createRecord(await cell.request("note"), note, new Map([["text", "find me"]]));
  await createTicket(cell, "find me");
  await createTicket(cell, "nobody");
  await cell.settled();
  expect(
    await cell.sql("SELECT status, output, error->>'code' AS code FROM {schema}.workers__runs ORDER BY seq"),
  ).toEqual([
    { status: "completed", output: { id: note }, code: null },
    { status: "failed", output: null, code: "no_record" },
  ]);
});

it("workflows that start each other end at a maximum depth", async () => {
  const again = stepOf("again", {
    kind: "record.update",
    entity: "ticket",
    id: field("id"),
    values: { title: literal("again") },
  });
  const cell = await open([
    { name: "loop", on: ["ticket.created", "ticket.updated"], entity: "ticket", steps: [again] },
  ]);
  await createTicket(cell, "x");
  await cell.settled();
  const [last] = await cell.sql(
    "SELECT status, error->>'code' AS code FROM {schema}.workers__runs ORDER BY depth DESC LIMIT 1",
  );
  expect(last).toEqual({ status: "failed", code: "too_deep" });
});
