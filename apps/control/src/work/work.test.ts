// A project's background work in the console, with a real cell: events, runs, and actions on them, which are in control's log and
// in the project's own. The runs are inserted by SQL, for a workflow that isn't in the live version.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeOf, createWorld, goLive, join, type Somebody, until, type World } from "../testing/control-plane.ts";

const PARCELS = `project: parcels
modules: [auth, users, roles, workers]
entities:
  parcel:
    fields:
      name: string pii
      status: string? pii
    permissions:
      admin:
        all: true
`;
/** At least two weeks from now, so that no tick happens during the test. */
const SCHEDULED = `${PARCELS.replace("workers]", "workers, audit_logs]")}workers:
  tidy:
    steps:
      - audit.write: { with: { note: tidied } }
schedules:
  yearly: { cron: "0 0 29 2 *", timezone: Europe/Berlin, run: tidy, overlap: skip, catch_up: last }
`;

const EVENT = "0192f000-0000-7000-8000-000000000001";
const RUN = "0192f000-0000-7000-8000-000000000002";
const CAUSED = "0192f000-0000-7000-8000-000000000003";
const RECORD = "0192f000-0000-7000-8000-000000000004";

let world: World;
let owner: Somebody;
let viewer: Somebody;
let projectId: string;
let plainId: string;
let scheduledId: string;
let schema: string;

beforeAll(async () => {
  world = await createWorld({ cell: true });
  [owner, viewer] = [await world.signUp("owner"), await world.signUp("viewer")];
  const { organizationId } = owner;
  await join(owner, viewer, organizationId, "viewer");
  projectId = (await owner.client.projects.create.mutate({ organizationId, slug: "parcels" })).id;
  plainId = (await owner.client.projects.create.mutate({ organizationId, slug: "plain" })).id;
  await goLive(owner, projectId, PARCELS);
  scheduledId = (await owner.client.projects.create.mutate({ organizationId, slug: "scheduled" })).id;
  await goLive(owner, scheduledId, SCHEDULED.replace("parcels", "scheduled"));
  await goLive(owner, plainId, PARCELS.replace("parcels", "plain").replace(", workers", ""));
  schema = `t_${projectId.slice(4)}`;
  const sql = (text: string, values: readonly unknown[]): Promise<unknown> =>
    world.cellPool.query(text.replaceAll("{s}", schema), [...values]);
  await sql(
    `INSERT INTO {s}.workers__events (id, seq, name, at, entity, record_id, actor_kind, actor_id, request_id, record, old)
     VALUES ($1, 1, 'parcel.updated', now(), 'parcel', $2, 'key', 'key_1', 'req_1', $3, $4)`,
    [EVENT, RECORD, { name: "Ada", status: "sent" }, { status: "new" }],
  );
  await sql(
    `INSERT INTO {s}.workers__runs (id, workflow, kind, definition, event_id, status, request_id, actor_kind, actor_id, created_at, started_at)
     VALUES ($1, 'send', 'workflow', 'rel_none', $2, 'waiting', 'req_1', 'key', 'key_1', now(), now())`,
    [RUN, EVENT],
  );
  await sql(
    `INSERT INTO {s}.workers__runs (id, workflow, kind, definition, status, caused_by, depth, request_id, error, ended_at)
     VALUES ($1, 'print', 'worker', 'rel_none', 'completed', $2, 1, 'req_1', NULL, now())`,
    [CAUSED, RUN],
  );
  await sql(
    `INSERT INTO {s}.workers__steps (run_id, path, status, key, attempts, output, error, started_at, next_at)
     VALUES ($1, 'find', 'completed', 'k1', 2, $2, NULL, now(), NULL), ($1, 'ask', 'waiting', 'k2', 1, NULL, NULL, now(), NULL)`,
    [RUN, { name: "Ada", weight: 3 }],
  );
  await sql(
    `INSERT INTO {s}.workers__attempts (run_id, path, attempt, started_at, error) VALUES ($1, 'find', 1, now(), $2)`,
    [RUN, { code: "timeout", message: "It took too long." }],
  );
  await sql(
    `INSERT INTO {s}.workers__waits (run_id, path, kind, roles, by_self) VALUES ($1, 'ask', 'approval', '{admin}', true)`,
    [RUN],
  );
}, 60_000);

afterAll(() => world?.stop());

async function logged(kind = "run"): Promise<readonly unknown[]> {
  const { rows } = await world.pool.query(
    "SELECT action, subject, detail FROM control.audit WHERE action LIKE $1 ORDER BY id",
    [`${kind}.%`],
  );
  return rows.map(({ action, subject, detail }) => [action, subject, detail]);
}

describe("reading", () => {
  it("events and runs, newest first, by their filters", async () => {
    for (const { client } of [owner, viewer]) {
      const events = await client.work.events.query({ projectId, name: "parcel.updated", recordId: RECORD });
      expect(events).toMatchObject({
        data: [{ id: EVENT, entity: "parcel", recordId: RECORD, actorKind: "key", requestId: "req_1" }],
        nextCursor: null,
      });
      const runs = await client.work.runs.query({ projectId, requestId: "req_1" });
      expect(runs?.data.map(({ id }) => id)).toEqual([CAUSED, RUN]);
    }
    const first = await owner.client.work.runs.query({ projectId, limit: 1 });
    const cursor = first?.nextCursor ?? "";
    const second = await owner.client.work.runs.query({ projectId, limit: 1, cursor });
    expect([first, second].map((page) => page?.data[0]?.id)).toEqual([CAUSED, RUN]);
    const waiting = await owner.client.work.runs.query({ projectId, status: "waiting", workflow: "send" });
    expect(waiting?.data.map(({ id }) => id)).toEqual([RUN]);
    expect(await owner.client.work.events.query({ projectId, name: "none" })).toEqual({ data: [], nextCursor: null });
  });

  it("one event with its payload and its runs; personal values are masked, and others with the same name are not", async () => {
    expect(await owner.client.work.event.query({ projectId, eventId: EVENT })).toMatchObject({
      name: "parcel.updated",
      record: { name: "[masked]", status: "[masked]" },
      old: { status: "[masked]" },
      runs: [{ id: RUN, workflow: "send", status: "waiting" }],
    });
  });

  it("one run with its steps, attempts and waits", async () => {
    const run = await viewer.client.work.run.query({ projectId, runId: RUN });
    expect(run).toMatchObject({
      workflow: "send",
      kind: "workflow",
      status: "waiting",
      eventId: EVENT,
      record: { entity: "parcel", id: RECORD },
      causedBy: null,
    });
    expect(run.steps).toMatchObject(
      [
        { path: "find", status: "completed", attempts: 2, output: { name: "[masked]", weight: 3 } },
        { path: "ask", status: "waiting", output: null },
      ].sort((one, other) => (one.path < other.path ? -1 : 1)),
    );
    expect(run.attempts).toMatchObject([{ path: "find", attempt: 1, error: { code: "timeout" } }]);
    expect(run.waits).toMatchObject([{ path: "ask", kind: "approval", roles: ["admin"], answer: null }]);
  });

  it("a project without the module has none, and the answer is null", async () => {
    expect(await owner.client.work.events.query({ projectId: plainId })).toBe(null);
    expect(await owner.client.work.runs.query({ projectId: plainId })).toBe(null);
    expect(await codeOf(owner.client.work.run.query({ projectId: plainId, runId: RUN }))).toBe("NOT_FOUND");
  });
});

describe("actions", () => {
  it("only an owner can take them, and both logs have them under their name", async () => {
    const since = (await viewer.client.work.run.query({ projectId, runId: RUN })).waits[0]?.createdAt ?? "";
    expect(
      await codeOf(viewer.client.work.approve.mutate({ projectId, runId: RUN, step: "ask", since, approved: true })),
    ).toBe("FORBIDDEN");
    expect(await logged()).toEqual([]);
    const approved = { projectId, runId: RUN, step: "ask", since, approved: true, note: "fine" };
    expect(await owner.client.work.approve.mutate(approved)).toEqual({ id: RUN });
    expect(await logged()).toEqual([["run.approved", RUN, { step: "ask", note: "fine" }]]);
    const { waits } = await owner.client.work.run.query({ projectId, runId: RUN });
    expect(waits[0]?.answer).toMatchObject({ approved: true, note: "fine", by: owner.email });
    const { rows } = await world.cellPool.query(
      `SELECT operation, actor_kind, actor_id FROM ${schema}.audit_log WHERE operation LIKE '%approve%'`,
    );
    expect(rows).toMatchObject([{ actor_kind: "operator", actor_id: owner.email }]);
  });

  it("they are refused in other states of the run", async () => {
    await until(async () => (await owner.client.work.run.query({ projectId, runId: RUN })).status === "failed");
    expect(await codeOf(owner.client.work.cancel.mutate({ projectId, runId: RUN }))).toBe("CONFLICT");
    expect(await codeOf(owner.client.work.retry.mutate({ projectId, runId: RUN, from: "none" }))).toBe("BAD_REQUEST");
    expect(await owner.client.work.retry.mutate({ projectId, runId: RUN, from: "find" })).toEqual({ id: RUN });
    expect((await logged()).slice(1)).toEqual([
      ["run.cancelled", RUN, {}],
      ["run.retried", RUN, { from: "none" }],
      ["run.retried", RUN, { from: "find" }],
    ]);
  });

  it("they settle the named call", async () => {
    const settled = { projectId, runId: RUN, step: "none", note: "seen" };
    await until(async () => (await owner.client.work.run.query({ projectId, runId: RUN })).status === "failed");
    const mark = (status: string) =>
      world.cellPool.query(`UPDATE ${schema}.workers__runs SET status = $2 WHERE id = $1`, [RUN, status]);
    await mark("needs_attention");
    expect(await codeOf(owner.client.work.markDone.mutate(settled))).toBe("BAD_REQUEST");
    expect(await codeOf(owner.client.work.markFailed.mutate(settled))).toBe("BAD_REQUEST");
    await mark("failed");
    expect((await logged()).slice(-2)).toEqual([
      ["run.marked_done", RUN, { step: "none", note: "seen" }],
      ["run.marked_failed", RUN, { step: "none", note: "seen" }],
    ]);
  });
});

describe("queues and schedules", () => {
  it("are shown to readers, and are null without the module", async () => {
    for (const { client } of [owner, viewer]) {
      const { queues = [] } = (await client.work.queues.query({ projectId: scheduledId })) ?? {};
      expect(queues).toMatchObject([{ name: "tidy", kind: "worker", declared: true, due: 0, failures: [] }]);
      expect(await client.work.schedules.query({ projectId: scheduledId })).toMatchObject([
        { name: "yearly", cron: "0 0 29 2 *", run: "tidy", catchUp: "last", lastRun: null, pausedAt: null, missed: 0 },
      ]);
    }
    expect(await owner.client.work.queues.query({ projectId: plainId })).toBe(null);
    expect(await owner.client.work.schedules.query({ projectId: plainId })).toBe(null);
    expect(await owner.client.work.audit.query({ projectId: plainId })).toBe(null);
  });

  it("can only be changed by an owner, and each action is in both logs", async () => {
    const schedule = { projectId: scheduledId, schedule: "yearly" };
    const queue = {
      projectId: scheduledId,
      workflow: "tidy",
      kind: "worker",
      until: new Date().toISOString(),
    } as const;
    for (const refused of [
      () => viewer.client.work.pauseSchedule.mutate(schedule),
      () => viewer.client.work.runSchedule.mutate(schedule),
      () => viewer.client.work.cancelAll.mutate(queue),
      () => viewer.client.work.retryAll.mutate({ ...queue, code: "timeout" }),
    ]) {
      expect(await codeOf(refused())).toBe("FORBIDDEN");
    }
    expect(await logged("schedule")).toEqual([]);
    await owner.client.work.pauseSchedule.mutate(schedule);
    expect(await codeOf(owner.client.work.pauseSchedule.mutate(schedule))).toBe("CONFLICT");
    expect(await owner.client.work.schedules.query({ projectId: scheduledId })).toMatchObject([
      { pausedAt: expect.any(String), pausedBy: owner.email },
    ]);
    await owner.client.work.resumeSchedule.mutate({ ...schedule, skipMissed: true });
    const { id } = await owner.client.work.runSchedule.mutate(schedule);
    const run = await owner.client.work.run.query({ projectId: scheduledId, runId: id });
    expect(run).toMatchObject({ workflow: "tidy", actorKind: "operator", actorId: owner.email });
    expect(await logged("schedule")).toEqual([
      ["schedule.paused", "yearly", {}],
      ["schedule.paused", "yearly", {}],
      ["schedule.resumed", "yearly", { skip_missed: true }],
      ["schedule.run", "yearly", {}],
    ]);
    const ofRequest = { projectId: scheduledId, requestId: run.requestId ?? "" };
    expect(await owner.client.work.audit.query({ ...ofRequest, entity: "schedule" })).toMatchObject({
      data: [{ operation: "run_schedule", actorId: owner.email, changes: { schedule: "yearly", run: id } }],
    });
    const none = { runs: 0, left: 0, overtaken: 0 };
    expect(await owner.client.work.retryAll.mutate({ ...queue, code: "timeout" })).toEqual(none);
    expect(await owner.client.work.settleAll.mutate({ ...queue, calls: "done", output: { id: 1 } })).toEqual(none);
    expect(await logged("queue")).toEqual([
      ["queue.retried", "tidy", { kind: "worker", code: "timeout", until: queue.until }],
      ["queue.settled", "tidy", { kind: "worker", calls: "done", until: queue.until }],
    ]);
  });

  it("the signing secret is shown to owners, which is in the log, and the previous one still signs after a rotation", async () => {
    const project = { projectId };
    const first = await owner.client.work.revealSigningSecret.mutate(project);
    expect(first).toEqual({ secret: expect.stringMatching(/^whsec_/), previous: null });
    const second = await owner.client.work.rotateSigningSecret.mutate(project);
    expect(second.secret).not.toBe(first.secret);
    expect(second.previous).toEqual({ secret: first.secret, until: expect.stringMatching(/Z$/) });
    expect(await owner.client.work.revealSigningSecret.mutate(project)).toEqual(second);
    for (const act of ["revealSigningSecret", "rotateSigningSecret"] as const) {
      expect(await codeOf(viewer.client.work[act].mutate(project))).toBe("FORBIDDEN");
      expect(await codeOf(owner.client.work[act].mutate({ projectId: plainId }))).toBe("NOT_FOUND");
    }
    expect((await logged("signing_secret")).slice(0, 3)).toEqual([
      ["signing_secret.revealed", "calls", {}],
      ["signing_secret.rotated", "calls", {}],
      ["signing_secret.revealed", "calls", {}],
    ]);
  });
});
