// Malicious or broken mail servers: whatever a server says or doesn't say, an attempt ends in time, its connection is
// closed, and only a limited part of its answers is kept.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { loadEmailProvider, type Mail, MailError } from "@plinth/connectors/email";
import { networksOf } from "@plinth/service";
import { afterEach, expect, it } from "vitest";
import { createOutbound } from "../outbound/call.ts";
import { createNetwork } from "./network.ts";

const allowed = networksOf(["127.0.0.1"]);
const network = createNetwork({ outbound: createOutbound({ outboundAllowed: allowed }), allowed }, "prj_test");
const smtp = (await loadEmailProvider("smtp"))!;
const mail: Mail = {
  messageId: "<one@example.com>",
  to: "ana@example.com",
  replyTo: null,
  subject: "Hello",
  text: "Hello.",
  html: null,
  key: "one",
};
const TIMEOUT_MS = 1_000;
/** The bytes that the kernel accepts before anybody has read them, and as much again. */
const TAKEN_BYTES_MAX = 16_000_000;

let server: Server | null = null;
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  server?.close();
  server = null;
});

/** Writes until the other side has gone, as fast as it reads. */
async function endlessly(socket: Socket, text: string): Promise<void> {
  const part = Buffer.from(text.repeat(Math.ceil(16_384 / text.length)));
  while (!socket.destroyed) {
    if (!socket.write(part)) await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => {});
    await sleep(0);
  }
}

async function slowly(socket: Socket, text: string): Promise<void> {
  for (let at = 0; !socket.destroyed; at++) {
    socket.write(text[at % text.length] as string);
    await sleep(20);
  }
}

const replies: Readonly<Record<string, string>> = {
  EHLO: "250-mail\r\n250 STARTTLS\r\n",
  MAIL: "250 ok\r\n",
  RCPT: "250 ok\r\n",
  DATA: "354 go on\r\n",
  QUIT: "221 bye\r\n",
};

/** Answers like a server, except for the given cases. `.` is the end of a mail, `greeting` the beginning. */
async function serverWith(odd: Readonly<Record<string, (socket: Socket) => unknown>>): Promise<number> {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    const answer = (word: string, usual: string): void => {
      const own = odd[word];
      if (own === undefined) socket.write(usual);
      else void own(socket);
    };
    let inMail = false;
    let text = "";
    socket.on("data", (data) => {
      text += data.toString("latin1");
      for (let end = text.indexOf("\r\n"); end !== -1; end = text.indexOf("\r\n")) {
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        if (inMail && line !== ".") continue;
        const word = inMail ? "." : line.slice(0, 4).toUpperCase();
        inMail = word === "DATA";
        answer(word, replies[word] ?? (word === "." ? "250 taken\r\n" : "500 what\r\n"));
      }
    });
    answer("greeting", "220 mail\r\n");
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

const nothing = (): void => {};
const servers: readonly (readonly [
  what: string,
  odd: Readonly<Record<string, (socket: Socket) => unknown>>,
  problem: string,
  security: "none" | "starttls" | "tls",
])[] = [
  ["never greets", { greeting: nothing }, "unreachable", "none"],
  [
    "greets with a megabyte",
    { greeting: (socket) => socket.write(`220 ${"x".repeat(1_000_000)}`) },
    "unreachable",
    "none",
  ],
  ["greets without an end", { greeting: (socket) => endlessly(socket, "x") }, "unreachable", "none"],
  ["greets with endless lines", { greeting: (socket) => endlessly(socket, "220-more\r\n") }, "unreachable", "none"],
  ["greets a letter at a time", { greeting: (socket) => slowly(socket, "220-more\r\n") }, "unreachable", "none"],
  ["answers with endless lines", { EHLO: (socket) => endlessly(socket, "250-SIZE 1\r\n") }, "unreachable", "none"],
  ["answers a letter at a time", { MAIL: (socket) => slowly(socket, "250-more\r\n") }, "unreachable", "none"],
  ["never answers DATA", { DATA: nothing }, "unreachable", "none"],
  ["never says that it has the mail", { ".": nothing }, "unknown", "none"],
  [
    "says without an end that it has the mail",
    { ".": (socket) => endlessly(socket, "250-yes\r\n") },
    "unknown",
    "none",
  ],
  ["says slowly that it has the mail", { ".": (socket) => slowly(socket, "250-yes\r\n") }, "unknown", "none"],
  ["ends within the mail", { DATA: (socket) => socket.end("354 go on\r\n") }, "unknown", "none"],
  ["ends before TLS has begun", { STAR: (socket) => socket.end("220 go on\r\n") }, "unreachable", "starttls"],
  [
    "speaks no TLS after all",
    { STAR: (socket) => endlessly(socket, "220 go on\r\n250 no\r\n") },
    "unreachable",
    "starttls",
  ],
  ["is silent where TLS begins", { STAR: (socket) => socket.write("220 go on\r\n") }, "unreachable", "starttls"],
  ["drips where TLS begins", { greeting: (socket) => slowly(socket, "\x16\x03\x03\x3f\xff") }, "unreachable", "tls"],
];

it.each(servers)("a server that %s", async (_, odd, problem, security) => {
  const port = await serverWith(odd);
  const connection = { settings: { host: "localhost", port, security, from_address: "a@b.example" }, secrets: {} };
  const begunMs = performance.now();
  const error = await smtp.send(connection, mail, network, TIMEOUT_MS).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(MailError);
  expect(error).toMatchObject({ problem });
  expect(performance.now() - begunMs).toBeLessThan(TIMEOUT_MS + 4_000);
  await expect.poll(() => [...sockets].every((socket) => socket.destroyed), { timeout: 3_000 }).toBe(true);
  for (const socket of sockets) expect(socket.bytesWritten).toBeLessThan(TAKEN_BYTES_MAX);
});

it("a server that accepts before it is asked is believed, and its connection is closed", async () => {
  const port = await serverWith({ greeting: (socket) => endlessly(socket, "220 yes\r\n") });
  const connection = {
    settings: { host: "localhost", port, security: "none", from_address: "a@b.example" },
    secrets: {},
  };
  expect(await smtp.send(connection, mail, network, TIMEOUT_MS)).toBe(null);
  await expect.poll(() => [...sockets].every((socket) => socket.destroyed), { timeout: 3_000 }).toBe(true);
  for (const socket of sockets) expect(socket.bytesWritten).toBeLessThan(TAKEN_BYTES_MAX);
});

it("a server that never confirms QUIT has the mail, and its connection is closed", async () => {
  const port = await serverWith({ QUIT: (socket) => slowly(socket, "221-bye\r\n") });
  const connection = {
    settings: { host: "localhost", port, security: "none", from_address: "a@b.example" },
    secrets: {},
  };
  expect(await smtp.send(connection, mail, network, TIMEOUT_MS)).toBe(null);
  await expect.poll(() => [...sockets].every((socket) => socket.destroyed), { timeout: 5_000 }).toBe(true);
});
