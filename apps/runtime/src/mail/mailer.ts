// Sends a project's mails, one to each recipient. In: a mail with a key. Out: it was sent, kept in the mailbox, or left
// out because none of its recipients gets mail. A mail that was sent with a key is not sent again. If it is unknown
// whether it was sent, it is only sent again if the provider recognizes repeated calls, or if the sender accepts that
// it may arrive twice.
import { createHash } from "node:crypto";
import { type EmailProvider, loadEmailProvider, MailError, type Network } from "@plinth/connectors/email";
import { FairQueue } from "@plinth/service";
import { wireAddress } from "./address.ts";
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
  /** Maximum mails of one project in an hour. */
  readonly perHourMax: number;
  /** Whether the mails of a project without a connection are kept, and shown in the console. */
  readonly mailbox: boolean;
}

export interface OutgoingMail extends RenderedMail {
  /** The same for all attempts of one mail. */
  readonly key: string;
  /** Null for the usual name. */
  readonly connection: string | null;
  readonly to: readonly string[];
  readonly replyTo: string | null;
  readonly template: string | null;
  /** For all recipients together. */
  readonly timeoutMs: number;
  /** Whether it is sent again if it is unknown whether it was sent. Default: no. */
  readonly repeats?: boolean;
}

export interface SentMail {
  readonly id: string;
  readonly status: "sent" | "kept" | "suppressed";
  readonly message_id: string;
}

export interface Mailer {
  /**
   * @param begin Records that the mail is about to be sent. It is only sent once this has succeeded. @returns the
   * result of the mail; for several recipients, of the first mail that was sent or kept. @throws MailError if one of
   * them was not sent, and every error of `begin`. The next attempt only sends the missing ones.
   */
  send(projectId: string, mail: OutgoingMail, begin?: () => Promise<void>): Promise<SentMail>;
}

export const RECEIVERS_MAX = 20;
const BODY_BYTES_MAX = 1_048_576;
/** For one project. Older ones are deleted. */
const KEPT_MAX = 200;
/** Providers forget keys after 24 hours. */
const REPEATABLE_MS = 23 * 3_600_000;

/** For one mail to all its receivers, which have timeouts of their own. */
const MAIL_MS_MAX = 900_000;

export function createMailer(options: MailerOptions): Mailer {
  // Limits the sockets of this process. The database counts how many mails a project may send.
  const queue = new FairQueue({
    places: 100,
    placesPerProject: 10,
    leavesRoom: true,
    waitingMax: 10_000,
    waitMsMax: 600_000,
    workMsMax: MAIL_MS_MAX,
    refusal: (why) =>
      why === "endless"
        ? new MailError("unknown", "The mail server did not answer in time.")
        : new MailError("unreachable", "This project is already sending too many mails."),
  });
  return {
    send: async (projectId, mail, begin = async () => {}) => {
      const receivers = receiversOf(mail);
      return queue.run(projectId, () => sendAll(options, projectId, { ...mail, to: receivers }, once(begin)));
    },
  };
}

function once(begin: () => Promise<void>): () => Promise<void> {
  let begun: Promise<void> | null = null;
  return () => {
    begun ??= begin();
    return begun;
  };
}

/** In the form for SMTP, each once. @throws MailError if the mail can't be sent. */
function receiversOf({ to, replyTo, text, html }: OutgoingMail): readonly string[] {
  if (to.length === 0) throw new MailError("refused", "The mail has no recipient.");
  if (to.length > RECEIVERS_MAX) throw new MailError("refused", `A mail can have at most ${RECEIVERS_MAX} recipients.`);
  const receivers = to.map(wireAddress);
  if (receivers.includes(null)) throw new MailError("refused", "A recipient is not an e-mail address.");
  if (replyTo !== null && wireAddress(replyTo) === null)
    throw new MailError("refused", "The reply-to address is not an e-mail address.");
  if (Buffer.byteLength(text) + Buffer.byteLength(html ?? "") > BODY_BYTES_MAX)
    throw new MailError("refused", `A mail can have at most ${BODY_BYTES_MAX} bytes.`);
  const distinct = new Map(receivers.flatMap((each) => (each === null ? [] : [[each.toLowerCase(), each] as const])));
  return [...distinct.values()];
}

/** A refused recipient doesn't affect the others. A server that is unavailable is not tried for each of them. */
async function sendAll(
  options: MailerOptions,
  projectId: string,
  mail: OutgoingMail,
  begin: () => Promise<void>,
): Promise<SentMail> {
  const untilMs = performance.now() + mail.timeoutMs;
  const sent: SentMail[] = [];
  let refusal: MailError | null = null;
  for (const address of mail.to) {
    const key = mail.to.length === 1 ? mail.key : `${mail.key}/${options.suppressions.hashOf(projectId, address)}`;
    try {
      sent.push(await sendOne(options, projectId, { mail: { ...mail, key }, address, untilMs }, begin));
    } catch (error) {
      if (!(error instanceof MailError) || error.problem !== "refused") throw error;
      refusal ??= error;
    }
  }
  if (refusal !== null) throw refusal;
  const [first] = [...sent.filter(({ status }) => status !== "suppressed"), ...sent];
  if (first === undefined) throw new Error("a mail without a recipient");
  return first;
}

interface One {
  readonly mail: OutgoingMail;
  readonly address: string;
  readonly untilMs: number;
}

async function sendOne(
  options: MailerOptions,
  projectId: string,
  one: One,
  begin: () => Promise<void>,
): Promise<SentMail> {
  const { ledger, connections, suppressions, newId, mailbox, perHourMax } = options;
  const { key, template, subject, text, html, repeats = false } = one.mail;
  const known = await ledger.known(projectId, key);
  if (known?.status === "kept" || known?.status === "suppressed") return sentMail(known, known.status);
  if (known !== null && wasSent.has(known.status)) return sentMail(known, "sent");
  const name = one.mail.connection ?? USUAL_EMAIL_CONNECTION;
  const connection = await connections.open(projectId, name);
  const provider = connection === null ? null : await providerOf(connection.provider);
  const isSafe = isRepeatable(provider, connection, known);
  if (known !== null && known.status !== "failed" && !repeats && !isSafe)
    throw new MailError("unknown", "It is unknown whether the mail was sent. Ask the recipient.");
  if (connection === null && !mailbox)
    throw new MailError("refused", `This project has no connection \`${name}\` for mail. Set one up.`);
  const id = known?.id ?? newId();
  const messageId = known?.messageId ?? messageIdOf(projectId, key, connection);
  const noted = {
    id,
    key,
    messageId,
    template,
    connection: connection === null ? null : name,
    provider: connection?.provider ?? null,
    retakes: repeats || isSafe,
  };
  const content = { to: [one.address], subject, text: null, html: null };
  if ((await suppressions.allowed(projectId, [one.address])).length === 0) {
    await noteOnce(options, projectId, { ...noted, status: "suppressed", content });
    return sentMail(noted, "suppressed");
  }
  if (known === null && !(await ledger.take(projectId, perHourMax)))
    throw new MailError("unreachable", `This project has sent the ${perHourMax} mails that it may send in an hour.`);
  if (connection === null || provider === null) {
    await noteOnce(options, projectId, { ...noted, status: "kept", content: { ...content, text, html } });
    await ledger.trim(projectId, KEPT_MAX);
    return sentMail(noted, "kept");
  }
  await begin();
  await noteOnce(options, projectId, { ...noted, status: "sending", content });
  try {
    const providerId = await hand(options, projectId, { connection, provider, messageId }, one);
    await ledger.end(projectId, key, { status: "sent", providerId });
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    const status = error.problem === "unknown" ? "unknown" : "failed";
    await ledger.end(projectId, key, { status, error: error.message });
    // Servers count mails to unknown addresses, and then refuse all mail of the sender.
    if (error.isBadAddress) await suppressions.add(projectId, one.address, "bounced");
    if (error.problem !== "unknown" || !provider.isRepeatable) throw error;
    throw new MailError("unanswered", error.message, error);
  }
  return sentMail(noted, "sent");
}

const wasSent: ReadonlySet<string> = new Set(["sent", "bounced", "complained"]);

const sentMail = ({ id, messageId }: Pick<Known, "id" | "messageId">, status: SentMail["status"]): SentMail => ({
  id,
  status,
  message_id: messageId,
});

/** Whether the provider would recognize that it already has the mail. */
function isRepeatable(provider: EmailProvider | null, connection: OpenConnection | null, known: Known | null): boolean {
  if (provider === null || !provider.isRepeatable) return false;
  return known === null || (known.provider === connection?.provider && known.ageMs < REPEATABLE_MS);
}

async function noteOnce({ ledger }: MailerOptions, ...mail: Parameters<Ledger["begin"]>): Promise<void> {
  if (await ledger.begin(...mail)) return;
  throw new MailError("unknown", "Another process is sending the mail.");
}

interface Way {
  readonly connection: OpenConnection;
  readonly provider: EmailProvider;
  readonly messageId: string;
}

async function hand(
  { networkOf }: Pick<MailerOptions, "networkOf">,
  projectId: string,
  { connection, provider, messageId }: Way,
  { mail: { replyTo, subject, text, html, key }, address, untilMs }: One,
): Promise<string | null> {
  const leftMs = Math.floor(untilMs - performance.now());
  if (leftMs <= 0) throw new MailError("unreachable", "There was no time left for this recipient.");
  const mail = {
    messageId,
    to: address,
    replyTo: replyTo === null ? null : wireAddress(replyTo),
    subject,
    text,
    html,
    key: nameOf(projectId, key),
  };
  return provider.send(connection, mail, networkOf(projectId), leftMs);
}

/** Used before a connection is stored. @throws MailError. */
export async function testConnection(
  network: Network,
  connection: Omit<OpenConnection, "name">,
  timeoutMs: number,
): Promise<void> {
  const provider = await providerOf(connection.provider);
  await provider.test(connection, network, timeoutMs);
}

async function providerOf(name: string): Promise<EmailProvider> {
  const provider = await loadEmailProvider(name);
  if (provider === null) throw new MailError("refused", `No provider is called \`${name}\`.`);
  return provider;
}

/** The same for all attempts, and different for each mail of each project. */
function nameOf(projectId: string, key: string): string {
  return createHash("sha256").update(`${projectId}/${key}`).digest("hex").slice(0, 40);
}

function messageIdOf(projectId: string, key: string, connection: OpenConnection | null): string {
  const sender = wireAddress(String(connection?.settings["from_address"] ?? "")) ?? "@plinth.invalid";
  const domain = sender.slice(sender.lastIndexOf("@") + 1);
  return `<${nameOf(projectId, key)}@${domain}>`;
}
