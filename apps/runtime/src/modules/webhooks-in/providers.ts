// How providers sign, as data, and where they say of which type a request is. Each entry names the page that it was taken from.
import type { BundleInbound, BundleScheme } from "@plinth/bundle";
import type { MessagePart, Scheme } from "./verify.ts";

export interface Provider {
  readonly scheme: Scheme;
  /** Paths, where the blueprint names none; null: the type is unknown, and the body itself tells requests apart. */
  readonly type: string | null;
  readonly dedupe: string | null;
  /** A request that asks whether the address is ours: what its type is then, and where what it wants to hear is. */
  readonly challenge?: { readonly type: string; readonly answer: string };
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
    dedupe: "headers.x-github-delivery",
  },
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
  },
  // https://shopify.dev/docs/apps/build/webhooks/subscribe/https
  shopify: {
    scheme: { ...bodySigned, header: "x-shopify-hmac-sha256", encoding: "base64" },
    type: "headers.x-shopify-topic",
    dedupe: "headers.x-shopify-webhook-id",
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
    challenge: { type: "url_verification", answer: "body.challenge" },
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
};

/** Null where this version doesn't know how the provider signs. */
export function providerOf({ verify }: BundleInbound): Provider | null {
  if (typeof verify !== "string") return { scheme: ownScheme(verify), type: null, dedupe: null };
  return Object.hasOwn(providers, verify) ? (providers[verify] as Provider) : null;
}

function ownScheme({ scheme, header, format = "{hex}", message = ["body"] }: BundleScheme): Scheme {
  const [, prefix = "", encoding = "hex", suffix = ""] = /^(.*?)\{(hex|base64|raw)\}(.*)$/s.exec(format) ?? [];
  return {
    ...bodySigned,
    algorithm: scheme,
    header,
    prefix,
    suffix,
    encoding: scheme === "token" ? "raw" : (encoding as Scheme["encoding"]),
    message: message.map(partOf),
  };
}

function partOf(word: string): MessagePart {
  if (word === "body") return word;
  return word.startsWith("headers.") ? { header: word.slice("headers.".length).toLowerCase() } : { text: word };
}
