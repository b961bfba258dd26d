// Attacks with connections that never end. In: a target. Out: how many were open, and when the last one was closed.
// Each socket sends its first part and then almost nothing. The number of sockets and their time are limited.
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { Tally } from "../../pace.ts";
import type { Attack, Outcome } from "../attack.ts";
import { heldConnections } from "../held-connections.ts";
import { attackerAddress, type Target } from "../target.ts";

const cutWithinSeconds = 10;
const MiB = 1024 * 1024;

export const slowSockets: readonly Attack[] = [
  {
    name: "large-bodies",
    about: "80 sockets without a credential send 15 MiB each, except for the last byte",
    kind: "stranger",
    run: (target, seconds) =>
      hold(target, seconds, {
        count: target.size.bodySockets,
        open: (socket) => {
          socket.write(`${headOf("POST", "/v1/resources/documents")}content-length: ${15 * MiB}\r\n\r\n`);
          void pour(socket, 15 * MiB - 1);
        },
      }),
    lateness: cutInTime,
  },
  {
    name: "slow-headers",
    about: "500 sockets send one byte of a header per second",
    kind: "stranger",
    run: (target, seconds) =>
      hold(target, seconds, {
        count: target.size.slowSockets,
        open: (socket) => socket.write(`${headOf("GET", "/v1/resources/pages")}x-slow: `),
        eachSecond: (socket) => socket.write("x"),
      }),
    lateness: cutInTime,
  },
  {
    name: "slow-bodies",
    about: "500 sockets with a valid key send one byte of a body per second",
    kind: "stranger",
    run: (target, seconds) =>
      hold(target, seconds, {
        count: target.size.slowSockets,
        open: (socket) => {
          const head = headOf("POST", "/v1/resources/documents", target.plain.publishable);
          socket.write(`${head}content-type: application/json\r\ncontent-length: 100000\r\n\r\n{"text":"`);
        },
        eachSecond: (socket) => socket.write("x"),
      }),
    lateness: cutInTime,
  },
  {
    name: "slow-readers",
    about: "500 sockets with a valid key request 4 MB and read nothing",
    kind: "stranger",
    run: (target, seconds) =>
      hold(target, seconds, {
        count: target.size.slowSockets,
        reads: false,
        open: (socket, index) => {
          // Three keys, so that few of these requests reach a rate limit.
          const project = [target.plain, ...target.greedy][index % 3];
          socket.write(
            `${headOf("GET", "/v1/resources/pages?limit=4", project?.publishable)}connection: close\r\n\r\n`,
          );
        },
      }),
    lateness: cutInTime,
  },
];

interface Hold {
  readonly count: number;
  /** With false, the replies are not read. Default: true. */
  readonly reads?: boolean;
  readonly open: (socket: Socket, index: number) => void;
  readonly eachSecond?: (socket: Socket) => void;
}

/** Opens the sockets, and waits until the service has closed all of them or the time is over. */
async function hold(
  target: Target,
  seconds: number,
  { count, reads = true, open, eachSecond }: Hold,
): Promise<Outcome> {
  const { hostname, port } = new URL(target.origin);
  const tally = new Tally();
  const sockets: Socket[] = [];
  const startMs = performance.now();
  for (let index = 0; index < count; index++) {
    // Half-open: if the end of a reply closed our side, we would count our own close.
    const socket = connect({ host: hostname, port: Number(port), localAddress: attackerAddress, allowHalfOpen: true });
    sockets.push(socket);
    socket.on("error", () => {});
    if (reads) socket.once("data", (head: Buffer) => tally.add(statusOf(head))).resume();
    else socket.pause();
    socket.once("connect", () => open(socket, index));
    if (index % 50 === 49) await pause(20);
  }
  const timer = setInterval(() => {
    for (const socket of sockets) if (!socket.destroyed && socket.writable) eachSecond?.(socket);
  }, 1000);
  await pause(200);
  const patienceMs = Math.max(seconds, target.size.patienceSeconds) * 1000;
  let held = heldConnections(Number(port), attackerAddress);
  let most = held;
  while (held > 0 && performance.now() - startMs < patienceMs) {
    await pause(100);
    held = heldConnections(Number(port), attackerAddress);
    most = Math.max(most, held);
  }
  const cutSeconds = held === 0 ? Math.round((performance.now() - startMs) / 100) / 10 : null;
  clearInterval(timer);
  for (const socket of sockets) socket.destroy();
  return { statuses: tally.statuses, facts: { held_at_most: most, held_at_end: held, last_cut_s: cutSeconds } };
}

function cutInTime({ facts }: Outcome): readonly string[] {
  const cut = facts["last_cut_s"] ?? null;
  return cut !== null && cut <= cutWithinSeconds ? [] : [cut === null ? "never cut" : `cut after ${cut} s`];
}

function headOf(method: string, path: string, key?: string): string {
  const credential = key === undefined ? "" : `authorization: Bearer ${key}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n${credential}`;
}

async function pour(socket: Socket, bytes: number): Promise<void> {
  const chunk = Buffer.alloc(64 * 1024, "x");
  for (let left = bytes; left > 0 && socket.writable; left -= chunk.length) {
    if (!socket.write(left < chunk.length ? chunk.subarray(0, left) : chunk)) {
      await new Promise<void>((resolve) => {
        socket.once("drain", resolve);
        socket.once("close", () => resolve());
      });
    }
  }
}

function statusOf(head: Buffer): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(head.toString("latin1"))?.[1] ?? 0);
}
