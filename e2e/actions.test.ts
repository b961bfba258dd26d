// Actions of a published project: the effects of a call, how the SDK follows a run, and the effects of a kill in the
// middle of a call.
import { setTimeout as pause } from "node:timers/promises";
import { createClient } from "@plinth/sdk";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Reply } from "./api.ts";
import { book, cell, children, closeLibrary, inDatabase, key, openLibrary, send, tokens, typed } from "./library.ts";
import { until } from "./published-cell.ts";

beforeAll(openLibrary, 120_000);
afterAll(closeLibrary);

test("a trace of a call shows its request, the event that it emitted, and the workflow that listened", async () => {
  const id = `e2e-${crypto.randomUUID()}`;
  const sent = { book_id: await book(), days: 3 };
  const { body } = await send("librarian", "POST", "/v1/actions/lend-book", sent, { "x-request-id": id });
  expect(body.data).toEqual({ book: expect.stringMatching(/^Book /), fee: "1.50", days: 3 });
  await until(async () => (await send("admin", "GET", `/v1/runs?request_id=${id}`)).body.data.length === 1, 30);
  const [heard] = (await send("admin", "GET", `/v1/runs?request_id=${id}`)).body.data;
  expect(heard).toMatchObject({ workflow: "note_it" });
  // A librarian lends for a month at most. A book that is already lent can't be lent again.
  await typed(403, "/v1/actions/lend-book", "librarian", "POST", "/v1/actions/lend-book", { ...sent, days: 30 });
  const lent = await typed(409, "/v1/actions/lend-book", "librarian", "POST", "/v1/actions/lend-book", sent);
  expect(lent.body.code).toBe("transition_not_allowed");
});

test("the SDK calls an action and follows its run, with correct types", async () => {
  interface Library {
    entities: object;
    actions: {
      "buy-book": { input: { title: string; price: string }; result: { id: string; status: string }; output: object };
    };
  }
  const db = createClient<Library>({
    project: "library",
    apiKey: key,
    baseUrl: cell.origin,
    userToken: tokens["reader"] ?? "",
  });
  const { id } = await db.action("buy-book", { title: "By the SDK", price: "3.00" }, { idempotencyKey: "sdk" });
  await until(async () => (await db.run(id)).status === "waiting", 30);
  expect((await db.run(id)).waits_for).toMatchObject([
    { kind: "approval", step: "approve", roles: ["librarian"], until: null },
  ]);
  expect((await send("librarian", "POST", `/v1/runs/${id}/approve`, { step: "approve" })).status).toBe(202);
  await until(async () => (await db.run(id)).status === "completed", 30);
  expect((await db.run(id)).output).toEqual({ book: expect.any(String) });
});

test("if a process is killed during a call, the call has no effect, and the same key runs it once", async () => {
  const path = "/v1/actions/add-book";
  const [sent, once] = [{ title: "Killed once" }, { "idempotency-key": "killed" }];
  await inDatabase(async (holder) => {
    // The call waits for a title that another transaction is about to insert. So it is in the middle of its
    // transaction.
    await holder.query("begin");
    await holder.query(`insert into "${cell.schema}".books (id, title) values (gen_random_uuid(), 'Killed once')`);
    const cut = send("librarian", "POST", path, sent, once).catch(() => "cut");
    await until(() => inDatabase(isBlocked), 20);
    cell.process.kill("SIGKILL");
    expect(await cut).toBe("cut");
    await holder.query("rollback");
  });
  children.push(cell.start("web"));
  await until(async () => (await fetch(`${cell.origin}/readyz`)).ok, 20);
  const done = await sentOnce();
  const again = await send("librarian", "POST", path, sent, once);
  expect([again.status, again.text, again.headers.get("idempotency-replayed")]).toEqual([200, done.text, "true"]);
  const rows = await inDatabase(
    async (client) =>
      (
        await client.query(
          `select (select count(*) from "${cell.schema}".books where title = 'Killed once')::int as books,
             (select count(*) from "${cell.schema}".audit_log where changes->'input'->>'title' = 'Killed once')::int as calls`,
        )
      ).rows,
  );
  expect(rows).toEqual([{ books: 1, calls: 1 }]);

  /** Postgres notices after a moment that the killed process is gone. Until then, the key is in flight. */
  async function sentOnce(): Promise<Reply> {
    for (let tries = 0; ; tries++) {
      const reply = await send("librarian", "POST", path, sent, once);
      if (reply.status !== 409 || tries === 50) {
        expect(reply.status, reply.text).toBe(200);
        return reply;
      }
      expect(reply.body.code).toBe("idempotency_in_flight");
      await pause(200);
    }
  }
});

async function isBlocked(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%books%'",
  );
  return rows.length > 0;
}
