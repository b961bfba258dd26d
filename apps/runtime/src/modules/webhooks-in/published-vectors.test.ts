// Signatures that other services print in their documents or their packages' tests, against providers and against
// schemes in a blueprint. Nothing here computes a signature. In: a blueprint's `verify`, as its author writes it. Out:
// whether the printed request is genuine.
import { checkBlueprint } from "@plinth/blueprint";
import { compileModel } from "@plinth/compiler";
import { describe, expect, it } from "vitest";
import { providerOf } from "./providers.ts";
import { verifyRequest } from "./verify.ts";

interface Vector {
  readonly name: string;
  /** YAML. */
  readonly verify: string;
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly url?: string;
  /** When it was signed, if the signature says so. */
  readonly atS?: number;
}

const svixSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const svixSigned = {
  id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  timestamp: "1614265330",
  signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
};
const paddle = `{ scheme: hmac-sha256, header: Paddle-Signature, format: "ts={timestamp};h1={hex}", message: [timestamp, ":", body] }`;
const square = `{ scheme: hmac-sha256, header: X-Square-HmacSha256-Signature, format: "{base64}", message: [url, body] }`;

const vectors: readonly Vector[] = [
  {
    // https://github.com/standard-webhooks/standard-webhooks: the same in the tests of all its libraries
    name: "Standard Webhooks",
    verify: "standard",
    secret: svixSecret,
    headers: {
      "webhook-id": svixSigned.id,
      "webhook-timestamp": svixSigned.timestamp,
      "webhook-signature": svixSigned.signature,
    },
    body: '{"test": 2432232314}',
    atS: 1_614_265_330,
  },
  {
    // https://github.com/svix/svix-webhooks
    name: "Svix, as Resend and Clerk send",
    verify: "resend",
    secret: svixSecret,
    headers: {
      "svix-id": svixSigned.id,
      "svix-timestamp": svixSigned.timestamp,
      "svix-signature": svixSigned.signature,
    },
    body: '{"test": 2432232314}',
    atS: 1_614_265_330,
  },
  {
    // The package hapi-dropbox-webhooks 1.1.0, test/index.js
    name: "Dropbox",
    verify: "{ scheme: hmac-sha256, header: X-Dropbox-Signature }",
    secret: "the_secret",
    headers: { "x-dropbox-signature": "0a8c16b085420b960dc78664279fe09e936a2a01b1f91064869d9e77dfd64529" },
    body: '{"delta": {"users": [12345]}}',
  },
  {
    // https://github.com/PaddleHQ/paddle-node-sdk, webhooks-validator
    name: "Paddle",
    verify: paddle,
    secret: "VALID_SECRET",
    headers: {
      "paddle-signature": "ts=1698796800;h1=a300428748dce5c70e4da19bffd60769591ea969c99dea3105d0ec9612cf43f9",
    },
    body: '{"data": ["1", "2"]}',
    atS: 1_698_796_800,
  },
  {
    name: "Paddle, with two secrets",
    verify: paddle,
    secret: "VALID_SECRET",
    headers: {
      "paddle-signature":
        "ts=1698796800;h1=0000000000000000000000000000000000000000000000000000000000000000;h1=28981e941fae76e53db32f3d2a83cb69db41476595e84e1970a1b5d98f62b261;h2=RANDOM_HASH",
    },
    body: '{"data": "value"}',
    atS: 1_698_796_800,
  },
  {
    // https://developer.squareup.com/docs/webhooks/step3validate
    name: "Square, its document",
    verify: square,
    secret: "asdf1234",
    headers: { "x-square-hmacsha256-signature": "2kRE5qRU2tR+tBGlDwMEw2avJ7QM4ikPYD/PJ3bd9Og=" },
    body: '{"hello":"world"}',
    url: "https://example.com/webhook",
  },
  {
    // https://github.com/square/square-nodejs-sdk, webhooks.test.ts
    name: "Square, its package",
    verify: square,
    secret: "Ibxx_5AKakO-3qeNVR61Dw",
    headers: { "x-square-hmacsha256-signature": "GF4YkrJgGBDZ9NIYbNXBnMzqb2HoL4RW/S6vkZ9/2N4=" },
    body: '{"merchant_id":"MLEFBHHSJGVHD","type":"webhooks.test_notification","event_id":"ac3ac95b-f97d-458c-a6e6-18981597e05f","created_at":"2022-07-13T20:30:59.037339943Z","data":{"type":"webhooks","id":"bc368e64-01aa-407e-b46e-3231809b1129"}}',
    url: "https://webhook.site/679a4f3a-dcfa-49ee-bac5-9d0edad886b9",
  },
  {
    // The result of `Signature.getSignature` of @hubspot/api-client 13 for the request of its own tests
    name: "HubSpot",
    verify: `{ scheme: hmac-sha256, header: X-HubSpot-Signature-v3, format: "{base64}", message: [POST, url, body, headers.X-HubSpot-Request-Timestamp] }`,
    secret: "yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy",
    headers: {
      "x-hubspot-signature-v3": "UgxiXD9ZqGyECxxAvsNDmK7wAK750p8vX79ZypTdcNg=",
      "x-hubspot-request-timestamp": "1698796800000",
    },
    body: '{"example_field":"example_value"}',
    url: "https://www.example.com/webhook_uri",
  },
  {
    // https://developer.zendesk.com/documentation/event-connectors/webhooks/verifying/
    name: "Zendesk's event connectors",
    verify: `{ scheme: hmac-sha256, header: X-Zendesk-Webhook-Signature, format: "{base64}", message: [body, headers.X-Zendesk-Webhook-Signature-Timestamp] }`,
    secret: "HRkRd4BeOAoUkfZr-mhauJT64rvBASlJRoIyPsd3zeA=",
    headers: {
      "x-zendesk-webhook-signature": "tRDSF7URY8BLCDlaBcQ7FHu051Zk+aAB0NKMP53teMw=",
      "x-zendesk-webhook-signature-timestamp": "2021-07-25T10:00:00Z",
    },
    body: '{"say": "hello"}',
  },
  {
    // https://github.com/box/box-python-sdk, test_webhook.py
    name: "Box",
    verify: `{ scheme: hmac-sha256, header: BOX-SIGNATURE-PRIMARY, format: "{base64}", message: [body, headers.BOX-DELIVERY-TIMESTAMP] }`,
    secret: "SamplePrimaryKey",
    headers: {
      "box-signature-primary": "6TfeAW3A1PASkgboxxA5yqHNKOwFyMWuEXny/FPD5hI=",
      "box-delivery-timestamp": "2020-01-01T00:00:00-07:00",
    },
    body: '{"type":"webhook_event","webhook":{"id":"1234567890"},"trigger":"FILE.UPLOADED","source":{"id":"1234567890","type":"file","name":"Test.txt"}}',
  },
];

function judge({ verify, secret, headers, body, url = "https://api.example.com/hooks/p/s", atS = 1e9 }: Vector) {
  const text = `project: p\nmodules: [webhooks]\nwebhooks:\n  in:\n    one: { verify: ${verify} }\n`;
  const { model, diagnostics } = checkBlueprint(text);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  const [source] = compileModel(model).background.inbound ?? [];
  const provider = source === undefined ? null : providerOf(source);
  if (provider === null || provider.scheme === "paypal") throw new Error("no scheme that is data");
  return verifyRequest(provider.scheme, { headers, body: Buffer.from(body), url, nowMs: atS * 1_000 }, [secret]);
}

describe.each(vectors)("$name", (vector) => {
  it("is genuine as printed, and not with another body, secret, or signed address or time", () => {
    expect(judge(vector)).toBeNull();
    expect(judge({ ...vector, body: `${vector.body} ` })).toBe("bad_signature");
    expect(judge({ ...vector, secret: svixSecret.replace("M", "N") })).toBe("bad_signature");
    if (vector.url !== undefined)
      expect(judge({ ...vector, url: "https://example.com/another" })).toBe("bad_signature");
    if (vector.atS !== undefined) expect(judge({ ...vector, atS: vector.atS + 301 })).toBe("old_timestamp");
  });
});
