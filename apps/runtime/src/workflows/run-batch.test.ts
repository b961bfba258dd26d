// Short runs of one job end in one transaction: all that they did, and each of them once, whatever happens to one of them or to
// the connection.
import type { BundleStep, BundleWorkflow, Template } from "@plinth/bundle";
import type { ProjectScope } from "@plinth/postgres";
import { createUuidV7, networksOf } from "@plinth/service";
import { afterEach, expect, it } from "vitest";
import { createDispatcher } from "../events/dispatch.ts";
import { createWorkBudget } from "../events/work-budget.ts";
import { createCallSecrets } from "../identity/call-secrets.ts";
import { createSecretBox } from "../identity/secret-box.ts";
import { kek } from "../modes/cell-fixture.ts";
import { createAddressGuard } from "../outbound/address-guard.ts";
import { createOutbound } from "../outbound/call.ts";
import { createRecord } from "../query/run.ts";
import { createDefinitions } from "./definitions.ts";
import { createExecutor } from "./execute.ts";
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
      text: string unique
    permissions:
      admin: { all: true }
`;

const field = (name: string): Template => ({
  kind: "value",
  expression: { kind: "field", type: { kind: "text" }, row: "record", path: [name] },
});
const note = (id: string, text: Template, more: Partial<BundleStep> = {}): BundleStep =>
  stepOf(id, { kind: "record.create", entity: "note", values: { text } }, more);
const onTicket = { name: "copy", on: ["ticket.created"], entity: "ticket" } as const;
const copy = workflowOf({ ...onTicket, steps: [note("copied", field("title"))] });

let close: (() => unknown) | null = null;
afterEach(() => close?.());

interface Desk {
  readonly work: WorkCell;
  /** Transactions that carrying the runs of these tickets has taken. */
  readonly carry: (titles: readonly string[], within?: (scope: ProjectScope) => ProjectScope) => Promise<number>;
  readonly runs: () => Promise<readonly unknown[]>;
  readonly notes: () => Promise<readonly unknown[]>;
}

async function openDesk(...workflows: readonly BundleWorkflow[]): Promise<Desk> {
  const work = await openWorkCell(TEXT, { workflows }, { works: false });
  close = work.close;
  const { pool, registry, scopeOf, logger } = work.cell;
  const newId = createUuidV7({ now: Date.now });
  const budget = createWorkBudget();
  const dispatcher = createDispatcher({ pool, registry, scopeOf, newId, budget, logger });
  let transactions = 0;
  const scope = scopeOf(work.projectId);
  const counting: ProjectScope = {
    ...scope,
    transaction: (inner) => {
      transactions++;
      return scope.transaction(inner);
    },
  };
  const executor = (through: ProjectScope) =>
    createExecutor({
      pool,
      registry,
      definitions: createDefinitions(pool),
      scopeOf: () => through,
      secretBox: createSecretBox(kek),
      secrets: createCallSecrets({ pool, box: createSecretBox(kek) }),
      outbound: createOutbound(createAddressGuard(networksOf([]))),
      newId,
      budget,
      logger,
      now: Date.now,
      random: Math.random,
    });
  return {
    work,
    async carry(titles, within = (each) => each) {
      for (const title of titles) {
        await createRecord(await work.request("ticket"), crypto.randomUUID(), new Map([["title", title]]));
      }
      await dispatcher.dispatch();
      const found = await work.sql(`SELECT r.id FROM {schema}.workers__runs r WHERE r.ended_at IS NULL ORDER BY r.seq`);
      transactions = 0;
      await executor(within(counting)).execute(
        work.projectId,
        found.map((row) => String(row["id"])),
      );
      return transactions;
    },
    runs: () =>
      work.sql(`SELECT e.record->>'title' AS title, r.status, r.error->>'code' AS code
      FROM {schema}.workers__runs r JOIN {schema}.workers__events e ON e.id = r.event_id ORDER BY r.seq`),
    notes: () => work.sql("SELECT text FROM {schema}.notes ORDER BY text"),
  };
}

const ended = (title: string, status = "completed", code: string | null = null) => ({ title, status, code });

it("short runs end in one transaction, with their steps, their attempts and nothing left that is due", async () => {
  const { work, carry, runs, notes } = await openDesk(copy);
  expect(await carry(["a", "b", "c"])).toBe(1);
  expect(await runs()).toEqual(["a", "b", "c"].map((title) => ended(title)));
  expect(await notes()).toEqual([{ text: "a" }, { text: "b" }, { text: "c" }]);
  const steps = await work.sql(`SELECT path, s.status, s.attempts, output->>'text' AS text,
    (SELECT count(*)::int FROM {schema}.workers__attempts a WHERE a.run_id = s.run_id) AS tries
    FROM {schema}.workers__steps s ORDER BY output->>'text'`);
  expect(steps).toEqual(
    ["a", "b", "c"].map((text) => ({ path: "copied", status: "completed", attempts: 1, text, tries: 1 })),
  );
  expect(await work.sql("SELECT * FROM plinth.due_runs")).toEqual([]);
});

it("one that fails costs the others nothing, and fails as it would by itself", async () => {
  const { carry, runs, notes } = await openDesk(copy);
  await carry(["taken"]);
  await carry(["a", "taken", "c"]);
  expect(await runs()).toEqual([ended("taken"), ended("a"), ended("taken", "failed", "unique_violation"), ended("c")]);
  expect(await notes()).toEqual([{ text: "a" }, { text: "c" }, { text: "taken" }]);
});

it("many that fail are carried by themselves, and the others end", async () => {
  const { carry, runs, notes } = await openDesk(copy);
  await carry(["a", "a", "b", "b", "c", "c", "d", "d"]);
  const statuses = (await runs()).map((run) => (run as { status: string }).status);
  expect(statuses.filter((status) => status === "completed")).toHaveLength(4);
  expect(statuses.filter((status) => status === "failed")).toHaveLength(4);
  expect(await notes()).toEqual(["a", "b", "c", "d"].map((text) => ({ text })));
});

it("what waits is carried beside them", async () => {
  const slow = workflowOf({ ...onTicket, name: "slow", steps: [stepOf("pause", { kind: "wait", forMs: 60_000 })] });
  const { carry, runs } = await openDesk(copy, slow);
  await carry(["a", "b"]);
  expect(await runs()).toEqual([ended("a"), ended("a", "waiting"), ended("b"), ended("b", "waiting")]);
});

it("a connection that is lost before the commit leaves nothing half done", async () => {
  const { work, carry, runs, notes } = await openDesk(copy);
  let cuts = 0;
  await carry(["a", "b", "c"], (scope) => ({
    ...scope,
    transaction: (inner) =>
      scope.transaction(async (open) => {
        const made = await inner(open);
        if (cuts++ === 0) {
          const [[backend = null] = []] = (await open.query("SELECT pg_backend_pid()")).rows;
          await work.sql("SELECT pg_terminate_backend($1::int)", [backend]);
        }
        return made;
      }),
  }));
  expect(await runs()).toEqual(["a", "b", "c"].map((title) => ended(title)));
  expect(await notes()).toEqual([{ text: "a" }, { text: "b" }, { text: "c" }]);
});

it("whoever comes next of a record is due when the one before it has ended", async () => {
  const ordered = workflowOf({
    ...onTicket,
    on: ["ticket.created", "ticket.updated"],
    ordered: "record",
    steps: [stepOf("noted", { kind: "audit.write", note: { kind: "literal", value: "seen" } })],
  });
  const { work, carry } = await openDesk(ordered);
  await carry(["a"]);
  const [ticket] = await work.sql("SELECT id FROM {schema}.tickets");
  await work.sql(
    `INSERT INTO {schema}.workers__runs (id, workflow, kind, definition, event_id, order_key, seq, status, depth)
    SELECT gen_random_uuid(), workflow, kind, definition, NULL, order_key, n, 'queued', 0
    FROM {schema}.workers__runs, generate_series(1001, 1003) n WHERE order_key = 'copy/' || $1`,
    [ticket?.["id"]],
  );
  await work.sql(`INSERT INTO plinth.due_runs (project_id, run_id, worker, due_at)
    SELECT '${work.projectId}', id, '', now() + interval '1 hour' FROM {schema}.workers__runs WHERE ended_at IS NULL`);
  // The first ends with what can end together, the next one by itself behind it.
  for (const left of [1, 0]) {
    await work.sql("UPDATE plinth.due_runs SET handed_at = clock_timestamp()");
    await carry([]);
    expect(await work.sql("SELECT count(*)::int AS left FROM {schema}.workers__runs WHERE ended_at IS NULL")).toEqual([
      { left },
    ]);
    const due = await work.sql("SELECT count(*)::int AS n FROM plinth.due_runs WHERE due_at <= clock_timestamp()");
    expect(due).toEqual([{ n: left === 0 ? 0 : 1 }]);
  }
});
