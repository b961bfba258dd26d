// Guarantee 13, for mail servers: the allowed hosts and ports of a connection. It goes to exactly the checked address,
// and the certificate must match the name.
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { loadEmailProvider, MailError, type Network } from "@plinth/connectors/email";
import { networksOf } from "@plinth/service";
import { makeCertificate, startMailServer } from "@plinth/testkit/mail-server";
import { afterAll, describe, expect, it } from "vitest";
import { createOutbound } from "../outbound/call.ts";
import { createNetwork } from "./network.ts";

const networkOf = (...ranges: readonly string[]): Network => {
  const allowed = networksOf(ranges);
  return createNetwork({ outbound: createOutbound({ outboundAllowed: allowed }), allowed }, "prj_test");
};

/** The address, or the reason why there is none. */
const judged = (network: Network, host: string, port = 587, encrypted = true): Promise<string> =>
  network.resolve(host, { port, encrypted }).catch((error: unknown) => {
    if (error instanceof MailError) return `${error.problem}: ${error.message}`;
    throw error;
  });

describe("a host that is not public", () => {
  it.each([
    "127.0.0.1",
    "127.1.2.3",
    "0.0.0.0",
    "10.0.0.25",
    "100.64.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "192.0.2.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "::ffff:127.0.0.1",
    "::ffff:a00:1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "fc00::1",
    "fe80::1",
    "ff02::1",
    "localhost",
    "LOCALHOST",
  ])("%s is refused on every port", async (host) => {
    for (const port of [25, 465, 587, 2525, 80])
      for (const encrypted of [true, false])
        expect(await judged(networkOf(), host, port, encrypted)).toMatch(/^refused: .* projects can't call\.$/);
  });

  it.each(["nowhere.invalid", "0x7f.0.0.1.invalid", "127.0.0.1:587"])("%s can't be resolved", async (host) => {
    expect(await judged(networkOf(), host)).toMatch(/^unreachable: /);
  });

  it("can be reached if the operator allows its network, on any port and without encryption", async () => {
    const network = networkOf("10.1.0.0/16");
    expect(await judged(network, "10.1.2.3", 1025, false)).toBe("10.1.2.3");
    expect(await judged(network, "10.2.2.3", 1025, false)).toMatch(/^refused/);
    expect(await judged(networkOf("127.0.0.1"), "localhost", 1025, false)).toBe("127.0.0.1");
  });
});

describe("a public host", () => {
  it.each([25, 465, 587, 2465, 2525, 2587])("can be reached on port %i, only with encryption", async (port) => {
    expect(await judged(networkOf(), "192.0.9.1", port)).toBe("192.0.9.1");
    expect(await judged(networkOf(), "2606:4700::1111", port)).toBe("2606:4700::1111");
    expect(await judged(networkOf(), "192.0.9.1", port, false)).toBe(
      "refused: Mail is only sent over an encrypted connection.",
    );
  });

  it.each([1, 22, 53, 80, 110, 143, 443, 3306, 5432, 6379, 8025, 65_535])(
    "can't be reached on port %i",
    async (port) => {
      expect(await judged(networkOf(), "192.0.9.1", port)).toBe(`refused: Mail can't be sent to port ${port}.`);
    },
  );
});

describe("a server", () => {
  const own = getCACertificates("default");
  afterAll(() => setDefaultCACertificates(own));

  it("is reached at the checked address, which is resolved once, and proves the name", async () => {
    const certificate = await makeCertificate("mail.example.invalid");
    setDefaultCACertificates([...own, certificate.cert]);
    const server = await startMailServer({ tls: { ...certificate, mode: "starttls" } });
    const asked: string[] = [];
    const network: Network = {
      ...networkOf(),
      // No name server knows the name, so a second look-up would fail.
      async resolve(host) {
        asked.push(host);
        return "127.0.0.1";
      },
    };
    const smtp = await loadEmailProvider("smtp");
    const settings = {
      host: "mail.example.invalid",
      port: server.port,
      security: "starttls",
      from_address: "a@b.example",
    };
    await smtp!.test({ settings, secrets: {} }, network, 5_000);
    expect(asked).toEqual(["mail.example.invalid"]);
    const other = { ...settings, host: "other.example.invalid" };
    await expect(smtp!.test({ settings: other, secrets: {} }, network, 5_000)).rejects.toMatchObject({
      problem: "refused",
      message: "The certificate of the mail server is not valid for its host name.",
    });
    await server.close();
  });
});
