// Changes that a stream could miss unnoticed: while nobody followed, and at the moment in which a stream begins. A
// client that can't get everything is told to read again.
import { setTimeout as sleep } from "node:timers/promises";
import { quoteIdentifier, tenantNames } from "@plinth/postgres";
import pg from "pg";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { sweepChanges } from "../../jobs/change-retention.ts";
import { openStreamCell, type StreamCell } from "./testing/stream-cell.ts";

const textOf = (realtime: boolean): string => `project: desk
modules: [auth, users, roles, audit_logs]
entities:
  ticket:
    realtime: ${realtime}
    fields: { title: string }
    permissions: { admin: { all: true } }
  note:
    realtime: true
    fields: { text: string }
    permissions: { admin: { all: true } }
`;

let desk: StreamCell;
beforeAll(async () => {
  desk = await openStreamCell(textOf(true), { processes: 1 });
}, 60_000);
afterAll(async () => {
  await desk?.close();
});
afterEach(() => {
  vi.restoreAllMocks();
});

it("a client that returns to an entity that nobody followed meanwhile is told to read again", async () => {
  const first = await desk.follow("resource=tickets", desk.adminKey);
  await desk.call("POST", "/v1/resources/tickets", desk.adminKey, { title: "seen" });
  await first.until(1);
  first.leave();
  await desk.sql("UPDATE plinth.followed SET until = now() - interval '1 second'");
  await sweepChanges({ pool: desk.cell.pool, minutes: 15 });
  await desk.call("POST", "/v1/resources/tickets", desk.adminKey, { title: "kept by nobody" });
  const again = await desk.follow("resource=tickets", desk.adminKey, { lastId: first.lastId() });
  expect(again.events.map(({ event }) => event)).toEqual(["resync"]);
  again.leave();
});

it("a stream that continues while the database is slow misses nothing, even if others already follow", async () => {
  const others = await desk.follow("resource=notes", desk.adminKey);
  // As over a network: one answer may still be on its way when later ones arrive.
  const { query } = pg.Client.prototype;
  vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (this: pg.Client, ...sent: unknown[]) {
    const [config, , done] = sent as [{ readonly name?: string }, unknown, unknown];
    if (config?.name === "stream-extents" && typeof done === "function" && Math.random() < 0.5) {
      sent[2] = (...answer: unknown[]) => setTimeout(() => done(...answer), 150);
    }
    return Reflect.apply(query, this, sent);
  });
  const first = await desk.follow("resource=tickets", desk.adminKey);
  const told: string[] = [];
  let lastId = first.lastId();
  first.leave();
  const written: string[] = [];
  let isOver = false;
  const writing = (async () => {
    while (!isOver) {
      written.push((await desk.call("POST", "/v1/resources/tickets", desk.adminKey, { title: "t" })).id);
      await sleep(Math.random() * 500);
    }
  })();
  for (let i = 0; i < 45; i++) {
    if (i === 42) isOver = true;
    const stream = await desk.follow("resource=tickets", desk.adminKey, { lastId });
    await sleep(isOver ? 600 : Math.random() * 400);
    stream.leave();
    await sleep(20);
    told.push(...stream.events.map(({ event, data }) => data.id ?? event));
    lastId = stream.lastId();
  }
  await writing;
  others.leave();
  expect(told.toSorted()).toEqual(written.toSorted());
}, 60_000);

it("an entity whose changes can't be judged doesn't stop others, and misses nothing afterwards", async () => {
  const [notes, tickets] = [
    await desk.follow("resource=notes", desk.adminKey),
    await desk.follow("resource=tickets", desk.adminKey),
  ];
  await desk.call("POST", "/v1/resources/notes", desk.adminKey, { text: "a" });
  await notes.until(1);
  // As if a statement exceeded its time limit.
  await desk.sql("ALTER TABLE {schema}.notes RENAME COLUMN text TO taken");
  await desk.sql(
    `INSERT INTO plinth.changes (project_id, entity, kind, record_id, old, new)
     SELECT project_id, entity, kind, record_id, old, new FROM plinth.changes WHERE entity = 'note' ORDER BY id DESC LIMIT 1`,
  );
  await sleep(600);
  await desk.call("POST", "/v1/resources/tickets", desk.adminKey, { title: "t" });
  await tickets.until(1);
  expect(notes.events.length).toBe(1);
  await desk.sql("ALTER TABLE {schema}.notes RENAME COLUMN taken TO text");
  await notes.until(2);
  notes.leave();
  tickets.leave();
});

it("a stream that begins while a deployment removes its entity is closed", async () => {
  const others = await desk.follow("resource=notes", desk.adminKey);
  const { id } = await desk.call("POST", "/v1/resources/tickets", desk.adminKey, { title: "t" });
  await desk.sql("DELETE FROM plinth.followed WHERE entity = 'ticket'");
  // A writer that the beginning of the stream waits for.
  const writer = await desk.cell.pool.connect();
  await writer.query("BEGIN");
  const schema = quoteIdentifier(tenantNames(desk.projectId).schema);
  await writer.query(`UPDATE ${schema}.tickets SET title = 'u' WHERE id = $1`, [id]);
  const beginning = desk.follow("resource=tickets", desk.adminKey);
  await sleep(300);
  await desk.redeploy(textOf(false));
  await others.untilEvent("resync");
  await writer.query("COMMIT");
  writer.release();
  const stream = await beginning;
  expect((await stream.untilEvent("closed", 1_000)).data.code).toBe("not_found");
  others.leave();
});
