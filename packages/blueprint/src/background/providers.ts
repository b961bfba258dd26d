// Providers that connectors are known for by name. Data alone.

/** What can be named as `verify` of an inbound webhook: their signatures need no description. */
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

/** Those whose requests are lists of events. */
export const listingProviders: readonly string[] = ["sendgrid"];

/** The headers that they sign; of the others none. */
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

/** What an integration is for, and who provides it. */
export const integrationKinds: Readonly<Record<string, readonly string[]>> = {
  parcel: ["easypost", "shippo"],
  payment: ["paypal", "stripe"],
  email: ["resend", "smtp"],
  sms: ["twilio"],
  chat: ["slack"],
  model: ["anthropic", "openai"],
};

export const connectorProviders: readonly string[] = Object.values(integrationKinds).flat();
