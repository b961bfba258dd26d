// Addresses that can't be called, as far as an address itself says so: loopback, private networks, and the ports of
// other services. The operator's networks are an exception.
import { networksOf, noNetworks } from "@plinth/service";
import { describe, expect, it } from "vitest";
import { defaultOutboundPorts } from "./call.ts";
import { createTargetGuard } from "./target-guard.ts";

const judge = (text: string, allowed = noNetworks) =>
  createTargetGuard({ allowed, ports: defaultOutboundPorts })(new URL(text));

describe("without networks of the operator's", () => {
  it.each([
    "http://127.0.0.1/",
    "http://localhost/",
    "http://localhost./",
    "https://app.localhost/",
    "https://[::1]:8443/",
    "https://127.1/",
    "https://0x7f000001/",
    "https://10.0.0.1:22/",
    "https://168.63.129.16/",
  ])("%s is not public", (text) => expect(judge(text)).toBe("address"));
  it.each(["https://a.example:22/", "https://a.example:25/", "https://9.9.9.9:5432/", "http://a.example:6379/"])(
    "%s has the port of another service",
    (text) => expect(judge(text)).toBe("port"),
  );
  it.each(["https://a.example/", "https://a.example:8443/", "http://9.9.9.9:8080/", "https://notlocalhost/"])(
    "%s can be called",
    (text) => expect(judge(text)).toBeNull(),
  );
});

it("the operator's networks can be called on any port, also by a name that leads there", () => {
  const own = networksOf(["127.0.0.1", "10.0.0.0/8"]);
  const texts = [
    "http://127.0.0.1:3000/",
    "http://localhost:3000/",
    "https://10.1.2.3:22/",
    "https://hooks.internal:22/",
  ];
  expect(texts.map((text) => judge(text, own))).toEqual([null, null, null, null]);
  expect([judge("https://127.0.0.2/", own), judge("https://9.9.9.9:22/", own)]).toEqual(["address", "port"]);
});
