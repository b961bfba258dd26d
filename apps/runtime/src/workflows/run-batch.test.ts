// Short runs of one job end in one transaction: all their effects happen once, whatever happens to one of them or to
// the connection.
import { setTimeout as pause } from "node:timers/promises";
import type { BundleStep, BundleWorkflow, Template } from "@plinth/bundle";
import type { ProjectScope } from "@plinth/postgres";
import { afterEach, expect, it } from "vitest";
import { createRecord, updateRecord } from "../query/run.ts";
import { openBench } from "./testing/bench.ts";
import { openWorkCell, stepOf, type WorkCell, workflowOf } from "./testing/work-cell.ts";

const TEXT = `project: desk
modules: [auth, users, roles, workers, audit_logs]
entities:
  ticket:
    fields:
      title: string
      body: text?
    permissions:
      admin: { all: true }
  note:
    fields:
      text: string unique
      ticket: text?
    permissions:
      admin: { all: true }
`;

const field = (name: string): Template => ({
  kind: "value",
  expression: { kind: "field", type: { kind: "text" }, row: "record", path: [name] },
});
const literal = (value: string): Template => ({ kind: "literal", value });
const note = (id: string, text: Template, more: Partial<BundleStep> = {}): BundleStep =>
  stepOf(id, { kind: "record.create", entity: "note", values: { text } }, more);
const onTicket = { name: "copy", on: ["ticket.created"], entity: "ticket" } as const;
const copy = workflowOf({ ...onTicket, steps: [note("copied", field("title"))] });

let close: (() => unknown) | null = null;
afterEach(() => close?.());

interface Desk {
  readonly work: WorkCell;
  /** The number of transactions for the runs of these tickets. */
  readonly carry: (titles: readonly string[], within?: (scope: ProjectScope) => ProjectScope) => Promise<number>;
  readonly runs: () => Promise<readonly unknown[]>;
  readonly notes: () => Promise<readonly unknown[]>;
}

async function openDesk(...workflows: readonly BundleWorkflow[]): Promise<Desk> {
  const work = await openWorkCell(TEXT, { workflows }, { works: false });
  close = work.close;
  const { dispatcher, executor, scope } = openBench(work);
  let transactions = 0;
  const counting: ProjectScope = {
    ...scope,
    transaction: (inner) => {
      transactions++;
      return scope.transaction(inner);
    },
  };
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

it("short runs end in one transaction, with their steps and attempts, and nothing left due", async () => {
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

it("a skipped step has an earlier time than those that follow", async () => {
  const never = { kind: "literal", type: { kind: "bool" }, value: false } as const;
  const steps = [note("one", literal("one")), note("never", literal("no"), { if: never }), note("two", literal("two"))];
  const { work, carry } = await openDesk(workflowOf({ ...onTicket, steps }));
  expect(await carry(["a"])).toBe(1);
  expect(await work.sql("SELECT path FROM {schema}.workers__steps ORDER BY started_at, ended_at")).toEqual(
    ["one", "never", "two"].map((path) => ({ path })),
  );
});

it("a failed run doesn't affect the others, and fails as it would alone", async () => {
  const { carry, runs, notes } = await openDesk(copy);
  await carry(["taken"]);
  await carry(["a", "taken", "c"]);
  expect(await runs()).toEqual([ended("taken"), ended("a"), ended("taken", "failed", "unique_violation"), ended("c")]);
  expect(await notes()).toEqual([{ text: "a" }, { text: "c" }, { text: "taken" }]);
});

it("many failing runs are executed separately, and the others end", async () => {
  const { carry, runs, notes } = await openDesk(copy);
  await carry(["a", "a", "b", "b", "c", "c", "d", "d"]);
  const statuses = (await runs()).map((run) => (run as { status: string }).status);
  expect(statuses.filter((status) => status === "completed")).toHaveLength(4);
  expect(statuses.filter((status) => status === "failed")).toHaveLength(4);
  expect(await notes()).toEqual(["a", "b", "c", "d"].map((text) => ({ text })));
});

it("a waiting run is executed separately", async () => {
  const slow = workflowOf({ ...onTicket, name: "slow", steps: [stepOf("pause", { kind: "wait", forMs: 60_000 })] });
  const { carry, runs } = await openDesk(copy, slow);
  await carry(["a", "b"]);
  expect(await runs()).toEqual([ended("a"), ended("a", "waiting"), ended("b"), ended("b", "waiting")]);
});

it("a connection that is lost before the commit leaves nothing incomplete", async () => {
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

it("a run with a locked row delays no other, and is retried soon", async () => {
  const { work, carry, runs } = await openDesk(copy);
  const client = await work.cell.pool.connect();
  try {
    await carry(["a", "b", "c"], (scope) => ({
      ...scope,
      transaction: async (inner) => {
        if ((await client.query("SELECT pg_current_xact_id_if_assigned() AS id")).rows[0].id === null) {
          await client.query("BEGIN");
          await client.query(`UPDATE "${scope.schema}".workers__runs SET input = NULL WHERE seq =
            (SELECT min(seq) FROM "${scope.schema}".workers__runs)`);
        }
        return scope.transaction(inner);
      },
    }));
  } finally {
    await client.query("ROLLBACK");
    client.release();
  }
  expect(await runs()).toEqual([ended("a", "queued"), ended("b"), ended("c")]);
  const [due] = await work.sql(
    "SELECT due_at - clock_timestamp() < interval '1 second' AND handed_at IS NULL AS soon FROM plinth.due_runs",
  );
  expect(due).toEqual({ soon: true });
});

it("the next run of a record is due when the previous one has ended", async () => {
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
  // The first one ends the runs that can end together; the next one runs separately after it.
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

it("the time that a batch waits for its place doesn't count", async () => {
  const { carry } = await openDesk(copy);
  const afterAWait = (scope: ProjectScope): ProjectScope => ({
    ...scope,
    transaction: async (work) => {
      await pause(600);
      return scope.transaction(work);
    },
  });
  expect(await carry(["a", "b", "c"], afterAWait)).toBe(1);
});
const touch = workflowOf({
  name: "touch",
  on: ["note.created"],
  entity: "note",
  steps: [
    stepOf("touched", {
      kind: "record.update",
      entity: "ticket",
      id: field("ticket"),
      values: { body: literal("seen") },
    }),
  ],
});

/** Two tickets, and a run for each that writes to it, the first one first. */
async function openTouched(): Promise<Desk & { readonly free: string; readonly busy: string }> {
  const desk = await openDesk(touch);
  const { work } = desk;
  const [free, busy] = [crypto.randomUUID(), crypto.randomUUID()];
  for (const id of [free, busy]) await createRecord(await work.request("ticket"), id, new Map([["title", "t"]]));
  for (const id of [free, busy]) {
    const values = new Map([
      ["text", id],
      ["ticket", id],
    ]);
    await createRecord(await work.request("note"), crypto.randomUUID(), values);
  }
  return { ...desk, free, busy };
}

/** Waits until a statement of this database waits for what `found`, as SQL, says. */
async function waits({ sql }: WorkCell, found: string): Promise<void> {
  for (;;) {
    const rows = await sql(`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND ${found}`);
    if (rows.length > 0) return;
    await pause(2);
  }
}

const completed = [{ status: "completed" }, { status: "completed" }];
const rename = async ({ work }: Desk, id: string): Promise<number> => {
  const startedMs = performance.now();
  await updateRecord(await work.request("ticket"), id, new Map([["title", "mine"]]));
  return performance.now() - startedMs;
};

it("a run that waits for a lock does not delay others who need the written rows", async () => {
  const desk = await openTouched();
  const { work, free, busy, carry } = desk;
  const other = await work.cell.pool.connect();
  try {
    await other.query("BEGIN");
    const [table] = await work.sql("SELECT '{schema}.tickets' AS name");
    await other.query(`SELECT 1 FROM ${table?.["name"]} WHERE id = $1 FOR UPDATE`, [busy]);
    const carried = carry([]);
    await waits(work, "wait_event_type = 'Lock'");
    expect(await rename(desk, free)).toBeLessThan(800);
    await other.query("COMMIT");
    await carried;
  } finally {
    other.release();
  }
  expect(await work.sql("SELECT status FROM {schema}.workers__runs")).toEqual(completed);
});

it("a slow run does not delay them either", async () => {
  const desk = await openTouched();
  const { work, free, busy, carry } = desk;
  await work.sql(`CREATE FUNCTION public.slow() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN PERFORM pg_catalog.pg_sleep(1.7); RETURN NEW; END'`);
  await work.sql(`CREATE TRIGGER slow BEFORE UPDATE ON {schema}.tickets FOR EACH ROW WHEN (OLD.id = '${busy}')
    EXECUTE FUNCTION public.slow()`);
  const carried = carry([]);
  await waits(work, "wait_event = 'PgSleep'");
  expect(await rename(desk, free)).toBeLessThan(1_000);
  await carried;
  expect(await work.sql("SELECT status FROM {schema}.workers__runs")).toEqual(completed);
});

it("runs with large outputs do not end together", async () => {
  const find = workflowOf({
    ...onTicket,
    steps: [stepOf("found", { kind: "record.find", entity: "note", where: { text: literal("big") }, limit: 1 })],
  });
  const { work, carry, runs } = await openDesk(find);
  await createRecord(await work.request("note"), crypto.randomUUID(), new Map([["text", "big"]]));
  await work.sql("UPDATE {schema}.notes SET ticket = repeat('0123456789', 60000)");
  const titles = ["a", "b", "c", "d"];
  await carry(titles);
  // The first writes more than a megabyte, with its step and its end; the others run separately.
  const [ends] = await work.sql("SELECT count(DISTINCT xmin::text)::int AS transactions FROM {schema}.workers__runs");
  expect(ends).toEqual({ transactions: 4 });
  expect(await runs()).toEqual(titles.map((title) => ended(title)));
});
