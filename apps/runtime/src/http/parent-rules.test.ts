// Rules of a record over its children, while other requests change both. The children have a `lock`, so no child is
// written while the rule is judged: a record that was issued, closed or posted stays right. `RUNS=100` runs each race
// a hundred times.
import { sampleOf } from "@plinth/testkit";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createWorkBudget } from "../events/work-budget.ts";
import { createSecretBox } from "../identity/secret-box.ts";
import { actionHandlers } from "../modules/actions/routes.ts";
import { batchHandlers } from "../modules/batch/routes.ts";
import { createModuleRoutes } from "../modules/module-routes.ts";
import { assembleCreate, assembleDelete, assembleTransition, assembleUpdate } from "../query/assemble.ts";
import { createTestCell, type TestCell, type TestProject, type TestReply } from "./testing/test-cell.ts";

const ROUNDS = sampleOf(1, 100).runs;
/** Of this many rounds, some end in the state that the rule guards. */
const MANY = 20;
const AT_ONCE = 30;
/** By the rule, or because no transition is possible. */
const REFUSED = [403, 409];
const WAIT = { timeout: 10_000, interval: 5 };

const blueprint = `project: books
modules: [auth, users, roles, workers, audit_logs]
entities:
  invoice:
    fields:
      agreed: int
      status: enum[draft, issued] = draft
      total: computed(lines.sum(line, line.amount))
    transitions:
      status:
        initial: draft
        issue: { from: draft, to: issued, roles: [user], when: total == agreed }
    permissions: { user: { read: true, create: true, update: true } }
  line:
    lock: invoice_id
    fields: { invoice_id: ref(invoice), amount: int }
    permissions:
      user:
        read: true
        create: invoice.status == 'draft'
        update: invoice.status == 'draft'
        delete: invoice.status == 'draft'
  project:
    fields: { name: string }
    permissions: { user: { all: true } }
  board:
    lock: project_id
    soft_delete: true
    fields:
      project_id: ref(project)
      open: bool = true
      note: string?
    permissions:
      user:
        read: true
        create: true
        update: new.open || !old.tasks.exists(task, !task.done)
        delete: "!tasks.exists(task, !task.done)"
        restore: "!tasks.exists(task, !task.done)"
  task:
    lock: board_id
    fields: { board_id: ref(board) on_delete(cascade), done: bool = false }
    permissions: { user: { read: true, create: board.open, update: board.open, delete: board.open } }
  entry:
    fields:
      status: enum[open, posted] = open
    transitions:
      status:
        initial: open
        post: { from: open, to: posted, roles: [user], when: "postings.sum(posting, posting.amount) == 0" }
    permissions: { user: { read: true, create: true } }
  posting:
    lock: entry_id
    fields: { entry_id: ref(entry), amount: int }
    permissions:
      user: { read: true, create: entry.status == 'open', update: entry.status == 'open', delete: entry.status == 'open' }
actions:
  issue:
    input: { id: ref(invoice) }
    permissions: { user: true }
    steps:
      - record.transition: { with: { entity: invoice, id: "\${{ input.id }}", edge: issue }, as: caller }
  add-and-issue:
    input: { id: ref(invoice), amount: int }
    permissions: { user: true }
    steps:
      - id: added
        action: record.create
        as: caller
        with: { entity: line, invoice_id: "\${{ input.id }}", amount: "\${{ input.amount }}" }
      - id: issued
        action: record.transition
        as: caller
        with: { entity: invoice, id: "\${{ input.id }}", edge: issue }
`;

let cell: TestCell;
let project: TestProject;

beforeAll(async () => {
  let next = 0;
  const scopeOf = (projectId: string) => cell.tenants.forProject({ projectId });
  const actions = actionHandlers({
    scopeOf,
    secretBox: createSecretBox(Buffer.alloc(32, 1)),
    newId: () => `0190b3c2-6a7e-7d51-8f0e-${(++next).toString(16).padStart(12, "0")}`,
    now: Date.now,
    budget: createWorkBudget(),
    onDue: () => {},
  });
  cell = await createTestCell({ modules: createModuleRoutes({ ...actions, ...batchHandlers({ scopeOf }) }) });
  project = await cell.addProject(blueprint);
  await cell.addUser("ana", project, ["owner", "user"]);
});
afterAll(() => cell?.close());

const send = (method: string, path: string, body?: unknown): Promise<TestReply> => cell.send("ana", method, path, body);

async function make(plural: string, values: object): Promise<string> {
  const reply = await send("POST", `/api/${plural}`, values);
  expect(reply.status, reply.text).toBe(201);
  return reply.json.data.id;
}

type Writer = (at: number) => Promise<TestReply>;

/** Thirty at once, each of the writers in turn. None may fail for another reason than a rule, a state or a conflict. */
async function atOnce(writers: readonly Writer[]): Promise<readonly TestReply[]> {
  const replies = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, at) => (writers[at % writers.length] as Writer)(at)),
  );
  const others = replies.filter(({ status }) => ![200, 201, 204, 403, 404, 409].includes(status));
  expect(others.map(({ text }) => text)).toEqual([]);
  return replies;
}

/** Starts the writers, beginning with another one in each round. */
const turned = (round: number, writers: readonly Writer[]): readonly Writer[] => [
  ...writers.slice(round % writers.length),
  ...writers.slice(0, round % writers.length),
];

/** The number of wrong rounds, and how many ended in the state that the rule guards. */
async function rounds(
  one: (round: number) => Promise<{ readonly isReached: boolean; readonly isRight: boolean }>,
): Promise<{ readonly wrong: number; readonly reached: number }> {
  let [wrong, reached] = [0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    const { isReached, isRight } = await one(round);
    if (isReached) reached++;
    if (!isRight) wrong++;
  }
  return { wrong, reached };
}

const numberIn = async (sql: string, id: string): Promise<number> =>
  Number((await cell.rows(project, sql, [id]))[0]?.["n"]);

describe("a child that another process writes and has not committed yet counts", () => {
  /** Holds the parent and changes a child, like a write of the child, until the request waits for the parent. */
  async function beside(table: string, id: string, change: string, request: () => Promise<TestReply>) {
    const client = await cell.pool.connect();
    try {
      await client.query(`begin; set local search_path to "${project.names.schema}"`);
      await client.query(`select from ${table} where id = $1 for no key update`, [id]);
      await client.query(change);
      const reply = request();
      await vi.waitFor(async () => {
        // The fast lane gives up sooner, and such a statement would begin again after the change.
        const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
          and clock_timestamp() - query_start > interval '50 ms'`;
        expect((await cell.pool.query(waiting)).rowCount).toBeGreaterThan(0);
      }, WAIT);
      await client.query("commit");
      return (await reply).status;
    } finally {
      client.release();
    }
  }

  const transition = (id: string): Promise<TestReply> => send("POST", `/v1/resources/invoices/${id}/transitions/issue`);

  test.each<[string, (id: string) => Promise<TestReply>]>([
    ["a transition", transition],
    ["an update of the state", (id) => send("PATCH", `/api/invoices/${id}`, { status: "issued" })],
    ["a list", (id) => send("PATCH", "/api/invoices", [{ id, status: "issued" }])],
    ["an action", (id) => send("POST", "/v1/actions/issue", { id })],
    [
      "a batch",
      (id) =>
        send("POST", "/v1/batch", {
          operations: [{ method: "POST", path: `/v1/resources/invoices/${id}/transitions/issue` }],
        }),
    ],
  ])("for %s, over a sum", async (_, issue) => {
    const id = await make("invoices", { agreed: 1 });
    const line = await make("lines", { invoice_id: id, amount: 1 });
    const added = `insert into lines (id, invoice_id, amount) values (gen_random_uuid(), '${id}', 1)`;
    expect(REFUSED).toContain(await beside("invoices", id, added, () => issue(id)));
    await cell.rows(project, `delete from {schema}.lines where invoice_id = $1 and id <> $2`, [id, line]);
    for (const change of [
      `update lines set amount = 2 where id = '${line}'`,
      `delete from lines where id = '${line}'`,
    ]) {
      expect(REFUSED).toContain(await beside("invoices", id, change, () => issue(id)));
    }
    await make("lines", { invoice_id: id, amount: 1 });
    expect((await issue(id)).status).toBe(200);
  });

  test("for an update, a delete and a restore, whose record also locks by its own parent", async () => {
    const id = await make("boards", { project_id: await make("projects", { name: "Move" }) });
    const task = await make("tasks", { board_id: id, done: true });
    const reopened = `update tasks set done = false where id = '${task}'`;
    const added = `insert into tasks (id, board_id, done) values (gen_random_uuid(), '${id}', false)`;
    const done = () => cell.rows(project, "update {schema}.tasks set done = true where board_id = $1", [id]);
    const close = () => send("PATCH", `/api/boards/${id}`, { open: false });
    const remove = () => send("DELETE", `/api/boards/${id}`);
    const restore = () => send("POST", `/api/boards/${id}/restore`);
    for (const write of [close, remove]) {
      expect(await beside("boards", id, reopened, write)).toBe(403);
      await done();
    }
    expect((await remove()).status).toBe(204);
    expect(await beside("boards", id, added, restore)).toBe(403);
    await done();
    expect((await restore()).status).toBe(200);
    expect((await close()).status).toBe(200);
  });

  test("but a write whose rules read no children waits for none of this", async () => {
    const { release } = project;
    const lanes = ["user", "admin"].map((role) => {
      const caller = { roles: [role], unscoped: false };
      return [
        assembleTransition(release, "invoice", caller, "issue", []).lane,
        assembleUpdate(release, "invoice", caller, ["agreed"]).lane,
        assembleDelete(release, "invoice", caller).lane,
        assembleCreate(release, "invoice", caller, []).lane,
        assembleUpdate(release, "project", caller, ["name"]).lane,
      ];
    });
    expect(lanes).toEqual([
      ["slow", "fast", "fast", "fast", "fast"],
      ["fast", "fast", "fast", "fast", "fast"],
    ]);
  });
});

describe(`${ROUNDS} rounds of ${AT_ONCE} writers`, () => {
  test("an invoice is only issued with the agreed total, on every route", { timeout: ROUNDS * 30_000 }, async () => {
    const { wrong, reached } = await rounds(async (round) => {
      const id = await make("invoices", { agreed: 3 });
      const lines: string[] = [];
      for (let at = 0; at < 3; at++) lines.push(await make("lines", { invoice_id: id, amount: 1 }));
      const line = (amount: number) => ({ invoice_id: id, amount });
      const issue: Writer = () => send("POST", `/v1/resources/invoices/${id}/transitions/issue`);
      await atOnce(
        turned(round, [
          issue,
          () => send("POST", "/api/lines", line(1)),
          () => send("PATCH", `/api/invoices/${id}`, { status: "issued" }),
          (at) => send("PATCH", `/api/lines/${lines[at % 3]}`, { amount: (at % 3) + 1 }),
          () => send("POST", "/v1/actions/issue", { id }),
          (at) => send("DELETE", `/api/lines/${lines[at % 3]}`),
          () => send("POST", "/v1/actions/add-and-issue", { id, amount: 0 }),
          () => send("POST", "/api/lines", [line(2), line(-1)]),
          () =>
            send("POST", "/v1/batch", {
              operations: [
                { method: "POST", path: "/api/lines", body: line(0) },
                { method: "POST", path: `/v1/resources/invoices/${id}/transitions/issue` },
              ],
            }),
        ]),
      );
      const total = await numberIn(
        `select coalesce(sum(amount), 0) as n from {schema}.lines where invoice_id = $1`,
        id,
      );
      const issued = await numberIn(
        `select count(*) as n from {schema}.invoices where id = $1 and status = 'issued'`,
        id,
      );
      return { isReached: issued === 1, isRight: issued === 0 || total === 3 };
    });
    expect(wrong).toBe(0);
    if (ROUNDS >= MANY) expect(reached).toBeGreaterThan(0);
  });

  test("a board is only closed without open tasks", { timeout: ROUNDS * 30_000 }, async () => {
    const projectId = await make("projects", { name: "Move" });
    const { wrong, reached } = await rounds(async (round) => {
      const id = await make("boards", { project_id: projectId });
      const done = await make("tasks", { board_id: id, done: true });
      const close: Writer = () => send("PATCH", `/api/boards/${id}`, { open: false });
      await atOnce(
        turned(round, [
          close,
          () => send("POST", "/api/tasks", { board_id: id }),
          () => send("PATCH", `/api/tasks/${done}`, { done: false }),
          () => send("PATCH", `/api/boards/${id}`, { note: "same" }),
          () => send("POST", "/api/tasks", [{ board_id: id }, { board_id: id }]),
          () => send("PATCH", "/api/boards", [{ id, open: false }]),
        ]),
      );
      const open = await numberIn(`select count(*) as n from {schema}.tasks where board_id = $1 and not done`, id);
      const left = await numberIn(`select count(*) as n from {schema}.boards where id = $1 and open`, id);
      return { isReached: left === 0, isRight: left === 1 || open === 0 };
    });
    expect(wrong).toBe(0);
    if (ROUNDS >= MANY) expect(reached).toBeGreaterThan(0);
  });

  test("a ledger entry is only posted if it balances", { timeout: ROUNDS * 30_000 }, async () => {
    const { wrong, reached } = await rounds(async (round) => {
      const id = await make("entries", {});
      const posting = (amount: number) => ({ entry_id: id, amount });
      const debit = await make("postings", posting(10));
      await make("postings", posting(-10));
      await atOnce(
        turned(round, [
          () => send("POST", `/v1/resources/entries/${id}/transitions/post`),
          () => send("POST", "/api/postings", posting(5)),
          () => send("POST", "/api/postings", [posting(5), posting(-5)]),
          (at) => send("PATCH", `/api/postings/${debit}`, { amount: 10 + (at % 2) }),
          () => send("DELETE", `/api/postings/${debit}`),
        ]),
      );
      const sum = await numberIn(`select coalesce(sum(amount), 0) as n from {schema}.postings where entry_id = $1`, id);
      const posted = await numberIn(
        `select count(*) as n from {schema}.entries where id = $1 and status = 'posted'`,
        id,
      );
      return { isReached: posted === 1, isRight: posted === 0 || sum === 0 };
    });
    expect(wrong).toBe(0);
    if (ROUNDS >= MANY) expect(reached).toBeGreaterThan(0);
  });
});
