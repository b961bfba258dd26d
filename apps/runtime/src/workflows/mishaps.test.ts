// Problems around a run: a lost connection, two processes with one run, events at the wrong moment, answers that can't
// be stored. Nothing is lost, nothing restarts, and nothing is retried forever.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BundleStep, BundleWorkflow, Template } from "@plinth/bundle";
import type { Expression } from "@plinth/expression";
import type { ProjectScope } from "@plinth/postgres";
import { afterEach, expect, it } from "vitest";
import type { Outbound } from "../outbound/call.ts";
import { createRecord } from "../query/run.ts";
import { type Bench, openBench, openOutbound } from "./testing/bench.ts";
import { countClaims } from "./testing/count-claims.ts";
import { startProcess } from "./testing/dying-process.ts";
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

let closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.reverse()) await close();
  closers = [];
});

const literal = (json: string | number): Template => ({ kind: "literal", value: json });
const write = (id: string, more: Partial<BundleStep> = {}): BundleStep =>
  stepOf(id, { kind: "record.create", entity: "note", values: { text: literal(id) } }, more);
const invalid = stepOf("invalid", { kind: "record.create", entity: "note", values: { text: literal(7) } });
const untilNote = stepOf("until", { kind: "wait_for", event: "note.created", if: null, timeoutMs: null });
const pause = stepOf("pause", { kind: "wait", forMs: 0 });
const onTicket = { name: "handle", on: ["ticket.created"], entity: "ticket" } as const;

interface Desk extends Bench {
  readonly work: WorkCell;
  create(entity: "ticket" | "note", text?: string): Promise<void>;
  /** The run that a ticket has started. */
  begun(): Promise<string>;
}

/** @param works Whether a worker runs in addition to the test. */
async function open(workflows: readonly BundleWorkflow[], works: boolean): Promise<Desk> {
  const work = await openWorkCell(TEXT, { workflows }, { works });
  closers.push(work.close);
  const bench = openBench(work);
  const create: Desk["create"] = async (entity, text = "x") => {
    const name = entity === "ticket" ? "title" : "text";
    await createRecord(await work.request(entity), crypto.randomUUID(), new Map([[name, text]]));
  };
  return {
    ...bench,
    work,
    create,
    async begun() {
      await create("ticket");
      await bench.dispatcher.dispatch();
      const [run] = await work.sql("SELECT id FROM {schema}.workers__runs WHERE caused_by IS NULL");
      return String(run?.["id"]);
    },
  };
}

const runs = "SELECT workflow, status, error->>'code' AS code FROM {schema}.workers__runs ORDER BY id";

it("a lost connection costs a step no attempt", async () => {
  const once = { retry: { attempts: 1, backoff: "constant", delayMs: 10, delayMsMax: 10 } } as const;
  const { work, executor, begun, scope } = await open(
    [workflowOf({ ...onTicket, steps: [write("one", once), write("two", once), pause] })],
    false,
  );
  const run = await begun();
  const cut = (backend: string): Promise<unknown> => work.sql("SELECT pg_terminate_backend($1::int)", [backend]);
  const outbound = { call: () => Promise.reject(new Error("nothing is called")) };
  const process = startProcess({ scope, outbound, cut, overtake: async () => {} }, { doom: "cut", at: 4 });
  await executor(process.scope).execute(work.projectId, [run]);
  expect(await work.sql(runs)).toEqual([{ workflow: "handle", status: "waiting", code: null }]);
  expect(await work.sql("SELECT text FROM {schema}.notes")).toEqual([{ text: "one" }]);
  for (let rest = 0; rest < 2; rest++) await executor().execute(work.projectId, [run]);
  expect(await work.sql(runs)).toEqual([{ workflow: "handle", status: "completed", code: null }]);
  expect(await work.sql("SELECT text FROM {schema}.notes ORDER BY text")).toEqual([{ text: "one" }, { text: "two" }]);
});

it.each([
  ["parks", [write("one"), untilNote], "waiting"],
  ["ends", [write("one")], "completed"],
])(
  "a process that was frozen since its claim gets nothing after another one has executed the run, which %s",
  async (_, steps, status) => {
    const { work, executor, begun, nextFence } = await open([workflowOf({ ...onTicket, steps })], false);
    const claims = await countClaims(work);
    const run = await begun();
    const early = await nextFence();
    await executor().execute(work.projectId, [run]);
    await executor().execute(work.projectId, [run], early);
    expect(await work.sql(runs)).toEqual([{ workflow: "handle", status, code: null }]);
    expect(await claims()).toEqual({ handle: 1 });
    expect(await work.sql("SELECT text FROM {schema}.notes")).toEqual([{ text: "one" }]);
  },
);

it("an event that comes while a run parks is read by its next claim", async () => {
  const { work, executor, dispatcher, begun, create, scope } = await open(
    [workflowOf({ ...onTicket, steps: [untilNote] })],
    false,
  );
  const run = await begun();
  let transactions = 0;
  const parking: ProjectScope = {
    ...scope,
    async transaction(inner) {
      // The third one parks the run; the first claims it, the second has looked for events.
      if (++transactions === 3) {
        await create("note");
        await dispatcher.dispatch();
      }
      return scope.transaction(inner);
    },
  };
  await work.sql("UPDATE plinth.due_runs SET handed_at = 'infinity'");
  await executor(parking).execute(work.projectId, [run]);
  expect(await work.sql("SELECT due_at <= clock_timestamp() AS due FROM plinth.due_runs")).toEqual([{ due: true }]);
  await executor().execute(work.projectId, [run]);
  expect(await work.sql(runs)).toEqual([{ workflow: "handle", status: "completed", code: null }]);
});

it("an event that comes while a run reads earlier ones is read, too", async () => {
  const isYes: Expression = {
    kind: "operation",
    type: { kind: "bool" },
    operator: "==",
    args: [
      { kind: "field", type: { kind: "text" }, row: "record", path: ["text"] },
      { kind: "literal", type: { kind: "text" }, value: "yes" },
    ],
  };
  const untilYes = stepOf("until", { kind: "wait_for", event: "note.created", if: isYes, timeoutMs: null });
  const { work, executor, dispatcher, begun, create, scope } = await open(
    [workflowOf({ ...onTicket, steps: [untilYes] })],
    false,
  );
  // Before the run began: the run only looks at it when it is offered.
  await create("note", "yes");
  const run = await begun();
  await executor().execute(work.projectId, [run]);
  await create("note", "no");
  await dispatcher.dispatch();
  const client = await work.cell.pool.connect();
  await client.query("BEGIN");
  await client.query(`UPDATE "${scope.schema}".workers__waits SET offered = offered ||
    (SELECT id FROM "${scope.schema}".workers__events WHERE record->>'text' = 'yes')`);
  const looking = executor().execute(work.projectId, [run]);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await client.query("COMMIT");
  client.release();
  await looking;
  expect(await work.sql(runs)).toEqual([{ workflow: "handle", status: "completed", code: null }]);
});

it("a run still gets the events that it waits for, whatever is deployed meanwhile", async () => {
  const { work, create } = await open([workflowOf({ ...onTicket, steps: [untilNote] })], true);
  await create("ticket");
  await work.settled();
  await work.redeploy({ workflows: [] });
  await create("note");
  await work.settled();
  expect(await work.sql(runs)).toEqual([{ workflow: "handle", status: "completed", code: null }]);
});

it.each([
  ["entity", { kind: "record.create", entity: "gone", values: {} }, "no longer has the entity `gone`"],
  [
    "transition",
    { kind: "record.transition", entity: "ticket", edge: "close", id: { kind: "literal", value: null }, values: {} },
    "no longer has the transition `close`",
  ],
] as const)("a step whose %s was deployed away fails, and its run ends", async (_, action, why) => {
  const { work, create } = await open([workflowOf({ ...onTicket, steps: [stepOf("act", action)] })], true);
  await create("ticket");
  await work.settled();
  const [run] = await work.sql("SELECT status, error->>'message' AS why FROM {schema}.workers__runs");
  expect(run).toEqual({ status: "failed", why: expect.stringContaining(why) });
});

it("nothing is offered to a run that has ended", async () => {
  const { work, executor, dispatcher, begun, create, scope } = await open(
    [workflowOf({ ...onTicket, steps: [untilNote], timeoutMs: 3_600_000 })],
    false,
  );
  const run = await begun();
  await executor().execute(work.projectId, [run]);
  await executor(scope, { now: () => Date.now() + 3_600_000 }).execute(work.projectId, [run]);
  expect(await work.sql(runs)).toEqual([{ workflow: "handle", status: "failed", code: "timeout" }]);
  await create("note");
  await dispatcher.dispatch();
  expect(await work.sql("SELECT cardinality(offered) AS n FROM {schema}.workers__waits")).toEqual([{ n: 0 }]);
  expect(await work.sql("SELECT count(*)::int AS n FROM plinth.due_runs")).toEqual([{ n: 0 }]);
});

it("an approval that nobody gave in time is not requested again", async () => {
  const ask = stepOf("ask", {
    kind: "approve",
    roles: ["admin"],
    bySelf: true,
    onReject: "fail",
    message: null,
    timeoutMs: 50,
  });
  const { work, create } = await open([workflowOf({ ...onTicket, steps: [ask] })], true);
  await create("ticket");
  await work.settled();
  expect(await work.sql(runs)).toEqual([{ workflow: "handle", status: "failed", code: "timeout" }]);
  expect(await work.sql("SELECT attempt FROM {schema}.workers__attempts")).toEqual([{ attempt: 1 }]);
});

it("a compensation by a worker waits for it while the run is parked", async () => {
  const undo = stepOf("undo", { kind: "worker.run", worker: "undoer", input: literal("x") });
  const { work, create } = await open(
    [
      workflowOf({ ...onTicket, steps: [write("one", { compensate: [undo] }), invalid] }),
      workflowOf({ name: "undoer", kind: "worker", on: [], steps: [stepOf("rest", { kind: "wait", forMs: 700 })] }),
    ],
    true,
  );
  const claims = await countClaims(work);
  await create("ticket");
  await work.settled();
  expect(await work.sql("SELECT status FROM {schema}.workers__runs WHERE workflow = 'handle'")).toEqual([
    { status: "failed" },
  ]);
  expect(await claims()).toMatchObject({ handle: 2 });
});

it("a record that can't be looked up fails the run", async () => {
  const { work, create } = await open(
    [workflowOf({ ...onTicket, entity: "note", lookup: { id: literal("no id") }, steps: [write("one")] })],
    true,
  );
  await create("ticket");
  await work.settled();
  expect(await work.sql(runs)).toEqual([{ workflow: "handle", status: "failed", code: "bad_request" }]);
});

/** A service that answers with this body, after `meanwhile`. */
async function serve(body: string, meanwhile: () => Promise<unknown> = async () => {}): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", async () => {
      await meanwhile();
      response.setHeader("content-type", "application/json").end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const call = (
  url: string,
  more: Partial<BundleStep> = {},
  repeat: "idempotent" | "unsafe" = "idempotent",
): BundleStep =>
  stepOf(
    "call",
    {
      kind: "http.request",
      method: "POST",
      url: literal(url),
      headers: {},
      body: null,
      signed: false,
      repeat,
    },
    more,
  );

it("a value that the database can't store fails the step", async () => {
  const emit = stepOf("emit", { kind: "event.emit", event: "note.wanted", data: { kind: "literal", value: "\u0000" } });
  const { work, executor, begun } = await open([workflowOf({ ...onTicket, steps: [emit] })], false);
  await executor().execute(work.projectId, [await begun()]);
  expect(await work.sql(runs)).toEqual([{ workflow: "handle", status: "failed", code: "invalid_value" }]);
});

it("a call in progress when its run is cancelled is compensated", async () => {
  let cancel: () => Promise<unknown> = async () => {};
  const url = await serve("{}", () => cancel());
  const { work, executor, begun } = await open(
    [workflowOf({ ...onTicket, steps: [call(url, { compensate: [write("undone")] }), write("after")] })],
    false,
  );
  cancel = () => work.sql("UPDATE {schema}.workers__runs SET cancelled = true");
  await executor().execute(work.projectId, [await begun()]);
  expect(await work.sql(runs)).toEqual([{ workflow: "handle", status: "cancelled", code: null }]);
  expect(await work.sql("SELECT text FROM {schema}.notes")).toEqual([{ text: "undone" }]);
});

it("an unsafe call whose process died while it waited for its place is made once", async () => {
  let calls = 0;
  const url = await serve("{}", async () => calls++);
  const { work, executor, begun, scope } = await open(
    [workflowOf({ ...onTicket, steps: [call(url, {}, "unsafe")] })],
    false,
  );
  const outbound = openOutbound();
  const held = Promise.withResolvers<never>();
  const places = Array.from({ length: 20 }, () => outbound.call(work.projectId, () => held.promise).catch(() => {}));
  const run = await begun();
  const asked = Promise.withResolvers<void>();
  const waiting: Outbound = {
    call: (project, prepare) => {
      asked.resolve();
      return outbound.call(project, prepare);
    },
  };
  const late = executor(scope, { outbound: waiting }).execute(work.projectId, [run]);
  await asked.promise;
  expect(await work.sql("SELECT path FROM {schema}.workers__steps")).toEqual([]);
  await executor().execute(work.projectId, [run]);
  expect(await work.sql(runs)).toEqual([{ workflow: "handle", status: "completed", code: null }]);
  // The process was only delayed: it continues and has its place.
  held.reject(new Error("the place is free"));
  await Promise.all([...places, late]);
  expect(await work.sql(runs)).toEqual([{ workflow: "handle", status: "completed", code: null }]);
  expect(calls).toBe(1);
});
