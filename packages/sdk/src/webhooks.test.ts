// `verifyWebhook` accepts and refuses the same signatures as the libraries of Standard Webhooks and Svix.
import { generateKeyPairSync, sign } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { expect, test } from "vitest";
import { verifyWebhook, WebhookRefused } from "./webhooks.ts";

const secret = `whsec_${Buffer.from("a secret of thirty-two bytes....").toString("base64")}`;
const other = `whsec_${Buffer.from("another one of thirty-two bytes!").toString("base64")}`;
const body = JSON.stringify({ id: "1", name: "order.paid", record: { title: "Größe ☃" } });
const at = new Date("2026-05-01T12:00:00Z");
const now = at.getTime();
const time = String(now / 1000);

function signed(signature: string, more: Record<string, string> = {}): Record<string, string> {
  return { "webhook-id": "msg_1", "webhook-timestamp": time, "webhook-signature": signature, ...more };
}
const good = new Webhook(secret).sign("msg_1", at, body);

test.each([
  ["standardwebhooks", good],
  ["svix", new SvixWebhook(secret).sign("msg_1", at, body)],
])("accepts signatures of %s", async (_, signature) => {
  const headers = signed(signature);
  expect(await verifyWebhook(body, headers, secret, { now })).toEqual(JSON.parse(body));
  expect(await verifyWebhook(new TextEncoder().encode(body), new Headers(headers), secret, { now })).toBeTruthy();
  expect(await verifyWebhook(body, headers, [other, secret], { now })).toBeTruthy();
  expect(await verifyWebhook(body, signed(`v1,AAAA v2,zz ${signature}`), secret, { now })).toBeTruthy();
});

test("accepts Ed25519", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const open = `whpk_${Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url").toString("base64")}`;
  const signature = sign(null, Buffer.from(`msg_1.${time}.${body}`), privateKey).toString("base64");
  expect(await verifyWebhook(body, signed(`v1a,${signature}`), open, { now })).toBeTruthy();
  for (const wrong of [`v1,${signature}`, `v1a,${signature.replace(/^./, (c) => (c === "A" ? "B" : "A"))}`])
    await expect(verifyWebhook(body, signed(wrong), open, { now })).rejects.toThrow(WebhookRefused);
  await expect(verifyWebhook(body, signed(good.replace("v1,", "v1a,")), [secret, open], { now })).rejects.toThrow(
    WebhookRefused,
  );
});

test.each([
  ["another body", `${body} `, signed(good)],
  ["another id", body, signed(good, { "webhook-id": "msg_2" })],
  ["another secret's signature", body, signed(new Webhook(other).sign("msg_1", at, body))],
  ["no signature", body, signed("")],
  ["no version", body, signed(good.slice(3))],
  ["a version of its own", body, signed(good.replace("v1,", "v2,"))],
  ["more behind the signature", body, signed(`${good},x`)],
  ["not base64", body, signed(good.replace(/.$/, "!"))],
  ["base64 of URLs", body, signed(`v1,${"_".repeat(43)}=`)],
  ["signatures that commas join", body, signed(`v1,AAAA,${good}`)],
  ["a timestamp with a fraction", body, signed(good, { "webhook-timestamp": `${time}.0` })],
  ["a timestamp with something behind it", body, signed(good, { "webhook-timestamp": `${time}x` })],
  ["a timestamp in hexadecimal", body, signed(good, { "webhook-timestamp": `0x${Number(time).toString(16)}` })],
  ["a timestamp with a sign", body, signed(good, { "webhook-timestamp": `+${time}` })],
  ["no id", body, signed(good, { "webhook-id": "" })],
])("refuses %s", async (_, sent, headers) => {
  await expect(verifyWebhook(sent, headers, secret, { now })).rejects.toThrow(WebhookRefused);
});

test("refuses timestamps that are too old or too new, like both libraries", async () => {
  for (const seconds of [-301, 301]) {
    const late = new Date(Date.now() + seconds * 1000);
    const signature = new Webhook(secret).sign("msg_1", late, body);
    const headers = signed(signature, { "webhook-timestamp": String(Math.floor(late.getTime() / 1000)) });
    expect(() => new Webhook(secret).verify(body, headers)).toThrow();
    expect(() => new SvixWebhook(secret).verify(body, headers)).toThrow();
    await expect(verifyWebhook(body, headers, secret)).rejects.toThrow(WebhookRefused);
    expect(await verifyWebhook(body, headers, secret, { toleranceSeconds: 400 })).toBeTruthy();
  }
});

test.each(["", "whsec_", "whsec_AAAA", "whpk_AAAA", "whsk_AAAA", secret.slice(6)])(
  "%j is not a secret",
  async (wrong) => {
    await expect(verifyWebhook(body, signed(good), wrong, { now })).rejects.toThrow(TypeError);
  },
);

test("a signed body that is not JSON is refused", async () => {
  const bytes = Buffer.from([0x22, 0xff, 0x22]);
  const signature = new Webhook(secret).sign("msg_1", at, bytes as unknown as string);
  await expect(verifyWebhook(bytes, signed(signature), secret, { now })).rejects.toThrow(WebhookRefused);
});
