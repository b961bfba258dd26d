// A run whose record does not exist yet: why it failed, and that a retry looks again. On Postgres, with a worker.
import { afterAll, beforeAll, expect, it } from "vitest";
import { callModule, dataOf, makeKey } from "../../modes/testing/cell.ts";
import { createRecord } from "../../query/run.ts";
import { openWorkCell, type WorkCell } from "../../workflows/testing/work-cell.ts";

const TEXT = `project: desk
modules: [auth, users, roles, workers, audit_logs]
entities:
  payment:
    fields: { reference: string? }
    permissions: { admin: { all: true } }
  order:
    fields: { payment_ref: string, status: "enum[open, paid] = open" }
    permissions: { admin: { all: true } }
events:
  money.arrived: { payload: { reference: string? } }
workers:
  tell:
    on: payment.created
    steps: [event.emit: { with: { name: money.arrived, payload: { reference: "\${{ record.reference }}" } } }]
workflows:
  paid:
    on: money.arrived
    record: { order: { payment_ref: "\${{ event.data.reference }}" } }
    steps: [record.update: { with: { status: paid } }]
`;

let work: WorkCell;
let key: string;
beforeAll(async () => {
  work = await openWorkCell(TEXT, {});
  ({ key } = await makeKey(work.cell, work.projectId));
});
afterAll(() => work?.close());

async function pay(reference: string | null): Promise<string> {
  await createRecord(await work.request("payment"), crypto.randomUUID(), new Map([["reference", reference]]));
  await work.settled();
  const [run] = await work.sql(
    "SELECT id FROM {schema}.workers__runs WHERE workflow = 'paid' ORDER BY seq DESC LIMIT 1",
  );
  return String(run?.["id"]);
}

const runOf = async (id: string) => dataOf(await callModule(work.cell, { method: "GET", path: `/v1/runs/${id}`, key }));

it("fails, and succeeds when it is retried once the record exists", async () => {
  const id = await pay("first");
  const error = { code: "no_record", message: "The order does not exist." };
  expect(await runOf(id)).toMatchObject({ status: "failed", error });
  const order = crypto.randomUUID();
  await createRecord(await work.request("order"), order, new Map([["payment_ref", "first"]]));
  await callModule(work.cell, { path: `/v1/runs/${id}/retry`, key, body: {} });
  await work.settled();
  expect(await runOf(id)).toMatchObject({ status: "completed", error: null });
  expect(await work.sql("SELECT status FROM {schema}.orders")).toEqual([{ status: "paid" }]);
});

it("says which value is missing if the event has none", async () => {
  const { error } = await runOf(await pay(null));
  expect(error.message).toBe("The input is not valid /payment_ref A value to find records by is missing.");
});
