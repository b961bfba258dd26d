// Each change is sent once, whatever the order of commits, the disconnections and the speed of reading.
import { setTimeout as sleep } from "node:timers/promises";
import { quoteIdentifier, tenantNames } from "@plinth/postgres";
import { afterEach, expect, it } from "vitest";
import { openStreamCell, type StreamCell } from "./testing/stream-cell.ts";
import type { TestEvent, TestStream } from "./testing/test-stream.ts";

const TEXT = `project: desk
modules: [auth, users, roles, audit_logs]
entities:
  ticket:
    realtime: true
    fields: { title: string, body: text? }
    permissions: { admin: { all: true } }
`;
const tickets = "/v1/resources/tickets";

let desk: StreamCell | null = null;
afterEach(async () => {
  await desk?.close();
  desk = null;
});

/** `<title> <version>` of each change. */
const told = (events: readonly TestEvent[]): string[] =>
  events
    .filter(({ data }) => data.record !== undefined)
    .map(({ data }) => `${data.record.title} ${data.record.version}`);

it("a change that commits late is sent after those that were already sent, and none is missed", async () => {
  desk = await openStreamCell(TEXT);
  const stream = await desk.follow("resource=tickets", desk.adminKey, { at: 1 });
  const { id } = await desk.call("POST", tickets, desk.adminKey, { title: "held" });
  await stream.until(1);
  const open = await desk.cell.pool.connect();
  await open.query("BEGIN");
  // What the statement of a write records, in a transaction that stays open while others commit.
  await open.query(
    `INSERT INTO plinth.changes (project_id, entity, kind, record_id, new)
     SELECT project_id, entity, kind, record_id, new FROM plinth.changes WHERE record_id = $1`,
    [id],
  );
  for (const title of ["a", "b", "c"]) await desk.call("POST", tickets, desk.adminKey, { title });
  await stream.until(4);
  await open.query("COMMIT");
  open.release();
  await stream.until(5);
  expect(told(stream.events)).toEqual(["held 1", "a 1", "b 1", "c 1", "held 1"]);
}, 60_000);

it("a write that began before somebody followed is waited for", async () => {
  desk = await openStreamCell(TEXT);
  const { id } = await desk.call("POST", tickets, desk.adminKey, { title: "first" });
  const open = await desk.cell.pool.connect();
  await open.query("BEGIN");
  const schema = quoteIdentifier(tenantNames(desk.projectId).schema);
  await open.query(`UPDATE ${schema}.tickets SET title = 'late' WHERE id = $1`, [id]);
  let begun = false;
  const following = desk.follow("resource=tickets", desk.adminKey).then((stream) => {
    begun = true;
    return stream;
  });
  await sleep(300);
  expect(begun).toBe(false);
  await open.query("COMMIT");
  open.release();
  await following;
  expect(begun).toBe(true);
}, 60_000);

it("each change is sent once, even after disconnections", async () => {
  desk = await openStreamCell(TEXT);
  const cell = desk;
  const wanted: string[] = [];
  let writing = true;
  const writer = async (name: string): Promise<void> => {
    for (let i = 0; i < 20; i++) {
      const title = `${name}${i}`;
      const { id } = await cell.call("POST", tickets, cell.adminKey, { title });
      await cell.call("PATCH", `${tickets}/${id}`, cell.adminKey, { body: "x".repeat(2_000) });
      wanted.push(`${title} 1`, `${title} 2`);
    }
  };
  /** Reads on, is disconnected sometimes, and reconnects to either process at its position. */
  const reader = async (): Promise<string[]> => {
    const seen: TestEvent[] = [];
    let lastId: string | null = null;
    for (let round = 0; ; round++) {
      const stream: TestStream = await cell.follow("resource=tickets", cell.adminKey, { lastId, at: round % 2 });
      const isLast = !writing;
      await sleep(isLast ? 1_500 : 50 + Math.random() * 200);
      stream.leave();
      seen.push(...stream.events);
      lastId = stream.lastId();
      if (isLast) return told(seen);
    }
  };
  const cutter = async (): Promise<void> => {
    while (writing) {
      await cell.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'plinth listen' AND datname = current_database()",
      );
      await sleep(150);
    }
  };
  const readers = [reader(), reader(), reader()];
  const steady = await cell.follow("resource=tickets", cell.adminKey, { at: 1 });
  await sleep(200);
  const cutting = cutter();
  await Promise.all(["a", "b", "c", "d"].map(writer));
  writing = false;
  await cutting;
  for (const seen of await Promise.all(readers)) expect(seen.toSorted()).toEqual(wanted.toSorted());
  await steady.until(wanted.length, 5_000);
  expect(told(steady.events).toSorted()).toEqual(wanted.toSorted());
  // The changes of one record in their order.
  const places = told(steady.events);
  for (const first of wanted.filter((one) => one.endsWith(" 1"))) {
    expect(places.indexOf(first)).toBeLessThan(places.indexOf(first.replace(/ 1$/, " 2")));
  }
}, 90_000);

it("a slow reader gets no more than it reads, and misses nothing", async () => {
  desk = await openStreamCell(TEXT, { processes: 1 });
  const cut = new AbortController();
  const url = `${desk.webs[0]?.apiUrl}/v1/events/stream?resource=tickets`;
  const reply = await fetch(url, { headers: { authorization: `Bearer ${desk.adminKey}` }, signal: cut.signal });
  const body = "x".repeat(60_000);
  const count = 120;
  for (let i = 0; i < count; i++) await desk.call("POST", tickets, desk.adminKey, { title: `${i}`, body });
  let text = "";
  const titles = (): string[] => [...text.matchAll(/"title":"(\d+)"/g)].map(([, title]) => title ?? "");
  const read = (async () => {
    for await (const part of (reply.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) text += part;
  })().catch(() => {});
  await expect.poll(() => titles().length, { timeout: 15_000 }).toBe(count);
  expect(titles()).toEqual(Array.from({ length: count }, (_, i) => `${i}`));
  cut.abort();
  await read;
}, 60_000);

it("a stop says when to reconnect, and the stream continues elsewhere", async () => {
  desk = await openStreamCell(TEXT);
  const stream = await desk.follow("resource=tickets", desk.adminKey);
  await desk.call("POST", tickets, desk.adminKey, { title: "one" });
  await stream.until(1);
  const [first] = desk.webs.splice(0, 1);
  await first?.stop();
  await expect.poll(stream.isEnded).toBe(true);
  await desk.call("POST", tickets, desk.adminKey, { title: "two" });
  const again = await desk.follow("resource=tickets", desk.adminKey, { lastId: stream.lastId() });
  expect(told(await again.until(1))).toEqual(["two 1"]);
}, 60_000);

it("a caller has no more streams than their share, and gets the places back", async () => {
  desk = await openStreamCell(TEXT, { processes: 1, streamLimits: { perProject: 3, perCaller: 2 } });
  const open = [
    await desk.follow("resource=tickets", desk.adminKey),
    await desk.follow("resource=tickets", desk.adminKey),
  ];
  expect((await desk.follow("resource=tickets", desk.adminKey)).status).toBe(429);
  open[0]?.leave();
  await expect.poll(async () => (await desk?.follow("resource=tickets", desk.adminKey))?.status).toBe(200);
}, 60_000);

it("a project has no more streams than its share, even if all are requested at once", async () => {
  desk = await openStreamCell(TEXT, { processes: 1, streamLimits: { perProject: 3, perCaller: 100 } });
  const cell = desk;
  const asked = await Promise.all(Array.from({ length: 12 }, () => cell.follow("resource=tickets", cell.adminKey)));
  const open = asked.filter(({ status }) => status === 200);
  expect(open.length).toBe(3);
  expect(asked.filter(({ status }) => status === 429).length).toBe(9);
  for (const stream of open) stream.leave();
  await expect.poll(async () => (await cell.follow("resource=tickets", cell.adminKey)).status).toBe(200);
}, 60_000);
