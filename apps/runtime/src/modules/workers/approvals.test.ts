// Who finds the approvals that wait for them, and what they see of them. On Postgres, with a worker.
import { checkBlueprint } from "@plinth/blueprint";
import { compileModel } from "@plinth/compiler";
import { Fault } from "@plinth/service";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { callModule, dataOf, makeKey } from "../../modes/testing/cell.ts";
import { createRecord } from "../../query/run.ts";
import { openWorkCell, type WorkCell } from "../../workflows/testing/work-cell.ts";

const TEXT = `project: desk
modules: [auth, users, roles, organizations, workers, audit_logs]
roles:
  clerk:
  boss:
  auditor:
entities:
  refund:
    fields:
      text: string
      code: string?
      is_open: bool = true
    permissions:
      clerk: { read: is_open }
      admin: { all: true }
  signal:
    fields: { text: string }
    permissions: { admin: { all: true } }
workflows:
  decide:
    on: refund.created
    steps:
      - approval: { roles: [auditor, clerk], message: "Pay \${{ record.text }}?", timeout: 2d }
  look_up:
    on: signal.created
    record: { refund: { code: found } }
    steps:
      - approval: { roles: [clerk] }
actions:
  ask:
    mode: async
    permissions: { user: true, boss: true }
    steps:
      - approval: { roles: [boss] }
  ask-self:
    mode: async
    permissions: { user: true, boss: true }
    steps:
      - approval: { roles: [boss], by_self: true }
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
beforeEach(async () => {
  await work.sql("DELETE FROM {schema}.workers__runs");
  await work.sql("DELETE FROM plinth.due_runs");
});

interface Person {
  readonly id: string;
  readonly token: string;
}
type Asking = Person | string;
const as = (who: Asking): { readonly key: string; readonly userToken?: string } =>
  typeof who === "string" ? { key: who } : { key: pub, userToken: who.token };

let people = 0;
async function person(roles: readonly string[] = []): Promise<Person> {
  const email = `p${++people}@example.com`;
  const body = { email, password: "correct horse battery" };
  const reply = await callModule(work.cell, { path: "/v1/auth/sign-up", key: pub, body, ip: `198.51.100.${people}` });
  const { access_token: token, user } = dataOf(reply);
  await grant(user.id, roles);
  return { id: user.id, token };
}
const grant = (id: string, roles: readonly string[]) =>
  callModule(work.cell, { method: "PUT", path: `/v1/users/${id}/roles`, key: admin, body: { roles } });

async function page(who: Asking, query = "", headers: Record<string, string> = {}) {
  const reply = await callModule(work.cell, { method: "GET", path: "/v1/runs/approvals", query, ...as(who), headers });
  return JSON.parse(String(reply.body)) as {
    readonly data: readonly Record<string, unknown>[];
    readonly page: { readonly next_cursor: string | null; readonly has_more: boolean };
  };
}
const asked = async (who: Asking, headers?: Record<string, string>) => (await page(who, "", headers)).data;

async function refund(text: string): Promise<string> {
  const id = crypto.randomUUID();
  await createRecord(await work.request("refund"), id, new Map([["text", text]]));
  return id;
}

async function begin(who: Asking, action: string, headers: Record<string, string> = {}): Promise<string> {
  return dataOf(await callModule(work.cell, { path: `/v1/actions/${action}`, ...as(who), headers })).id;
}

async function waiting(count: number): Promise<void> {
  const open = "SELECT count(*)::int AS n FROM {schema}.workers__waits WHERE answer IS NULL";
  await expect.poll(() => work.sql(open), { timeout: 10_000 }).toEqual([{ n: count }]);
}

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "done",
    (error: unknown) => (error instanceof Fault ? error.code : error),
  );

describe("a waiting approval", () => {
  test("is found by callers with one of its roles, with the data for a decision", async () => {
    const [clerk, other] = [await person(["clerk"]), await person()];
    const id = await refund("12 euros");
    await waiting(1);
    const [run] = await work.sql("SELECT id FROM {schema}.workers__runs");
    expect(await asked(clerk)).toEqual([
      {
        run_id: run?.["id"],
        workflow: "decide",
        kind: "workflow",
        step: "approve",
        message: "Pay 12 euros?",
        roles: ["auditor", "clerk"],
        since: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        until: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        record: { entity: "refund", id },
      },
    ]);
    // An admin has neither role: they see the run, and can't approve it.
    for (const who of [other, pub, admin]) expect(await asked(who)).toEqual([]);
    expect(await codeOf(asked(""))).toBe("unauthenticated");
    await callModule(work.cell, { path: `/v1/runs/${run?.["id"]}/approve`, ...as(clerk), body: { step: "approve" } });
    expect(await asked(clerk)).toEqual([]);
  });

  test("only shows its record to callers who can read it", async () => {
    const [clerk, auditor] = [await person(["clerk"]), await person(["auditor"])];
    const id = await refund("hidden");
    await waiting(1);
    expect(await asked(auditor)).toMatchObject([{ workflow: "decide", record: null }]);
    await work.sql("UPDATE {schema}.refunds SET is_open = false WHERE id = $1", [id]);
    expect(await asked(clerk)).toMatchObject([{ workflow: "decide", record: null }]);
    await work.sql("DELETE FROM {schema}.refunds WHERE id = $1", [id]);
    expect(await asked(clerk)).toMatchObject([{ workflow: "decide", record: null }]);
  });

  test("shows the record that the run has looked up, and not that of its event", async () => {
    const clerk = await person(["clerk"]);
    const id = await refund("found");
    await waiting(1);
    await work.sql("UPDATE {schema}.refunds SET code = 'found' WHERE id = $1", [id]);
    await createRecord(await work.request("signal"), crypto.randomUUID(), new Map([["text", "found"]]));
    await waiting(2);
    expect(await asked(clerk)).toMatchObject([
      { workflow: "decide" },
      { workflow: "look_up", message: null, until: null, record: { entity: "refund", id } },
    ]);
  });

  test("is not shown to the caller who started the run, unless they can approve it", async () => {
    const [boss, other] = [await person(["boss"]), await person(["boss"])];
    const [one, same] = await Promise.all(
      ["boss", "boss"].map(async (role) => (await makeKey(work.cell, work.projectId, { role })).key),
    );
    await begin(boss, "ask");
    await waiting(1);
    expect([await asked(boss), (await asked(other)).length]).toEqual([[], 1]);
    await begin(boss, "ask-self");
    await waiting(2);
    expect(await asked(boss)).toMatchObject([{ workflow: "ask-self", kind: "action", record: null }]);
    await work.sql("DELETE FROM {schema}.workers__runs");
    await begin(one!, "ask");
    await waiting(1);
    // A key that replaces another one with the same roles counts as its caller, too.
    expect([await asked(one!), await asked(same!), (await asked(boss)).length]).toEqual([[], [], 1]);
  });

  test("is no longer shown when it is answered, cancelled or ended, or when the caller loses the role", async () => {
    const boss = await person(["boss"]);
    const id = await begin(await person(), "ask");
    await waiting(1);
    expect(await asked(boss)).toHaveLength(1);
    await grant(boss.id, []);
    expect(await asked(boss)).toEqual([]);
    await grant(boss.id, ["boss"]);
    await callModule(work.cell, { path: `/v1/runs/${id}/cancel`, key: admin, body: {} });
    expect(await asked(boss)).toEqual([]);
    await work.settled();
    // The wait was given up with the run, so nothing continues at any time.
    const { body } = await callModule(work.cell, { method: "GET", path: `/v1/runs/${id}`, key: admin });
    expect(JSON.parse(String(body)).data).toMatchObject({
      status: "cancelled",
      steps: [{ status: "cancelled", next_at: null }],
      waits_for: [],
    });
  });

  test("within an organization is for its members", async () => {
    const [ana, boss, outside] = [await person(), await person(["boss"]), await person(["boss"])];
    const made = "INSERT INTO {schema}.organizations (id, name) VALUES (gen_random_uuid(), 'shop') RETURNING id";
    const [shop, second] = [(await work.sql(made))[0]?.["id"], (await work.sql(made))[0]?.["id"]];
    for (const [org, who] of [
      [shop, ana],
      [shop, boss],
      [second, boss],
    ] as const) {
      const joins = "INSERT INTO {schema}.memberships (organization_id, user_id, role) VALUES ($1, $2, 'member')";
      await work.sql(joins, [org, who.id]);
    }
    await work.cell.epoch.refresh();
    const within = (org: unknown) => ({ "plinth-organization": String(org) });
    await begin(ana, "ask", within(shop));
    await waiting(1);
    expect([await asked(outside), (await asked(boss)).length]).toEqual([[], 1]);
    expect(await asked(boss, within(shop))).toHaveLength(1);
    expect(await asked(boss, within(second))).toEqual([]);
  });

  test("comes in pages, the longest waiting first", async () => {
    const clerk = await person(["clerk"]);
    for (const text of ["a", "b", "c"]) {
      await refund(text);
      await waiting("abc".indexOf(text) + 1);
    }
    const first = await page(clerk, "limit=2");
    expect(first.data.map(({ message }) => message)).toEqual(["Pay a?", "Pay b?"]);
    const { next_cursor: cursor } = first.page;
    const second = await page(clerk, `limit=2&cursor=${cursor}`);
    expect([second.data.map(({ message }) => message), second.page]).toEqual([
      ["Pay c?"],
      { next_cursor: null, has_more: false },
    ]);
    expect(await codeOf(page(clerk, "cursor=abc"))).toBe("invalid_cursor");
    expect(await codeOf(page(clerk, "role=clerk"))).toBe("unknown_parameter");
  });
});
