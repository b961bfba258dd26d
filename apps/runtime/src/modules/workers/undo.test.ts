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
      - id: card
        action: http.request
        with: { url: "${url}/card", method: POST }
        on_error:
          - { id: bank, action: http.request, with: { url: "${url}/bank", method: POST } }
          - { id: told, action: http.request, with: { url: "${url}/told", method: POST } }
      - id: hint
        action: http.request
        for_each: [a, b]
        on_error: continue
        with: { url: "${url}/hint", method: POST, body: "\${{ each }}" }
      - id: receipt
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
  const ended =
    how === "done" ? { status: "failed", code: "unique_violation" } : { status: "undo_failed", code: "marked_failed" };
  expect([await run(), await texts()]).toMatchObject([ended, ["taken"]]);
  expect(receiver.received).toHaveLength(1);
});

/** A run whose card was refused, with its ways to continue. */
async function handledRun(refused: Set<string>) {
  receiver = await startReceiver(({ path, body }) => ({ status: refused.has(path + body) ? 422 : 200 }));
  work = await openWorkCell(handledText(receiver.url), {});
  const { cell, projectId, request, sql, settled } = work;
  const { key } = await makeKey(cell, projectId);
  await createRecord(await request("note"), crypto.randomUUID(), new Map([["text", "taken"]]));
  await createRecord(await request("ticket"), crypto.randomUUID(), new Map([["title", "x"]]));
  await settled();
  const run = async () => (await sql("SELECT id, status, error->>'code' AS code FROM {schema}.workers__runs"))[0];
  const retry = async (body: object = {}) => {
    await callModule(cell, { path: `/v1/runs/${(await run())?.["id"]}/retry`, key, body });
    await settled();
  };
  const calls = () => receiver?.received.map(({ path, body }) => path + body) ?? [];
  const keys = (path: string) =>
    receiver?.received.filter((call) => call.path === path).map(({ headers }) => headers["idempotency-key"]) ?? [];
  return { run, retry, calls, keys, sql };
}

it("a retry repeats no step whose failure was handled, wherever it begins", async () => {
  const { run, retry, calls, keys, sql } = await handledRun(new Set(["/card", "/hinta"]));
  const once = ["/card", "/bank", "/told", "/hinta", "/hintb"];
  expect([await run(), calls()]).toMatchObject([{ status: "failed", code: "unique_violation" }, once]);
  await retry({ from: "receipt" });
  await retry();
  expect([await run(), calls()]).toMatchObject([{ status: "failed", code: "unique_violation" }, once]);
  await sql("DELETE FROM {schema}.notes");
  await retry();
  expect([await run(), calls()]).toMatchObject([{ status: "completed" }, once]);
  expect(new Set(keys("/card")).size).toBe(1);
});

it("a person can repeat a handled step on purpose, with a new key", async () => {
  const refused = new Set(["/card"]);
  const { run, retry, calls, keys, sql } = await handledRun(refused);
  await sql("DELETE FROM {schema}.notes");
  refused.clear();
  await retry({ from: "card" });
  expect([await run(), calls().filter((each) => each === "/card").length]).toMatchObject([{ status: "completed" }, 2]);
  expect(new Set(keys("/card")).size).toBe(2);
});

it("a handler that failed in its middle continues there", async () => {
  const refused = new Set(["/card", "/told"]);
  const { run, retry, calls, keys } = await handledRun(refused);
  expect([await run(), calls()]).toMatchObject([{ code: "http_status" }, ["/card", "/bank", "/told"]]);
  refused.delete("/told");
  await retry();
  expect([await run(), calls()]).toMatchObject([
    { code: "unique_violation" },
    ["/card", "/bank", "/told", "/told", "/hinta", "/hintb"],
  ]);
  expect(new Set(keys("/told")).size).toBe(2);
});

it("if nothing has handled a failure, the failed step and its handler run again as new calls", async () => {
  const refused = new Set(["/card", "/bank"]);
  const { run, retry, calls, keys } = await handledRun(refused);
  expect(calls()).toEqual(["/card", "/bank"]);
  refused.delete("/bank");
  await retry();
  expect([await run(), calls().slice(2, 5)]).toMatchObject([{ code: "unique_violation" }, ["/card", "/bank", "/told"]]);
  expect([new Set(keys("/card")).size, new Set(keys("/bank")).size]).toEqual([2, 2]);
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

it.each([
  ["cancel", {}, ["/free", "/free"]],
  ["done", { step: "two/compensate/free" }, ["/free"]],
  ["retry", {}, ["/free", "/free"]],
] as const)(
  "a step that could not be undone is a state of its own, until somebody acts: %s",
  async (how, body, calls) => {
    let status = 422;
    receiver = await startReceiver(() => ({ status }));
    work = await openWorkCell(lostText(receiver.url), {});
    const { cell, projectId, request, sql, settled } = work;
    const { key } = await makeKey(cell, projectId);
    await createRecord(await request("note"), crypto.randomUUID(), new Map([["text", "taken"]]));
    await createRecord(await request("ticket"), crypto.randomUUID(), new Map([["title", "x"]]));
    await settled();
    const run = async () => (await sql("SELECT id, status, error FROM {schema}.workers__runs"))[0];
    const texts = async () => (await sql("SELECT text FROM {schema}.notes ORDER BY text")).map(({ text }) => text);
    // The other compensation ran nevertheless.
    expect([await run(), await texts()]).toMatchObject([
      {
        status: "undo_failed",
        error: { code: "http_status", message: expect.stringContaining("`two` could not be undone") },
      },
      ["taken"],
    ]);
    status = 200;
    await callModule(cell, { path: `/v1/runs/${(await run())?.["id"]}/${how}`, key, body });
    await settled();
    const ended =
      how === "cancel" ? { status: "cancelled" } : { status: "failed", error: { code: "unique_violation" } };
    expect([await run(), await texts()]).toMatchObject([ended, ["taken"]]);
    expect(receiver.received.map(({ path }) => path)).toEqual(calls);
    expect(new Set(receiver.received.map(({ headers }) => headers["idempotency-key"])).size).toBe(calls.length);
  },
);
