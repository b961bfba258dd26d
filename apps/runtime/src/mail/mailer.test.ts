// What the mailer sends again and what it refuses, with a real database and a server that speaks Resend's protocol.
import type { ProjectId } from "@plinth/bundle";
import { networksOf } from "@plinth/service";
import { settingsOf, startMailServer } from "@plinth/testkit/mail-server";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  createTestDatabase,
  kek,
  makeProject,
  openTestCell,
  type TestCell,
  type TestDatabase,
} from "../modes/testing/cell.ts";
import { cellTemplate } from "../release/testing/cell-template.ts";
import type { Mailer, OutgoingMail } from "./mailer.ts";
import { type MailParts, openMail } from "./open-mail.ts";
import { connectToResend, resendMailer } from "./testing/resend-mailer.ts";
import { type ResendAnswer, type ResendServer, startResend } from "./testing/resend-server.ts";

let database: TestDatabase;
let cell: TestCell;
let projectId: ProjectId;
let parts: MailParts;
let resend: ResendServer;
let mailer: Mailer;
let answer: (call: number) => ResendAnswer;

beforeAll(async () => {
  database = await createTestDatabase(cellTemplate);
  cell = await openTestCell(database);
});
afterAll(async () => {
  await cell?.close();
  await database?.drop();
});
beforeEach(async () => {
  answer = () => "take";
  resend = await startResend((call) => answer(call));
  parts = openMail(cell.pool, { kek, outboundAllowed: networksOf(["127.0.0.1"]) });
  mailer = resendMailer(parts, resend);
  projectId = await makeProject(cell);
  await connectToResend(parts, projectId, "email");
});
afterEach(async () => resend.close());

const mail: OutgoingMail = {
  key: "one",
  connection: null,
  to: ["ana@example.com"],
  replyTo: null,
  template: null,
  subject: "Hello",
  text: "Hello.",
  html: null,
  timeoutMs: 5_000,
};
const send = (more: Partial<OutgoingMail> = {}) => mailer.send(projectId, { ...mail, ...more });
const rows = async () =>
  (await cell.pool.query("SELECT status, provider FROM plinth.emails WHERE project_id = $1", [projectId])).rows;

describe("by Resend, with a lost answer", () => {
  beforeEach(async () => {
    answer = (call) => (call === 1 ? "lose" : "take");
    await expect(send()).rejects.toMatchObject({ problem: "unanswered" });
    expect(await rows()).toEqual([{ status: "unknown", provider: "resend" }]);
  });

  it("a mail is sent again, and arrives once", async () => {
    expect(await send()).toMatchObject({ status: "sent" });
    expect(resend.sent).toHaveLength(1);
    expect(await rows()).toEqual([{ status: "sent", provider: "resend" }]);
    await send();
    expect(resend.calls).toBe(2);
  });

  it("it is not sent again once Resend may have forgotten its key", async () => {
    await cell.pool.query("UPDATE plinth.emails SET created_at = now() - interval '24 hours'");
    await expect(send()).rejects.toMatchObject({ problem: "unknown" });
    expect(resend.calls).toBe(1);
  });
});

it("a mail that was started by SMTP is not sent again by Resend, which doesn't know it", async () => {
  const server = await startMailServer({ answer: () => "lose" });
  const { host, port, security, from_address } = settingsOf(server);
  const settings = { host: host!, port: port!, security: security!, from_address: from_address! };
  await parts.connections.set(projectId, { name: "email", provider: "smtp", settings, secrets: {} });
  await expect(send()).rejects.toMatchObject({ problem: "unknown" });
  await connectToResend(parts, projectId, "email");
  await expect(send()).rejects.toMatchObject({ problem: "unknown" });
  expect([server.received.length, resend.calls]).toEqual([1, 0]);
  await server.close();
});

it("of two simultaneous mails with one key, one is sent", async () => {
  const both = await Promise.allSettled([send(), send()]);
  expect(both.some(({ status }) => status === "fulfilled")).toBe(true);
  expect(resend.sent).toHaveLength(1);
  expect(await rows()).toEqual([{ status: "sent", provider: "resend" }]);
});

it("nothing is sent unless its start was recorded", async () => {
  const begin = () => Promise.reject(new Error("the database is away"));
  await expect(mailer.send(projectId, mail, begin)).rejects.toThrow("the database is away");
  expect([resend.calls, await rows()]).toEqual([0, []]);
});

it.each<[string, Partial<OutgoingMail>]>([
  ["no receiver", { to: [] }],
  ["more receivers than a mail may have", { to: Array.from({ length: 21 }, (_, at) => `a${at}@example.com`) }],
  ["a receiver with another header", { to: ["ana@example.com\r\nBcc: bo@example.com"] }],
  ["two receivers in one", { to: ["ana@example.com,bo@example.com"] }],
  ["a reply-to address with another header", { replyTo: "ana@example.com\r\nBcc: bo@example.com" }],
  ["a text that is too large", { text: "x".repeat(1_048_577) }],
  ["text and HTML that are too large together", { text: "ü".repeat(300_000), html: "x".repeat(500_000) }],
])("a mail with %s is refused before anything is sent or noted", async (_, more) => {
  await expect(send(more)).rejects.toMatchObject({ problem: "refused" });
  expect([resend.calls, await rows()]).toEqual([0, []]);
});

it("an international domain is sent in ASCII, and suppressed in any notation", async () => {
  await send({ to: ["ana@exämple.de"] });
  expect(resend.sent[0]?.to).toEqual(["ana@xn--exmple-cua.de"]);
  await parts.suppressions.add(projectId, "ANA@EXÄMPLE.DE", "manual");
  for (const [at, address] of ["ana@exämple.de", "ana@xn--exmple-cua.de"].entries())
    expect(await send({ key: `more ${at}`, to: [address] })).toMatchObject({ status: "suppressed" });
});

it("the remaining time is for the remaining recipients", async () => {
  const to = ["ana@example.com", "bo@example.com"];
  await expect(send({ to, timeoutMs: 0 })).rejects.toMatchObject({ problem: "unreachable" });
  expect(resend.calls).toBe(0);
});
