// Guarantee 13: calls of projects reach no address that is not public, by number, by name, through a redirect or a
// second answer of a name server. Each case tests both ways out: HTTP (workflows, webhooks, providers) and connections
// for mail. Names are resolved by a real name server, and every connection attempt is counted.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { MailError } from "@plinth/connectors/email";
import { networksOf } from "@plinth/service";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createNetwork } from "../mail/network.ts";
import { createAddressGuard } from "./address-guard.ts";
import { createOutbound } from "./call.ts";
import { createNameLookup, judgedAddresses, type NameLookup } from "./judged-addresses.ts";
import { OutboundError } from "./outbound-error.ts";
import { type NameAnswer, type NameServer, startNameServer } from "./testing/name-server.ts";

const PRIVATE: readonly string[] = [
  ..."0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254 169.254.0.1".split(
    " ",
  ),
  ..."169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.170 192.0.2.1 192.31.196.1".split(" "),
  ..."192.52.193.1 192.88.99.1 192.168.0.1 192.168.255.255 192.175.48.1 198.18.0.1 198.19.255.255".split(" "),
  ..."198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255".split(" "),
  ...":: ::1 ::127.0.0.1 ::a00:1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:a9fe:a9fe ::ffff:0:127.0.0.1".split(" "),
  ..."::ffff:8.8.8.8 64:ff9b::127.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b:1::a00:1 100::1 100:0:0:1::1".split(" "),
  ..."2001::1 2001:0:7f00:1::1 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1:: 2002:a9fe:a9fe::1".split(" "),
  ..."2620:4f:8000::1 3fff::1 4000::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1 fec0::1 ff02::1 ff0e::1".split(" "),
];
const PUBLIC: readonly string[] = [
  ..."1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.1 100.63.255.255 100.128.0.1 126.255.255.255 128.0.0.1 169.253.255.255".split(
    " ",
  ),
  ..."169.255.0.1 172.15.255.255 172.32.0.1 192.0.1.1 192.167.255.255 192.169.0.1 198.17.255.255 198.20.0.1".split(" "),
  ..."223.255.255.255 2001:200::1 2001:4860:4860::8888 2606:4700::1111 2a00:1450::1".split(" "),
];
/** Notations that hide where they lead: each is an address of this machine or no address at all. */
const HIDDEN_HOSTS: readonly string[] = [
  ..."2130706433 0x7f000001 017700000001 0x7f.1 0177.0.0.1 127.1 127.0.1 0 0x0 00000000 127.0.0.1. 127。0。0。1".split(
    " ",
  ),
  ..."①②⑦.⓪.⓪.① 127.0.0.1 %31%32%37.0.0.1 ０x7f.1 [::1] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1]".split(
    " ",
  ),
  ..."[0:0:0:0:0:ffff:127.0.0.1] [::] [::127.0.0.1] [fe80::1] [fe80::1%25lo] [::1%25lo] localhost LOCALHOST".split(" "),
  ..."localhost. ⓛocalhost loc%61lhost 127.0.0.1%00.example.test 1.1.1.1@127.0.0.1 1.1.1.1:80@127.0.0.1".split(" "),
  ..."127.0.0.1\\@1.1.1.1 [fe80::1%2606] [64:ff9b::7f00:1] [2002:7f00:1::]".split(" "),
];
const NO_HTTP: readonly string[] = [
  ..."ftp://example.test file:///etc/passwd gopher://127.0.0.1:6379/_INFO dict://127.0.0.1 ws://127.0.0.1".split(" "),
  ..."data:text/plain,x javascript:1 unix:/run/x.sock http+unix://%2Frun%2Fx.sock/ http:// //127.0.0.1/ http://:80/".split(
    " ",
  ),
];

const attempts: string[] = [];
const note = (message: unknown): void => {
  const { socket } = message as { readonly socket: Socket };
  socket.on("connectionAttempt", (address) => attempts.push(address));
};
const names = new Map<string, (at: number) => NameAnswer>();
let nameServer: NameServer;
let service: Server;
let port: number;
let requests: string[] = [];
let lookUp: NameLookup;

beforeAll(async () => {
  subscribe("net.client.socket", note);
  nameServer = await startNameServer((name, at) => {
    const own = names.get(name) ?? names.get(name.replace(/^[^.]*/, "*"));
    return own === undefined ? null : own(at);
  });
  lookUp = createNameLookup([nameServer.server]);
  service = createServer((incoming, response) => {
    requests.push(incoming.url ?? "");
    const [, status = "200", rest = ""] = /^\/(\d+)\/?(.*)/.exec(incoming.url ?? "") ?? [];
    if (rest === "bomb")
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(50_000_000)));
    else response.writeHead(Number(status), { location: `http://127.0.0.1:${port}/reached` }).end("ok");
  });
  await new Promise<void>((resolve) => service.listen(0, "0.0.0.0", resolve));
  port = (service.address() as AddressInfo).port;
});
afterAll(() => {
  unsubscribe("net.client.socket", note);
  nameServer.close();
  service.closeAllConnections();
  service.close();
});
beforeEach(() => {
  attempts.length = 0;
  requests = [];
  names.clear();
});

/** The operator's allowed networks replace the public addresses, which a test can't call. */
const ways = (allowed: readonly string[] = []) => {
  const outbound = createOutbound({ outboundAllowed: networksOf(allowed) }, undefined, lookUp);
  const mail = createNetwork({ outbound, allowed: networksOf(allowed), lookUp }, "p");
  return {
    http: (url: string, timeoutMs = 5_000) =>
      outbound.call("p", async () => ({ method: "GET", url, headers: {}, body: null, timeoutMs })),
    mail: (host: string) => mail.resolve(host, { port: 587, encrypted: true }),
  };
};
const problemOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "passed",
    (error) => (error instanceof OutboundError || error instanceof MailError ? error.problem : String(error)),
  );

describe("an address that is not public", () => {
  it.each(PRIVATE)("%s: refused as a number and as what a name leads to", async (address) => {
    const host = address.includes(":") ? `[${address}]` : address;
    names.set("evil.test", () => [address]);
    const { http, mail } = ways();
    expect(await problemOf(http(`http://${host}:${port}/`))).toBe("refused");
    expect(await problemOf(http(`https://${host}/`))).toBe("refused");
    expect(await problemOf(mail(address))).toBe("refused");
    expect(await problemOf(http(`http://evil.test:${port}/`))).toBe("refused");
    expect(await problemOf(mail("evil.test"))).toBe("refused");
    expect(attempts).toEqual([]);
  });
  it.each(HIDDEN_HOSTS)("%s: is seen through", async (host) => {
    const { http, mail } = ways();
    expect(await problemOf(http(`http://${host}:${port}/`))).toBe("refused");
    expect(await problemOf(mail(host.replace(/^\[|\]$/g, "")))).not.toBe("passed");
    expect({ attempts, requests }).toEqual({ attempts: [], requests: [] });
  });
  it.each(NO_HTTP)("%s: is no address for a call", async (url) => {
    expect(await problemOf(ways(["127.0.0.1"]).http(url))).toBe("refused");
    expect(attempts).toEqual([]);
  });
  it("with a zone it is invalid, whatever follows", () => {
    const guard = createAddressGuard();
    for (const address of ["fe80::1%lo", "2606:4700::1111%eth0", "::1%1", "fe80::1%2606"])
      expect(guard(address), address).toBe(false);
  });
});

describe("a public address", () => {
  it.each(PUBLIC)("%s: passes as a number and as what a name leads to", async (address) => {
    names.set("good.test", () => [address]);
    const judged = (host: string) => judgedAddresses(host, createAddressGuard(), lookUp);
    expect((await judged(address)).map((one) => one.address)).toEqual([address]);
    expect((await judged("good.test")).map((one) => one.address)).toEqual([address]);
    expect(await ways().mail("good.test")).toBe(address);
  });
});

describe("a port", () => {
  // Mail, databases, shells, caches and the internal ports of clusters, which services behind a firewall trust.
  const closed = [1, 7, 22, 23, 25, 53, 110, 111, 135, 139, 445, 465, 587, 1433, 2049, 2375, 2379, 3000, 3306, 3389];
  const others = [4001, 5432, 5984, 6379, 6443, 8081, 8500, 9090, 9200, 10250, 11211, 15672, 27017, 65535];
  it.each([...closed, ...others])("%i of a public address is not called, as a number or by name", async (at) => {
    names.set("good.test", () => ["8.8.8.8"]);
    const { http } = ways();
    for (const host of ["8.8.8.8", "[2606:4700::1111]", "good.test"])
      for (const scheme of ["http", "https"])
        expect(await problemOf(http(`${scheme}://${host}:${at}/`)), `${scheme}://${host}`).toBe("refused");
    expect(attempts).toEqual([]);
  });
  it.each(["http://a.test/", "https://a.test/", "http://a.test:8080/", "https://a.test:8443/", "http://a.test:443/"])(
    "%s is in the list: only the address is checked",
    async (url) => {
      names.set("a.test", () => ["10.0.0.1"]);
      await expect(ways().http(url)).rejects.toThrow("a.test resolves to an address that projects can't call.");
    },
  );
  it("is checked against the operator's own list, but not in the networks that the operator allows", async () => {
    names.set("good.test", () => ["8.8.8.8", "127.0.0.2"]);
    names.set("far.test", () => ["8.8.8.8"]);
    const targets = { outboundAllowed: networksOf(["127.0.0.2"]), outboundPorts: new Set([8443]) };
    const outbound = createOutbound(targets, undefined, lookUp);
    const call = (url: string) =>
      outbound.call("p", async () => ({ method: "GET", url, headers: {}, body: null, timeoutMs: 2_000 }));
    for (const url of ["http://far.test/", "https://far.test/", "https://8.8.8.8:443/"])
      await expect(call(url)).rejects.toMatchObject({ problem: "refused", message: expect.stringContaining("8443") });
    // If there are several addresses, only the operator's own can be called on any port.
    expect((await call(`http://good.test:${port}/200`)).status).toBe(200);
    expect(attempts).toEqual(["127.0.0.2"]);
  });
});

describe("a name server's answer", () => {
  it("is checked once and used: a second answer changes nothing", async () => {
    names.set("rebind.test", (at) => [at === 1 ? "127.0.0.2" : "127.0.0.1"]);
    const { http } = ways(["127.0.0.2"]);
    expect((await http(`http://rebind.test:${port}/200`)).status).toBe(200);
    expect(nameServer.asked("rebind.test")).toBe(1);
    expect(attempts).toEqual(["127.0.0.2"]);
    expect(await problemOf(http(`http://rebind.test:${port}/200`))).toBe("refused");
    expect(attempts).toEqual(["127.0.0.2"]);
  });
  it.each([
    [["10.0.0.1", "127.0.0.2", "169.254.169.254"]],
    [["::1", "127.0.0.2"]],
    [["127.0.0.2", "::ffff:127.0.0.1", "fd00::1"]],
  ])("is used as far as it is allowed: %j", async (answer) => {
    names.set("mixed.test", () => answer);
    const { http, mail } = ways(["127.0.0.2"]);
    expect((await http(`http://mixed.test:${port}/200`)).status).toBe(200);
    expect(attempts).toEqual(["127.0.0.2"]);
    expect(await mail("mixed.test")).toBe("127.0.0.2");
  });
  it("is followed through other names to its end", async () => {
    names.set("one.test", () => ["two.test", "three.test", "127.0.0.1"]);
    names.set("far.test", () => ["near.test", "127.0.0.2"]);
    const { http, mail } = ways(["127.0.0.2"]);
    expect(await problemOf(http(`http://one.test:${port}/`))).toBe("refused");
    expect(await problemOf(mail("one.test"))).toBe("refused");
    expect((await http(`http://far.test:${port}/200`)).status).toBe(200);
    expect(attempts).toEqual(["127.0.0.2"]);
  });
  it.each(["127.0.0.1.wild.test", "app-10-0-0-1.wild.test", "xn--fiq228c.wild.test", "WILD.wild.test.", "a.localhost"])(
    "of any name below a domain: %s",
    async (host) => {
      for (const below of ["*.wild.test", "*.0.0.1.wild.test"]) names.set(below, () => ["127.0.0.1"]);
      const { http, mail } = ways();
      expect(await problemOf(http(`http://${host}:${port}/`))).toMatch(/^(refused|unreachable)$/);
      expect(await problemOf(mail(host))).toMatch(/^(refused|unreachable)$/);
      expect(attempts).toEqual([]);
    },
  );
  it("fails the call if it is empty", async () => {
    names.set("empty.test", () => []);
    for (const host of ["unknown.test", "empty.test"]) {
      expect(await problemOf(ways().http(`http://${host}/`))).toBe("unreachable");
      expect(await problemOf(ways().mail(host))).toBe("unreachable");
    }
  });
});

describe("a service's answer", () => {
  it.each([301, 302, 303, 307, 308])("with %i: is not followed", async (status) => {
    names.set("good.test", () => ["127.0.0.2"]);
    expect((await ways(["127.0.0.2"]).http(`http://good.test:${port}/${status}`)).status).toBe(status);
    expect({ requests, attempts }).toEqual({ requests: [`/${status}`], attempts: ["127.0.0.2"] });
  });
  it("that is compressed stays compressed", async () => {
    const { body } = await ways(["127.0.0.1"]).http(`http://127.0.0.1:${port}/200/bomb`);
    expect(body.length).toBeLessThan(100_000);
  });
});

it("silent name servers delay no other project", async () => {
  names.set("*.silent.test", () => "silent");
  names.set("good.test", () => ["127.0.0.2"]);
  const outbound = createOutbound({ outboundAllowed: networksOf(["127.0.0.2"]) }, undefined, lookUp);
  const call = (project: string, url: string) =>
    outbound.call(project, async () => ({ method: "GET", url, headers: {}, body: null, timeoutMs: 3_000 }));
  const hung = Array.from({ length: 40 }, (_, at) => problemOf(call(`p${at % 8}`, `http://n${at}.silent.test/`)));
  const startedMs = performance.now();
  expect((await call("good", `http://good.test:${port}/200`)).status).toBe(200);
  expect(performance.now() - startedMs).toBeLessThan(1_000);
  expect(new Set(await Promise.all(hung))).toEqual(new Set(["unreachable"]));
});
