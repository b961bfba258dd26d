// Several calls of one run with unknown results: each is settled separately, and the run continues after the last of
// them. On Postgres, with a worker.
import { afterEach, beforeEach, expect, it } from "vitest";
import { callModule, dataOf, makeKey } from "../../modes/testing/cell.ts";
import { createRecord } from "../../query/run.ts";
import { type Receiver, startReceiver } from "../../workflows/testing/receiver.ts";
import { openWorkCell, type WorkCell } from "../../workflows/testing/work-cell.ts";

const textOf = (url: string): string => `project: desk
modules: [auth, users, roles, workers, audit_logs]
entities:
  ticket:
    fields: { title: string }
    permissions: { admin: { all: true } }
workflows:
  book:
    on: ticket.created
    steps:
      - id: reserve
        action: http.request
        for_each: [a, b, c]
        max_parallel: 3
        timeout: 1s
        with: { url: "${url}/reserve", method: POST, body: "\${{ each }}" }
        compensate:
          - { id: free, action: audit.write, for_each: "\${{ steps.reserve }}", with: { note: "free \${{ each.body }}" } }
`;

let work: WorkCell;
let receiver: Receiver;
let id = "";
let key = "";

beforeEach(async () => {
  receiver = await startReceiver(() => ({ afterMs: 2_000 }));
  work = await openWorkCell(textOf(receiver.url), {});
  ({ key } = await makeKey(work.cell, work.projectId));
  await createRecord(await work.request("ticket"), crypto.randomUUID(), new Map([["title", "x"]]));
  await expect.poll(status, { timeout: 20_000 }).toBe("needs_attention");
  id = String((await work.sql("SELECT id FROM {schema}.workers__runs"))[0]?.["id"]);
});
afterEach(async () => {
  await work.close();
  await receiver.close();
});

const status = async () => (await work.sql("SELECT status FROM {schema}.workers__runs"))[0]?.["status"];
const post = async (action: "done" | "fail", body: object): Promise<unknown> =>
  dataOf(await callModule(work.cell, { path: `/v1/runs/${id}/${action}`, key, body }));
const done = (step: string, given: string): Promise<unknown> => post("done", { step, output: { body: given } });
const audited = async (operation: string): Promise<readonly unknown[]> =>
  (await work.sql(`SELECT changes FROM {schema}.audit_log WHERE operation = '${operation}' ORDER BY id`)).map(
    ({ changes }) => changes,
  );

it("each has its own output, and the run continues after the last one", async () => {
  await done("reserve/1", "B");
  await expect(done("reserve/1", "again")).rejects.toMatchObject({ code: "validation_failed" });
  await expect(done("reserve", "all")).rejects.toMatchObject({ code: "validation_failed" });
  await done("reserve/0", "A");
  expect(await status()).toBe("needs_attention");
  expect(await work.sql("SELECT 1 FROM plinth.due_runs")).toEqual([]);
  await done("reserve/2", "C");
  await work.settled();
  expect(await work.sql("SELECT status, output FROM {schema}.workers__runs")).toEqual([
    { status: "completed", output: [{ body: "A" }, { body: "B" }, { body: "C" }] },
  ]);
  expect(await audited("mark_done")).toEqual(
    ["reserve/1", "reserve/0", "reserve/2"].map((path) => ({ path, note: null })),
  );
  expect(receiver.received).toHaveLength(3);
});

it("a failed one fails the run, and completed ones are compensated, the last first", async () => {
  await done("reserve/0", "A");
  await post("fail", { step: "reserve/1", note: "there is none" });
  await done("reserve/2", "C");
  await work.settled();
  expect(await work.sql("SELECT status, error->>'code' AS code FROM {schema}.workers__runs")).toEqual([
    { status: "failed", code: "marked_failed" },
  ]);
  expect(await audited("mark_failed")).toEqual([{ path: "reserve/1", note: "there is none" }]);
  expect(await audited("note")).toMatchObject([{ note: "free C" }, { note: "free A" }]);
});

it("without a step, all are settled in the same way", async () => {
  await done("reserve/0", "A");
  await post("done", {});
  await work.settled();
  expect(await work.sql("SELECT status, output FROM {schema}.workers__runs")).toEqual([
    { status: "completed", output: [{ body: "A" }, null, null] },
  ]);
  expect((await audited("mark_done")).at(-1)).toEqual({ paths: ["reserve/1", "reserve/2"], note: null });
});

it("all runs of a workflow are settled at once, by step", async () => {
  await createRecord(await work.request("ticket"), crypto.randomUUID(), new Map([["title", "y"]]));
  const waiting = async () =>
    (await work.sql("SELECT 1 FROM {schema}.workers__runs WHERE status = 'needs_attention'")).length;
  await expect.poll(waiting, { timeout: 20_000 }).toBe(2);
  const settle = async (more: object): Promise<unknown> => {
    const body = { workflow: "book", kind: "workflow", until: new Date().toISOString(), ...more };
    return dataOf(await callModule(work.cell, { path: "/v1/queues/settle", key, body }));
  };
  expect(await settle({ calls: "done", step: "other" })).toEqual({ runs: 0, left: 0, overtaken: 0 });
  await done("reserve/1", "A");
  expect(await settle({ calls: "done", step: "reserve", output: { body: "B" } })).toEqual({
    runs: 2,
    left: 0,
    overtaken: 0,
  });
  await work.settled();
  expect(await work.sql("SELECT status, output FROM {schema}.workers__runs ORDER BY created_at")).toEqual([
    { status: "completed", output: [{ body: "B" }, { body: "A" }, { body: "B" }] },
    { status: "completed", output: [{ body: "B" }, { body: "B" }, { body: "B" }] },
  ]);
});

it("calls are repeated with the same keys on request, and a cancellation says what to do instead", async () => {
  await expect(callModule(work.cell, { path: `/v1/runs/${id}/cancel`, key, body: {} })).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("`done` or `fail`"),
  });
  const body = { workflow: "book", kind: "workflow", until: new Date().toISOString(), calls: "again" };
  expect(dataOf(await callModule(work.cell, { path: "/v1/queues/settle", key, body }))).toMatchObject({ runs: 1 });
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(6);
  expect(new Set(receiver.received.map(({ headers }) => headers["idempotency-key"])).size).toBe(3);
});
