// Verifies that PayPal signed a request: RSA over ids and a checksum of the body, with a certificate that PayPal
// publishes at an address in the request. In: the raw request and the possible webhook ids. Out: null if it is genuine,
// else the reason why not. It only fetches from PayPal's own hosts, once for as long as a certificate is valid, and
// within its budget. https://developer.paypal.com/api/rest/webhooks/rest/#link-messagesignature
import { verify as verifySignature, X509Certificate } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { crc32 } from "node:zlib";
import { type Clock, Fault } from "@plinth/service";
import { createRateLimiter, type RateLimit } from "../../http/rate-limiter.ts";
import type { Refusal, SignedRequest } from "./verify.ts";

export interface PaypalVerifierOptions {
  /**
   * Fetches the text at a checked address; null if its server answers that there is none. @throws Error if there is no
   * answer.
   */
  readonly fetchText: (url: string) => Promise<string | null>;
  readonly clock: Clock;
}

export interface PaypalVerifier {
  /**
   * @param source Its budget counts the fetch. @param webhookIds All live ones: one match is enough. @throws Fault
   * unavailable if the certificate can't be fetched now. PayPal will send the request again.
   */
  verify(source: string, request: SignedRequest, webhookIds: readonly string[]): Promise<Refusal | null>;
}

const CERTIFICATE =
  /^https:\/\/api(?:-m)?(?:\.sandbox)?\.paypal\.com\/v1\/notifications\/certs\/CERT-[0-9A-Za-z-]{1,80}$/;
/** The certificates that sign messages. PayPal has others, which don't count. */
const SIGNER = /(?:^|\n)CN=messageverificationcerts(?:\.sandbox)?\.paypal\.com(?:\n|$)/;
/** PayPal repeats an event for three days, and doesn't say whether it signs again. */
const TOLERANCE_MS = 4 * 86_400_000;
/** A missing or useless certificate is only requested again after this time. */
const ABSENT_MS = 3_600_000;
const KEPT_MAX = 50;
/** Fetches that strangers can cause by naming missing certificates: for one source, and for this process. */
const OF_SOURCE: RateLimit = { perSecond: 0.1, burst: 5 };
const OF_ALL: RateLimit = { perSecond: 1, burst: 20 };

/** Whether a text can be the id of a webhook at PayPal. */
export function isWebhookId(text: string): boolean {
  return /^[0-9A-Z]{8,50}$/.test(text);
}

export function createPaypalVerifier({ fetchText, clock }: PaypalVerifierOptions): PaypalVerifier {
  /** Until they expire. Requests with missing certificates can't evict any of these. */
  const certificates = new Map<string, X509Certificate>();
  /** Fetches in progress, and certificates that were missing. */
  const fetched = new Map<string, { readonly untilMs: number; readonly found: Promise<X509Certificate | null> }>();
  const budget = createRateLimiter(OF_SOURCE, clock);

  async function certificateAt(source: string, url: string): Promise<X509Certificate | null> {
    const certificate = certificates.get(url);
    if (certificate !== undefined && isValidAt(certificate, clock.now())) return certificate;
    certificates.delete(url);
    const known = fetched.get(url);
    if (known !== undefined && known.untilMs > clock.now()) return known.found;
    if (!budget.take(`source ${source}`).allowed || !budget.take("all", 1, OF_ALL).allowed) {
      throw new Fault("unavailable", { detail: "Too many certificates were requested." });
    }
    const found = fetchText(url).then(
      (text) => (text === null ? null : certificateOf(text)),
      (cause: unknown) => {
        throw new Fault("unavailable", { detail: "The certificate could not be fetched.", cause });
      },
    );
    fetched.delete(url);
    fetched.set(url, { untilMs: clock.now() + ABSENT_MS, found });
    dropOldest(fetched);
    const forget = (): void => {
      if (fetched.get(url)?.found === found) fetched.delete(url);
    };
    found.then(
      (brought) => {
        if (brought === null || !isValidAt(brought, clock.now())) return;
        forget();
        certificates.set(url, brought);
        dropOldest(certificates);
      },
      // A failed fetch is repeated; a missing certificate is not.
      forget,
    );
    return found;
  }

  return {
    async verify(source, { headers, body, nowMs }, webhookIds) {
      const [signature, id, time, url] = ["sig", "id", "time"]
        .map((name) => headerOf(headers, `paypal-transmission-${name}`))
        .concat(headerOf(headers, "paypal-cert-url"));
      if (!signature || !id || !url || headerOf(headers, "paypal-auth-algo") !== "SHA256withRSA") return "no_signature";
      const sentMs = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(time ?? "") ? Date.parse(time ?? "") : Number.NaN;
      if (Number.isNaN(sentMs)) return "bad_timestamp";
      if (!CERTIFICATE.test(url)) return "bad_signature";
      const certificate = await certificateAt(source, url);
      if (certificate === null || !isValidAt(certificate, nowMs)) return "bad_signature";
      const bytes = Buffer.from(signature, "base64");
      const fits = webhookIds.map((webhookId) =>
        verifySignature(
          "sha256",
          Buffer.from(`${id}|${time}|${webhookId}|${crc32(body)}`),
          certificate.publicKey,
          bytes,
        ),
      );
      if (!fits.includes(true)) return "bad_signature";
      return Math.abs(nowMs - sentMs) > TOLERANCE_MS ? "old_timestamp" : null;
    },
  };
}

function dropOldest(kept: Map<string, unknown>): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT_MAX) break;
    kept.delete(oldest);
  }
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name];
  return typeof value === "string" && value.length <= 1_000 ? value : null;
}

/**
 * Null if it isn't a certificate, or not one that signs messages. The connection that fetched it has proved the chain
 * to its issuer.
 */
function certificateOf(text: string): X509Certificate | null {
  try {
    const certificate = new X509Certificate(text);
    return SIGNER.test(certificate.subject) && certificate.publicKey.asymmetricKeyType === "rsa" ? certificate : null;
  } catch {
    return null;
  }
}

function isValidAt(certificate: X509Certificate, nowMs: number): boolean {
  return Date.parse(certificate.validFrom) <= nowMs && nowMs <= Date.parse(certificate.validTo);
}
