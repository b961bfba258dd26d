// How many runs of one worker are in progress at once, over all processes, and that waiting runs delay nothing else.
import { afterEach, expect, it } from "vitest";
import { createRecord } from "../query/run.ts";
import { type Receiver, startReceiver } from "../workflows/testing/receiver.ts";
import { openWorkCell, type WorkCell } from "../workflows/testing/work-cell.ts";
import { pickText } from "./claim-runs.ts";

let work: WorkCell | null = null;
let receiver: Receiver | null = null;
afterEach(async () => {
  await work?.close();
  await receiver?.close();
  work = null;
  receiver = null;
});

const textOf = (url: string, concurrency: number): string => `project: desk
modules: [auth, users, roles, workers, audit_logs]
entities:
  ticket:
    fields: { title: string }
    permissions: { admin: { all: true } }
  note:
    fields: { text: string }
    permissions: { admin: { all: true } }
workers:
  print:
    on: ticket.created
    concurrency: ${concurrency}
    http: { url: '${url}' }
  quick:
    on: note.created
    steps: [record.update: { with: { text: seen } }]
`;

async function open(afterMs: (at: number) => number, concurrency = 3): Promise<[WorkCell, Receiver]> {
  receiver = await startReceiver((_, at) => ({ afterMs: afterMs(at) }));
  work = await openWorkCell(textOf(receiver.url, concurrency), {});
  return [work, receiver];
}

async function createTickets(cell: WorkCell, count: number): Promise<void> {
  const request = await cell.request("ticket");
  for (let at = 0; at < count; at++) await createRecord(request, crypto.randomUUID(), new Map([["title", `${at}`]]));
}

it("never more than the limit, over three processes, and no fewer while there is work", async () => {
  const [cell, service] = await open(() => 60);
  await cell.addProcess();
  await cell.addProcess();
  await createTickets(cell, 40);
  await cell.settled(30_000);
  expect(service.received).toHaveLength(40);
  expect(service.atOnceMax()).toBe(3);
  expect(await cell.sql("SELECT DISTINCT status FROM {schema}.workers__runs")).toEqual([{ status: "completed" }]);
});

it("waiting runs delay no other run of the project", async () => {
  const [cell, service] = await open(() => 400, 2);
  await createTickets(cell, 60);
  while (service.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  await createRecord(await cell.request("note"), crypto.randomUUID(), new Map([["text", "new"]]));
  const deadline = performance.now() + 5_000;
  const quick = async (): Promise<unknown> =>
    (await cell.sql("SELECT status FROM {schema}.workers__runs WHERE workflow = 'quick'"))[0]?.["status"];
  while ((await quick()) !== "completed" && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(await quick()).toBe("completed");
  expect(service.received.length).toBeLessThan(40);
  // No process holds the others: at most as many are in progress as the worker has places.
  const [handed] = await cell.sql("SELECT count(*)::int AS runs FROM plinth.due_runs WHERE handed_at IS NOT NULL");
  expect(handed?.["runs"]).toBeLessThanOrEqual(2);
});

it("reads none of the waiting runs, however many they are", async () => {
  const [cell] = await open(() => 0, 2);
  const client = await cell.cell.pool.connect();
  try {
    // Only this transaction sees them, so nobody executes them.
    await client.query("BEGIN");
    const into = (count: number, worker: string, dueAt: string, handed: string): Promise<unknown> =>
      client.query(
        `INSERT INTO plinth.due_runs (project_id, run_id, worker, due_at, handed_at)
         SELECT '${cell.projectId}', gen_random_uuid(), '${worker}', ${dueAt}, ${handed} FROM generate_series(1, ${count})`,
      );
    await into(20_000, "print", "now() - interval '1 hour'", "NULL");
    await into(20_000, "", "'infinity'", "NULL");
    await into(2, "print", "now()", "now()");
    await into(3, "quick", "now() - interval '1 minute'", "NULL");
    await client.query("ANALYZE plinth.due_runs");
    const { rows } = await client.query(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${pickText({ holder: crypto.randomUUID(), room: 80, share: 20 })}`,
    );
    expect(rowsOf(rows[0]["QUERY PLAN"][0].Plan)).toBeLessThan(100);
    const { rows: handed } = await client.query(
      "SELECT worker, count(*)::int AS runs FROM plinth.due_runs WHERE handed_at IS NOT NULL GROUP BY worker ORDER BY worker",
    );
    expect(handed).toEqual([
      { worker: "print", runs: 2 },
      { worker: "quick", runs: 3 },
    ]);
    await client.query("ROLLBACK");
  } finally {
    client.release();
  }
});

interface PlanNode {
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Rows that were read, taken or not. */
function rowsOf(node: PlanNode): number {
  const own =
    node["Relation Name"] === undefined
      ? 0
      : (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"];
  return own + (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), 0);
}
