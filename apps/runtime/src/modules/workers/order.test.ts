// The order of a record's runs when one of them fails: later runs go on, and a retry must not run out of order; or later
// runs wait. On Postgres and the job queue, over the API's handlers.
import { Fault } from "@plinth/service";
import { afterEach, beforeEach, expect, it } from "vitest";
import { callModule, dataOf, makeKey } from "../../modes/testing/cell.ts";
import { createRecord, updateRecord } from "../../query/run.ts";
import { type Receiver, startReceiver } from "../../workflows/testing/receiver.ts";
import { openWorkCell, type WorkCell } from "../../workflows/testing/work-cell.ts";

const textOf = (url: string, afterFailure: string): string => `project: desk
modules: [auth, users, roles, workers, audit_logs]
entities:
  ticket:
    fields: { title: string, number: int }
    permissions: { admin: { all: true } }
workflows:
  tell:
    on: [ticket.created, ticket.updated]
    ordered: record
    after_failure: ${afterFailure}
    steps:
      - id: tell
        action: http.request
        retry: 1
        with: { url: "${url}/tell", method: POST, body: "\${{ event.record.number }}" }
`;

let work: WorkCell;
let receiver: Receiver;
let key = "";
let refused: string | null = null;
const told: string[] = [];

beforeEach(async () => {
  told.length = 0;
  receiver = await startReceiver(({ body }) => {
    if (body === refused) return { status: 422 };
    told.push(body);
    return { status: 200 };
  });
});
afterEach(async () => {
  await work.close();
  await receiver.close();
});

/** The ticket's runs, in the order of their events: the second one fails. */
async function openTicket(afterFailure: string) {
  refused = "2";
  work = await openWorkCell(textOf(receiver.url, afterFailure), {});
  ({ key } = await makeKey(work.cell, work.projectId));
  const ticket = crypto.randomUUID();
  const values = (number: number) =>
    new Map([...(number === 1 ? [["title", "x"] as const] : []), ["number", String(number)] as const]);
  await createRecord(await work.request("ticket"), ticket, values(1));
  for (const number of [2, 3, 4]) await updateRecord(await work.request("ticket"), ticket, values(number));
}
const runs = () => work.sql("SELECT id, status FROM {schema}.workers__runs ORDER BY created_at, seq");
const statuses = async () => (await runs()).map(({ status }) => status);
const post = async (action: string, body: object = {}): Promise<unknown> => {
  const failed = (await runs())[1];
  return callModule(work.cell, { path: `/v1/runs/${failed?.["id"]}/${action}`, key, body }).then(
    ({ status }) => status,
    (error: unknown) => (error instanceof Fault ? [error.code, error.message] : error),
  );
};

it("with `skip`, later runs go on, and the failed one is not retried out of order unless somebody says so", async () => {
  await openTicket("skip");
  await work.settled();
  expect([await statuses(), told]).toEqual([
    ["completed", "failed", "completed", "completed"],
    ["1", "3", "4"],
  ]);
  refused = null;
  expect(await post("retry")).toEqual(["conflict", expect.stringContaining("`out_of_order: true`")]);
  const all = { workflow: "tell", kind: "workflow", until: new Date().toISOString(), code: "http_status" };
  const bulk = await callModule(work.cell, { path: "/v1/queues/retry", key, body: all });
  expect(dataOf(bulk)).toEqual({ runs: 0, left: 0, overtaken: 1 });
  expect([await post("cancel"), told]).toEqual([
    ["conflict", "The run has already ended."],
    ["1", "3", "4"],
  ]);
  expect(await post("retry", { out_of_order: true })).toBe(202);
  await work.settled();
  expect(told).toEqual(["1", "3", "4", "2"]);
  // It has the last place now, so that it can be retried again.
  expect(await work.sql("SELECT status FROM {schema}.workers__runs ORDER BY seq DESC LIMIT 1")).toEqual([
    { status: "completed" },
  ]);
});

it.each([
  ["retry", ["completed", "completed", "completed", "completed"], ["1", "2", "3", "4"]],
  ["cancel", ["completed", "cancelled", "completed", "completed"], ["1", "3", "4"]],
] as const)("with `block`, later runs wait until somebody decides: %s", async (action, ends, calls) => {
  await openTicket("block");
  await expect.poll(statuses, { timeout: 20_000 }).toEqual(["completed", "failed", "queued", "queued"]);
  await expect
    .poll(() => work.sql("SELECT 1 FROM plinth.due_runs WHERE due_at < now() + interval '1 minute'"), {
      timeout: 20_000,
    })
    .toEqual([]);
  expect(told).toEqual(["1"]);
  refused = null;
  expect(await post(action)).toBe(202);
  await expect.poll(statuses, { timeout: 20_000 }).toEqual(ends);
  expect(told).toEqual(calls);
});
