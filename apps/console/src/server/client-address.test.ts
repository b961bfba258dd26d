// Nobody says who they are by a header: what was forwarded counts only as far as trusted proxies stand.
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
    ["the other end, where no proxy is trusted", "127.0.0.1", "6.6.6.6", none, "127.0.0.1"],
    ["the other end, where it is no trusted proxy", "192.0.2.1", "6.6.6.6", some, "192.0.2.1"],
    ["what a trusted proxy saw", "10.0.0.1", "192.0.2.1", some, "192.0.2.1"],
    ["what the first of two trusted proxies saw", "10.0.0.1", "192.0.2.1, 10.0.0.2", some, "192.0.2.1"],
    ["never what the client put before that", "10.0.0.1", "6.6.6.6, 192.0.2.1", some, "192.0.2.1"],
    ["a proxy known by IPv6", "2001:db8::1", "2001:db9::1", some, "2001:db9::1"],
    ["a proxy behind a mapped address", "::ffff:10.0.0.1", "192.0.2.1", some, "192.0.2.1"],
    ["the proxy, where it forwards none", "10.0.0.1", undefined, some, "10.0.0.1"],
    ["the proxy, where it forwards no address", "10.0.0.1", "unknown", some, "10.0.0.1"],
  ])("is %s", (_name, peer, forwarded, trusted, address) => {
    expect(clientAddress(peer, forwarded, trusted)).toBe(address);
  });
});

describe("the configuration", () => {
  test.each(["10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "proxy.example", "::/129", "10.0.0.0/a"])(
    "takes %s for no network",
    (text) => {
      expect(parseProxies(text)).toBeNull();
    },
  );

  test("names all that is wrong, and repeats no value", () => {
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
