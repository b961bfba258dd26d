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
