// The verifier against providers' own packages and published examples: what they sign or print is genuine here, and
// what they refuse is refused. This file never computes a signature itself if a provider's package can.
import { createHash, createHmac, generateKeyPairSync, sign as signBytes } from "node:crypto";
import EasyPost from "@easypost/api";
import { EventWebhook } from "@sendgrid/eventwebhook";
import { shopifyApi } from "@shopify/shopify-api";
import "@shopify/shopify-api/adapters/web-api";
import { verifySlackRequest } from "@slack/bolt";
import twilio from "twilio";
import { describe, expect, it } from "vitest";
import { headersOf, providerOf } from "./providers.ts";
import { verifyRequest } from "./verify.ts";

type ValidateWebhook = (body: Buffer, headers: Readonly<Record<string, string>>, secret: string) => unknown;

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly url?: string;
  readonly nowS?: number;
}

const NOW_S = 1_800_000_000;
const BODY = '{"id":"evt_1","text":"café","weight":1}';

function judge(verify: string, secret: string, { headers, body = BODY, url = "", nowS = NOW_S }: Sent) {
  const provider = providerOf({ name: "test", verify });
  if (provider === null || provider.scheme === "paypal") throw new Error("no scheme that is data");
  const request = { headers: headersOf(provider, headers), body: Buffer.from(body), url, nowMs: nowS * 1_000 };
  return verifyRequest(provider.scheme, request, [secret]);
}

describe("Slack", () => {
  // https://docs.slack.dev/authentication/verifying-requests-from-slack
  const secret = "8f742231b10e8888abcd99yyyzzz85a5";
  const example = {
    headers: {
      "x-slack-request-timestamp": "1531420618",
      "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
    },
    body: "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c",
    nowS: 1_531_420_618,
  };

  it("its documented example is genuine, and nothing similar is", () => {
    expect(judge("slack", secret, example)).toBeNull();
    expect(judge("slack", secret, { ...example, body: `${example.body}&a=b` })).toBe("bad_signature");
    expect(judge("slack", secret.replace("8", "9"), example)).toBe("bad_signature");
  });

  it.each([0, 299, 301, 3_600])("its package agrees on a request of %i seconds ago", (ageS) => {
    const theirs = () =>
      verifySlackRequest({
        signingSecret: secret,
        body: example.body,
        headers: { ...example.headers, "x-slack-request-timestamp": example.nowS },
        nowMilliseconds: (example.nowS + ageS) * 1_000,
      });
    const ours = judge("slack", secret, { ...example, nowS: example.nowS + ageS });
    if (ageS > 300) expect(theirs).toThrow("stale");
    else expect(theirs).not.toThrow();
    expect(ours).toBe(ageS > 300 ? "old_timestamp" : null);
  });
});

describe("Shopify", () => {
  const secret = "a shop's client secret";
  const shopify = shopifyApi({
    apiKey: "key",
    apiSecretKey: secret,
    apiVersion: "2026-07" as never,
    hostName: "shop.example",
    isEmbeddedApp: false,
    logger: { level: 0 },
  });
  const signed = (prefix: string): Record<string, string> => ({
    [`${prefix}hmac-sha256`]: createHmac("sha256", secret).update(BODY).digest("base64"),
    [`${prefix}topic`]: "orders/create",
    [`${prefix}shop-domain`]: "shop.myshopify.com",
    [`${prefix}api-version`]: "2026-07",
    [`${prefix}webhook-id`]: "b54557e4-bdd9-4b37-8a5f-bf7d70bcd043",
  });

  it.each([
    ["what was signed", BODY, signed("x-shopify-")],
    ["a changed body", `${BODY} `, signed("x-shopify-")],
    ["the newer headers", BODY, signed("shopify-")],
    ["the newer headers of a changed body", `${BODY} `, signed("shopify-")],
    ["both", BODY, { ...signed("x-shopify-"), ...signed("shopify-") }],
  ])("its package agrees on %s", async (_, body, headers) => {
    const rawRequest = new Request("https://shop.example/hooks", { method: "POST", headers, body });
    const { valid } = await shopify.webhooks.validate({ rawBody: body, rawRequest });
    expect(valid).toBe(body === BODY);
    expect(judge("shopify", secret, { headers, body })).toBe(valid ? null : "bad_signature");
  });
});

// https://shopify.dev/docs/apps/build/events/delivery-structure#headers: the same signature, without `x-` before its name
it("Shopify's newer headers count, and have priority over the older ones", () => {
  const secret = "a shop's client secret";
  const hmac = createHmac("sha256", secret).update(BODY).digest("base64");
  expect(judge("shopify", secret, { headers: { "shopify-hmac-sha256": hmac } })).toBeNull();
  expect(judge("shopify", secret, { headers: { "shopify-hmac-sha256": hmac }, body: `${BODY} ` })).toBe(
    "bad_signature",
  );
  const both = { "shopify-hmac-sha256": "AAAA", "x-shopify-hmac-sha256": hmac };
  expect(judge("shopify", secret, { headers: both })).toBe("bad_signature");
  const provider = providerOf({ name: "shop", verify: "shopify" });
  expect(provider && headersOf(provider, { "shopify-topic": "orders/create" })).toMatchObject({
    "x-shopify-topic": "orders/create",
    "shopify-topic": "orders/create",
  });
});

describe("Twilio", () => {
  const token = "12345";
  // The example of https://www.twilio.com/docs/usage/webhooks/webhooks-security, which its packages test with, too.
  const url = "https://example.com/myapp.php?foo=1&bar=2";
  const parameters = {
    Digits: "1234",
    To: "+18005551212",
    From: "+14158675310",
    Caller: "+14158675310",
    CallSid: "CA1234567890ABCDE",
  };
  const form = (of: Readonly<Record<string, string>>): string => new URLSearchParams(of).toString();
  const headersOf = (signature: string, type = "application/x-www-form-urlencoded") => ({
    "content-type": type,
    "x-twilio-signature": signature,
  });

  it("its documented example is genuine", () => {
    const headers = headersOf("L/OH5YylLD5NRKLltdqwSvS0BnU=");
    const documented = { headers, body: form(parameters), url };
    expect(judge("twilio", token, documented)).toBeNull();
    expect(judge("twilio", token, { ...documented, body: form({ ...parameters, To: "+1" }) })).toBe("bad_signature");
    expect(judge("twilio", token, { ...documented, url: `${url}&a=b` })).toBe("bad_signature");
    const noForm = { ...documented, headers: { ...headers, "content-type": "text/plain" } };
    expect(judge("twilio", token, noForm)).toBe("bad_signature");
  });

  it.each([
    "https://api.example.com/hooks/p/twilio",
    "https://api.example.com:443/hooks/p/twilio?a=b%20c",
    "http://api.example.com:80/hooks/p/twilio",
  ])("what its package signs for %s is genuine with the port and without", (signed) => {
    const values = { Body: "Grüße & more", B: "1", "a b": "2", Empty: "" };
    const headers = headersOf(twilio.getExpectedTwilioSignature(token, signed, values));
    for (const known of [signed, signed.replace(/:(?:443|80)\//, "/")]) {
      expect(twilio.validateRequest(token, headers["x-twilio-signature"], known, values)).toBe(true);
      expect(judge("twilio", token, { headers, body: form(values), url: known })).toBeNull();
    }
    expect(judge("twilio", token, { headers, body: form(values), url: signed.replace("/p/", "/q/") })).toBe(
      "bad_signature",
    );
  });

  it("a body that isn't a form is signed by its hash in the address", () => {
    const hash = createHash("sha256").update(BODY).digest("hex");
    const signed = `https://api.example.com/hooks/p/twilio?bodySHA256=${hash}`;
    const headers = headersOf(twilio.getExpectedTwilioSignature(token, signed, {}), "application/json");
    for (const body of [BODY, "{}"]) {
      const theirs = twilio.validateRequestWithBody(token, headers["x-twilio-signature"], signed, body);
      expect(theirs).toBe(body === BODY);
      expect(judge("twilio", token, { headers, body, url: signed })).toBe(theirs ? null : "bad_signature");
    }
    const bare = "https://api.example.com/hooks/p/twilio";
    const unsigned = headersOf(twilio.getExpectedTwilioSignature(token, bare, {}), "application/json");
    expect(judge("twilio", token, { headers: unsigned, body: BODY, url: bare })).toBe("bad_signature");
  });
});

describe("SendGrid", () => {
  // The example of its package's own tests.
  const key =
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==";
  const example = {
    headers: {
      "x-twilio-email-event-webhook-signature":
        "MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=",
      "x-twilio-email-event-webhook-timestamp": "1600112502",
    },
    body: `${JSON.stringify([
      {
        email: "hello@world.com",
        event: "dropped",
        reason: "Bounced Address",
        sg_event_id: "ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA",
        sg_message_id: "LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0",
        "smtp-id": "<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>",
        timestamp: 1_600_112_492,
      },
    ])}\r\n`,
    nowS: 1_600_112_502,
  };

  it("its package's example is genuine, and nothing similar is", () => {
    expect(judge("sendgrid", key, example)).toBeNull();
    expect(judge("sendgrid", key, { ...example, body: example.body.trim() })).toBe("bad_signature");
    expect(judge("sendgrid", key, { ...example, nowS: example.nowS + 301 })).toBe("old_timestamp");
  });

  it("its package agrees on another key's signatures", () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const other = publicKey.export({ format: "der", type: "spki" }).toString("base64");
    const signature = signBytes("sha256", Buffer.from(`${NOW_S}${BODY}`), privateKey).toString("base64");
    const headers = {
      "x-twilio-email-event-webhook-signature": signature,
      "x-twilio-email-event-webhook-timestamp": String(NOW_S),
    };
    const webhook = new EventWebhook();
    for (const one of [key, other]) {
      const theirs = webhook.verifySignature(webhook.convertPublicKeyToECDSA(one), BODY, signature, String(NOW_S));
      expect(theirs).toBe(one === other);
      expect(judge("sendgrid", one, { headers })).toBe(theirs ? null : "bad_signature");
    }
  });
});

describe("EasyPost", () => {
  // The types of its package leave its client out.
  const Client = EasyPost as unknown as new (key: string) => { readonly Utils: { validateWebhook: ValidateWebhook } };
  const { Utils } = new Client("a key that is never sent");

  it.each(["sécret of the desk", "sécret of the desk".normalize("NFD"), "another secret"])(
    "its package agrees with the secret %j",
    (secret) => {
      // Its package writes whole weights with a decimal, like EasyPost's own servers.
      const body = '{"id":"evt_1","description":"tracker.updated","result":{"weight":17.5}}';
      const signature = createHmac("sha256", "sécret of the desk".normalize("NFKD")).update(body).digest("hex");
      const headers = { "x-hmac-signature": `hmac-sha256-hex=${signature}` };
      const theirs = () => Utils.validateWebhook(Buffer.from(body), headers, secret);
      const isTheirs = secret.startsWith("s");
      if (isTheirs) expect(theirs()).toMatchObject({ id: "evt_1" });
      else expect(theirs).toThrow(/match/);
      expect(judge("easypost", secret, { headers, body })).toBe(isTheirs ? null : "bad_signature");
    },
  );
});
