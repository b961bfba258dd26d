// Steps that send mail, from a blueprint's text to what a real mail server receives; and that a mail is not sent twice
// automatically.
import { connectorManifests, readConnection } from "@plinth/connectors/manifests";
import { type MailAnswer, type MailServer, settingsOf, startMailServer } from "@plinth/testkit/mail-server";
import { afterEach, expect, it } from "vitest";
import { createSecretBox } from "../identity/secret-box.ts";
import { reportMail } from "../mail/bounces.ts";
import { createConnections } from "../mail/connections.ts";
import { createLedger } from "../mail/ledger.ts";
import { createSuppressions } from "../mail/suppressions.ts";
import { kek } from "../modes/testing/cell.ts";
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
    answer = () => "take",
    unknown = () => false,
    connect = true,
    ...options
  }: {
    answer?: (at: number) => MailAnswer;
    unknown?: (address: string) => boolean;
    connect?: boolean;
    mailbox?: boolean;
    mailsPerHour?: number;
  } = {},
): Promise<{ readonly cell: WorkCell; readonly mails: MailServer }> {
  server = await startMailServer({ answer, unknown });
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

const statuses = async ({ sql }: WorkCell): Promise<readonly unknown[]> =>
  (await sql("SELECT status FROM plinth.emails ORDER BY created_at")).map(({ status }) => status);

it("a step sends a mail in which all values are text", async () => {
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

it("a postponed mail is sent later, with the same Message-ID", async () => {
  const { cell, mails } = await open(plain, { answer: (at) => (at === 1 ? 451 : "take") });
  await createTicket(cell);
  await cell.settled();
  expect(mails.received).toHaveLength(1);
  expect(await cell.sql("SELECT attempts FROM {schema}.workers__steps WHERE path NOT LIKE '_record/%'")).toEqual([
    { attempts: 2 },
  ]);
  expect(await statuses(cell)).toEqual(["sent"]);
});

it("a mail with an unknown result waits for a person", async () => {
  const { cell, mails } = await open(plain, { answer: () => "lose" });
  await createTicket(cell);
  await cell.settled();
  expect(mails.received).toHaveLength(1);
  expect(await cell.sql("SELECT status, error->>'code' AS code FROM {schema}.workers__runs")).toEqual([
    { status: "needs_attention", code: "no_answer" },
  ]);
  expect(await statuses(cell)).toEqual(["unknown"]);
});

it("a project without a connection sends nothing", async () => {
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

it("a step sends a template in the reader's language, and its stored input contains no text of the mail", async () => {
  const templates = `emails:
  opened:
    variables: { title: string }
    subject: "Opened: \${{ title }}"
    body: "**\${{ title }}** is open."
    translations:
      de: { subject: "Offen: \${{ title }}", body: "\${{ title }} ist offen." }
`;
  const step =
    'email.send: { with: { to: "${{ record.email }}", template: opened, values: { title: "${{ record.title }}" }, language: de-CH } }';
  const { cell, mails } = await open(templates + workflow(step));
  await createTicket(cell);
  await cell.settled();
  expect(mails.received[0]!.raw).toContain("Subject: Offen: <first>");
  expect(mails.received[0]!.raw).toContain("<p>&lt;first&gt; ist offen.</p>");
  expect(await cell.sql("SELECT input FROM {schema}.workers__steps WHERE path NOT LIKE '_record/%'")).toEqual([
    { input: { template: "opened", to: "ana@example.com", values: { title: "<first>" } } },
  ]);
});

it("a receipt goes to the record's recipient, and lists its contents", async () => {
  const { cell, mails } = await open(workflow("email.send_receipt"));
  await createTicket(cell);
  await cell.settled();
  expect(mails.received).toMatchObject([{ to: ["ana@example.com"] }]);
  expect(mails.received[0]!.raw).toContain("Subject: Your receipt: ticket");
  expect(mails.received[0]!.raw).toContain("Title: <first>");
  // The head of every mail has a line `MIME-Version`.
  const [, ...body] = mails.received[0]!.raw.split("\r\n\r\n");
  expect(body.join()).toContain("Title");
  expect(body.join()).not.toMatch(/version|updated/i);
});

const several = workflow(
  `email.send: { with: { to: [ANA@EXAMPLE.COM, bo@example.com, ana@example.com], subject: Hello, text: Hi. }, retry: { attempts: 3, delay: 1s, backoff: constant } }`,
);

it("each recipient gets a separate mail, and a later attempt only sends the missing ones", async () => {
  const { cell, mails } = await open(several, { answer: (at) => (at === 2 ? 451 : "take") });
  await createTicket(cell);
  await cell.settled();
  expect(mails.received.map(({ to }) => to)).toEqual([["ana@example.com"], ["bo@example.com"]]);
  expect(await cell.sql("SELECT attempts FROM {schema}.workers__steps WHERE path NOT LIKE '_record/%'")).toEqual([
    { attempts: 2 },
  ]);
  expect(await statuses(cell)).toEqual(["sent", "sent"]);
  for (const { raw } of mails.received) expect(raw.match(/@example.com/g)?.length).toBe(3);
});

it("a refused recipient fails the step, and the others get their mail", async () => {
  const { cell, mails } = await open(several, { unknown: (address) => address === "ana@example.com" });
  await createTicket(cell);
  await cell.settled();
  expect(mails.received.map(({ to }) => to)).toEqual([["bo@example.com"]]);
  expect(await cell.sql("SELECT status, error->>'code' AS code FROM {schema}.workers__runs")).toEqual([
    { status: "failed", code: "refused" },
  ]);
  expect(await statuses(cell)).toEqual(["failed", "sent"]);
  const [failed] = await cell.sql("SELECT error FROM plinth.emails WHERE status = 'failed'");
  expect(failed?.["error"]).toBe("The mail server answered with 550 no such user.");
  const [step] = await cell.sql("SELECT error FROM {schema}.workers__steps WHERE status = 'failed'");
  expect(step?.["error"]).toMatchObject({ code: "refused", body: "550 no such user" });
  // The next mail isn't sent to the unknown address any more.
  await createTicket(cell);
  await cell.settled();
  expect((await statuses(cell)).toSorted()).toEqual(["failed", "sent", "sent", "suppressed"]);
});

it("a suppressed address gets no mail, and the step continues", async () => {
  const { cell, mails } = await open(plain);
  const box = createSecretBox(kek);
  await createSuppressions({ pool: cell.cell.pool, box, kek }).add(cell.projectId, "Ana@Example.com", "bounced");
  await createTicket(cell);
  await cell.settled();
  expect(mails.received).toEqual([]);
  expect(await cell.sql("SELECT output->>'status' AS status FROM {schema}.workers__runs")).toEqual([
    { status: "suppressed" },
  ]);
});

it("a project sends a limited number of mails in an hour", async () => {
  const { cell, mails } = await open(plain, { mailsPerHour: 1 });
  await createTicket(cell);
  await cell.settled();
  await createTicket(cell);
  await cell.settled();
  expect(mails.received).toHaveLength(1);
  expect(
    await cell.sql("SELECT status, error->>'code' AS code FROM {schema}.workers__runs ORDER BY created_at"),
  ).toEqual([
    { status: "completed", code: null },
    { status: "failed", code: "unreachable" },
  ]);
});

it.each([
  ["sent", 1, "completed"],
  ["sending", 1, "needs_attention"],
  [null, 2, "completed"],
])("a step whose process ended while its mail was recorded as %s", async (status, mails, run) => {
  const { cell, mails: arrived } = await open(plain);
  await createTicket(cell);
  await cell.settled();
  await cell.sql("UPDATE {schema}.workers__steps SET status = 'started', output = NULL, ended_at = NULL");
  await cell.sql("UPDATE {schema}.workers__runs SET status = 'running', output = NULL, ended_at = NULL");
  if (status === null) await cell.sql("DELETE FROM plinth.emails");
  else await cell.sql("UPDATE plinth.emails SET status = $1", [status]);
  await cell.sql(
    "INSERT INTO plinth.due_runs (project_id, run_id, due_at) SELECT $1, id, now() FROM {schema}.workers__runs",
    [cell.projectId],
  );
  await cell.settled();
  expect(arrived.received).toHaveLength(mails);
  expect(await cell.sql("SELECT status FROM {schema}.workers__runs")).toEqual([{ status: run }]);
});

it("an address that bounced gets no more mail of the project", async () => {
  const { cell, mails } = await open(plain);
  await createTicket(cell);
  await cell.settled();
  const box = createSecretBox(kek);
  const parts = {
    ledger: createLedger({ pool: cell.cell.pool, box }),
    suppressions: createSuppressions({ pool: cell.cell.pool, box, kek }),
  };
  const [mail] = await parts.ledger.list(cell.projectId, { limit: 1 });
  const report = { projectId: cell.projectId, status: "bounced", address: null } as const;
  expect(await reportMail(parts, { ...report, mail: { messageId: "<none@example.com>" } })).toBe(false);
  for (let twice = 0; twice < 2; twice++)
    expect(await reportMail(parts, { ...report, mail: { messageId: mail!.message_id } })).toBe(true);
  await createTicket(cell);
  await cell.settled();
  expect(mails.received).toHaveLength(1);
  expect(await statuses(cell)).toEqual(["bounced", "suppressed"]);
});
