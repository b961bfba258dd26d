// What admins see of background work, and what they do with it: how much there is, why it fails, retries and
// cancellations of many runs, calls with unknown results, and schedules. The real engine executes the runs.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { BundleSchedule, Template } from "@plinth/bundle";
import { createUuidV7 } from "@plinth/service";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createWorkBudget } from "../../events/work-budget.ts";
import { createScheduler, type Scheduler } from "../../jobs/schedules.ts";
import { callModule, dataOf, makeKey } from "../../modes/testing/cell.ts";
import { createRecord } from "../../query/run.ts";
import { openWorkCell, stepOf, type WorkCell, workflowOf } from "../../workflows/testing/work-cell.ts";

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

/** A note that does not exist at first. */
const PAID = "0192f000-0000-7000-8000-00000000000a";

const literal = (value: string): Template => ({ kind: "literal", value });
const value = (root: string, ...path: readonly string[]): Template => ({
  kind: "value",
  expression: { kind: "value", type: { kind: "text" }, root, path },
});
const note = (text: Template) => ({ kind: "record.create", entity: "note", values: { text } }) as const;

let work: WorkCell;
let admin: string;
let nobody: string;
/** The other service: it accepts each call, and closes the connection without an answer. */
let server: Server;
let calls = 0;

const nightly: BundleSchedule = {
  name: "nightly",
  cron: "* * * * *",
  timezone: "Europe/Berlin",
  run: "digest",
  overlap: "allow",
  catchUp: "all",
};

function background(url: string) {
  return {
    workflows: [
      workflowOf({
        name: "book",
        on: ["ticket.created"],
        entity: "ticket",
        steps: [
          stepOf("mark", {
            kind: "record.update",
            entity: "note",
            id: literal(PAID),
            values: { text: literal("booked") },
          }),
        ],
      }),
      workflowOf({
        name: "charge",
        kind: "worker",
        on: [],
        steps: [
          stepOf("reserve", note(literal("reserved")), { compensate: [stepOf("release", note(literal("released")))] }),
          stepOf("call", {
            kind: "http.request",
            method: "POST",
            url: literal(`${url}/charge`),
            headers: {},
            body: null,
            signed: false,
            repeat: "unsafe",
          }),
          stepOf("thank", note(value("steps", "call", "id"))),
        ],
      }),
      workflowOf({ name: "ask", kind: "worker", on: [], steps: [stepOf("pause", { kind: "wait", forMs: 60_000 })] }),
      workflowOf({ name: "digest", kind: "worker", on: [], steps: [stepOf("write", note(literal("digest")))] }),
    ],
    schedules: [nightly, { ...nightly, name: "money", cron: "0 2 1 1 *", run: "charge", overlap: "skip" as const }],
  };
}

beforeEach(async () => {
  calls = 0;
  server = createServer((request) => {
    calls++;
    // Long enough for a second run to be requested meanwhile.
    setTimeout(() => request.socket.destroy(), 500);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  work = await openWorkCell(TEXT, background(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  admin = (await makeKey(work.cell, work.projectId, { role: "admin" })).key;
  nobody = (await makeKey(work.cell, work.projectId, { kind: "publishable" })).key;
});

afterEach(async () => {
  await work.close();
  server.close();
});

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
const get = async (path: string): Promise<any> =>
  dataOf(await callModule(work.cell, { method: "GET", path, key: admin }));
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
const post = async (path: string, body: object = {}): Promise<any> =>
  dataOf(await callModule(work.cell, { path, key: admin, body }));

async function createTickets(count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    await createRecord(await work.request("ticket"), crypto.randomUUID(), new Map([["title", `t${at}`]]));
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
async function queue(name: string): Promise<any> {
  return (await get("/v1/queues")).queues.find((each: { name: string }) => each.name === name);
}

const audit = (): Promise<readonly Record<string, unknown>[]> =>
  work.sql(
    "SELECT operation, entity, actor_kind, changes FROM {schema}.audit_log WHERE entity IN ('run', 'schedule') ORDER BY id",
  );

describe("queues", () => {
  it("show depth, throughput and failures by cause, even without any runs", async () => {
    await createTickets(3);
    await work.settled();
    const book = await queue("book");
    expect(book).toMatchObject({
      kind: "workflow",
      declared: true,
      due: 0,
      running: 0,
      waiting: 0,
      completed_day: 0,
      failed_day: 3,
    });
    expect(book.failures).toEqual([
      {
        code: expect.stringMatching(/^[a-z_]+$/),
        status: "failed",
        count: 3,
        last_at: expect.stringMatching(/^\d{4}-/),
        step: "mark",
        attempts: 1,
      },
    ]);
    expect(await queue("ask")).toMatchObject({ due: 0, waiting: 0, oldest_at: null, failures: [] });
    await work.sql(
      `WITH r AS (INSERT INTO {schema}.workers__runs (id, workflow, kind, definition, status, created_at)
         VALUES (gen_random_uuid(), 'gone', 'worker', 'rel_none', 'queued', now() - interval '1 hour') RETURNING id)
       INSERT INTO plinth.due_runs SELECT '${work.projectId}', id, now() - interval '1 minute', now() + interval '1 hour', false FROM r`,
    );
    const gone = await queue("gone");
    expect(gone).toMatchObject({ declared: false, due: 1, running: 0, waiting: 0 });
    expect(Date.now() - Date.parse(gone.oldest_due_at)).toBeGreaterThan(59_000);
    expect(Date.now() - Date.parse(gone.oldest_at)).toBeGreaterThan(3_590_000);
  });

  it("retry all runs that failed with one code until then, and no other", async () => {
    await createTickets(3);
    await work.settled();
    const [{ code }] = (await queue("book")).failures;
    const until = new Date().toISOString();
    await createTickets(1);
    await work.settled();
    await work.sql("INSERT INTO {schema}.notes (id, text) VALUES ($1, 'paid')", [PAID]);
    expect(await post("/v1/queues/retry", { workflow: "book", kind: "workflow", code: "other", until })).toEqual({
      runs: 0,
      left: 0,
      overtaken: 0,
    });
    expect(await post("/v1/queues/retry", { workflow: "book", kind: "workflow", code, until })).toEqual({
      runs: 3,
      left: 0,
      overtaken: 0,
    });
    await work.settled();
    const ended = await work.sql(
      "SELECT status, count(*)::int AS runs FROM {schema}.workers__runs GROUP BY 1 ORDER BY 1",
    );
    expect(ended).toEqual([
      { status: "completed", runs: 3 },
      { status: "failed", runs: 1 },
    ]);
    expect(await audit()).toEqual(
      Array.from({ length: 3 }, () => ({ operation: "retry", entity: "run", actor_kind: "key", changes: { code } })),
    );
  });

  it("cancel all unfinished runs", async () => {
    for (let at = 0; at < 4; at++) {
      await work.sql(
        `WITH r AS (INSERT INTO {schema}.workers__runs (id, workflow, kind, definition, status)
           SELECT gen_random_uuid(), 'ask', 'worker', active_release_id, 'queued' FROM plinth.projects WHERE id = $1 RETURNING id)
         INSERT INTO plinth.due_runs (project_id, run_id, due_at) SELECT $1, id, now() FROM r`,
        [work.projectId],
      );
    }
    await expect.poll(async () => (await queue("ask")).waiting, { timeout: 10_000 }).toBe(4);
    expect(
      await post("/v1/queues/cancel", { workflow: "ask", kind: "worker", until: new Date().toISOString() }),
    ).toEqual({
      runs: 4,
      left: 0,
      overtaken: 0,
    });
    await work.settled();
    expect(await work.sql("SELECT DISTINCT status FROM {schema}.workers__runs")).toEqual([{ status: "cancelled" }]);
    expect(
      await post("/v1/queues/cancel", { workflow: "ask", kind: "worker", until: new Date().toISOString() }),
    ).toEqual({
      runs: 0,
      left: 0,
      overtaken: 0,
    });
  });
});

describe("a call with an unknown result", () => {
  async function attention(): Promise<string> {
    const { id } = await post("/v1/schedules/run", { schedule: "money" });
    await work.settled();
    expect(await get(`/v1/runs/${id}`)).toMatchObject({ status: "needs_attention" });
    expect(calls).toBe(1);
    return id;
  }

  it("is settled as done with an output, and is not repeated", async () => {
    const id = await attention();
    expect(await post(`/v1/runs/${id}/done`, { output: { id: "ch_1" }, note: "seen at the bank" })).toEqual({ id });
    await work.settled();
    expect(await get(`/v1/runs/${id}`)).toMatchObject({ status: "completed", error: null });
    expect(await work.sql("SELECT text FROM {schema}.notes ORDER BY text")).toEqual([
      { text: "ch_1" },
      { text: "reserved" },
    ]);
    expect(calls).toBe(1);
    expect((await audit()).at(-1)).toMatchObject({
      operation: "mark_done",
      changes: { path: "call", note: "seen at the bank" },
    });
    await expect(post(`/v1/runs/${id}/done`)).rejects.toMatchObject({ code: "conflict" });
  });

  it("is settled as failed, and earlier steps are compensated", async () => {
    const id = await attention();
    await post(`/v1/runs/${id}/fail`, { note: "the bank knows nothing of it" });
    await work.settled();
    expect(await get(`/v1/runs/${id}`)).toMatchObject({
      status: "failed",
      error: { code: "marked_failed", message: "the bank knows nothing of it" },
    });
    expect(await work.sql("SELECT text FROM {schema}.notes ORDER BY text")).toEqual([
      { text: "released" },
      { text: "reserved" },
    ]);
    expect(calls).toBe(1);
  });
});

describe("schedules", () => {
  const at = (text: string): number => Date.parse(text);

  function schedulerAt(now: () => number): Scheduler {
    const { pool, registry, scopeOf, logger } = work.cell;
    const newId = createUuidV7({ now: Date.now });
    return createScheduler({ pool, registry, scopeOf, newId, logger, now, budget: createWorkBudget() });
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
  async function schedule(name: string): Promise<any> {
    return (await get("/v1/schedules")).find((each: { name: string }) => each.name === name);
  }

  const runs = async (): Promise<number> => (await work.sql("SELECT 1 FROM {schema}.workers__runs")).length;

  it("show their next times in their time zone, their last tick and its run", async () => {
    expect(await schedule("money")).toMatchObject({
      cron: "0 2 1 1 *",
      overlap: "skip",
      catch_up: "all",
      last_run: null,
    });
    const { next } = await schedule("money");
    expect(next).toHaveLength(5);
    expect(next[0]).toMatch(/^\d{4}-01-01T01:00:00\.000Z$/);
    let now = at("2026-05-01T10:00:30Z");
    const scheduler = schedulerAt(() => now);
    await scheduler.tick();
    now += 60_000;
    await scheduler.tick();
    await work.settled();
    const { last_at, last_run } = await schedule("nightly");
    expect(Date.parse(last_at)).toBe(at("2026-05-01T10:01:00Z"));
    expect(last_run).toEqual({ id: expect.any(String), status: "completed" });
  });

  it("start nothing while they are paused, in any process, even after a deployment", async () => {
    let now = at("2026-05-01T10:00:30Z");
    const schedulers = [schedulerAt(() => now), schedulerAt(() => now)];
    const tick = (): Promise<unknown> => Promise.all(schedulers.map((each) => each.tick()));
    await tick();
    await post("/v1/schedules/pause", { schedule: "nightly" });
    await expect(post("/v1/schedules/pause", { schedule: "nightly" })).rejects.toMatchObject({ code: "conflict" });
    for (let minute = 0; minute < 3; minute++) {
      now += 60_000;
      await tick();
    }
    expect(await runs()).toBe(0);
    await work.redeploy(background("http://127.0.0.1:1"));
    await tick();
    expect(await runs()).toBe(0);
    expect(await schedule("nightly")).toMatchObject({ paused_at: expect.any(String), paused_by: expect.any(String) });
    // As after an outage: `catch_up: all` starts each of the three missed ticks, and then continues.
    await post("/v1/schedules/resume", { schedule: "nightly" });
    await tick();
    expect(await runs()).toBe(3);
    now += 60_000;
    await tick();
    expect(await runs()).toBe(4);
    expect(await audit()).toMatchObject([
      { operation: "pause_schedule", entity: "schedule", changes: { schedule: "nightly" } },
      { operation: "resume_schedule", entity: "schedule", changes: { schedule: "nightly" } },
    ]);
  });

  it("skip missed ticks on request", async () => {
    let now = at("2026-05-01T10:00:30Z");
    const scheduler = schedulerAt(() => now);
    await scheduler.tick();
    await post("/v1/schedules/pause", { schedule: "nightly" });
    expect((await schedule("nightly")).missed).toBeGreaterThan(0);
    now += 600_000;
    await post("/v1/schedules/resume", { schedule: "nightly", skip_missed: true });
    await scheduler.tick();
    expect(await runs()).toBe(0);
    now += 60_000;
    await scheduler.tick();
    expect(await runs()).toBe(1);
  });

  it("run at once on request, in the caller's name, unless the last run has not ended", async () => {
    const { id } = await post("/v1/schedules/run", { schedule: "money" });
    await expect(post("/v1/schedules/run", { schedule: "money" })).rejects.toMatchObject({ code: "conflict" });
    expect(await schedule("money")).toMatchObject({ last_at: expect.stringMatching(/^\d{4}-/), last_run: { id } });
    await work.settled();
    expect(await get(`/v1/runs/${id}`)).toMatchObject({
      workflow: "charge",
      actor_kind: "key",
      request_id: "req_test",
      input: { schedule: "money" },
    });
    expect(await audit()).toMatchObject([{ operation: "run_schedule", changes: { schedule: "money", run: id } }]);
  });
});

it("only an admin sees or does any of it, and unknown names are not found", async () => {
  const until = new Date().toISOString();
  for (const path of ["/v1/queues", "/v1/schedules"]) {
    await expect(callModule(work.cell, { method: "GET", path, key: nobody })).rejects.toMatchObject({
      code: "forbidden",
    });
  }
  for (const [path, body] of [
    ["/v1/queues/retry", { workflow: "book", kind: "workflow", code: "x", until }],
    ["/v1/queues/cancel", { workflow: "book", kind: "workflow", until }],
    ["/v1/schedules/run", { schedule: "nightly" }],
    ["/v1/schedules/pause", { schedule: "nightly" }],
    ["/v1/schedules/resume", { schedule: "nightly" }],
    [`/v1/runs/${crypto.randomUUID()}/done`, {}],
    [`/v1/runs/${crypto.randomUUID()}/fail`, {}],
  ] as const) {
    await expect(callModule(work.cell, { path, key: nobody, body }), path).rejects.toMatchObject({ code: "forbidden" });
  }
  await expect(post("/v1/schedules/pause", { schedule: "none" })).rejects.toMatchObject({ code: "not_found" });
  await expect(post(`/v1/runs/${crypto.randomUUID()}/done`)).rejects.toMatchObject({ code: "not_found" });
  await expect(
    post("/v1/queues/retry", { workflow: "book", kind: "workflow", code: "x", until: "yesterday" }),
  ).rejects.toMatchObject({
    code: "validation_failed",
  });
  await expect(post("/v1/schedules/resume", { schedule: "nightly", skip_missed: "yes" })).rejects.toMatchObject({
    code: "validation_failed",
  });
  expect(await audit()).toEqual([]);
});
