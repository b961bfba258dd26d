// Known providers of connectors. Only data.

/** Valid values for `verify` of an inbound webhook: their signatures need no description. */
export const webhookProviders: readonly string[] = [
  "easypost",
  "github",
  "meta",
  "paypal",
  "resend",
  "sendgrid",
  "shopify",
  "slack",
  "standard",
  "stripe",
  "twilio",
  "twitch",
  "zoom",
];

/** How a request can be signed, if no provider is named. */
export const signatureSchemes: readonly string[] = ["hmac-sha256", "hmac-sha1", "hmac-sha512", "token", "ed25519"];

/**
 * Where a request of the provider has the type of its event, in the form of a source's `type`; missing if it is
 * nowhere.
 */
export const providerTypes: Readonly<Record<string, string>> = {
  easypost: "body.description",
  github: "headers.x-github-event",
  meta: "body.object",
  paypal: "body.event_type",
  resend: "body.type",
  shopify: "headers.x-shopify-topic",
  slack: "body.event.type",
  standard: "body.type",
  stripe: "body.type",
  twitch: "body.subscription.type",
  zoom: "body.event",
};

/** Services that are not providers, with the description to use instead of their name. */
export const describedServices: Readonly<Record<string, string>> = {
  box: '{ scheme: hmac-sha256, header: box-signature-primary, format: "{base64}", message: [body, headers.box-delivery-timestamp] }',
  calendly:
    '{ scheme: hmac-sha256, header: calendly-webhook-signature, format: "t={timestamp},v1={hex}", message: [timestamp, ".", body] }',
  clerk: "resend",
  dropbox: "{ scheme: hmac-sha256, header: x-dropbox-signature }",
  gitlab: "{ scheme: token, header: x-gitlab-token }",
  hubspot:
    '{ scheme: hmac-sha256, header: x-hubspot-signature-v3, format: "{base64}", message: [POST, url, body, headers.x-hubspot-request-timestamp] }',
  intercom: '{ scheme: hmac-sha1, header: x-hub-signature, format: "sha1={hex}" }',
  lemonsqueezy: "{ scheme: hmac-sha256, header: x-signature }",
  linear: "{ scheme: hmac-sha256, header: linear-signature }",
  paddle:
    '{ scheme: hmac-sha256, header: paddle-signature, format: "ts={timestamp};h1={hex}", message: [timestamp, ":", body] }',
  square: '{ scheme: hmac-sha256, header: x-square-hmacsha256-signature, format: "{base64}", message: [url, body] }',
  svix: "resend",
  trello: '{ scheme: hmac-sha1, header: x-trello-webhook, format: "{base64}", message: [body, url] }',
  zendesk:
    '{ scheme: hmac-sha256, header: x-zendesk-webhook-signature, format: "{base64}", message: [headers.x-zendesk-webhook-signature-timestamp, body] }',
};

/** Providers whose requests are lists of events. */
export const listingProviders: readonly string[] = ["sendgrid"];

/** The headers that a provider signs; the others sign none. */
export const providersSign: Readonly<Record<string, readonly string[]>> = {
  paypal: ["paypal-transmission-id", "paypal-transmission-time"],
  resend: ["svix-id", "svix-timestamp", "svix-signature"],
  sendgrid: ["x-twilio-email-event-webhook-timestamp", "x-twilio-email-event-webhook-signature"],
  slack: ["x-slack-request-timestamp", "x-slack-signature"],
  standard: ["webhook-id", "webhook-timestamp", "webhook-signature"],
  stripe: ["stripe-signature"],
  twitch: ["twitch-eventsub-message-id", "twitch-eventsub-message-timestamp", "twitch-eventsub-message-signature"],
  zoom: ["x-zm-request-timestamp", "x-zm-signature"],
};

/** The kinds of integrations, and their providers. */
export const integrationKinds: Readonly<Record<string, readonly string[]>> = {
  parcel: ["easypost", "shippo"],
  payment: ["paypal", "stripe"],
  email: ["resend", "smtp"],
  sms: ["twilio"],
  chat: ["slack"],
  model: ["anthropic", "openai"],
};

export const connectorProviders: readonly string[] = Object.values(integrationKinds).flat();
