// Reports of a mail provider, over HTTP: a mail sent by Resend's API bounces, and its address gets no more mail. A
// report that is repeated, unsigned, from another project or about a temporary problem changes nothing.
import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import type { ProjectId } from "@plinth/bundle";
import { createLogger, networksOf } from "@plinth/service";
import type { FastifyInstance } from "fastify";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { createHttpServer, defaultHttpLimits } from "../../http/server.ts";
import { bundleOf } from "../../http/testing/test-cell.ts";
import { createSecretBox } from "../../identity/secret-box.ts";
import type { SentMail } from "../../mail/mailer.ts";
import { type MailParts, openMail } from "../../mail/open-mail.ts";
import { connectToResend, resendMailer } from "../../mail/testing/resend-mailer.ts";
import { type ResendServer, resendSecret, startResend } from "../../mail/testing/resend-server.ts";
import {
  callModule,
  createTestDatabase,
  dataOf,
  deploy,
  kek,
  makeKey,
  makeProject,
  openTestCell,
  publicationOf,
  type TestCell,
  type TestDatabase,
} from "../../modes/testing/cell.ts";
import { cellTemplate } from "../../release/testing/cell-template.ts";

const TEXT = `project: desk
modules: [auth, users, workers, webhooks]
integrations:
  mail: { kind: email, provider: resend, help: Letters. }
webhooks:
  in:
    mail_reports: { verify: resend }
`;

let database: TestDatabase;
let cell: TestCell;
let server: FastifyInstance;
let url: string;
let resend: ResendServer;
let parts: MailParts;
let projectId: ProjectId;
let admin: string;

beforeAll(async () => {
  database = await createTestDatabase(cellTemplate);
  cell = await openTestCell(database);
  server = createHttpServer({
    ...cell,
    tenants: cell.scope,
    limits: defaultHttpLimits,
    onWrite: cell.signal.raise,
    logger: createLogger({ name: "test", level: "silent" }),
    clock: { now: Date.now },
    cursorSecret: randomBytes(32),
    secretBox: createSecretBox(kek),
    ready: async () => null,
  });
  await server.listen({ host: "127.0.0.1", port: 0 });
  url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await server?.close();
  await cell?.close();
  await database?.drop();
});

beforeEach(async () => {
  resend = await startResend();
  parts = openMail(cell.pool, { kek, outboundAllowed: networksOf(["127.0.0.1"]) });
  projectId = await makeSource();
  admin = (await makeKey(cell, projectId, { role: "admin" })).key;
});
afterEach(async () => resend.close());

async function makeSource(): Promise<ProjectId> {
  const id = await makeProject(cell);
  await deploy(cell, publicationOf(id, bundleOf(TEXT), null));
  const { key } = await makeKey(cell, id, { role: "admin" });
  await callModule(cell, {
    path: "/v1/webhooks/secrets",
    key,
    body: { source: "mail_reports", secret: resendSecret },
  });
  await connectToResend(parts, id, "mail");
  return id;
}

function send(key: string, to = "ana@example.com"): Promise<SentMail> {
  const said = { subject: "Hello", text: "Hello.", html: null, replyTo: null, template: null };
  return resendMailer(parts, resend).send(projectId, { ...said, key, to: [to], connection: "mail", timeoutMs: 5_000 });
}

const post = async (report: ReturnType<ResendServer["reportOf"]>, project = projectId): Promise<number> =>
  (await fetch(`${url}/hooks/${project}/mail_reports`, { method: "POST", ...report })).status;

const read = async (path: string) => dataOf(await callModule(cell, { method: "GET", path, key: admin }));

it.each([
  ["email.bounced", { bounce: { type: "Permanent", subType: "General", message: "no such user" } }, "bounced"],
  ["email.complained", {}, "complained"],
])("%s: the mail is marked, and its address gets no more mail", async (type, more, status) => {
  await send("first");
  expect(await post(resend.reportOf(type, resend.sent[0]!.id, more))).toBe(200);
  expect(await read("/v1/emails")).toMatchObject([{ status }]);
  expect(await read("/v1/email-suppressions")).toMatchObject([{ address: "ana@example.com", reason: status }]);
  expect(await send("second")).toMatchObject({ status: "suppressed" });
  expect(await send("third", "bo@example.com")).toMatchObject({ status: "sent" });
  expect(resend.sent).toHaveLength(2);
});

it("a repeated report doesn't suppress an address that somebody has allowed again", async () => {
  await send("first");
  const report = resend.reportOf("email.bounced", resend.sent[0]!.id);
  expect(await post(report)).toBe(200);
  await callModule(cell, { path: "/v1/email-suppressions/remove", key: admin, body: { address: "ana@example.com" } });
  expect(await post(report)).toBe(200);
  expect(await post(resend.reportOf("email.bounced", resend.sent[0]!.id))).toBe(200);
  expect(await read("/v1/email-suppressions")).toEqual([]);
});

it.each([
  ["of a delivery", "email.delivered", {}],
  ["of a bounce that may pass", "email.bounced", { bounce: { type: "Transient" } }],
  ["of another form", "email.bounced", { bounce: 3 }],
  ["of a mail that no database could name", "email.bounced", { email_id: "a\0" }],
])("a report %s is accepted, and suppresses nobody", async (_, type, more) => {
  await send("first");
  expect(await post(resend.reportOf(type, resend.sent[0]!.id, more))).toBe(200);
  expect(await read("/v1/emails")).toMatchObject([{ status: "sent" }]);
  expect(await read("/v1/email-suppressions")).toEqual([]);
});

it("a report that is unsigned, about an unknown mail, or to another project changes nothing", async () => {
  await send("first");
  const report = resend.reportOf("email.bounced", resend.sent[0]!.id);
  const forged = { ...report, headers: { ...report.headers, "svix-signature": "v1,AAAA" } };
  expect(await post(forged)).toBe(404);
  expect(await post(resend.reportOf("email.bounced", "another"))).toBe(200);
  expect(await post(report, await makeSource())).toBe(200);
  expect(await read("/v1/emails")).toMatchObject([{ status: "sent" }]);
  expect(await read("/v1/email-suppressions")).toEqual([]);
});
