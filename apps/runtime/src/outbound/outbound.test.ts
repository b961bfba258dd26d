// Calls to other services: where they can go, and what is known when one fails.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { networksOf } from "@plinth/service";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAddressGuard } from "./address-guard.ts";
import { createOutbound } from "./call.ts";
import type { OutboundError } from "./outbound-error.ts";

describe("the guard", () => {
  const guard = createAddressGuard();
  it.each([
    "127.0.0.1",
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "198.18.0.1",
    "::1",
    "::",
    "fe80::1",
    "fc00::1",
    "fd12:3456::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::a00:1",
    "2002:7f00:1::",
    "2001::1",
    "ff02::1",
    "2001:db8::1",
    "168.63.129.16",
    "::ffff:168.63.129.16",
    "161.26.0.10",
    "166.9.0.1",
    "localhost",
    "",
  ])("refuses %s", (address) => expect(guard(address)).toBe(false));
  it.each(["1.1.1.1", "8.8.8.8", "172.32.0.1", "100.128.0.1", "168.63.129.17", "2606:4700::1111", "2a00:1450::1"])(
    "allows %s",
    (address) => expect(guard(address)).toBe(true),
  );
  it("allows only what the operator names in addition", () => {
    const own = createAddressGuard(networksOf(["127.0.0.1"]));
    expect([own("127.0.0.1"), own("127.0.0.2"), own("10.0.0.1")]).toEqual([true, false, false]);
  });
});

describe("a call", () => {
  let server: Server;
  let url: string;
  const seen: string[] = [];
  const open = createOutbound({ outboundAllowed: networksOf(["127.0.0.1"]) });
  const closed = createOutbound({});
  const request = { method: "POST", headers: { "content-type": "application/json" }, body: "{}", timeoutMs: 300 };

  beforeAll(async () => {
    server = createServer((incoming, response) => {
      seen.push(incoming.url ?? "");
      if (incoming.url === "/redirect") response.writeHead(302, { location: `${url}/private` }).end();
      else if (incoming.url === "/large") response.end("x".repeat(1_100_000));
      else if (incoming.url === "/switch")
        response.socket?.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n");
      else if (incoming.url === "/drip") {
        response.writeHead(200, { "content-type": "text/plain" });
        const drip = setInterval(() => response.write("x"), 20);
        response.on("close", () => clearInterval(drip));
      } else if (incoming.url === "/slow") setTimeout(() => response.end(), 300);
      else if (incoming.url !== "/silent") response.end(`{"ok":true}`);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const problemOf = (promise: Promise<unknown>): Promise<string> =>
    promise.then(
      () => "answered",
      (error: OutboundError) => error.problem,
    );

  it("answers with status, headers and text", async () => {
    const reply = await open.call("a", async () => ({ ...request, url }));
    expect({ status: reply.status, body: reply.body }).toEqual({ status: 200, body: `{"ok":true}` });
  });
  it("reaches no address that the guard refuses, by number or by name", async () => {
    const port = new URL(url).port;
    for (const host of ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"]) {
      expect(
        await problemOf(closed.call("a", async () => ({ ...request, url: `http://${host}:${port}/never` }))),
        host,
      ).toBe("refused");
    }
    expect(seen).not.toContain("/never");
  });
  it("follows no redirect", async () => {
    expect((await open.call("a", async () => ({ ...request, url: `${url}/redirect` }))).status).toBe(302);
    expect(seen).not.toContain("/private");
  });
  it("distinguishes a request that was never sent from one without an answer", async () => {
    expect(await problemOf(open.call("a", async () => ({ ...request, url: "http://127.0.0.1:1" })))).toBe(
      "unreachable",
    );
    expect(await problemOf(open.call("a", async () => ({ ...request, url: `${url}/silent` })))).toBe("no_answer");
  });
  it.each(["ftp://example.com", "file:///etc/passwd", "nonsense", "http://user:secret@example.com"])(
    "refuses %s",
    async (bad) => expect(await problemOf(open.call("a", async () => ({ ...request, url: bad })))).toBe("refused"),
  );
  it.each(["/switch", "/drip"])("ends, whatever the service does to prolong it: %s", async (path) => {
    expect(await problemOf(open.call("a", async () => ({ ...request, url: `${url}${path}` })))).toBe("no_answer");
  });
  it("takes no longer than the operator allows, whatever timeout is requested", async () => {
    const bounded = createOutbound({ outboundAllowed: networksOf(["127.0.0.1"]) }, 200);
    const startedMs = performance.now();
    expect(
      await problemOf(bounded.call("a", async () => ({ ...request, url: `${url}/silent`, timeoutMs: 60_000 }))),
    ).toBe("no_answer");
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  });
  it("is limited per project, and another project's calls overtake those that wait", async () => {
    const slow = { ...request, url: `${url}/slow`, timeoutMs: 5_000 };
    const startedMs = performance.now();
    let others = 0;
    const many = Array.from({ length: 80 }, () =>
      open.call("b", async () => slow).then(() => performance.now() - startedMs),
    );
    const other = open
      .call("c", async () => ({ ...request, url, timeoutMs: 5_000 }))
      .then(() => {
        others = performance.now() - startedMs;
      });
    const tookMs = (await Promise.all(many)).sort((a, b) => a - b);
    await other;
    // Four waves of twenty.
    expect(tookMs[79]).toBeGreaterThan(600);
    expect(tookMs[20]).toBeGreaterThan(600);
    expect(others).toBeLessThan(tookMs[20] ?? 0);
  });
  it("reads no more than its limit", async () => {
    expect(await problemOf(open.call("a", async () => ({ ...request, url: `${url}/large` })))).toBe("too_large");
  });
});
