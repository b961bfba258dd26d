// Measures open, idle streams of changes. In: their number. Out: the memory for each in the process that serves them,
// and the time until a change has reached all of them.
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { startBareCell } from "../published-cell.ts";
import { residentMb } from "./cpu.ts";

export interface StreamsFigure {
  readonly streams: number;
  readonly startMb: number;
  readonly idleMb: number;
  /** Resident memory for each stream. */
  readonly kbPerStream: number;
  /** From the request that writes until the last stream has the change. */
  readonly toldAllMs: number;
}

const TEXT = `project: streams
modules: [auth, users, roles, audit_logs]
entities:
  ticket:
    realtime: true
    fields: { title: string }
    permissions: { admin: { all: true } }
`;
/** The limit of one caller. */
const STREAMS_PER_KEY = 100;
/** Wait until the memory for opening them is collected. */
const SETTLE_MS = 20_000;

export async function measureStreams(options: {
  readonly cellUrl: string;
  readonly streams: number;
}): Promise<StreamsFigure> {
  const { cellUrl, streams } = options;
  const cell = await startBareCell(cellUrl, {
    PLINTH_SOCKETS_PER_ADDRESS: "20000",
    PLINTH_RATE_LIMIT: "1000000",
    PLINTH_RATE_BURST: "1000000",
    PLINTH_PROJECT_RATE_LIMIT: "1000000",
  });
  const pid = cell.process.pid as number;
  const sockets: Socket[] = [];
  try {
    const { makeKey, publish } = await cell.addProject("streams");
    await publish(TEXT);
    const keys: string[] = [];
    while (keys.length * STREAMS_PER_KEY < streams) keys.push(await makeKey("secret"));
    const headers = { authorization: `Bearer ${keys[0]}`, "content-type": "application/json" };
    const write = (): Promise<Response> =>
      fetch(`${cell.origin}/v1/resources/tickets`, { method: "POST", headers, body: '{"title":"a"}' });
    const port = Number(new URL(cell.origin).port);
    let told = 0;
    const open = (key: string): Promise<void> =>
      new Promise((resolve, reject) => {
        const socket = connect(port, "127.0.0.1");
        sockets.push(socket);
        socket.on("error", reject);
        socket.on("data", (data) => {
          const text = data.toString();
          if (text.includes("event: ready")) resolve();
          if (text.includes("event: created")) told++;
        });
        socket.write(
          `GET /v1/events/stream?resource=tickets HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\n\r\n`,
        );
      });
    // First one stream and one write, because code that they load belongs to no stream.
    await open(keys[0] as string);
    await write();
    await pause(SETTLE_MS);
    const startMb = residentMb(pid);
    for (let at = 1; at < streams; at += 50) {
      const some = Array.from(
        { length: Math.min(50, streams - at) },
        (_, i) => keys[Math.floor((at + i) / STREAMS_PER_KEY)],
      );
      await Promise.all(some.map((key) => open(key as string)));
    }
    await pause(SETTLE_MS);
    const idleMb = residentMb(pid);
    told = 0;
    const from = performance.now();
    await write();
    while (told < streams && performance.now() - from < 30_000) await pause(5);
    const toldAllMs = told < streams ? Number.POSITIVE_INFINITY : performance.now() - from;
    return { streams, startMb, idleMb, kbPerStream: ((idleMb - startMb) * 1024) / (streams - 1), toldAllMs };
  } finally {
    for (const socket of sockets) socket.destroy();
    cell.process.kill("SIGTERM");
  }
}

export function streamsTable({ streams, startMb, idleMb, kbPerStream, toldAllMs }: StreamsFigure): string {
  return (
    `A process with ${streams.toLocaleString("en")} idle streams: ${startMb.toFixed(0)} MB of resident memory with one stream, ` +
    `${idleMb.toFixed(0)} MB with all of them, which is ${kbPerStream.toFixed(1)} kB per stream. A change reached all streams in ${toldAllMs.toFixed(0)} ms.`
  );
}
