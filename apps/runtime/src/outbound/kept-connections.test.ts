// Connections that stay open: reused for the same sender and the addresses that were checked for this call, and for
// nothing else.
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { networksOf } from "@plinth/service";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createOutbound } from "./call.ts";

let server: Server;
let port: number;
/** Opened connections, by the address that they lead to. */
const opened: string[] = [];
const sockets = new Set<Socket>();
let requests = 0;
let addresses: readonly string[] = [];
const lookUp = async (): Promise<{ address: string; family: number }[]> =>
  addresses.map((address) => ({ address, family: 4 }));
const outbound = createOutbound({ outboundAllowed: networksOf(["127.0.0.1", "127.0.0.2"]) }, undefined, lookUp);

beforeAll(async () => {
  server = createServer((incoming, response) => {
    requests++;
    if (incoming.url === "/silent") return;
    response.end("yes");
  });
  server.on("connection", (socket) => {
    opened.push(socket.localAddress ?? "");
    sockets.add(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
  port = (server.address() as AddressInfo).port;
});
beforeEach(() => {
  opened.length = 0;
  sockets.clear();
  requests = 0;
  addresses = ["127.0.0.1"];
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const call = async (keepFor: string | undefined, path = "/", host = "shop.test"): Promise<string> => {
  const url = `http://${host}:${port}${path}`;
  const keep = keepFor === undefined ? {} : { keepFor };
  try {
    const asked = { method: "POST", url, headers: {}, body: "{}", timeoutMs: 1_000, ...keep };
    return (await outbound.call("p", async () => asked)).body;
  } catch (error) {
    return (error as { readonly problem: string }).problem;
  }
};

it("is reused by the same sender, and by no other", async () => {
  for (const sender of ["a", "a", "a", "b", "b"]) expect(await call(sender)).toBe("yes");
  expect(opened).toHaveLength(2);
  expect(await call("a", "/", "other.test")).toBe("yes");
  expect(opened).toHaveLength(3);
});

it("is opened for each call by default", async () => {
  for (const sender of [undefined, undefined]) expect(await call(sender)).toBe("yes");
  expect(opened).toHaveLength(2);
});

it("is not reused if the name resolves differently now", async () => {
  expect(await call("moved")).toBe("yes");
  addresses = ["127.0.0.2"];
  expect(await call("moved")).toBe("yes");
  addresses = ["127.0.0.1"];
  expect(await call("moved")).toBe("yes");
  expect(opened).toEqual(["127.0.0.1", "127.0.0.2"]);
});

it("is not reused if the name resolves to a refused address now", async () => {
  expect(await call("rebound")).toBe("yes");
  addresses = ["127.0.0.3"];
  expect(await call("rebound")).toBe("refused");
  expect({ opened, requests }).toEqual({ opened: ["127.0.0.1"], requests: 1 });
});

it("of several addresses is reused while the same ones are allowed, in any order", async () => {
  addresses = ["127.0.0.1", "127.0.0.3", "127.0.0.2"];
  expect(await call("several")).toBe("yes");
  addresses = ["127.0.0.2", "127.0.0.1"];
  expect(await call("several")).toBe("yes");
  expect(opened).toHaveLength(1);
});

it("that the service has just closed is replaced, and the request is repeated", async () => {
  expect(await call("closed")).toBe("yes");
  // Closed silently: the client only notices at its next request.
  const [socket] = sockets;
  const again = call("closed");
  socket?.resetAndDestroy();
  expect(await again).toBe("yes");
  expect(opened).toHaveLength(2);
});

it("that gives no answer is not reused", async () => {
  expect(await call("silent", "/silent")).toBe("no_answer");
  expect(await call("silent")).toBe("yes");
  expect(opened).toHaveLength(2);
});
