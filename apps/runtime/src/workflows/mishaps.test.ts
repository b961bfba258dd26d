// What goes wrong around a run: a lost connection, two processes with one run, events that come just then, answers that can't be
// kept. Nothing is lost by it, nothing begun anew, and nothing tried for ever.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BundleStep, BundleWorkflow, Template } from "@plinth/bundle";
import type { Expression } from "@plinth/expression";
import type { ProjectScope } from "@plinth/postgres";
import { createUuidV7, networksOf } from "@plinth/service";
import { afterEach, expect, it } from "vitest";
import { createDispatcher, type Dispatcher } from "../events/dispatch.ts";
import { createWorkBudget } from "../events/work-budget.ts";
import { createCallSecrets } from "../identity/call-secrets.ts";
import { createSecretBox } from "../identity/secret-box.ts";
import { kek } from "../modes/cell-fixture.ts";
import { createAddressGuard } from "../outbound/address-guard.ts";
import { createOutbound } from "../outbound/call.ts";
import { createRecord } from "../query/run.ts";
import { createDefinitions } from "./definitions.ts";
import { createExecutor, type Executor } from "./execute.ts";
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

interface Bench {
  readonly work: WorkCell;
  readonly dispatcher: Dispatcher;
  readonly scope: ProjectScope;
  executor(scope?: ProjectScope, now?: () => number): Executor;
  create(entity: "ticket" | "note", text?: string): Promise<void>;
  /** The run that a ticket has begun. */
  begun(): Promise<string>;
}

/** @param works Whether a worker runs beside the test. */
async function open(workflows: readonly BundleWorkflow[], works: boolean): Promise<Bench> {
  const work = await openWorkCell(TEXT, { workflows }, { works });
  closers.push(work.close);
  const { pool, registry, scopeOf, logger } = work.cell;
  const scope = scopeOf(work.projectId);
  const newId = createUuidV7({ now: Date.now });
  const budget = createWorkBudget();
  const dispatcher = createDispatcher({ pool, registry, scopeOf, newId, budget, logger });
  const create: Bench["create"] = async (entity, text = "x") => {
    const name = entity === "ticket" ? "title" : "text";
    await createRecord(await work.request(entity), crypto.randomUUID(), new Map([[name, text]]));
  };
  return {
    work,
    dispatcher,
    scope,
    create,
    executor: (through = scope, now = Date.now) =>
      createExecutor({
        pool,
        registry,
        definitions: createDefinitions(pool, registry),
        scopeOf: () => through,
        secretBox: createSecretBox(kek),
        secrets: createCallSecrets({ pool, box: createSecretBox(kek) }),
        outbound: createOutbound(createAddressGuard(networksOf(["127.0.0.1"]))),
        newId,
        budget,
        logger,
        now,
        random: Math.random,
      }),
    async begun() {
      await create("ticket");
      await dispatcher.dispatch();
      const [run] = await work.sql("SELECT id FROM {schema}.workers__runs WHERE caused_by IS NULL");
      return String(run?.["id"]);
    },
  };
}

const runs = "SELECT workflow, status, error->>'code' AS code FROM {schema}.workers__runs ORDER BY id";

it("a lost connection costs a step none of its tries", async () => {
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

it("what comes while two processes want one run is looked at by the one that has it", async () => {
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
        await executor().execute(work.projectId, [run]);
      }
      return scope.transaction(inner);
    },
  };
  await executor(parking).execute(work.projectId, [run]);
  expect(await work.sql("SELECT due_at <= clock_timestamp() AS due FROM plinth.due_runs")).toEqual([{ due: true }]);
  await executor().execute(work.projectId, [run]);
  expect(await work.sql(runs)).toEqual([{ workflow: "handle", status: "completed", code: null }]);
});

it("an event that comes while a run looks at earlier ones is looked at, too", async () => {
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
  // Before the run began: only who offers it makes the run look at it.
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

it("a run goes on hearing what it waits for, whatever is deployed meanwhile", async () => {
  const { work, create } = await open([workflowOf({ ...onTicket, steps: [untilNote] })], true);
  await create("ticket");
  await work.settled();
  await work.redeploy({ workflows: [] });
  await create("note");
  await work.settled();
  expect(await work.sql(runs)).toEqual([{ workflow: "handle", status: "completed", code: null }]);
});

it.each([
  ["entity", { kind: "record.create", entity: "gone", values: {} }, "no entity `gone`"],
  [
    "transition",
    { kind: "record.transition", entity: "ticket", edge: "close", id: { kind: "literal", value: null }, values: {} },
    "no transition `close`",
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
  await executor(scope, () => Date.now() + 3_600_000).execute(work.projectId, [run]);
  expect(await work.sql(runs)).toEqual([{ workflow: "handle", status: "failed", code: "timeout" }]);
  await create("note");
  await dispatcher.dispatch();
  expect(await work.sql("SELECT cardinality(offered) AS n FROM {schema}.workers__waits")).toEqual([{ n: 0 }]);
  expect(await work.sql("SELECT count(*)::int AS n FROM plinth.due_runs")).toEqual([{ n: 0 }]);
});

it("an approval that nobody gave in time is not asked for again", async () => {
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

it("what is undone by a worker waits for it at rest", async () => {
  const undo = stepOf("undo", { kind: "worker.run", worker: "undoer", input: literal("x") });
  const { work, create } = await open(
    [
      workflowOf({ ...onTicket, steps: [write("one", { compensate: [undo] }), invalid] }),
      workflowOf({ name: "undoer", kind: "worker", on: [], steps: [stepOf("rest", { kind: "wait", forMs: 700 })] }),
    ],
    true,
  );
  await create("ticket");
  await work.settled();
  const [run] = await work.sql("SELECT status, fence::int FROM {schema}.workers__runs WHERE workflow = 'handle'");
  expect(run).toEqual({ status: "failed", fence: 2 });
});

it("a record that can't be looked for fails the run", async () => {
  const { work, create } = await open(
    [workflowOf({ ...onTicket, entity: "note", lookup: { id: literal("no id") }, steps: [write("one")] })],
    true,
  );
  await create("ticket");
  await work.settled();
  expect(await work.sql(runs)).toEqual([{ workflow: "handle", status: "failed", code: "bad_request" }]);
});

/** A service that answers with this body, after whatever happens meanwhile. */
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

const call = (url: string, more: Partial<BundleStep> = {}): BundleStep =>
  stepOf(
    "call",
    {
      kind: "http.request",
      method: "POST",
      url: literal(url),
      headers: {},
      body: null,
      signed: false,
      repeat: "idempotent",
    },
    more,
  );

it("a value that the database can't keep fails the step", async () => {
  const emit = stepOf("emit", { kind: "event.emit", event: "note.wanted", data: { kind: "literal", value: "\u0000" } });
  const { work, executor, begun } = await open([workflowOf({ ...onTicket, steps: [emit] })], false);
  await executor().execute(work.projectId, [await begun()]);
  expect(await work.sql(runs)).toEqual([{ workflow: "handle", status: "failed", code: "invalid_value" }]);
});

it("a call under way when its run is cancelled is undone", async () => {
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
