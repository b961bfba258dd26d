// Streams that are requested and dropped at once: each gives its place back, even if the caller has gone before the
// stream began.
import { connect } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openStreamCell, type StreamCell } from "./testing/stream-cell.ts";

const TEXT = `project: desk
modules: [auth, users, roles, audit_logs]
entities:
  ticket:
    realtime: true
    fields: { title: string }
    permissions: { admin: { all: true } }
`;

let desk: StreamCell;
beforeAll(async () => {
  desk = await openStreamCell(TEXT, { processes: 1, streamLimits: { perProject: 50, perCaller: 50 } });
}, 60_000);
afterAll(() => desk?.close());

/** Requests a stream, and disconnects after so many milliseconds. */
async function dropped(afterMs: number, headers = ""): Promise<void> {
  const { hostname, port } = new URL(desk.webs[0]?.apiUrl ?? "");
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
  socket.write(
    `GET /v1/events/stream?resource=tickets HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${desk.adminKey}\r\n${headers}\r\n`,
  );
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  socket.resetAndDestroy();
}

it("leaves all places for others", async () => {
  for (let round = 0; round < 10; round++) {
    await Promise.all(Array.from({ length: 25 }, (_, at) => dropped(at % 5)));
  }
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const streams = [];
  for (let at = 0; at < 50; at++) streams.push(await desk.follow("resource=tickets", desk.adminKey));
  expect(streams.every(({ status }) => status === 200)).toBe(true);
  for (const stream of streams) stream.leave();
}, 60_000);

it("ignores ids that were never issued", async () => {
  const ids = ["x", "9".repeat(400), "%00", "-1", `${"A".repeat(8_000)}`, "null", "1e308"];
  for (const id of ids) await dropped(50, `last-event-id: ${id}\r\n`);
  const stream = await desk.follow("resource=tickets", desk.adminKey);
  await desk.call("POST", "/v1/resources/tickets", desk.adminKey, { title: "still told" });
  expect((await stream.until(1))[0]?.data.record.title).toBe("still told");
  stream.leave();
});
