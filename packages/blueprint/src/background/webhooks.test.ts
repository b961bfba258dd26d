// Schemes of a blueprint's own: where a timestamp may be in `format`, and that it is signed.
import { expect, test } from "vitest";
import { checkBlueprint } from "../index.ts";

const diagnosed = (rest: string) =>
  checkBlueprint(
    `project: demo\nmodules: [webhooks]\nwebhooks:\n  in:\n    shop: { verify: { scheme: hmac-sha256, header: x-sign, ${rest} } }\n`,
  ).diagnostics.map(({ code }) => code);

test.each([
  'format: "t={timestamp},v1={hex}", message: [timestamp, ".", body]',
  'format: "ts={timestamp}; h1={base64}", message: [timestamp, ":", body]',
  'format: "{base64}", message: [POST, url, body, headers.x-time]',
])("`%s` is a scheme", (rest) => expect(diagnosed(rest)).toEqual([]));

test.each([
  'format: "v1={hex},t={timestamp}", message: [timestamp, body]',
  'format: "t={timestamp}{hex}", message: [timestamp, body]',
  'format: "t={timestamp},v1={hex}", message: [body]',
  'format: "t={timestamp},v1={hex}"',
  'format: "{hex}", message: [timestamp, body]',
  "message: [timestamp, body]",
])("`%s` is none", (rest) => expect(diagnosed(rest)).toEqual(["invalid_webhook"]));
