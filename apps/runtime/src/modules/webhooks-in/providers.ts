// How each provider signs, as data, and where a request contains its type. Each entry names its source.
import type { IncomingHttpHeaders } from "node:http";
import type { BundleInbound, BundleScheme } from "@plinth/bundle";
import { isWebhookId } from "./paypal.ts";
import { isSecretOf, type MessagePart, type Scheme } from "./verify.ts";

export interface Provider {
  /** A name if it is more than data: see `paypal.ts`. */
  readonly scheme: Scheme | "paypal";
  /**
   * The paths that are used if the blueprint names none. Null: the type is unknown, and the body itself identifies
   * requests.
   */
  readonly type: string | null;
  readonly dedupe: string | null;
  /**
   * If the provider always sends a list: its path. Each item is an event if the source's `type` is a path within an
   * item.
   */
  readonly each?: string;
  /** The member of the body with the event's data, if the rest is an envelope; absent: the whole body. */
  readonly data?: string;
  /** A signed header that is never the same for two events: a second body with it is refused. */
  readonly proof?: string;
  /** An alternative prefix for some of the provider's headers. Each counts as the usual one. */
  readonly aliases?: { readonly from: string; readonly to: string };
  /** A signed request that asks whether the address is ours. */
  readonly challenge?: Challenge;
  /** Whether the provider first sends a GET with `hub.verify_token`, which is one of the source's secrets. */
  readonly asksByToken?: true;
}

export interface Challenge {
  /** A path in the request, and its value when the request asks. */
  readonly at: string;
  readonly is: string;
  /** The expected answer: the text at this path. */
  readonly answer: string;
  /** `signed`: as JSON, together with its HMAC by the secret. */
  readonly form: "text" | "signed";
}

const MINUTES_5 = 300;

const bodySigned: Scheme = {
  algorithm: "hmac-sha256",
  header: "",
  separator: null,
  prefix: "",
  suffix: "",
  encoding: "hex",
  secret: { prefix: "", encoding: "utf8" },
  timestamp: null,
  message: ["body"],
};

const timestampIn = (header: string, prefix = ""): Scheme["timestamp"] => ({
  header,
  prefix,
  toleranceSeconds: MINUTES_5,
});

export const providers: Readonly<Record<string, Provider>> = {
  // https://docs.easypost.com/guides/webhooks-guide
  easypost: {
    scheme: {
      ...bodySigned,
      header: "x-hmac-signature",
      prefix: "hmac-sha256-hex=",
      secret: { prefix: "", encoding: "utf8-nfkd" },
    },
    type: "body.description",
    dedupe: "body.id",
  },
  // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
  github: {
    scheme: { ...bodySigned, header: "x-hub-signature-256", prefix: "sha256=" },
    type: "headers.x-github-event",
    // Not by X-GitHub-Delivery, which is not signed: with another id, a captured request would start everything again.
    dedupe: null,
  },
  // https://developers.facebook.com/docs/graph-api/webhooks/getting-started
  meta: {
    scheme: { ...bodySigned, header: "x-hub-signature-256", prefix: "sha256=" },
    type: "body.object",
    dedupe: null,
    asksByToken: true,
  },
  // The signature only covers a checksum of the body, and another body can have the same checksum.
  paypal: { scheme: "paypal", type: "body.event_type", dedupe: "body.id", proof: "paypal-transmission-id" },
  // https://resend.com/docs/webhooks/verify-webhooks-requests
  resend: {
    scheme: {
      ...bodySigned,
      header: "svix-signature",
      separator: " ",
      prefix: "v1,",
      encoding: "base64",
      secret: { prefix: "whsec_", encoding: "base64" },
      timestamp: timestampIn("svix-timestamp"),
      message: [{ header: "svix-id" }, { text: "." }, "timestamp", { text: "." }, "body"],
    },
    type: "body.type",
    dedupe: "headers.svix-id",
  },
  // https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features
  sendgrid: {
    scheme: {
      ...bodySigned,
      algorithm: "ecdsa-sha256",
      header: "x-twilio-email-event-webhook-signature",
      encoding: "base64",
      timestamp: timestampIn("x-twilio-email-event-webhook-timestamp"),
      message: ["timestamp", "body"],
    },
    type: null,
    dedupe: null,
    each: "body",
  },
  // https://shopify.dev/docs/apps/build/webhooks/subscribe/https; without `x-`: https://shopify.dev/docs/apps/build/events/verify-deliveries
  shopify: {
    scheme: { ...bodySigned, header: "x-shopify-hmac-sha256", encoding: "base64" },
    type: "headers.x-shopify-topic",
    // Not by X-Shopify-Webhook-Id, which is not signed.
    dedupe: null,
    aliases: { from: "shopify-", to: "x-shopify-" },
  },
  // https://api.slack.com/authentication/verifying-requests-from-slack
  slack: {
    scheme: {
      ...bodySigned,
      header: "x-slack-signature",
      prefix: "v0=",
      timestamp: timestampIn("x-slack-request-timestamp"),
      message: [{ text: "v0:" }, "timestamp", { text: ":" }, "body"],
    },
    type: "body.event.type",
    dedupe: "body.event_id",
    challenge: { at: "body.type", is: "url_verification", answer: "body.challenge", form: "text" },
  },
  // https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
  standard: {
    scheme: {
      ...bodySigned,
      header: "webhook-signature",
      separator: " ",
      prefix: "v1,",
      encoding: "base64",
      secret: { prefix: "whsec_", encoding: "base64" },
      timestamp: timestampIn("webhook-timestamp"),
      message: [{ header: "webhook-id" }, { text: "." }, "timestamp", { text: "." }, "body"],
    },
    type: "body.type",
    dedupe: "headers.webhook-id",
    data: "data",
  },
  // https://docs.stripe.com/webhooks#verify-manually
  stripe: {
    scheme: {
      ...bodySigned,
      header: "stripe-signature",
      separator: ",",
      prefix: "v1=",
      timestamp: timestampIn("stripe-signature", "t="),
      message: ["timestamp", { text: "." }, "body"],
    },
    type: "body.type",
    dedupe: "body.id",
    data: "data",
  },
  // https://www.twilio.com/docs/usage/webhooks/webhooks-security
  twilio: {
    scheme: {
      ...bodySigned,
      algorithm: "form-sha1",
      header: "x-twilio-signature",
      encoding: "base64",
      message: [],
    },
    type: null,
    dedupe: null,
  },
  // https://dev.twitch.tv/docs/eventsub/handling-webhook-events/
  twitch: {
    scheme: {
      ...bodySigned,
      header: "twitch-eventsub-message-signature",
      prefix: "sha256=",
      message: [{ header: "twitch-eventsub-message-id" }, { header: "twitch-eventsub-message-timestamp" }, "body"],
    },
    type: "body.subscription.type",
    dedupe: "headers.twitch-eventsub-message-id",
    challenge: {
      at: "headers.twitch-eventsub-message-type",
      is: "webhook_callback_verification",
      answer: "body.challenge",
      form: "text",
    },
  },
  // https://developers.zoom.us/docs/api/webhooks/
  zoom: {
    scheme: {
      ...bodySigned,
      header: "x-zm-signature",
      prefix: "v0=",
      timestamp: timestampIn("x-zm-request-timestamp"),
      message: [{ text: "v0:" }, "timestamp", { text: ":" }, "body"],
    },
    type: "body.event",
    dedupe: null,
    challenge: { at: "body.event", is: "endpoint.url_validation", answer: "body.payload.plainToken", form: "signed" },
  },
};

/**
 * The maximum in blueprints. Older bundles may have more, which would let anybody make a process build huge messages.
 */
const MESSAGE_MAX = 20;
const FORMAT_MAX = 200;

/** Null if this version doesn't know how the provider signs. */
export function providerOf({ verify }: BundleInbound): Provider | null {
  if (typeof verify !== "string") {
    const isBounded = (verify.message?.length ?? 0) <= MESSAGE_MAX && (verify.format?.length ?? 0) <= FORMAT_MAX;
    return isBounded ? { scheme: ownScheme(verify), type: null, dedupe: null } : null;
  }
  return Object.hasOwn(providers, verify) ? (providers[verify] as Provider) : null;
}

/**
 * With alternative header names replaced by the usual ones. If both exist, the newer one counts, as in the provider's
 * libraries.
 */
export function headersOf({ aliases }: Pick<Provider, "aliases">, headers: IncomingHttpHeaders): IncomingHttpHeaders {
  if (aliases === undefined) return headers;
  const { from, to } = aliases;
  const renamed = Object.entries(headers).filter(([name]) => name.startsWith(from));
  return { ...headers, ...Object.fromEntries(renamed.map(([name, value]) => [to + name.slice(from.length), value])) };
}

/**
 * API keys and access tokens of Stripe, Slack, GitHub and Shopify, which people easily confuse with the secret that
 * signs webhooks.
 */
const API_KEY = /^(?:(?:sk|rk|pk)_(?:live|test)_|xox[abp]-|gh[opsu]_|github_pat_|shp(?:at|ca|pa)_)/;

/** Null if a text can be a secret of this provider's sources; else the expected form. */
export function secretProblem({ scheme }: Provider, text: string): string | null {
  if (scheme === "paypal")
    return isWebhookId(text) ? null : "PayPal's webhook id has 8 to 50 capital letters and digits.";
  if (scheme.algorithm !== "token" && API_KEY.test(text))
    return "This is an API key or an access token. It must be the secret that signs webhooks.";
  if (isSecretOf(scheme, text)) return null;
  if (/^e/.test(scheme.algorithm)) return "It must be the provider's public key, as PEM or base64.";
  return scheme.secret.encoding === "base64"
    ? "It must be at least 16 bytes as base64, with or without the prefix `whsec_`."
    : "It must have at least 8 characters.";
}

/**
 * A timestamp with its separator, if it shares the header with the signature; then the signature between prefix and
 * suffix.
 */
const FORMAT = /^(?:(.*?)\{timestamp\}\s*([,; ])\s*)?(.*?)\{(hex|base64|raw)\}(.*)$/s;

function ownScheme({ scheme, header, format = "{hex}", message = ["body"] }: BundleScheme): Scheme {
  const [, timePrefix, separator, prefix = "", encoding = "hex", suffix = ""] = FORMAT.exec(format) ?? [];
  const timestamp = timePrefix === undefined ? null : timestampIn(header, timePrefix);
  return {
    ...bodySigned,
    algorithm: scheme,
    header,
    separator: separator ?? null,
    prefix,
    suffix,
    encoding: scheme === "token" ? "raw" : (encoding as Scheme["encoding"]),
    timestamp,
    message: message.map((word) => (word === "timestamp" && timestamp !== null ? word : partOf(word))),
  };
}

function partOf(word: string): MessagePart {
  if (word === "body" || word === "url") return word;
  return word.startsWith("headers.") ? { header: word.slice("headers.".length).toLowerCase() } : { text: word };
}
