// Actions that continue by themselves: 202 and a run, which its caller can follow. Its steps have the rights that the
// caller has when they act. On Postgres, with a worker.
import { checkBlueprint } from "@plinth/blueprint";
import { compileModel } from "@plinth/compiler";
import { Fault } from "@plinth/service";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callModule, dataOf, makeKey } from "../../modes/testing/cell.ts";
import { openWorkCell, type WorkCell } from "../../workflows/testing/work-cell.ts";

const TEXT = `project: desk
modules: [auth, users, roles, organizations, workers, audit_logs]
roles:
  clerk:
entities:
  note:
    fields:
      text: string
      phone: { type: string?, pii: true }
      owner_id: user_ref? = current_user.id
    permissions:
      user: { create: true, read: owner_id == current_user.id }
      clerk: { create: true, read: true, update: true }
  secret_note:
    fields:
      text: string
    permissions:
      clerk: { create: true }
  plea:
    fields: { text: string }
    permissions:
      user: { create: true }
  sheet:
    fields:
      text: string
    org_scoped: true
    permissions:
      user: { create: true, read: true }
workflows:
  weigh: { on: plea.created, steps: [approval: { roles: [clerk] }] }
actions:
  plead:
    permissions: { user: true }
    steps: [record.create: { with: { entity: plea, text: please } }]
    output: { id: "\${{ steps.create.id }}" }
  later:
    mode: async
    input: { text: string, phone: { type: string?, pii: true } }
    permissions: { user: true, public: true }
    steps:
      - delay: 1s
      - record.create: { with: { entity: note, text: "\${{ input.text }}", phone: "\${{ input.phone }}" } }
    output: { phone: "\${{ steps.create.phone }}", id: "\${{ steps.create.id }}", text: "\${{ steps.create.text }}", by: "\${{ current_user.email }}" }
  ask:
    mode: async
    input: { text: string }
    permissions: { user: true, clerk: true }
    steps:
      - approval: { roles: [clerk] }
      - record.create: { with: { entity: secret_note, text: "\${{ input.text }}" } }
  by-service:
    mode: async
    permissions: { user: true }
    steps:
      - delay: 1s
      - record.create: { as: service, with: { entity: secret_note, text: made } }
  write-sheet:
    mode: async
    permissions: { user: true }
    steps:
      - delay: 1s
      - record.create: { with: { entity: sheet, text: x } }
`;

let work: WorkCell;
let pub: string;
let admin: string;

beforeAll(async () => {
  const { model, diagnostics } = checkBlueprint(TEXT);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  work = await openWorkCell(TEXT, compileModel(model).background);
  pub = (await makeKey(work.cell, work.projectId, { kind: "publishable" })).key;
  admin = (await makeKey(work.cell, work.projectId)).key;
});
afterAll(() => work?.close());

interface Person {
  readonly id: string;
  readonly token: string;
}

let people = 0;
async function person(roles: readonly string[] = []): Promise<Person> {
  const email = `p${++people}@example.com`;
  const body = { email, password: "correct horse battery" };
  const reply = await callModule(work.cell, { path: "/v1/auth/sign-up", key: pub, body, ip: `198.51.100.${people}` });
  const { access_token: token, user } = dataOf(reply);
  await grant(user.id, roles);
  return { id: user.id, token };
}

async function grant(id: string, roles: readonly string[]): Promise<void> {
  await callModule(work.cell, { method: "PUT", path: `/v1/users/${id}/roles`, key: admin, body: { roles } });
}

type Asking = Person | string;
const as = (who: Asking): { readonly key: string; readonly userToken?: string } =>
  typeof who === "string" ? { key: who } : { key: pub, userToken: who.token };

function send(who: Asking, path: string, body?: unknown, headers: Record<string, string> = {}) {
  return callModule(work.cell, { path, ...as(who), ...(body === undefined ? {} : { body }), headers });
}

async function start(who: Asking, action: string, input?: unknown, headers?: Record<string, string>): Promise<string> {
  const reply = await send(who, `/v1/actions/${action}`, input, headers);
  const { id, status } = dataOf(reply);
  expect([reply.status, reply.headers["location"], status]).toEqual([202, `/v1/runs/${id}`, "queued"]);
  return id;
}

async function run(who: Asking, id: string) {
  return dataOf(await callModule(work.cell, { method: "GET", path: `/v1/runs/${id}`, ...as(who) }));
}

async function codeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => "done",
    (error: unknown) => (error instanceof Fault ? error.code : error),
  );
}

async function waits(id: string): Promise<void> {
  await expect.poll(async () => (await run(admin, id)).status, { timeout: 10_000 }).toBe("waiting");
}

/** The role whose approval `ask` and `weigh` wait for. */
const step = "approve";
const missing = "0190b3c2-6a7e-7d51-8f0e-3a5b9c1d2e4f";

describe("a run of an action", () => {
  test("continues to its end, and its caller sees its result", async () => {
    const ana = await person();
    const id = await start(ana, "later", { text: "hello", phone: "+49 30" });
    const begun = await run(ana, id);
    expect(begun).toMatchObject({ id, workflow: "later", kind: "action", output: null, error: null, ended_at: null });
    const pause = { kind: "time", until: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) };
    await expect.poll(async () => (await run(ana, id)).waits_for).toEqual([pause]);
    await work.settled();
    const ended = await run(ana, id);
    expect(Object.keys(ended).sort()).toEqual(
      [
        "id",
        "workflow",
        "kind",
        "status",
        "output",
        "error",
        "record",
        "waits_for",
        "created_at",
        "started_at",
        "ended_at",
      ].sort(),
    );
    expect(ended).toMatchObject({ status: "completed", waits_for: [], error: null });
    expect(ended.output).toMatchObject({ text: "hello", by: "p1@example.com" });
    expect(ended.ended_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(await work.sql("SELECT owner_id FROM {schema}.notes WHERE id = $1", [ended.output.id])).toEqual([
      { owner_id: ana.id },
    ]);
    const log = await work.sql(
      "SELECT actor_kind, actor_id, operation, changes FROM {schema}.audit_log WHERE entity IN ('action', 'note') ORDER BY id",
    );
    expect(log).toMatchObject([
      {
        actor_kind: "user",
        actor_id: ana.id,
        operation: "call",
        changes: { action: "later", input: { text: "hello", phone: "[masked]" } },
      },
      { actor_kind: "user", actor_id: ana.id, operation: "create" },
    ]);
    const whole = await run(admin, id);
    expect(whole).toMatchObject({ input: { text: "hello", phone: "[masked]" }, steps: expect.any(Array) });
    expect(whole).not.toHaveProperty("caller");
  });

  test("is hidden from everybody else, in the same way as a missing one", async () => {
    const [ana, ben] = [await person(), await person(["clerk"])];
    const id = await start(ana, "later", { text: "x" });
    for (const who of [ben, pub]) {
      expect(await codeOf(run(who, id))).toBe("not_found");
      expect(await codeOf(run(who, missing))).toBe("not_found");
    }
    await work.settled();
  });

  test("of a key is visible to the key, and to another one with the same roles", async () => {
    const [one, same, other] = await Promise.all(
      ["clerk", "clerk", "user"].map(async (role) => (await makeKey(work.cell, work.projectId, { role })).key),
    );
    const id = await start(one!, "later", { text: "by a key" });
    expect((await run(same!, id)).id).toBe(id);
    expect(await codeOf(run(other!, id))).toBe("not_found");
    await work.settled();
    // No user is signed in, and the field can be empty.
    expect((await run(one!, id)).status).toBe("completed");
  });

  test("shows its output to its caller unchanged, and masked to an admin", async () => {
    const [ana, boss] = [await person(), await person(["admin"])];
    const [id, own] = [
      await start(ana, "later", { text: "call me", phone: "+49 30" }),
      await start(boss, "later", { text: "me too", phone: "+49 40" }),
    ];
    await work.settled();
    expect((await run(ana, id)).output.phone).toBe("+49 30");
    expect((await run(boss, id)).output.phone).toBe("[masked]");
    expect((await run(boss, own)).output.phone).toBe("+49 40");
    expect((await run(boss, own)).input.phone).toBe("[masked]");
  });

  test("is started once for one Idempotency-Key", async () => {
    const ana = await person();
    const key = { "idempotency-key": "run-once" };
    const id = await start(ana, "later", { text: "once" }, key);
    const again = await send(ana, "/v1/actions/later", { text: "once" }, key);
    expect([again.status, again.headers["location"], again.headers["idempotency-replayed"]]).toEqual([
      202,
      `/v1/runs/${id}`,
      "true",
    ]);
    await work.settled();
    expect(await work.sql("SELECT count(*)::int AS n FROM {schema}.notes WHERE text = 'once'")).toEqual([{ n: 1 }]);
    // Retention deletes what is a day old, and nothing else.
    const kept = "SELECT key FROM {schema}.idempotency__replies";
    await work.cell.retention.sweep();
    expect(await work.sql(kept)).toEqual([{ key: "run-once" }]);
    await work.sql("UPDATE {schema}.idempotency__replies SET created_at = now() - interval '25 hours'");
    await work.cell.retention.sweep();
    expect(await work.sql(kept)).toEqual([]);
  });
});

describe("a step of a run has its caller's current rights", () => {
  test("a role that was taken away allows nothing", async () => {
    const ana = await person(["clerk"]);
    const boss = await person(["clerk"]);
    const id = await start(ana, "ask", { text: "no more" });
    await waits(id);
    await grant(ana.id, []);
    await send(boss, `/v1/runs/${id}/approve`, { step });
    await work.settled();
    expect(await run(ana, id)).toMatchObject({ status: "failed", error: { code: "forbidden" } });
    expect(await work.sql("SELECT id FROM {schema}.secret_notes WHERE text = 'no more'")).toEqual([]);
  });

  test("steps for a deleted user fail, except those of the service", async () => {
    const ana = await person();
    const [own, served] = [await start(ana, "later", { text: "ghost" }), await start(ana, "by-service")];
    await work.sql("DELETE FROM {schema}.users WHERE id = $1", [ana.id]);
    await work.settled();
    expect(await run(admin, own)).toMatchObject({ status: "failed", error: { code: "caller_gone" } });
    expect(await run(admin, served)).toMatchObject({ status: "completed" });
    expect(await work.sql("SELECT id FROM {schema}.notes WHERE text = 'ghost'")).toEqual([]);
  });

  test("steps for a revoked key fail", async () => {
    const { key, keyId } = await makeKey(work.cell, work.projectId, { role: "clerk" });
    const id = await start(key, "later", { text: "revoked" });
    await work.cell.keys.revoke(work.projectId, keyId);
    await work.settled();
    expect(await run(admin, id)).toMatchObject({ status: "failed", error: { code: "caller_gone" } });
  });

  test("steps for a user who left the organization fail, and the user sees no run of it", async () => {
    const ana = await person();
    const [org] = await work.sql(
      "INSERT INTO {schema}.organizations (id, name) VALUES (gen_random_uuid(), 'shop') RETURNING id",
    );
    await work.sql("INSERT INTO {schema}.memberships (organization_id, user_id, role) VALUES ($1, $2, 'member')", [
      org?.["id"],
      ana.id,
    ]);
    await work.cell.epoch.refresh();
    await grant(ana.id, []);
    const within = { "plinth-organization": String(org?.["id"]) };
    const stays = await start(ana, "write-sheet", undefined, within);
    await work.settled();
    expect(await run(ana, stays)).toMatchObject({ status: "completed" });
    const leaves = await start(ana, "write-sheet", undefined, within);
    await work.sql("DELETE FROM {schema}.memberships WHERE user_id = $1", [ana.id]);
    await grant(ana.id, []);
    await work.settled();
    expect(await run(admin, leaves)).toMatchObject({ status: "failed", error: { code: "caller_gone" } });
    expect(await codeOf(run(ana, leaves))).toBe("not_found");
    expect(await work.sql("SELECT count(*)::int AS n FROM {schema}.sheets")).toEqual([{ n: 1 }]);
  });
});

describe("an approval", () => {
  test("of a key's run can't be given by another key with the same role", async () => {
    const [one, same] = await Promise.all(
      ["clerk", "clerk"].map(async (role) => (await makeKey(work.cell, work.projectId, { role })).key),
    );
    const id = await start(one!, "ask", { text: "may I" });
    await waits(id);
    for (const key of [one!, same!])
      expect(await codeOf(send(key, `/v1/runs/${id}/approve`, { step }))).toBe("forbidden");
    const boss = await person(["clerk"]);
    expect((await send(boss, `/v1/runs/${id}/reject`, { step })).status).toBe(202);
    await work.settled();
  });

  test("is given by a user with the role, and never by the run's caller", async () => {
    const [ana, boss, other] = [await person(["clerk"]), await person(["clerk"]), await person()];
    const id = await start(ana, "ask", { text: "may I" });
    await waits(id);
    const since = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect((await run(ana, id)).waits_for).toEqual([{ kind: "approval", step, roles: ["clerk"], since, until: null }]);
    expect(await codeOf(send(ana, `/v1/runs/${id}/approve`, { step }))).toBe("forbidden");
    for (const path of [id, missing])
      expect(await codeOf(send(other, `/v1/runs/${path}/approve`, { step }))).toBe("not_found");
    // An approver sees the record that the approval is about.
    expect(await run(boss, id)).toMatchObject({ id, workflow: "ask", waits_for: [{ kind: "approval" }] });
    expect(await codeOf(run(other, id))).toBe("not_found");
    expect(await codeOf(send(boss, `/v1/runs/${id}/approve`, { step, approved: "yes" }))).toBe("validation_failed");
    for (const note of ["a\u0000b", "\ud800"])
      expect(await codeOf(send(boss, `/v1/runs/${id}/approve`, { step, note }))).toBe("validation_failed");
    expect((await send(boss, `/v1/runs/${id}/approve`, { step, note: "fine" })).status).toBe(202);
    await work.settled();
    expect(await run(ana, id)).toMatchObject({ status: "completed", output: null, waits_for: [] });
    expect(await codeOf(send(boss, `/v1/runs/${id}/approve`, { step }))).toBe("conflict");
    expect(await codeOf(send(ana, `/v1/runs/${id}/approve`, { step }))).toBe("conflict");
    expect(await codeOf(send(other, `/v1/runs/${id}/approve`, { step }))).toBe("not_found");
  });

  test("of a workflow shows its record to the approvers and to admins", async () => {
    const [ana, boss] = [await person(), await person(["clerk"])];
    const { id: plea } = dataOf(await send(ana, "/v1/actions/plead", {}));
    await work.settled();
    const [{ id }] = dataOf(await callModule(work.cell, { method: "GET", path: "/v1/runs", key: admin }));
    const record = { entity: "plea", id: plea };
    for (const who of [boss, admin]) expect(await run(who, id)).toMatchObject({ workflow: "weigh", record });
    expect(await codeOf(run(ana, id))).toBe("not_found");
    expect((await send(boss, `/v1/runs/${id}/approve`, { step })).status).toBe(202);
    await work.settled();
  });

  test("is refused by `reject`, which ends the run", async () => {
    const [ana, boss] = [await person(), await person(["clerk"])];
    const id = await start(ana, "ask", { text: "please" });
    await waits(id);
    expect((await send(boss, `/v1/runs/${id}/reject`, { step, note: "no" })).status).toBe(202);
    await work.settled();
    const ended = await run(ana, id);
    expect(ended).toMatchObject({ status: "failed", error: { code: "rejected", message: "no" } });
    // For a person in the console, that would be their e-mail address.
    expect(JSON.stringify(ended)).not.toContain(boss.id);
  });
});
