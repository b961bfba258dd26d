// Concurrent calls of one action: the values that a call has read must still be right when it writes a result computed
// from them.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Desk, openDesk } from "./testing/desk.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk?.close());

test("concurrent calls that add to the same record lose no change: each counts, or is refused", async () => {
  const id = await desk.account("shared");
  const calls = Array.from({ length: 12 }, () => desk.call("key", "add-up", { account_id: id, amount: "1.00" }));
  const replies = await Promise.all(calls);
  const done = replies.filter((reply) => reply.status === 200).length;
  expect(done).toBeGreaterThan(0);
  const found = "select balance::float as balance from {schema}.accounts where id = $1";
  expect(await desk.cell.rows(desk.project, found, [id])).toEqual([{ balance: done }]);
});
