// `Idempotency-Key`: a repeated request has no second effect, even if a process dies or other requests come in between.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestReply } from "../../http/testing/test-cell.ts";
import { type Desk, openDesk } from "./testing/desk.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk?.close());

const call: Desk["call"] = (...sent) => desk.call(...sent);
const refused: Desk["refused"] = (...sent) => desk.refused(...sent);
const account: Desk["account"] = (...named) => desk.account(...named);
const rows = (sql: string, values?: readonly unknown[]) => desk.cell.rows(desk.project, sql, values);

describe("an Idempotency-Key", () => {
  const key = (name: string): Record<string, string> => ({ "idempotency-key": name });
  const named = async (name: string): Promise<unknown> =>
    (await rows("select count(*)::int as n from {schema}.accounts where name = $1", [name]))[0]?.["n"];

  test("makes a repeated call return the same answer, without effect", async () => {
    const first = await call("ana", "open-own", { name: "once" }, key("k1"));
    expect([first.status, first.headers.get("idempotency-replayed")], first.text).toEqual([200, null]);
    const before = await desk.cell.fingerprint(desk.project);
    const again = await call("ana", "open-own", { name: "once" }, key("k1"));
    expect([again.status, again.text, again.headers.get("idempotency-replayed")]).toEqual([200, first.text, "true"]);
    expect(await desk.cell.fingerprint(desk.project)).toBe(before);
  });

  test("refuses another request, and belongs to one caller", async () => {
    await call("ana", "open-own", { name: "mine" }, key("k2"));
    await refused(422, "idempotency_key_reused", "ana", "open-own", { name: "other" }, key("k2"));
    await refused(422, "idempotency_key_reused", "ana", "hello", undefined, key("k2"));
    expect((await call("ben", "open-own", { name: "other" }, key("k2"))).status).toBe(200);
  });

  test("saves no failure", async () => {
    await account("in the way");
    await refused(409, "unique_violation", "ana", "open-own", { name: "in the way" }, key("k3"));
    await rows("delete from {schema}.accounts where name = 'in the way'");
    expect((await call("ana", "open-own", { name: "in the way" }, key("k3"))).status).toBe(200);
  });

  test("lets one of two simultaneous calls through", async () => {
    const holder = await desk.cell.pool.connect();
    try {
      // The first of them waits for a name that somebody else is about to take.
      await holder.query("begin");
      await holder.query(
        `insert into "${desk.project.names.schema}".accounts (id, name) values (gen_random_uuid(), 'both')`,
      );
      const first = call("ana", "open-own", { name: "both" }, key("k4"));
      const second = await untilInFlight(() => call("ana", "open-own", { name: "both" }, key("k4")));
      expect([second.status, second.json.code, second.headers.get("retry-after")]).toEqual([
        409,
        "idempotency_in_flight",
        "1",
      ]);
      await holder.query("rollback");
      expect((await first).status).toBe(200);
    } finally {
      holder.release();
    }
    expect(await named("both")).toBe(1);
    const again = await call("ana", "open-own", { name: "both" }, key("k4"));
    expect(again.headers.get("idempotency-replayed")).toBe("true");
  });

  test("is free again after a day, and has a fixed form", async () => {
    await call("ana", "open-own", { name: "yesterday" }, key("k5"));
    await rows("update {schema}.idempotency__replies set created_at = now() - interval '25 hours' where key = 'k5'");
    expect((await call("ana", "open-own", { name: "today" }, key("k5"))).status).toBe(200);
    await refused(422, "idempotency_key_reused", "ana", "open-own", { name: "yesterday" }, key("k5"));
    for (const bad of ["", "a b", "x".repeat(256), "ä"]) {
      const sent = { "idempotency-key": Buffer.from(bad).toString("latin1") };
      await refused(400, "bad_request", "ana", "open-own", { name: "never" }, sent);
    }
  });
});

/** Runs once the other one is in the middle of its transaction. */
async function untilInFlight(send: () => Promise<TestReply>): Promise<TestReply> {
  const blocked =
    "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await expect.poll(() => rows(blocked), { timeout: 5_000 }).toEqual([{ n: 1 }]);
  return send();
}
