// What ends a stream, what keeps it alive, and what a deployment and a large transaction do to it.
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { sweepChanges } from "../../jobs/change-retention.ts";
import { setSuspended } from "../../release/suspend.ts";
import { openStreamCell, type Person, type StreamCell } from "./testing/stream-cell.ts";

const textOf = ({ realtime = true, fields = "[title, note]" } = {}): string => `project: desk
modules: [auth, users, roles, audit_logs]
entities:
  box:
    soft_delete: true
    fields: { name: string }
    permissions: { admin: { all: true } }
  card:
    realtime: true
    soft_delete: true
    fields: { title: string, box_id: ref(box) on_delete(cascade) }
    permissions: { admin: { all: true } }
  ticket:
    realtime: ${realtime}
    fields: { title: string, note: string? }
    permissions:
      admin: { all: true }
      user: { read: { allow: true, fields: ${fields} } }
`;

/** A stream ends, or reads everything again, within this time. */
const SOON_MS = 1_000;

let desk: StreamCell;
let ana: Person;
beforeAll(async () => {
  desk = await openStreamCell(textOf());
  ana = await desk.signUp("ana@example.com");
}, 60_000);
afterAll(async () => {
  await desk?.close();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const ticket = (title: string): Promise<unknown> =>
  desk.call("POST", "/v1/resources/tickets", desk.adminKey, { title, note: "private" });

it("ends with the access token, and not before", async () => {
  const [stream, ofKey] = await Promise.all([
    desk.follow("resource=tickets", ana.token),
    desk.follow("resource=tickets", desk.adminKey, { at: 1 }),
  ]);
  const real = Date.now;
  const { exp } = JSON.parse(Buffer.from(ana.token.split(".")[1] ?? "", "base64url").toString());
  let shift = exp * 1_000 - real() - 2_000;
  vi.spyOn(Date, "now").mockImplementation(() => real() + shift);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(stream.events).toEqual([]);
  shift += 2_000;
  const closed = await stream.untilEvent("closed", SOON_MS);
  expect(closed.data.code).toBe("unauthenticated");
  await expect.poll(stream.isEnded).toBe(true);
  expect(stream.events.length).toBe(1);
  expect(ofKey.isEnded()).toBe(false);
  ofKey.leave();
});

it("an idle stream gets its position, so that it stays valid", async () => {
  const first = await desk.follow("resource=cards", desk.adminKey);
  first.leave();
  const other = await desk.follow("resource=tickets", desk.adminKey);
  const again = await desk.follow("resource=cards", desk.adminKey, { lastId: first.lastId() });
  const resumed = again.lastId();
  await ticket("of another entity");
  await other.until(1);
  await expect.poll(again.lastId, { timeout: 8_000 }).not.toBe(resumed);
  again.leave();
  other.leave();
  await desk.sql("UPDATE plinth.changes SET at = at - interval '1 hour'");
  expect(await sweepChanges({ pool: desk.cell.pool, minutes: 15 })).toBeGreaterThan(0);
  for (const [lastId, begins] of [
    [first.lastId(), ["resync"]],
    [again.lastId(), []],
  ] as const) {
    const stream = await desk.follow("resource=cards", desk.adminKey, { lastId });
    expect(stream.events.map(({ event }) => event)).toEqual(begins);
    stream.leave();
  }
}, 15_000);

it("a field that a deployment hides is no longer sent", async () => {
  const stream = await desk.follow("resource=tickets", ana.token, { at: 1 });
  await ticket("a");
  expect((await stream.until(1))[0]?.data.record.note).toBe("private");
  await desk.redeploy(textOf({ fields: "[title]" }));
  await stream.untilEvent("resync", 2 * SOON_MS);
  await ticket("b");
  const [, , last] = await stream.until(3);
  expect(last?.data.record.title).toBe("b");
  expect(JSON.stringify(last)).not.toContain("private");
  stream.leave();
});

it("almost a thousand changes of one transaction are sent, each once", async () => {
  const { id: boxId } = await desk.call("POST", "/v1/resources/boxes", desk.adminKey, { name: "b" });
  const count = 990;
  await desk.sql(
    `INSERT INTO {schema}.cards (id, title, box_id, created_at, updated_at, version)
     SELECT gen_random_uuid(), 'c' || n, $1, now(), now(), 1 FROM generate_series(1, ${count}) n`,
    [boxId],
  );
  const streams = await Promise.all([
    desk.follow("resource=cards", desk.adminKey),
    desk.follow("resource=cards", desk.adminKey, { at: 1 }),
  ]);
  // On a busy machine the statement may exceed its time limit. Then nothing has happened, and it is repeated.
  const deleted = (): Promise<unknown> => desk.call("DELETE", `/v1/resources/boxes/${boxId}`, desk.adminKey);
  await expect.poll(() => deleted().then(() => null, String), { timeout: 20_000 }).toBe(null);
  for (const stream of streams) {
    await stream.until(count, 10_000);
    expect(new Set(stream.events.map(({ event }) => event))).toEqual(new Set(["gone"]));
    expect(new Set(stream.events.map(({ data }) => data.id)).size).toBe(count);
    expect(stream.events.length).toBe(count);
    stream.leave();
  }
}, 30_000);

it("ends when the entity can't be followed any more", async () => {
  const stream = await desk.follow("resource=tickets", desk.adminKey, { at: 1 });
  const other = await desk.follow("resource=cards", desk.adminKey, { at: 1 });
  await desk.redeploy(textOf({ realtime: false, fields: "[title]" }));
  expect((await stream.untilEvent("closed", 2 * SOON_MS)).data.code).toBe("not_found");
  await other.untilEvent("resync", 2 * SOON_MS);
  expect(other.isEnded()).toBe(false);
  other.leave();
});

it("ends where the project is deleted, in every process", async () => {
  const streams = await Promise.all([
    desk.follow("resource=cards", desk.adminKey),
    desk.follow("resource=cards", desk.adminKey, { at: 1 }),
  ]);
  await setSuspended(desk.cell.pool, desk.projectId, true);
  for (const stream of streams) {
    const { data } = await stream.untilEvent("closed", 2 * SOON_MS);
    expect(data).toEqual({ code: "not_found", title: "This project is deleted." });
    await expect.poll(stream.isEnded).toBe(true);
  }
  await setSuspended(desk.cell.pool, desk.projectId, false);
  await expect.poll(() => desk.follow("resource=cards", desk.adminKey).then((again) => again.leave())).toBe(undefined);
});
