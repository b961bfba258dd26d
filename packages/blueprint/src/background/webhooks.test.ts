// A blueprint's own signature schemes: the place of a timestamp in `format`, and that it is signed.
import { expect, test } from "vitest";
import { checkBlueprint } from "../index.ts";
import { describedServices } from "../modules/providers.ts";

const diagnosed = (rest: string) =>
  checkBlueprint(
    `project: demo\nmodules: [webhooks]\nwebhooks:\n  in:\n    shop: { verify: { scheme: hmac-sha256, header: x-sign, ${rest} } }\n`,
  ).diagnostics.map(({ code }) => code);

test.each([
  'format: "t={timestamp},v1={hex}", message: [timestamp, ".", body]',
  'format: "ts={timestamp}; h1={base64}", message: [timestamp, ":", body]',
  'format: "{base64}", message: [POST, url, body, headers.x-time]',
])("`%s` is a valid scheme", (rest) => expect(diagnosed(rest)).toEqual([]));

test.each([
  'format: "v1={hex},t={timestamp}", message: [timestamp, body]',
  'format: "t={timestamp}{hex}", message: [timestamp, body]',
  'format: "t={timestamp},v1={hex}", message: [body]',
  'format: "t={timestamp},v1={hex}"',
  'format: "{hex}", message: [timestamp, body]',
  "message: [timestamp, body]",
  "message: [body, body]",
  `message: [body, ${Array(20).fill("x").join()}]`,
  `format: "${" ".repeat(200)}{hex}"`,
])("`%s` is not a valid scheme", (rest) => expect(diagnosed(rest)).toEqual(["invalid_webhook"]));

const keyed = (verify: string, dedupe: string) =>
  checkBlueprint(
    `project: demo\nmodules: [webhooks]\nwebhooks:\n  in:\n    shop: { verify: ${verify}, dedupe: ${dedupe} }\n`,
  ).diagnostics.map(({ code, severity, hint }) => [code, severity, hint?.includes("body.id")]);
const own = (rest: string) => `{ scheme: hmac-sha256, header: X-Sign, message: [${rest}] }`;

test.each([
  ["github", "headers.x-github-delivery"],
  ["shopify", "headers.X-Shopify-Webhook-Id"],
  ["stripe", "headers.x-id"],
  [own("body"), "headers.x-id"],
  [own("headers.x-time, body"), "headers.x-id"],
])("`%s` doesn't sign `%s`", (verify, dedupe) =>
  expect(keyed(verify, dedupe)).toEqual([["unsigned_dedupe", "warning", true]]),
);

test.each([
  ["github", "body.id"],
  ["standard", "headers.Webhook-Id"],
  ["resend", "headers.svix-id"],
  ["twitch", "headers.twitch-eventsub-message-id"],
  ["paypal", "headers.paypal-transmission-id"],
  [own("headers.X-Id, body"), "headers.x-id"],
  [own("body"), "headers.x-sign"],
  // A token signs nothing, so the body is not signed either.
  ["{ scheme: token, header: x-token }", "headers.x-id"],
])("`%s` and `%s` can be combined", (verify, dedupe) => expect(keyed(verify, dedupe)).toEqual([]));

const source = (rest: string) =>
  checkBlueprint(`project: demo\nmodules: [webhooks]\nwebhooks:\n  in:\n    shop: { ${rest} }\n`).diagnostics.map(
    ({ code }) => code,
  );

test.each([
  "verify: stripe, each: body, type: item.type, dedupe: item.id",
  "verify: stripe, each: body.data.events, type: body.kind",
  "verify: sendgrid, type: item.event, dedupe: item.sg_event_id",
])("`%s` is a list of events", (rest) => expect(source(rest)).toEqual([]));

test.each([
  "verify: stripe, type: item.type",
  "verify: stripe, dedupe: item.id",
  "verify: stripe, each: headers.x-list, type: item.type",
  "verify: stripe, each: events, type: item.type",
  "verify: stripe, each: body, type: item",
])("`%s` is not a list of events", (rest) => expect(source(rest)).toEqual(["invalid_webhook"]));

const hintsOf = (source: string) =>
  checkBlueprint(`project: demo\nmodules: [webhooks]\nwebhooks:\n  in:\n    shop: { ${source} }\n`).diagnostics.map(
    ({ hint }) => hint,
  );

test.each([
  ["github", "headers.x-github-event"],
  ["stripe", "body.type"],
  ["zoom", "body.event"],
  ["{ scheme: token, header: x-token }", "body.type"],
])("without `type`, the hint for %s names the place of the type", (verify, type) =>
  expect(hintsOf(`verify: ${verify}, events: { a: a.happened }`)).toEqual([
    `Say where a request has the type of its event: \`type: ${type}\`.`,
  ]),
);

test.each(Object.entries(describedServices))(
  "the hint for %s describes how it signs, and is valid",
  (name, described) => {
    expect(hintsOf(`verify: ${name}`)).toEqual([`Write \`verify: ${described}\`.`]);
    expect(hintsOf(`verify: ${described}`)).toEqual([]);
  },
);

test("a misspelt provider still gets the nearest name as a hint", () =>
  expect([...hintsOf("verify: githb"), ...hintsOf("verify: Lemon-Squeezy")]).toEqual([
    "Did you mean `github`?",
    `Write \`verify: ${describedServices["lemonsqueezy"]}\`.`,
  ]));
