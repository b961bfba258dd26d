// Whether a cell says that it is ready: not while requests can't get a connection to the database, and again afterwards.
import { createTenantSchema, withSession } from "@plinth/postgres";
import { createFaultProxy, createTestDatabase } from "@plinth/testkit";
import { expect, test } from "vitest";
import { openTestCell } from "./testing/cell.ts";

const projectIds = Array.from(
  { length: 6 },
  (_, n) => `prj_${process.pid.toString(36).padStart(6, "0")}ready00000000${n}`,
);

test("a cell isn't ready while no place becomes free, or the database is silent, and is ready again afterwards", async () => {
  const database = await createTestDatabase();
  const proxy = await createFaultProxy({ target: database.url });
  const cell = await openTestCell({ ...database, url: proxy.through(database.url) });
  const becomesReady = () => expect.poll(cell.ready, { timeout: 30_000 }).toBe(null);
  await becomesReady();

  for (const id of projectIds) await withSession(cell.pool, (client) => createTenantSchema(client, id));
  // Transactions that are never continued: Postgres ends them, and their places are free again.
  const held = projectIds.flatMap((id) => [1, 2].map(() => cell.scopeOf(id).transaction(() => new Promise(() => {}))));
  const outcomes = Promise.allSettled(held);
  await expect.poll(cell.ready, { timeout: 10_000 }).toMatch(/none becomes free/);
  await outcomes;
  await becomesReady();

  proxy.silence(0);
  await expect.poll(cell.ready, { timeout: 10_000 }).toMatch(/does not respond/);
  // New connections are answered.
  await becomesReady();
  const { rows } = await cell.scopeOf(projectIds[0] ?? "").transaction(({ query }) => query("SELECT 1"));
  expect(rows).toEqual([["1"]]);
  await cell.close();
  await proxy.close();
  await database.drop();
}, 90_000);
