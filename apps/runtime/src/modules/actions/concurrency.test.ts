// Calls of one action at the same time: what one has found must still hold when it writes what it computed from it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Desk, openDesk } from "./testing/desk.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk?.close());

test("no change is lost where calls add to the same record at once: each counts, or is refused", async () => {
  const id = await desk.account("shared");
  const calls = Array.from({ length: 12 }, () => desk.call("key", "add-up", { account_id: id, amount: "1.00" }));
  const replies = await Promise.all(calls);
  const done = replies.filter((reply) => reply.status === 200).length;
  expect(done).toBeGreaterThan(0);
  const found = "select balance::float as balance from {schema}.accounts where id = $1";
  expect(await desk.cell.rows(desk.project, found, [id])).toEqual([{ balance: done }]);
});
