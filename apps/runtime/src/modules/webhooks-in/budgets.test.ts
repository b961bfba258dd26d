// Inbound webhooks and the API share a database but no connection: a delay of one of them doesn't slow down the other.
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type HooksCell, openHooksCell } from "./testing/hooks.ts";

const TEXT = `project: budgets
modules: [auth, users, roles, webhooks, audit_logs]
entities:
  note:
    fields: { name: string }
    permissions: { admin: { all: true } }
webhooks:
  in:
    github: { verify: github, type: headers.x-github-event, events: { push: code.pushed } }
`;
const SECRET = "a secret of the repository";

let hooks: HooksCell;
beforeAll(async () => {
  hooks = await openHooksCell(TEXT);
  await hooks.call("/v1/webhooks/secrets", { source: "github", secret: SECRET });
  expect((await deliver("0")).status).toBe(200);
});
afterAll(() => hooks.close());

function deliver(id: string): Promise<Response> {
  const body = JSON.stringify({ id });
  const signature = `sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`;
  return hooks.send("github", { body, headers: { "x-hub-signature-256": signature, "x-github-event": "push" } });
}

it("requests are accepted while all connections for credentials and releases are busy", async () => {
  const { pool } = hooks.work.cell;
  const busy = Array.from({ length: 5 }, () => pool.query("SELECT pg_sleep(2)"));
  const first = await Promise.race([deliver("1"), ...busy]);
  expect(first).toMatchObject({ status: 200 });
  await Promise.all(busy);
});

it("the API answers while inbound requests wait for their table, and they are accepted in the end", async () => {
  const blocker = await hooks.work.cell.pool.connect();
  await blocker.query("BEGIN; LOCK TABLE plinth.inbound_requests IN EXCLUSIVE MODE");
  const waiting = Array.from({ length: 10 }, (_, at) => deliver(`waits ${at}`));
  const sources = hooks.call("/v1/webhooks/sources");
  expect(await sources).toMatchObject([{ name: "github", enabled: true }]);
  await blocker.query("ROLLBACK");
  blocker.release();
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
});
