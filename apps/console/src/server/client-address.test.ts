// A client can't choose its address with a header: forwarded addresses only count if trusted proxies sent them.
import type { BlockList } from "node:net";
import { describe, expect, test } from "vitest";
import { clientAddress } from "./client-address.ts";
import { consoleConfig, parseProxies } from "./config.ts";

function proxies(text: string): BlockList {
  const list = parseProxies(text);
  if (list === null) throw new Error(`no list: ${text}`);
  return list;
}

describe("the client's address", () => {
  const none = proxies("");
  const some = proxies("10.0.0.0/8, 2001:db8::/32");

  test.each([
    ["the peer if no proxy is trusted", "127.0.0.1", "6.6.6.6", none, "127.0.0.1"],
    ["the peer if it is not a trusted proxy", "192.0.2.1", "6.6.6.6", some, "192.0.2.1"],
    ["the address that a trusted proxy saw", "10.0.0.1", "192.0.2.1", some, "192.0.2.1"],
    ["the address that the first of two trusted proxies saw", "10.0.0.1", "192.0.2.1, 10.0.0.2", some, "192.0.2.1"],
    ["never an address that the client sent", "10.0.0.1", "6.6.6.6, 192.0.2.1", some, "192.0.2.1"],
    ["the address that a proxy with IPv6 saw", "2001:db8::1", "2001:db9::1", some, "2001:db9::1"],
    ["the address that a proxy with a mapped address saw", "::ffff:10.0.0.1", "192.0.2.1", some, "192.0.2.1"],
    ["the proxy if it forwards none", "10.0.0.1", undefined, some, "10.0.0.1"],
    ["the proxy if it forwards no valid address", "10.0.0.1", "unknown", some, "10.0.0.1"],
  ])("is %s", (_name, peer, forwarded, trusted, address) => {
    expect(clientAddress(peer, forwarded, trusted)).toBe(address);
  });
});

describe("the configuration", () => {
  test.each(["10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "proxy.example", "::/129", "10.0.0.0/a"])(
    "refuses %s as a network",
    (text) => {
      expect(parseProxies(text)).toBeNull();
    },
  );

  test("names all wrong variables, and repeats no value", () => {
    const env = {
      PLINTH_CONSOLE_PORT: "many",
      PLINTH_CONTROL_URL: "ftp://hidden",
      PLINTH_CONSOLE_SECRET: "too short",
      PLINTH_TRUSTED_PROXIES: "hidden",
    };
    const message = (() => {
      try {
        return String(consoleConfig(env));
      } catch (error) {
        return String(error);
      }
    })();
    for (const name of Object.keys(env)) expect(message).toContain(name);
    expect(message).not.toMatch(/hidden|too short|many/);
  });
});
