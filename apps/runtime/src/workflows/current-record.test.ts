// The record that steps see: as it is when they begin; `event.record` as it was. A call that is repeated sends the same
// again. Conditions on members, and waits until a time of the record. On Postgres and the job queue.
import { afterAll, beforeAll, expect, it } from "vitest";
import { callModule, dataOf, makeKey } from "../modes/testing/cell.ts";
import { createRecord, deleteRecord, updateRecord } from "../query/run.ts";
import { type Receiver, startReceiver } from "./testing/receiver.ts";
import { openWorkCell, type WorkCell } from "./testing/work-cell.ts";

const HOUR_MS = 3_600_000;
const MS_MAX = 60_000;

const textOf = (url: string): string => `project: desk
modules: [auth, users, roles, workers, audit_logs]
entities:
  ticket:
    fields: { kind: string, title: string, due_at: datetime?, cost: string internal = "12" }
    permissions: { admin: { all: true } }
  note:
    fields: { text: string }
    permissions: { admin: { all: true } }
workflows:
  short:
    on: ticket.created
    when: record.kind == "short"
    steps:
      - record.update: { with: { title: paid } }
      - record.create: { with: { entity: note, text: "\${{ record.title }}, was \${{ event.record.title }}" } }
  hidden:
    on: ticket.created
    when: record.kind == "hidden"
    steps:
      - delay: 1s
      - record.create: { with: { entity: note, text: "\${{ record.cost }} of \${{ event.record.cost }}" } }
  later:
    on: ticket.created
    when: record.kind == "later"
    steps:
      - delay: 1s
      - record.create: { with: { entity: note, text: "\${{ record.title }}" } }
  call:
    on: ticket.created
    when: record.kind == "call"
    steps:
      - id: tell
        action: http.request
        retry: { attempts: 5, delay: 1s }
        with: { url: "${url}/x", method: POST, body: "\${{ record.title }}" }
      - record.create: { with: { entity: note, text: "\${{ record.title }}" } }
  members:
    on: ticket.created
    when: record.kind == "members"
    steps:
      - id: tell
        action: record.create
        for_each: [a, b, c]
        if: each != "b" && record.title == "x"
        with: { entity: note, text: "\${{ each }}" }
      - audit.write
  moment:
    on: ticket.created
    when: record.kind == "moment"
    steps:
      - delay: { until: record.due_at, before: 1h }
      - id: late
        action: record.create
        delay: { until: record.due_at, after: 30m }
        with: { entity: note, text: "\${{ record.title }}" }
`;

let work: WorkCell;
let receiver: Receiver;
let isUp = false;
beforeAll(async () => {
  receiver = await startReceiver(() => ({ status: isUp ? 200 : 503 }));
  work = await openWorkCell(textOf(receiver.url), {});
}, MS_MAX);
afterAll(async () => {
  await work?.close();
  await receiver?.close();
});

async function create(given: { readonly kind: string; readonly title: string; readonly due_at?: string | null }) {
  const id = crypto.randomUUID();
  await createRecord(await work.request("ticket"), id, new Map<string, string | null>(Object.entries(given)));
  return id;
}
async function change(id: string, given: Readonly<Record<string, string>>): Promise<void> {
  await updateRecord(await work.request("ticket"), id, new Map(Object.entries(given)));
}
/** Texts of notes since the last look. */
async function notes(): Promise<readonly unknown[]> {
  return (await work.sql("DELETE FROM {schema}.notes RETURNING text")).map(({ text }) => text).sort();
}
const steps = (workflow: string) =>
  work.sql(
    `SELECT s.path, s.status, s.output, s.next_at FROM {schema}.workers__steps s
     JOIN {schema}.workers__runs r ON r.id = s.run_id WHERE r.workflow = $1 ORDER BY s.path`,
    [workflow],
  );
const soon = { timeout: 20_000 };

it("a step sees what an earlier step has written, also in a short run, and the event keeps what was", async () => {
  await create({ kind: "short", title: "pending" });
  await work.settled(20_000);
  expect(await notes()).toEqual(["paid, was pending"]);
});

it("a step sees internal fields, as the event does", async () => {
  await create({ kind: "hidden", title: "x" });
  await work.settled(20_000);
  expect(await notes()).toEqual(["12 of 12"]);
});

it(
  "a later step sees others' changes; if the record is gone, it sees the record of the event",
  async () => {
    const [one, other] = [await create({ kind: "later", title: "a" }), await create({ kind: "later", title: "b" })];
    const delayed = "SELECT 1 FROM {schema}.workers__runs WHERE status = 'waiting'";
    await expect.poll(async () => (await work.sql(delayed)).length, soon).toBe(2);
    await change(one, { title: "changed" });
    await deleteRecord(await work.request("ticket"), other);
    await work.settled(20_000);
    expect(await notes()).toEqual(["b", "changed"]);
  },
  MS_MAX,
);

it(
  "a repeated call sends the same again, although the record has changed; the next step sees the change",
  async () => {
    const id = await create({ kind: "call", title: "first" });
    await expect.poll(() => receiver.received.length, soon).toBe(1);
    await change(id, { title: "second" });
    isUp = true;
    await work.settled(20_000);
    expect(new Set(receiver.received.map(({ body }) => body))).toEqual(new Set(["first"]));
    expect(await notes()).toEqual(["second"]);
    const [run] = await work.sql("SELECT id FROM {schema}.workers__runs WHERE workflow = 'call'");
    const { key } = await makeKey(work.cell, work.projectId);
    const shown = dataOf(await callModule(work.cell, { method: "GET", path: `/v1/runs/${run?.["id"]}`, key }));
    expect(shown.steps.map(({ path }: { readonly path: string }) => path)).toEqual(["tell", "create"]);
  },
  MS_MAX,
);

it("a condition on `each` skips single members", async () => {
  await create({ kind: "members", title: "x" });
  await work.settled(20_000);
  expect(await notes()).toEqual(["a", "c"]);
  expect((await steps("members")).map(({ path, status }) => `${path} ${status}`)).toEqual([
    "_record/tell completed",
    "tell completed",
    "tell/0 completed",
    "tell/1 skipped",
    "tell/2 completed",
    "write completed",
  ]);
  expect((await steps("members"))[1]).toMatchObject({ output: [{ text: "a" }, null, { text: "c" }] });
});

it(
  "a step waits until a time of the record, and longer if the time moves away meanwhile",
  async () => {
    const inHours = (hours: number): string => new Date(Math.round(Date.now() + hours * HOUR_MS)).toISOString();
    const waitsFor = async (path: string) => {
      const step = (await steps("moment")).find((each) => each["path"] === path);
      return step === undefined ? null : [step["status"], (step["next_at"] as Date | null)?.getTime() ?? null];
    };
    const wake = async (): Promise<void> => {
      await work.sql("UPDATE {schema}.workers__steps SET next_at = now() WHERE status IN ('waiting', 'delayed')");
      await work.sql("UPDATE plinth.due_runs SET due_at = now()");
    };
    const [first, later] = [inHours(3), inHours(5)];
    const id = await create({ kind: "moment", title: "m", due_at: first });
    await expect.poll(() => waitsFor("wait"), soon).toEqual(["waiting", Date.parse(first) - HOUR_MS]);
    await change(id, { due_at: later });
    await wake();
    await expect.poll(() => waitsFor("wait"), soon).toEqual(["waiting", Date.parse(later) - HOUR_MS]);
    const next = inHours(0.5);
    await change(id, { due_at: next });
    await wake();
    await expect.poll(() => waitsFor("late"), soon).toEqual(["delayed", Date.parse(next) + HOUR_MS / 2]);
    await change(id, { due_at: inHours(-1) });
    await wake();
    await work.settled(20_000);
    expect(await notes()).toEqual(["m"]);
  },
  MS_MAX,
);

it("a delay until a time that is empty fails, with words", async () => {
  await create({ kind: "moment", title: "never", due_at: null });
  await work.settled(20_000);
  expect(await work.sql("SELECT error FROM {schema}.workers__runs WHERE status = 'failed'")).toEqual([
    { error: { code: "invalid_value", message: "The time of the delay is empty." } },
  ]);
});

it(
  "a bundle that was deployed before sees the record as it was in the event",
  async () => {
    const live = (await work.cell.registry.get(work.projectId))?.bundle.background.workflows ?? [];
    await work.redeploy({ workflows: live.map(({ recordAt: _, ...workflow }) => workflow) });
    await create({ kind: "short", title: "pending" });
    await work.settled(20_000);
    expect(await notes()).toEqual(["pending, was pending"]);
  },
  MS_MAX,
);
