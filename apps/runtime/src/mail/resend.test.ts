// Resend's API against a server that keeps state and speaks its protocol: what is sent, what its errors mean for a
// retry, and that a mail whose answer was lost arrives once.
import { loadEmailProvider, type Mail, MailError } from "@plinth/connectors/email";
import { networksOf } from "@plinth/service";
import { afterEach, expect, it } from "vitest";
import { createOutbound } from "../outbound/call.ts";
import { createNetwork } from "./network.ts";
import { type ResendAnswer, type ResendServer, resendKeys, startResend } from "./testing/resend-server.ts";

const allowed = networksOf(["127.0.0.1"]);
const network = createNetwork({ outbound: createOutbound({ outboundAllowed: allowed }), allowed }, "prj_test");
const provider = (await loadEmailProvider("resend"))!;
const connection = {
  settings: { from_address: "desk@example.com", from_name: 'The "desk"' },
  secrets: { api_key: resendKeys.sending as string },
};
const mail: Mail = {
  messageId: "<one@example.com>",
  to: "ana@example.com",
  replyTo: "bo@example.com",
  subject: "Hello",
  text: "Hello.",
  html: "<p>Hello.</p>",
  key: "one",
};

let server: ResendServer | null = null;
afterEach(async () => server?.close());

async function start(answer?: (call: number) => ResendAnswer) {
  server = await startResend(answer);
  const through = server.networkThrough(network);
  return {
    server,
    test: (key: string) => provider.test({ ...connection, secrets: { api_key: key } }, through, 2_000),
    send: (more: Partial<Mail> = {}) => provider.send(connection, { ...mail, ...more }, through, 2_000),
  };
}

const failing = (sending: Promise<unknown>): Promise<MailError> =>
  sending.then(
    () => Promise.reject(new Error("it was sent")),
    (error: unknown) => (error instanceof MailError ? error : Promise.reject(error)),
  );

it("sends a request as documented, and returns Resend's id of the mail", async () => {
  const { server: resend, send } = await start();
  const id = await send();
  expect(resend.sent).toEqual([
    {
      id,
      from: '"The \\"desk\\"" <desk@example.com>',
      to: ["ana@example.com"],
      subject: "Hello",
      text: "Hello.",
      html: "<p>Hello.</p>",
      reply_to: "bo@example.com",
      headers: { "Message-ID": "<one@example.com>", "Auto-Submitted": "auto-generated" },
    },
  ]);
});

it("a key with all rights, or only for sending, works; another one does not", async () => {
  const { test } = await start();
  await test(resendKeys.full);
  await test(resendKeys.sending);
  expect(await failing(test("re_wrong"))).toMatchObject({ problem: "refused" });
});

it("a mail with a lost answer arrives once, however often it is repeated", async () => {
  const { server: resend, send } = await start((call) => (call === 1 ? "lose" : "take"));
  expect(await failing(send())).toMatchObject({ problem: "unknown" });
  const id = await send();
  expect(await send()).toBe(id);
  expect(resend.sent.map((each) => each.id)).toEqual([id]);
  expect(resend.calls).toBe(3);
});

it("with the key of an earlier mail, another text is not sent", async () => {
  const { server: resend, send } = await start();
  await send();
  expect(await send({ text: "Written anew." })).toBeNull();
  expect(resend.sent).toHaveLength(1);
  await send({ key: "two", text: "Written anew." });
  expect(resend.sent).toHaveLength(2);
});

it.each<[number, string, number | undefined, object]>([
  [400, "validation_error", undefined, { problem: "refused" }],
  [422, "missing_required_field", undefined, { problem: "refused" }],
  [403, "invalid_api_key", undefined, { problem: "refused", message: "Resend doesn't accept this API key." }],
  [403, "validation_error", undefined, { problem: "refused", message: expect.stringContaining("domain") }],
  [409, "concurrent_idempotent_requests", undefined, { problem: "unreachable" }],
  [429, "rate_limit_exceeded", 2, { problem: "unreachable", retryAfterMs: 2_000 }],
  [429, "daily_quota_exceeded", 90_000, { problem: "unreachable", retryAfterMs: 3_600_000 }],
  [429, "rate_limit_exceeded", undefined, { problem: "unreachable", retryAfterMs: 0 }],
  [500, "application_error", undefined, { problem: "unreachable" }],
  [503, "service_unavailable", 1, { problem: "unreachable", retryAfterMs: 1_000 }],
  [302, "moved", undefined, { problem: "refused" }],
])("the error %i %s", async (status, name, after, expected) => {
  const { server: resend, send } = await start(() => ({ status, name, ...(after === undefined ? {} : { after }) }));
  expect(await failing(send())).toMatchObject(expected);
  expect(resend.sent).toEqual([]);
});

it("an unreachable service has accepted nothing", async () => {
  const { server: resend, send } = await start();
  await resend.close();
  expect(await failing(send())).toMatchObject({ problem: "unreachable" });
});
