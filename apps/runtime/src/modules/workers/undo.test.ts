// Compensation: if a run failed, was compensated, and is retried, its compensated steps run again. On Postgres and the
// job queue.
import { afterEach, expect, it } from "vitest";
import { callModule, makeKey } from "../../modes/testing/cell.ts";
import { createRecord } from "../../query/run.ts";
import { type Receiver, startReceiver } from "../../workflows/testing/receiver.ts";
import { openWorkCell, type WorkCell } from "../../workflows/testing/work-cell.ts";

const textOf = (url: string): string => `project: desk
modules: [auth, users, roles, workers, audit_logs]
entities:
  ticket:
    fields: { title: string }
    permissions: { admin: { all: true } }
  note:
    fields: { text: string unique }
    permissions: { admin: { all: true } }
workflows:
  book:
    on: ticket.created
    steps:
      - id: first
        action: record.create
        with: { entity: note, text: first }
      - id: one
        action: record.create
        with: { entity: note, text: one }
        compensate: [{ id: erase, action: record.delete, with: { entity: note, id: "\${{ steps.one.id }}" } }]
      - id: reserve
        action: http.request
        for_each: [a, b]
        with: { url: "${url}/reserve", method: POST, body: "\${{ each }}" }
        compensate: [{ id: free, action: http.request, with: { url: "${url}/free", method: POST } }]
      - id: last
        action: record.create
        with: { entity: note, text: taken }
`;

const lostText = (url: string): string => `${textOf(url).split("workflows:")[0]}workflows:
  book:
    on: ticket.created
    steps:
      - id: one
        action: record.create
        with: { entity: note, text: one }
        compensate: [{ id: erase, action: record.delete, with: { entity: note, id: "\${{ steps.one.id }}" } }]
      - id: two
        action: audit.write
        compensate:
          - { id: free, action: http.request, timeout: 1s, with: { url: "${url}/free", method: POST } }
      - id: last
        action: record.create
        with: { entity: note, text: taken }
`;

const handledText = (url: string): string => `${textOf(url).split("workflows:")[0]}workflows:
  book:
    on: ticket.created
    steps:
      - id: pay
        action: http.request
        with: { url: "${url}/pay", method: POST }
        on_error:
          - { id: refund, action: http.request, with: { url: "${url}/refund", method: POST } }
          - { id: told, action: audit.write, if: error.code == "http_status", with: { note: "\${{ error.code }}" } }
      - id: last
        action: record.create
        with: { entity: note, text: taken }
`;

let work: WorkCell | null = null;
let receiver: Receiver | null = null;
afterEach(async () => {
  await work?.close();
  await receiver?.close();
});

it("repeats the compensated steps with other keys, and keeps the others", async () => {
  receiver = await startReceiver(() => ({ status: 200 }));
  work = await openWorkCell(textOf(receiver.url), {});
  const { cell, projectId, request, sql, settled } = work;
  const { key } = await makeKey(cell, projectId);
  const other = crypto.randomUUID();
  await createRecord(await request("note"), other, new Map([["text", "taken"]]));
  await createRecord(await request("ticket"), crypto.randomUUID(), new Map([["title", "x"]]));
  await settled();
  const texts = async () => (await sql("SELECT text FROM {schema}.notes ORDER BY text")).map(({ text }) => text);
  const status = async () => (await sql("SELECT id, status FROM {schema}.workers__runs"))[0];
  expect([await texts(), (await status())?.["status"]]).toEqual([["first", "taken"], "failed"]);

  // It fails again, and the repeated steps are compensated again.
  const retry = () => callModule(cell, { path: `/v1/runs/${id}/retry`, key, body: {} });
  const id = (await status())?.["id"];
  await retry();
  await settled();
  expect([await texts(), (await status())?.["status"]]).toEqual([["first", "taken"], "failed"]);

  await sql("DELETE FROM {schema}.notes WHERE id = $1", [other]);
  await retry();
  await settled();
  expect([await texts(), (await status())?.["status"]]).toEqual([["first", "one", "taken"], "completed"]);
  const calls = receiver.received.map(({ path, headers }) => [path, headers["idempotency-key"]] as const);
  expect(calls.map(([path]) => path)).toEqual([
    "/reserve",
    "/reserve",
    "/free",
    "/reserve",
    "/reserve",
    "/free",
    "/reserve",
    "/reserve",
  ]);
  // With the same key as before, the service would not act again.
  expect(new Set(calls.map(([, sent]) => sent)).size).toBe(calls.length);
  const steps = await sql("SELECT path, status FROM {schema}.workers__steps ORDER BY path");
  expect(steps.map(({ path, status }) => `${path} ${status}`)).toEqual(
    ["first", "last", "one", "reserve", "reserve/0", "reserve/1"].map((path) => `${path} completed`),
  );
});

it.each(["done", "fail"])("a lost call of a compensation waits for a person, who says `%s`", async (how) => {
  receiver = await startReceiver(() => ({ afterMs: 3_000 }));
  work = await openWorkCell(lostText(receiver.url), {});
  const { cell, projectId, request, sql, settled } = work;
  const { key } = await makeKey(cell, projectId);
  await createRecord(await request("note"), crypto.randomUUID(), new Map([["text", "taken"]]));
  await createRecord(await request("ticket"), crypto.randomUUID(), new Map([["title", "x"]]));
  const run = async () => (await sql("SELECT id, status, error->>'code' AS code FROM {schema}.workers__runs"))[0];
  await expect.poll(run, { timeout: 20_000 }).toMatchObject({ status: "needs_attention", code: "no_answer" });
  const texts = async () => (await sql("SELECT text FROM {schema}.notes ORDER BY text")).map(({ text }) => text);
  expect(await texts()).toEqual(["one", "taken"]);

  await callModule(cell, { path: `/v1/runs/${(await run())?.["id"]}/${how}`, key, body: {} });
  await settled();
  expect([await run(), await texts()]).toMatchObject([{ status: "failed", code: "unique_violation" }, ["taken"]]);
  expect(receiver.received).toHaveLength(1);
});

it("the handler of a failure also handles that of a retry, with other keys", async () => {
  let [payment, refund] = [422, 200];
  receiver = await startReceiver(({ path }) => ({ status: path === "/pay" ? payment : refund }));
  work = await openWorkCell(handledText(receiver.url), {});
  const { cell, projectId, request, sql, settled } = work;
  const { key } = await makeKey(cell, projectId);
  await createRecord(await request("note"), crypto.randomUUID(), new Map([["text", "taken"]]));
  await createRecord(await request("ticket"), crypto.randomUUID(), new Map([["title", "x"]]));
  await settled();
  const run = async () => (await sql("SELECT id, status, error->>'code' AS code FROM {schema}.workers__runs"))[0];
  const id = (await run())?.["id"];
  const retry = async () => {
    await callModule(cell, { path: `/v1/runs/${id}/retry`, key, body: {} });
    await settled();
  };
  const notes = async () => (await sql("SELECT 1 FROM {schema}.audit_log WHERE operation = 'note'")).length;
  const keys = (path: string) =>
    receiver?.received.filter((call) => call.path === path).map(({ headers }) => headers["idempotency-key"]) ?? [];
  expect([await run(), await notes()]).toMatchObject([{ code: "unique_violation" }, 1]);

  await retry();
  expect([await run(), await notes()]).toMatchObject([{ code: "unique_violation" }, 2]);
  refund = 422;
  await retry();
  expect([await run(), await notes()]).toMatchObject([{ code: "http_status" }, 2]);
  // A handler that was refused is repeated as a new call, like any step.
  refund = 200;
  await retry();
  expect([await run(), await notes()]).toMatchObject([{ code: "unique_violation" }, 3]);
  expect([keys("/refund").length, new Set(keys("/refund")).size]).toEqual([4, 4]);

  payment = 200;
  await sql("DELETE FROM {schema}.notes");
  await retry();
  expect([await run(), await notes(), keys("/refund").length]).toMatchObject([{ status: "completed" }, 3, 4]);
  expect([keys("/pay").length, new Set(keys("/pay")).size]).toEqual([5, 5]);
});

it("if a list fails in the middle, its completed members are compensated, after each retry with other keys", async () => {
  let isLeft = false;
  receiver = await startReceiver(({ body, path }) => ({
    status: path === "/reserve" && body === "b" && !isLeft ? 422 : 200,
  }));
  work = await openWorkCell(textOf(receiver.url), {});
  const { cell, projectId, request, sql, settled } = work;
  const { key } = await makeKey(cell, projectId);
  await createRecord(await request("ticket"), crypto.randomUUID(), new Map([["title", "x"]]));
  await settled();
  const [run] = await sql("SELECT id FROM {schema}.workers__runs");
  const retry = async () => {
    await callModule(cell, { path: `/v1/runs/${run?.["id"]}/retry`, key, body: {} });
    await settled();
  };
  const texts = async () => (await sql("SELECT text FROM {schema}.notes ORDER BY text")).map(({ text }) => text);
  expect(await texts()).toEqual(["first"]);
  await retry();
  isLeft = true;
  await retry();
  expect(await texts()).toEqual(["first", "one", "taken"]);
  const calls = receiver.received.map(({ path, body, headers }) => ({
    path: path + body,
    key: headers["idempotency-key"],
  }));
  const failing = ["/reservea", "/reserveb", "/free"];
  expect(calls.map(({ path }) => path)).toEqual([...failing, ...failing, "/reservea", "/reserveb"]);
  // The failed one was never compensated, but refused: it is repeated as a new call, too.
  expect([calls.length, new Set(calls.map((call) => call.key)).size]).toEqual([8, 8]);
});
