// The key of a repeated call: a service that remembers its answers gives the same answer to the same key. On Postgres
// and the job queue, over the API's handlers.
import { afterEach, expect, test } from "vitest";
import { callModule, dataOf, makeKey } from "../../modes/testing/cell.ts";
import { createRecord } from "../../query/run.ts";
import { type Answer, type Receiver, startReceiver } from "../../workflows/testing/receiver.ts";
import { openWorkCell, type WorkCell } from "../../workflows/testing/work-cell.ts";

const textOf = (url: string, more: string): string => `project: desk
modules: [auth, users, roles, workers, audit_logs]
entities:
  order:
    fields: { title: string }
    permissions: { admin: { all: true } }
  note:
    fields: { text: string }
    permissions: { admin: { all: true } }
workflows:
  charge:
    on: order.created
    steps:
      - id: pay
        action: http.request
        with: { url: "${url}/pay", method: POST }
        ${more}
`;

let work: WorkCell | null = null;
let receiver: Receiver | null = null;
afterEach(async () => {
  await work?.close();
  await receiver?.close();
});

/** A run that has called the service, and ended. Returns functions to continue and inspect it. */
async function charge(answer: () => Answer, more = "retry: { attempts: 1 }") {
  const remembered = new Map<string, Answer>();
  receiver = await startReceiver(({ headers }) => {
    const key = String(headers["idempotency-key"]);
    const given = remembered.get(key) ?? answer();
    // Like real services: they don't remember calls that they were too busy to execute.
    if ((given.status ?? 200) < 500) remembered.set(key, given);
    return given;
  });
  work = await openWorkCell(textOf(receiver.url, more), {});
  const { cell, projectId, request, sql, settled } = work;
  const { key } = await makeKey(cell, projectId);
  await createRecord(await request("order"), crypto.randomUUID(), new Map([["title", "x"]]));
  await settled();
  const [row] = await sql("SELECT id FROM {schema}.workers__runs");
  const run = async () => dataOf(await callModule(cell, { method: "GET", path: `/v1/runs/${row?.["id"]}`, key }));
  const steer = async (action: string, body: object = {}) => {
    await callModule(cell, { path: `/v1/runs/${row?.["id"]}/${action}`, key, body });
    await settled();
  };
  const keys = () => receiver?.received.map(({ headers }) => headers["idempotency-key"]) ?? [];
  return { run, steer, keys, sql };
}

test("after a definite answer, a person's retry is a new call", async () => {
  let status = 422;
  const { run, steer, keys } = await charge(() => ({ status }));
  expect(await run()).toMatchObject({ status: "failed", error: { code: "http_status", status: 422 } });
  await steer("retry");
  status = 200;
  await steer("retry");
  expect((await run()).status).toBe("completed");
  expect([keys().length, new Set(keys()).size]).toEqual([3, 3]);
});

test("after an unknown result, or if a service was too busy, it is the same call", async () => {
  let status = 503;
  const { run, steer, keys } = await charge(() => ({ status }), "retry: { attempts: 2, delay: 1s }");
  expect(await run()).toMatchObject({ status: "failed", error: { code: "http_status", status: 503 } });
  await steer("retry");
  status = 200;
  await steer("retry");
  expect((await run()).status).toBe("completed");
  expect([keys().length, new Set(keys()).size]).toEqual([5, 1]);
});

test("a call with a lost answer is the same one, unless somebody has found out that it failed", async () => {
  let afterMs = 3_000;
  const { run, steer, keys } = await charge(() => ({ afterMs }), "timeout: 1s\n        retry: { attempts: 1 }");
  expect(await run()).toMatchObject({ status: "needs_attention", error: { code: "no_answer" } });
  await steer("retry");
  expect([(await run()).status, new Set(keys()).size]).toEqual(["needs_attention", 1]);
  await steer("fail");
  expect(await run()).toMatchObject({ status: "failed", error: { code: "marked_failed" } });
  expect((await run()).error).not.toHaveProperty("status");
  afterMs = 0;
  await steer("retry");
  expect([(await run()).status, keys().length, new Set(keys()).size]).toEqual(["completed", 3, 2]);
});

test("a failed handler that is no longer needed is not a step of the run", async () => {
  let status = 422;
  const more =
    'on_error: [{ id: refund, action: http.request, retry: 1, with: { url: "https://127.0.0.1/none", method: POST } }]';
  const { run, steer, sql } = await charge(() => ({ status }), more);
  const paths = async () => (await run()).steps.map(({ path }: { readonly path: string }) => path);
  expect(await paths()).toEqual(["pay", "pay/on_error/refund"]);
  // As if the service of the refund had refused it.
  const refused = JSON.stringify({ code: "http_status", message: "no", status: 422 });
  await sql("UPDATE {schema}.workers__steps SET error = $1::jsonb WHERE path LIKE '%refund'", [refused]);
  status = 200;
  await steer("retry");
  expect([(await run()).status, await paths()]).toEqual(["completed", ["pay"]]);
});
