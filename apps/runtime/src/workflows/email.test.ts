// Steps that send mail, from a blueprint's text to what a real mail server is given; and that a mail is not sent twice by itself.
import { connectorManifests, readConnection } from "@plinth/connectors/manifests";
import { afterEach, expect, it } from "vitest";
import { createSecretBox } from "../identity/secret-box.ts";
import { createConnections } from "../mail/connections.ts";
import { type MailAnswer, type MailServer, settingsOf, startMailServer } from "../mail/testing/mail-server.ts";
import { kek } from "../modes/cell-fixture.ts";
import { createRecord } from "../query/run.ts";
import { openWorkCell, type WorkCell } from "./testing/work-cell.ts";

const head = `project: desk
modules: [auth, users, roles, workers, audit_logs]
integrations:
  mail: { kind: email, provider: smtp }
entities:
  ticket:
    fields:
      title: string
      email: email?
    permissions:
      admin: { all: true }
`;

let work: WorkCell | null = null;
let server: MailServer | null = null;
afterEach(async () => {
  await work?.close();
  await server?.close();
  work = null;
  server = null;
});

const workflow = (step: string): string => `workflows:\n  tell:\n    on: ticket.created\n    steps:\n      - ${step}\n`;
const plain = workflow(
  'email.send: { with: { to: "${{ record.email }}", subject: "Ticket ${{ record.title }}", text: "It is open.", html: "<p onclick=x>Ticket <b>${{ record.title }}</b></p>" }, retry: { attempts: 3, delay: 1s, backoff: constant } }',
);

async function open(
  sections: string,
  {
    answer,
    connect = true,
    ...options
  }: { answer?: (at: number) => MailAnswer; connect?: boolean; mailbox?: boolean; mailsPerHour?: number } = {},
): Promise<{ readonly cell: WorkCell; readonly mails: MailServer }> {
  server = await startMailServer(answer);
  work = await openWorkCell(head + sections, {}, options);
  if (connect) await connectTo(work, server);
  return { cell: work, mails: server };
}

async function connectTo({ cell, projectId }: WorkCell, to: MailServer): Promise<void> {
  const read = readConnection(connectorManifests.get("smtp")!, settingsOf(to));
  if (!("settings" in read)) throw new Error(JSON.stringify(read));
  const connections = createConnections({ pool: cell.pool, box: createSecretBox(kek) });
  await connections.set(projectId, { name: "mail", provider: "smtp", ...read });
}

async function createTicket({ request }: WorkCell, values: Readonly<Record<string, string>> = {}): Promise<void> {
  const all = { title: "<first>", email: "ana@example.com", ...values };
  await createRecord(await request("ticket"), crypto.randomUUID(), new Map(Object.entries(all)));
}

const statuses = async ({ sql }: WorkCell): Promise<unknown> =>
  (await sql("SELECT status FROM plinth.emails ORDER BY created_at")).map(({ status }) => status);

it("a step sends a mail whose values are text wherever they stand", async () => {
  const { cell, mails } = await open(plain);
  await createTicket(cell);
  await cell.settled();
  const [run] = await cell.sql("SELECT status, output, error FROM {schema}.workers__runs");
  expect(run).toMatchObject({ status: "completed", output: { status: "sent" } });
  expect(mails.received).toHaveLength(1);
  const [mail] = mails.received;
  expect(mail).toMatchObject({ from: "desk@example.com", to: ["ana@example.com"] });
  expect(mail!.raw).toContain("Subject: Ticket <first>");
  expect(mail!.raw).toContain("From: The desk <desk@example.com>");
  expect(mail!.raw).toContain("<b>&lt;first&gt;</b>");
  expect(mail!.raw).not.toContain("onclick");
  expect(mail!.raw).toContain(`Message-ID: ${(run!["output"] as { message_id: string }).message_id}`);
  const stored = JSON.stringify(await cell.sql("SELECT * FROM plinth.emails, plinth.connections"));
  for (const secret of ["ana@example.com", "first", "correct horse"]) expect(stored).not.toContain(secret);
});

it("what the server refuses for now is sent later, under the same Message-ID", async () => {
  const { cell, mails } = await open(plain, { answer: (at) => (at === 1 ? 451 : "take") });
  await createTicket(cell);
  await cell.settled();
  expect(mails.received).toHaveLength(1);
  expect(await cell.sql("SELECT attempts FROM {schema}.workers__steps")).toEqual([{ attempts: 2 }]);
  expect(await statuses(cell)).toEqual(["sent"]);
});

it("a mail of which nobody knows whether it was taken waits for a person", async () => {
  const { cell, mails } = await open(plain, { answer: () => "lose" });
  await createTicket(cell);
  await cell.settled();
  expect(mails.received).toHaveLength(1);
  expect(await cell.sql("SELECT status, error->>'code' AS code FROM {schema}.workers__runs")).toEqual([
    { status: "needs_attention", code: "no_answer" },
  ]);
  expect(await statuses(cell)).toEqual(["unknown"]);
});

it("a project without a connection sends nothing; in development its mails are kept", async () => {
  const { cell } = await open(plain, { connect: false });
  await createTicket(cell);
  await cell.settled();
  expect(await cell.sql("SELECT status, error->>'code' AS code FROM {schema}.workers__runs")).toEqual([
    { status: "failed", code: "refused" },
  ]);
  expect(await statuses(cell)).toEqual([]);
});

it("in development the mails of a project without a connection are kept", async () => {
  const { cell, mails } = await open(plain, { connect: false, mailbox: true });
  await createTicket(cell);
  await cell.settled();
  expect(await cell.sql("SELECT output->>'status' AS status FROM {schema}.workers__runs")).toEqual([
    { status: "kept" },
  ]);
  expect(mails.received).toEqual([]);
});
