// Sends a project's mails. In: a mail under a key. Out: it was sent, kept in the mailbox, or left out since nobody of those it is for
// gets mail. A key that has been sent is not sent again; where nobody knows, it is not sent again by itself.
import { createHash } from "node:crypto";
import { loadEmailProvider, MailError, type Network } from "@plinth/connectors/email";
import { FairQueue } from "@plinth/service";
import { type Connections, type OpenConnection, USUAL_EMAIL_CONNECTION } from "./connections.ts";
import type { Known, Ledger } from "./ledger.ts";
import type { RenderedMail } from "./render.ts";
import type { Suppressions } from "./suppressions.ts";

export interface MailerOptions {
  readonly connections: Connections;
  readonly ledger: Ledger;
  readonly suppressions: Suppressions;
  readonly networkOf: (projectId: string) => Network;
  /** UUID v7, increasing. */
  readonly newId: () => string;
  /** Mails of one project in an hour. */
  readonly perHourMax: number;
  /** Whether mails of a project without a connection are kept, and shown in the console. */
  readonly mailbox: boolean;
}

export interface OutgoingMail extends RenderedMail {
  /** The same for all tries of one mail. */
  readonly key: string;
  /** Null for the usual name. */
  readonly connection: string | null;
  readonly to: readonly string[];
  readonly replyTo: string | null;
  readonly template: string | null;
  readonly timeoutMs: number;
}

export interface SentMail {
  readonly id: string;
  readonly status: "sent" | "kept" | "suppressed";
  readonly message_id: string;
}

export interface Mailer {
  /**
   * @param begin Records that the mail is about to be sent; it is sent only once this has succeeded.
   * @throws MailError, and what `begin` throws.
   */
  send(projectId: string, mail: OutgoingMail, begin?: () => Promise<void>): Promise<SentMail>;
  /** What became of a mail that somebody had begun; null where it was not sent; @throws MailError where nobody knows. */
  known(projectId: string, key: string): Promise<SentMail | null>;
}

const ADDRESS = /^[^\s@<>,;"()[\]\\\p{Cc}]{1,64}@[^\s@<>,;"()[\]\\\p{Cc}]{1,253}$/u;
export const RECEIVERS_MAX = 20;
const BODY_BYTES_MAX = 1_048_576;
/** Of one project; older ones go. */
const KEPT_MAX = 200;

export function isMailAddress(text: string): boolean {
  return ADDRESS.test(text);
}

export function createMailer(options: MailerOptions): Mailer {
  const queue = new FairQueue({
    places: 100,
    placesPerProject: 10,
    leavesRoom: true,
    waitingMax: 10_000,
    waitMsMax: 600_000,
    refusal: () => new MailError("unreachable", "Too many mails of this project are under way."),
  });
  return {
    send: (projectId, mail, begin = async () => {}) => {
      refuseUnsendable(mail);
      return queue.run(projectId, () => send(options, projectId, mail, begin));
    },
    async known(projectId, key) {
      const known = await options.ledger.known(projectId, key);
      return known === null ? null : sentOf(known);
    },
  };
}

/** Null where a later try may send it. @throws MailError where nobody knows whether it was sent. */
function sentOf({ id, status, messageId }: Known): SentMail | null {
  switch (status) {
    case "sending":
    case "unknown":
      throw new MailError("unknown", "Nobody knows whether the mail was sent: ask whom it is for.");
    case "failed":
      return null;
    case "kept":
    case "suppressed":
      return { id, status, message_id: messageId };
    case "sent":
    case "bounced":
    case "complained":
      return { id, status: "sent", message_id: messageId };
  }
}

function refuseUnsendable({ to, replyTo, text, html }: OutgoingMail): void {
  if (to.length === 0) throw new MailError("refused", "The mail has no receiver.");
  if (to.length > RECEIVERS_MAX) throw new MailError("refused", `A mail has at most ${RECEIVERS_MAX} receivers.`);
  if (![...to, ...(replyTo === null ? [] : [replyTo])].every(isMailAddress))
    throw new MailError("refused", "A receiver is no e-mail address.");
  if (Buffer.byteLength(text) + Buffer.byteLength(html ?? "") > BODY_BYTES_MAX)
    throw new MailError("refused", `A mail has at most ${BODY_BYTES_MAX} bytes.`);
}

async function send(
  options: MailerOptions,
  projectId: string,
  mail: OutgoingMail,
  begin: () => Promise<void>,
): Promise<SentMail> {
  const { ledger, connections, suppressions, newId, mailbox, perHourMax } = options;
  const { key, template, subject, text, html } = mail;
  const known = await ledger.known(projectId, key);
  const before = known === null ? null : sentOf(known);
  if (before !== null) return before;
  const name = mail.connection ?? USUAL_EMAIL_CONNECTION;
  const connection = await connections.open(projectId, name);
  if (connection === null && !mailbox)
    throw new MailError("refused", `This project has no connection \`${name}\` to send mail by: set one.`);
  const to = await suppressions.allowed(projectId, mail.to);
  const id = known?.id ?? newId();
  const messageId = known?.messageId ?? messageIdOf(projectId, key, connection);
  const isKept = connection === null;
  const noted = { id, key, messageId, connection: isKept ? null : name, template };
  if (to.length === 0) {
    const content = { to: mail.to, subject, text: null, html: null };
    await noteOnce(options, projectId, { ...noted, status: "suppressed", content });
    return { id, status: "suppressed", message_id: messageId };
  }
  if (!(await ledger.take(projectId, perHourMax)))
    throw new MailError("unreachable", `This project has sent its ${perHourMax} mails of this hour.`);
  if (isKept) {
    await noteOnce(options, projectId, { ...noted, status: "kept", content: { to, subject, text, html } });
    await ledger.trim(projectId, KEPT_MAX);
    return { id, status: "kept", message_id: messageId };
  }
  await begin();
  await noteOnce(options, projectId, { ...noted, status: "sending", content: { to, subject, text: null, html: null } });
  try {
    const providerId = await hand(options, projectId, connection, { ...mail, to, messageId });
    await ledger.end(projectId, key, { status: "sent", providerId });
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    const status = error.problem === "unknown" ? "unknown" : "failed";
    await ledger.end(projectId, key, { status, error: error.message });
    throw error;
  }
  return { id, status: "sent", message_id: messageId };
}

async function noteOnce({ ledger }: MailerOptions, ...mail: Parameters<Ledger["begin"]>): Promise<void> {
  if (await ledger.begin(...mail)) return;
  throw new MailError("unknown", "The mail is being sent by another process.");
}

async function hand(
  { networkOf }: Pick<MailerOptions, "networkOf">,
  projectId: string,
  connection: OpenConnection,
  { timeoutMs, ...mail }: OutgoingMail & { readonly messageId: string },
): Promise<string | null> {
  const provider = await loadEmailProvider(connection.provider);
  if (provider === null) throw new MailError("refused", `Nothing sends mail by \`${connection.provider}\`.`);
  return provider.send(connection, mail, networkOf(projectId), timeoutMs);
}

/** Before a connection is kept. @throws MailError. */
export async function testConnection(
  network: Network,
  connection: Omit<OpenConnection, "name">,
  timeoutMs: number,
): Promise<void> {
  const provider = await loadEmailProvider(connection.provider);
  if (provider === null) throw new MailError("refused", `Nothing sends mail by \`${connection.provider}\`.`);
  await provider.test(connection, network, timeoutMs);
}

/** The same for all tries, and told from every other project's. */
function messageIdOf(projectId: string, key: string, connection: OpenConnection | null): string {
  const name = createHash("sha256").update(`${projectId}/${key}`).digest("hex").slice(0, 40);
  const domain = String(connection?.settings["from_address"] ?? "").split("@")[1] ?? "plinth.invalid";
  return `<${name}@${domain}>`;
}
