// Sends a project's mails, one to each receiver. In: a mail under a key. Out: it was sent, kept in the mailbox, or left out since nobody
// whom it is for gets mail. What was sent under a key is not sent again. Where nobody knows whether it was, it is sent again only where
// the provider tells repeated calls apart, or where the mail may rather arrive twice than not at all.
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
  /** Of all receivers together. */
  readonly timeoutMs: number;
  /** It is sent again where nobody knows whether it was sent. Default: no. */
  readonly repeats?: boolean;
}

export interface SentMail {
  readonly id: string;
  readonly status: "sent" | "kept" | "suppressed";
  readonly message_id: string;
}

export interface Mailer {
  /**
   * @param begin Records that the mail is about to be sent; it is sent only once this has succeeded.
   * @returns what became of the mail; of several, of the first that was sent or kept.
   * @throws MailError where one of them was not sent, and what `begin` throws. The next try sends only those.
   */
  send(projectId: string, mail: OutgoingMail, begin?: () => Promise<void>): Promise<SentMail>;
}

export const RECEIVERS_MAX = 20;
const BODY_BYTES_MAX = 1_048_576;
/** Of one project; older ones go. */
const KEPT_MAX = 200;
/** Providers forget keys after 24 hours. */
const REPEATABLE_MS = 23 * 3_600_000;

export function createMailer(options: MailerOptions): Mailer {
  // Sockets of this process: what a project may send at all is counted in the database.
  const queue = new FairQueue({
    places: 100,
    placesPerProject: 10,
    leavesRoom: true,
    waitingMax: 10_000,
    waitMsMax: 600_000,
    refusal: () => new MailError("unreachable", "Too many mails of this project are under way."),
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

/** As they are written on the wire, each once. @throws MailError where the mail can't be sent. */
function receiversOf({ to, replyTo, text, html }: OutgoingMail): readonly string[] {
  if (to.length === 0) throw new MailError("refused", "The mail has no receiver.");
  if (to.length > RECEIVERS_MAX) throw new MailError("refused", `A mail has at most ${RECEIVERS_MAX} receivers.`);
  const receivers = to.map(wireAddress);
  if (receivers.includes(null)) throw new MailError("refused", "A receiver is no e-mail address.");
  if (replyTo !== null && wireAddress(replyTo) === null)
    throw new MailError("refused", "The address for answers is no e-mail address.");
  if (Buffer.byteLength(text) + Buffer.byteLength(html ?? "") > BODY_BYTES_MAX)
    throw new MailError("refused", `A mail has at most ${BODY_BYTES_MAX} bytes.`);
  const distinct = new Map(receivers.flatMap((each) => (each === null ? [] : [[each.toLowerCase(), each] as const])));
  return [...distinct.values()];
}

/** A receiver who is refused keeps the others from nothing; a server that is away is not asked for each of them. */
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
  if (first === undefined) throw new Error("a mail without a receiver");
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
  if (known?.status === "kept" || known?.status === "suppressed") return told(known, known.status);
  if (known !== null && wasSent.has(known.status)) return told(known, "sent");
  const name = one.mail.connection ?? USUAL_EMAIL_CONNECTION;
  const connection = await connections.open(projectId, name);
  const provider = connection === null ? null : await providerOf(connection.provider);
  const isSafe = isRepeatable(provider, connection, known);
  if (known !== null && known.status !== "failed" && !repeats && !isSafe)
    throw new MailError("unknown", "Nobody knows whether the mail was sent: ask whom it is for.");
  if (connection === null && !mailbox)
    throw new MailError("refused", `This project has no connection \`${name}\` to send mail by: set one.`);
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
    return told(noted, "suppressed");
  }
  if (known === null && !(await ledger.take(projectId, perHourMax)))
    throw new MailError("unreachable", `This project has sent its ${perHourMax} mails of this hour.`);
  if (connection === null || provider === null) {
    await noteOnce(options, projectId, { ...noted, status: "kept", content: { ...content, text, html } });
    await ledger.trim(projectId, KEPT_MAX);
    return told(noted, "kept");
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
    if (error.problem !== "unknown" || !provider.isRepeatable) throw error;
    throw new MailError("unanswered", error.message, error);
  }
  return told(noted, "sent");
}

const wasSent: ReadonlySet<string> = new Set(["sent", "bounced", "complained"]);

const told = ({ id, messageId }: Pick<Known, "id" | "messageId">, status: SentMail["status"]): SentMail => ({
  id,
  status,
  message_id: messageId,
});

/** Whether the provider would tell that it has had the mail. */
function isRepeatable(provider: EmailProvider | null, connection: OpenConnection | null, known: Known | null): boolean {
  if (provider === null || !provider.isRepeatable) return false;
  return known === null || (known.provider === connection?.provider && known.ageMs < REPEATABLE_MS);
}

async function noteOnce({ ledger }: MailerOptions, ...mail: Parameters<Ledger["begin"]>): Promise<void> {
  if (await ledger.begin(...mail)) return;
  throw new MailError("unknown", "The mail is being sent by another process.");
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
  if (leftMs <= 0) throw new MailError("unreachable", "There was no time left for this receiver.");
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

/** Before a connection is kept. @throws MailError. */
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
  if (provider === null) throw new MailError("refused", `Nothing sends mail by \`${name}\`.`);
  return provider;
}

/** The same for all tries, and another one for each mail of each project. */
function nameOf(projectId: string, key: string): string {
  return createHash("sha256").update(`${projectId}/${key}`).digest("hex").slice(0, 40);
}

function messageIdOf(projectId: string, key: string, connection: OpenConnection | null): string {
  const sender = wireAddress(String(connection?.settings["from_address"] ?? "")) ?? "@plinth.invalid";
  const domain = sender.slice(sender.lastIndexOf("@") + 1);
  return `<${nameOf(projectId, key)}@${domain}>`;
}
