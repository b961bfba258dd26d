// Mails about accounts survive the process that was about to send them: none is lost, and none arrives twice if the
// provider recognizes repeated calls.
import type { ProjectId } from "@plinth/bundle";
import { createLogger, createUuidV7, networksOf } from "@plinth/service";
import { settingsOf, startMailServer } from "@plinth/testkit/mail-server";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { bundleOf } from "../http/testing/test-cell.ts";
import { createSecretBox } from "../identity/secret-box.ts";
import {
  createTestDatabase,
  deploy,
  kek,
  makeProject,
  openTestCell,
  publicationOf,
  type TestCell,
  type TestDatabase,
} from "../modes/testing/cell.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import { cellTemplate } from "../release/testing/cell-template.ts";
import type { AccountMail } from "./account-mail.ts";
import { type AccountMails, createAccountMails } from "./account-mail-queue.ts";
import { type MailParts, openMail } from "./open-mail.ts";
import { connectToResend, resendMailer } from "./testing/resend-mailer.ts";
import { type ResendAnswer, type ResendServer, startResend } from "./testing/resend-server.ts";

let database: TestDatabase;
let cell: TestCell;
let projectId: ProjectId;
let release: ActiveRelease;
let parts: MailParts;
let resend: ResendServer;
let answer: (call: number) => ResendAnswer;
const opened: AccountMails[] = [];

beforeAll(async () => {
  database = await createTestDatabase(cellTemplate);
  cell = await openTestCell(database);
  // The test sends them itself.
  await cell.accountMails.stop();
});
afterAll(async () => {
  await cell?.close();
  await database?.drop();
});
beforeEach(async () => {
  answer = () => "take";
  resend = await startResend((call) => answer(call));
  parts = openMail(cell.pool, { kek, outboundAllowed: networksOf(["127.0.0.1"]) });
  projectId = await makeProject(cell);
  await deploy(cell, publicationOf(projectId, bundleOf("project: desk\nmodules: [auth, users]\n"), null));
  release = (await cell.registry.get(projectId))!;
  await connectToResend(parts, projectId, "email");
});
afterEach(async () => {
  for (const each of opened.splice(0)) await each.stop();
  await resend.close();
  await cell.pool.query("DELETE FROM plinth.account_mails");
});

function open(mailer = resendMailer(parts, resend)): AccountMails {
  const mails = createAccountMails({
    pool: cell.pool,
    box: createSecretBox(kek),
    mailer,
    newId: createUuidV7({ now: Date.now }),
    logger: createLogger({ name: "test", level: "silent" }),
  });
  opened.push(mails);
  return mails;
}

const invitation: AccountMail = { kind: "invitation", to: "ana@example.com", token: "plm_secret" };
const left = async () =>
  (await cell.pool.query("SELECT attempts, due_at > now() AS later FROM plinth.account_mails")).rows;
/** As if the time had passed. */
const makeDue = () => cell.pool.query("UPDATE plinth.account_mails SET due_at = now()");
const statuses = async () =>
  (await cell.pool.query("SELECT status FROM plinth.emails WHERE project_id = $1", [projectId])).rows.map(
    ({ status }) => status,
  );

it("a mail is sent, and only its row in the list of mails stays", async () => {
  const mails = open();
  await mails.add(cell.pool, release, invitation);
  const { rows } = await cell.pool.query("SELECT * FROM plinth.account_mails");
  expect(JSON.stringify(rows)).not.toMatch(/ana@|plm_secret|invited/);
  mails.wake();
  await mails.idle();
  expect(resend.sent).toMatchObject([{ to: ["ana@example.com"], subject: "You are invited" }]);
  expect([await left(), await statuses()]).toEqual([[], ["sent"]]);
});

it("a postponed mail is sent later; a refused one is not retried", async () => {
  answer = (call) => (call === 1 ? { status: 503, name: "service_unavailable", after: 60 } : "take");
  const mails = open();
  await mails.add(cell.pool, release, invitation);
  mails.wake();
  await mails.idle();
  expect([await left(), await statuses()]).toEqual([[{ attempts: 1, later: true }], ["failed"]]);
  await makeDue();
  mails.wake();
  await mails.idle();
  expect([await left(), await statuses(), resend.sent.length]).toEqual([[], ["sent"], 1]);
  answer = () => ({ status: 422, name: "validation_error" });
  await mails.add(cell.pool, release, invitation);
  mails.wake();
  await mails.idle();
  expect([await left(), resend.calls]).toEqual([[], 3]);
});

it("another process sends the mail of a process that ended before sending it", async () => {
  const ended = open();
  await ended.stop();
  await ended.add(cell.pool, release, invitation);
  ended.wake();
  expect(resend.calls).toBe(0);
  await open().idle();
  expect(resend.sent).toHaveLength(1);
});

it("if a process is killed after sending a mail, it arrives once by Resend", async () => {
  const mails = open();
  await mails.add(cell.pool, release, invitation);
  const [before] = (await cell.pool.query("SELECT * FROM plinth.account_mails")).rows;
  mails.wake();
  await mails.idle();
  await leaveAsKilled(before);
  // Nobody takes it as long as the first process may still be sending it.
  mails.wake();
  await mails.idle();
  expect([resend.calls, (await left()).length]).toEqual([1, 1]);
  await makeDue();
  await open().idle();
  expect([resend.calls, resend.sent.length, await left(), await statuses()]).toEqual([2, 1, [], ["sent"]]);
});

it("by SMTP it may arrive twice, but is not lost", async () => {
  const server = await startMailServer();
  const { host, port, security, from_address } = settingsOf(server);
  const settings = { host: host!, port: port!, security: security!, from_address: from_address! };
  await parts.connections.set(projectId, { name: "email", provider: "smtp", settings, secrets: {} });
  const mails = open(parts.mailer);
  await mails.add(cell.pool, release, invitation);
  const [before] = (await cell.pool.query("SELECT * FROM plinth.account_mails")).rows;
  mails.wake();
  await mails.idle();
  await leaveAsKilled(before);
  await makeDue();
  await open(parts.mailer).idle();
  const names = server.received.map(({ raw }) => /^Message-ID: (.*)$/m.exec(raw)?.[1]);
  expect(names).toHaveLength(2);
  expect(new Set(names).size).toBe(1);
  expect([await left(), await statuses()]).toEqual([[], ["sent"]]);
  await server.close();
});

/** The row exists, is taken, and the list of mails says that it is being sent. */
async function leaveAsKilled(row: Readonly<Record<string, unknown>>): Promise<void> {
  await cell.pool.query("UPDATE plinth.emails SET status = 'sending', provider_id = NULL WHERE project_id = $1", [
    projectId,
  ]);
  await cell.pool.query(
    `INSERT INTO plinth.account_mails (project_id, id, sealed, attempts, due_at, expires_at)
     VALUES ($1, $2, $3, 1, now() + interval '1 minute', $4)`,
    [row["project_id"], row["id"], row["sealed"], row["expires_at"]],
  );
}

it("several processes send each mail once", async () => {
  const first = open();
  for (let at = 0; at < 20; at++) await first.add(cell.pool, release, { ...invitation, to: `a${at}@example.com` });
  const all = [first, open(), open()];
  for (const each of all) each.wake();
  for (let rounds = 0; rounds < 3; rounds++) for (const each of all) await each.idle();
  expect(new Set(resend.sent.map(({ to }) => to[0])).size).toBe(20);
  expect([resend.calls, await left()]).toEqual([20, []]);
});

it("nobody gets a mail that is discarded, or whose token has expired", async () => {
  const mails = open();
  // It looks once when it opens, and would find the second one too early.
  await mails.idle();
  await mails.add(cell.pool, release, invitation, { isDiscarded: true });
  await mails.add(cell.pool, release, invitation);
  await cell.pool.query(
    "UPDATE plinth.account_mails SET expires_at = now() WHERE id = (SELECT max(id::text)::uuid FROM plinth.account_mails)",
  );
  mails.wake();
  await mails.idle();
  expect([resend.calls, await left()]).toEqual([0, []]);
});
