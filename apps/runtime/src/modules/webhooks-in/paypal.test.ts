// PayPal's signatures, as its documents prescribe them: which certificates are fetched, how often, and what is genuine.
// The certificates are created here; the host that serves them is the only fake.
import { generateKeyPairSync, type KeyObject, sign as signBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { createPaypalVerifier, isWebhookId, type PaypalVerifier } from "./paypal.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const SIGNER = "messageverificationcerts.paypal.com";
const CERT_URL = "https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-a5cafa77";
const WEBHOOK_ID = "9XL90610J3647323C";
const NOW_MS = Date.parse("2026-07-01T12:00:00Z");
const BODY = '{"id":"WH-1","event_type":"PAYMENT.SALE.COMPLETED","text":"café"}';

let published: Map<string, string | Error>;
let asked: string[];
let nowMs: number;
let paypal: PaypalVerifier;
beforeEach(() => {
  published = new Map([[CERT_URL, certificateFor(SIGNER)]]);
  asked = [];
  nowMs = NOW_MS;
  paypal = createPaypalVerifier({
    clock: { now: () => nowMs },
    fetchText: async (url) => {
      asked.push(url);
      const found = published.get(url) ?? null;
      if (found instanceof Error) throw found;
      return found;
    },
  });
});

interface Change {
  readonly body?: string;
  readonly webhookIds?: readonly string[];
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly key?: KeyObject;
  readonly time?: string;
  readonly source?: string;
}

function judge({ body = BODY, webhookIds = [WEBHOOK_ID], headers = {}, key = privateKey, ...rest }: Change = {}) {
  const { time = "2026-07-01T11:59:58Z", source = "prj_a/paypal" } = rest;
  const id = "d938e770-8046-11e6-8103-6b62a8a99ac4";
  const message = `${id}|${time}|${WEBHOOK_ID}|${crc32(BODY)}`;
  const sent = {
    "paypal-transmission-id": id,
    "paypal-transmission-time": time,
    "paypal-transmission-sig": signBytes("sha256", Buffer.from(message), key).toString("base64"),
    "paypal-auth-algo": "SHA256withRSA",
    "paypal-cert-url": CERT_URL,
    ...headers,
  };
  const request = { headers: sent, body: Buffer.from(body), url: "", nowMs };
  return paypal.verify(source, request, webhookIds);
}

describe("a request", () => {
  it("is genuine with any of the live webhook ids, and with no other", async () => {
    expect(await judge()).toBeNull();
    expect(await judge({ webhookIds: ["0AB00000A0000000A", WEBHOOK_ID] })).toBeNull();
    expect(await judge({ webhookIds: ["0AB00000A0000000A"] })).toBe("bad_signature");
    expect(await judge({ webhookIds: [] })).toBe("bad_signature");
  });

  it("is not genuine with another body, another key, or without a part", async () => {
    expect(await judge({ body: `${BODY} ` })).toBe("bad_signature");
    const other = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
    expect(await judge({ key: other })).toBe("bad_signature");
    expect(await judge({ headers: { "paypal-transmission-id": "another" } })).toBe("bad_signature");
    for (const name of ["paypal-transmission-id", "paypal-transmission-sig", "paypal-cert-url", "paypal-auth-algo"])
      expect(await judge({ headers: { [name]: undefined } })).toBe("no_signature");
    expect(await judge({ headers: { "paypal-auth-algo": "SHA1withRSA" } })).toBe("no_signature");
  });

  it("is not genuine if it was sent days ago, or without a time", async () => {
    expect(await judge({ time: "2026-06-28T12:00:00Z" })).toBeNull();
    expect(await judge({ time: "2026-06-26T12:00:00Z" })).toBe("old_timestamp");
    expect(await judge({ time: "2026-07-06T12:00:00Z" })).toBe("old_timestamp");
    for (const time of ["", "yesterday", "1782907198"]) expect(await judge({ time })).toBe("bad_timestamp");
  });
});

describe("a certificate", () => {
  it.each([
    "http://api.paypal.com/v1/notifications/certs/CERT-1",
    "https://api.paypal.com.evil.example/v1/notifications/certs/CERT-1",
    "https://evil.example/v1/notifications/certs/CERT-1",
    "https://api.paypal.com@evil.example/v1/notifications/certs/CERT-1",
    "https://api.paypal.com:8443/v1/notifications/certs/CERT-1",
    "https://api.paypal.com/v1/notifications/certs/../../CERT-1",
    "https://api.paypal.com/v1/notifications/certs/CERT-1?a=b",
    "https://api.paypal.com/v1/notifications/certs/CERT-1#a",
    "https://API.paypal.com/v1/notifications/certs/CERT-1\n",
    "https://169.254.169.254/v1/notifications/certs/CERT-1",
    "https://www.paypal.com/v1/notifications/certs/CERT-1",
  ])("is never fetched from %j", async (url) => {
    published.set(url, certificateFor(SIGNER));
    expect(await judge({ headers: { "paypal-cert-url": url } })).toBe("bad_signature");
    expect(asked).toEqual([]);
  });

  it.each(["https://api.sandbox.paypal.com", "https://api-m.paypal.com", "https://api-m.sandbox.paypal.com"])(
    "is fetched from %s",
    async (origin) => {
      const url = `${origin}/v1/notifications/certs/CERT-1`;
      published.set(url, certificateFor(SIGNER));
      expect(await judge({ headers: { "paypal-cert-url": url } })).toBeNull();
      expect(asked).toEqual([url]);
    },
  );

  it("is fetched once for simultaneous requests, and again when it has expired", async () => {
    published.set(CERT_URL, certificateFor(SIGNER, "20200101000000Z", "20260703000000Z"));
    await Promise.all([judge(), judge(), judge()]);
    nowMs += 86_400_000;
    // PayPal no longer has it, or doesn't answer: its signatures are still verified.
    published.set(CERT_URL, new Error("no answer"));
    expect(await judge({ time: "2026-07-02T12:00:00Z" })).toBeNull();
    expect(asked).toHaveLength(1);
    nowMs += 86_400_000;
    await expect(judge({ time: "2026-07-03T11:00:00Z" })).rejects.toMatchObject({ code: "unavailable" });
    published.set(CERT_URL, certificateFor(SIGNER));
    expect(await judge({ time: "2026-07-03T11:00:00Z" })).toBeNull();
    expect(asked).toHaveLength(3);
  });

  it("that is known is not evicted by those that strangers name", async () => {
    expect(await judge()).toBeNull();
    for (let at = 0; at < 200; at++) {
      nowMs += 60_000;
      const url = `https://api.paypal.com/v1/notifications/certs/CERT-${at}`;
      await judge({ headers: { "paypal-cert-url": url } });
    }
    published.set(CERT_URL, new Error("no answer"));
    expect(await judge({ time: new Date(nowMs).toISOString() })).toBeNull();
  });

  it("of another name, out of date, or of another kind proves nothing", async () => {
    for (const text of [
      certificateFor("www.paypal.com"),
      certificateFor(`${SIGNER}.evil.example`),
      certificateFor(SIGNER, "20200101000000Z", "20210101000000Z"),
      certificateFor(SIGNER, "20300101000000Z", "20310101000000Z"),
      "no certificate",
    ]) {
      published.set(CERT_URL, text);
      expect(await judge()).toBe("bad_signature");
      nowMs += 3_600_001;
    }
  });

  it("that is missing is not requested again; one that could not be fetched is", async () => {
    published.delete(CERT_URL);
    expect([await judge(), await judge()]).toEqual(["bad_signature", "bad_signature"]);
    expect(asked).toHaveLength(1);
    nowMs += 3_600_001;
    published.set(CERT_URL, new Error("no answer"));
    await expect(judge()).rejects.toMatchObject({ code: "unavailable" });
    published.set(CERT_URL, certificateFor(SIGNER));
    expect(await judge({ time: "2026-07-01T12:59:00Z" })).toBeNull();
    expect(asked).toHaveLength(3);
  });

  it("that strangers name only uses up the budget of one source, and doesn't affect sources with a known certificate", async () => {
    expect(await judge()).toBeNull();
    const named = (at: number) => ({
      headers: { "paypal-cert-url": `https://api.paypal.com/v1/notifications/certs/CERT-${at}` },
    });
    const ends = await Promise.allSettled(Array.from({ length: 30 }, (_, at) => judge(named(at))));
    expect(ends.filter(({ status }) => status === "rejected").length).toBeGreaterThan(20);
    expect(asked.length).toBeLessThanOrEqual(5);
    expect(await judge()).toBeNull();
    expect(await judge({ ...named(99), source: "prj_b/paypal" })).toBe("bad_signature");
    expect(asked.at(-1)).toContain("CERT-99");
  });
});

it.each([
  [WEBHOOK_ID, true],
  ["whsec_no_id_at_all", false],
  ["9XL|0610J3647", false],
  ["9XL", false],
])("%j as a webhook id: %s", (text, isOne) => expect(isWebhookId(text)).toBe(isOne));

/** An X.509 certificate as PEM that signs itself (RFC 5280). Times as `YYYYMMDDhhmmssZ`. */
function certificateFor(commonName: string, from = "20200101000000Z", to = "20400101000000Z"): string {
  const algorithm = Buffer.from("300d06092a864886f70d01010b0500", "hex");
  const name = der(0x30, der(0x31, der(0x30, Buffer.from("0603550403", "hex"), der(0x0c, Buffer.from(commonName)))));
  const signed = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    der(0x30, der(0x18, Buffer.from(from)), der(0x18, Buffer.from(to))),
    name,
    publicKey.export({ format: "der", type: "spki" }),
  );
  const signature = der(0x03, Buffer.from([0]), signBytes("sha256", signed, privateKey));
  const lines =
    der(0x30, signed, algorithm, signature)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
