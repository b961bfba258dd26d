// What is genuine under each provider's scheme: vectors from providers' own documents, signatures by their own
// packages, and everything that must be refused.
import { createHmac, generateKeyPairSync, sign as signBytes } from "node:crypto";
import { sign as signGithub } from "@octokit/webhooks-methods";
import { checkBlueprint } from "@plinth/blueprint";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { providerOf, providers, secretProblem } from "./providers.ts";
import { verifyRequest } from "./verify.ts";

const NOW_S = 1_800_000_000;
const BODY = '{"id":"evt_1","type":"payment_intent.succeeded","text":"café"}';

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly url?: string;
  readonly nowS?: number;
}

function judge(verify: Parameters<typeof providerOf>[0]["verify"], secrets: string | readonly string[], sent: Sent) {
  const provider = providerOf({ name: "test", verify });
  if (provider === null || provider.scheme === "paypal") throw new Error("no scheme that is data");
  const { headers, body = BODY, url = "https://api.example.com/hooks/p/test", nowS = NOW_S } = sent;
  const request = { headers, body: Buffer.from(body), url, nowMs: nowS * 1_000 };
  return verifyRequest(provider.scheme, request, [secrets].flat());
}

it("every provider that a blueprint can name has a scheme", () => {
  const { diagnostics } = checkBlueprint(
    "project: p\nmodules: [webhooks]\nwebhooks:\n  in:\n    a: { verify: zzzzzzzz }\n",
  );
  const hint = diagnostics.find(({ code }) => code === "invalid_webhook")?.hint ?? "";
  const known = /Known providers: ([^.]*)\./.exec(hint)?.[1]?.split(", ") ?? [];
  expect(known).toEqual(Object.keys(providers).sort());
});

it("a scheme of an older bundle that would repeat a body thousands of times is refused", () => {
  const verify = { scheme: "hmac-sha256", header: "x-sign", message: Array(21).fill("body") } as const;
  expect(providerOf({ name: "test", verify })).toBe(null);
  expect(
    providerOf({ name: "test", verify: { ...verify, message: ["body"], format: `${" ".repeat(200)}{hex}` } }),
  ).toBe(null);
  expect(providerOf({ name: "test", verify: { ...verify, message: ["body"] } })).not.toBe(null);
});

describe("signatures by providers' own packages", () => {
  it("Stripe", () => {
    const header = Stripe.webhooks.generateTestHeaderString({ payload: BODY, secret: "whsec_test", timestamp: NOW_S });
    const sent = { headers: { "stripe-signature": header } };
    expect(judge("stripe", "whsec_test", sent)).toBeNull();
    expect(judge("stripe", ["whsec_old_one", "whsec_test"], sent)).toBeNull();
    expect(judge("stripe", "whsec_other", sent)).toBe("bad_signature");
    expect(judge("stripe", "whsec_test", { ...sent, body: `${BODY} ` })).toBe("bad_signature");
    expect(judge("stripe", "whsec_test", { ...sent, nowS: NOW_S + 301 })).toBe("old_timestamp");
    expect(judge("stripe", "whsec_test", { ...sent, nowS: NOW_S - 301 })).toBe("old_timestamp");
    expect(judge("stripe", "whsec_test", { ...sent, nowS: NOW_S + 300 })).toBeNull();
    const rotated = { headers: { "stripe-signature": header.replace("v1=", `v1=${"0".repeat(64)},v1=`) } };
    expect(judge("stripe", "whsec_test", rotated)).toBeNull();
    const v0 = { headers: { "stripe-signature": header.replace("v1=", "v0=") } };
    expect(judge("stripe", "whsec_test", v0)).toBe("no_signature");
  });

  it("GitHub", async () => {
    const header = await signGithub("a secret of github", BODY);
    expect(judge("github", "a secret of github", { headers: { "x-hub-signature-256": header } })).toBeNull();
    expect(judge("github", "another secret", { headers: { "x-hub-signature-256": header } })).toBe("bad_signature");
  });

  it("Standard Webhooks", () => {
    const secret = `whsec_${Buffer.from("a secret of 24 bytes or so").toString("base64")}`;
    const signature = new Webhook(secret).sign("msg_1", new Date(NOW_S * 1_000), BODY);
    const headers = { "webhook-id": "msg_1", "webhook-timestamp": String(NOW_S), "webhook-signature": signature };
    expect(judge("standard", secret, { headers })).toBeNull();
    expect(judge("standard", secret.slice(6), { headers })).toBeNull();
    const two = { ...headers, "webhook-signature": `v1a,AAAA v1,AAAA ${signature}` };
    expect(judge("standard", secret, { headers: two })).toBeNull();
    expect(judge("standard", secret, { headers: { ...headers, "webhook-id": "msg_2" } })).toBe("bad_signature");
  });
});

describe("signatures in providers' documents", () => {
  // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
  it("GitHub", () => {
    const header = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    const sent = { headers: { "x-hub-signature-256": header }, body: "Hello, World!" };
    expect(judge("github", "It's a Secret to Everybody", sent)).toBeNull();
  });

  // The algorithm of https://api.slack.com/authentication/verifying-requests-from-slack
  it("Slack", () => {
    const signature = hmac("8f742231b10e8888abcd99yyyzzz85a5", `v0:${NOW_S}:${BODY}`, "hex");
    const headers = { "x-slack-signature": `v0=${signature}`, "x-slack-request-timestamp": String(NOW_S) };
    expect(judge("slack", "8f742231b10e8888abcd99yyyzzz85a5", { headers })).toBeNull();
    expect(judge("slack", "8f742231b10e8888abcd99yyyzzz85a5", { headers, nowS: NOW_S + 600 })).toBe("old_timestamp");
  });

  it("Shopify", () => {
    const headers = { "x-shopify-hmac-sha256": hmac("a shop's secret", BODY, "base64") };
    expect(judge("shopify", "a shop's secret", { headers })).toBeNull();
  });

  it("EasyPost, whose secret is normalized", () => {
    const headers = { "x-hmac-signature": `hmac-sha256-hex=${hmac("sécret".normalize("NFKD"), BODY, "hex")}` };
    expect(judge("easypost", "sécret".normalize("NFC"), { headers })).toBeNull();
  });

  it("SendGrid, by a public key", () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const key = publicKey.export({ format: "der", type: "spki" }).toString("base64");
    const signature = signBytes("sha256", Buffer.from(`${NOW_S}${BODY}`), privateKey).toString("base64");
    const headers = {
      "x-twilio-email-event-webhook-signature": signature,
      "x-twilio-email-event-webhook-timestamp": String(NOW_S),
    };
    expect(judge("sendgrid", key, { headers })).toBeNull();
    expect(judge("sendgrid", key, { headers, body: "[]" })).toBe("bad_signature");
    expect(problemOf("sendgrid", key)).toBeNull();
    expect(problemOf("sendgrid", "no public key at all")).toContain("public key");
  });

  it("Twilio, by the address and the sorted parameters", () => {
    const url = "https://example.com/myapp.php?foo=1&bar=2";
    const body = "Digits=1234&To=%2B18005551212&From=%2B14158675310&Caller=%2B14158675310&CallSid=CA1234567890ABCDE";
    const said = `${url}CallSidCA1234567890ABCDECaller+14158675310Digits1234From+14158675310To+18005551212`;
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      "x-twilio-signature": createHmac("sha1", "12345678").update(said).digest("base64"),
    };
    expect(judge("twilio", "12345678", { headers, body, url })).toBeNull();
    expect(judge("twilio", "12345678", { headers, body, url: `${url}&more=1` })).toBe("bad_signature");
  });
});

describe("a project's own scheme", () => {
  it.each(["hmac-sha1", "hmac-sha256", "hmac-sha512"] as const)("%s", (scheme) => {
    const hash = scheme.slice(5);
    const signature = createHmac(hash, "own secret").update(`a.${BODY}`).digest("base64");
    const verify = { scheme, header: "x-sign", format: "v={base64};", message: ["headers.x-id", ".", "body"] };
    const headers = { "x-sign": `v=${signature};`, "x-id": "a" };
    expect(judge(verify, "own secret", { headers })).toBeNull();
    expect(judge(verify, "own secret", { headers: { "x-sign": `v=${signature};` } })).toBe("bad_signature");
    expect(judge(verify, "own secret", { headers: { ...headers, "x-sign": signature } })).toBe("no_signature");
  });

  it("a token, and ed25519", () => {
    const token = { scheme: "token", header: "authorization", format: "Bearer {raw}" } as const;
    expect(judge(token, "a long token", { headers: { authorization: "Bearer a long token" } })).toBeNull();
    expect(judge(token, "a long token", { headers: { authorization: "Bearer a long" } })).toBe("bad_signature");
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const key = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("hex");
    const headers = { "x-sign": signBytes(null, Buffer.from(BODY), privateKey).toString("hex") };
    expect(judge({ scheme: "ed25519", header: "x-sign" }, key, { headers })).toBeNull();
    expect(judge({ scheme: "ed25519", header: "x-sign" }, key, { headers, body: "{}" })).toBe("bad_signature");
  });
});

it.each(["", "abc", "01", "-5", "1e9", `${NOW_S}.5`, ` ${NOW_S}`, `${NOW_S}000000`])(
  "a timestamp can't be %j",
  (text) => {
    const signature = hmac("a secret of slack", `v0:${text}:${BODY}`, "hex");
    const headers = { "x-slack-signature": `v0=${signature}`, "x-slack-request-timestamp": text };
    expect(judge("slack", "a secret of slack", { headers })).toBe("bad_timestamp");
  },
);

it.each(["", "sha256=", "sha256=zz", `sha256=${"0".repeat(63)}`, "0".repeat(64)])("a signature can't be %j", (text) => {
  expect(judge("github", "a secret of github", { headers: { "x-hub-signature-256": text } })).toBe("no_signature");
});

function hmac(secret: string, message: string, encoding: "hex" | "base64"): string {
  return createHmac("sha256", secret).update(message).digest(encoding);
}

it.each([
  ["stripe", "whsec_12", null],
  ["stripe", "short", "8 characters"],
  ["standard", "whsec_c2VjcmV0IG9mIGEgc2VydmljZQ==", null],
  ["standard", "whsec_A=", "16 bytes as base64"],
  ["standard", "whsec_AA==", "16 bytes as base64"],
  ["standard", "whsec_MTIzNDU2Nzg5MDEyMzQ1", "16 bytes as base64"],
  ["standard", "whsec_MTIzNDU2Nzg5MDEyMzQ1Ng==", null],
  ["standard", "no base64, plainly", "base64"],
  ["stripe", "sk_test_4eC39HqLyjWDarjtT1zdp7dc", "API key"],
  ["slack", "xoxb-17653672481-19874698323", "API key"],
  ["github", "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "API key"],
  ["shopify", "shpss_0123456789abcdef0123456789abcdef", null],
  ["paypal", "9XL90610J3647323C", null],
  ["paypal", "whsec_c2VjcmV0", "webhook id"],
])("a secret of %s: %j", (provider, text, problem) => {
  if (problem === null) expect(problemOf(provider, text)).toBeNull();
  else expect(problemOf(provider, text)).toContain(problem);
});

function problemOf(name: string, text: string): string | null {
  const provider = providerOf({ name, verify: name });
  if (provider === null) throw new Error(`${name} is unknown`);
  return secretProblem(provider, text);
}
