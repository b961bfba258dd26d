// A source whose scheme changes while its secret stays: a public key, or a text that is no key of the new scheme,
// verifies nothing.
import { createHmac, generateKeyPairSync } from "node:crypto";
import { expect, it } from "vitest";
import { providerOf } from "./providers.ts";
import { keptText, type Scheme, verifyRequest } from "./verify.ts";

const BODY = Buffer.from('{"type":"paid"}');
const { publicKey } = generateKeyPairSync("ed25519");
const der = publicKey.export({ format: "der", type: "spki" });

function schemeOf(verify: Parameters<typeof providerOf>[0]["verify"]): Scheme {
  const scheme = providerOf({ name: "test", verify })?.scheme ?? "paypal";
  if (scheme === "paypal") throw new Error("no scheme that is data");
  return scheme;
}
const judge = (scheme: Scheme, secret: string, sign: string) =>
  verifyRequest(scheme, { headers: { "x-sign": sign }, body: BODY, url: "https://a.test/", nowMs: 0 }, [secret]);

it.each([der.toString("base64"), der.subarray(-32).toString("base64"), der.subarray(-32).toString("hex")])(
  "a public key, sent as %s, is not accepted as a secret",
  (sent) => {
    const kept = keptText(schemeOf({ scheme: "ed25519", header: "x-sign" }), sent);
    const hmac = schemeOf({ scheme: "hmac-sha256", header: "x-sign" });
    for (const key of [sent, kept]) {
      expect(judge(hmac, kept, createHmac("sha256", key).update(BODY).digest("hex"))).toBe("bad_signature");
    }
    expect(judge(schemeOf({ scheme: "token", header: "x-sign", format: "{raw}" }), kept, sent)).toBe("bad_signature");
  },
);

it("a password that decodes to an empty key signs nothing", () => {
  const own = schemeOf({ scheme: "hmac-sha256", header: "x-sign" });
  const scheme: Scheme = { ...own, secret: { prefix: "whsec_", encoding: "base64" } };
  expect(judge(scheme, "whsec_!!!!!!!!", createHmac("sha256", "").update(BODY).digest("hex"))).toBe("bad_signature");
});

it("a secret is stored as it was sent", () => {
  const hmac = schemeOf({ scheme: "hmac-sha256", header: "x-sign" });
  expect(keptText(hmac, der.subarray(-32).toString("hex"))).toBe(der.subarray(-32).toString("hex"));
});
