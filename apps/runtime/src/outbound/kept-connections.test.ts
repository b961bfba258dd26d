// Connections that stay open: used again for the same sender and the addresses that were judged for this very call, and for nothing else.
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { networksOf } from "@plinth/service";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createOutbound } from "./call.ts";

let server: Server;
let port: number;
/** Connections that were opened, by the address that they lead to. */
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

it("is used again by the same sender, and by no other", async () => {
  for (const sender of ["a", "a", "a", "b", "b"]) expect(await call(sender)).toBe("yes");
  expect(opened).toHaveLength(2);
  expect(await call("a", "/", "other.test")).toBe("yes");
  expect(opened).toHaveLength(3);
});

it("is opened for each call where nobody asks for more", async () => {
  for (const sender of [undefined, undefined]) expect(await call(sender)).toBe("yes");
  expect(opened).toHaveLength(2);
});

it("is not used where the name leads elsewhere by now", async () => {
  expect(await call("moved")).toBe("yes");
  addresses = ["127.0.0.2"];
  expect(await call("moved")).toBe("yes");
  addresses = ["127.0.0.1"];
  expect(await call("moved")).toBe("yes");
  expect(opened).toEqual(["127.0.0.1", "127.0.0.2"]);
});

it("is not used where the name leads to an address that is refused by now", async () => {
  expect(await call("rebound")).toBe("yes");
  addresses = ["127.0.0.3"];
  expect(await call("rebound")).toBe("refused");
  expect({ opened, requests }).toEqual({ opened: ["127.0.0.1"], requests: 1 });
});

it("of several addresses is used while the same ones are allowed, in whatever order", async () => {
  addresses = ["127.0.0.1", "127.0.0.3", "127.0.0.2"];
  expect(await call("several")).toBe("yes");
  addresses = ["127.0.0.2", "127.0.0.1"];
  expect(await call("several")).toBe("yes");
  expect(opened).toHaveLength(1);
});

it("that the service has just closed is replaced, and the request sent again", async () => {
  expect(await call("closed")).toBe("yes");
  // Closed without a word: the client learns of it by its next request.
  const [socket] = sockets;
  const again = call("closed");
  socket?.resetAndDestroy();
  expect(await again).toBe("yes");
  expect(opened).toHaveLength(2);
});

it("that gives no answer is not used again", async () => {
  expect(await call("silent", "/silent")).toBe("no_answer");
  expect(await call("silent")).toBe("yes");
  expect(opened).toHaveLength(2);
});
