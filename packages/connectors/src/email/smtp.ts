// Sends mail by SMTP. In: a connection and a mail. Out: that the server accepted it, or why not. It connects to the
// address that the runtime has checked, and checks the server's certificate against the host name of the connection.
import { Readable } from "node:stream";
import MailComposer from "nodemailer/lib/mail-composer";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import {
  type Connection,
  type EmailProvider,
  type Mail,
  MailError,
  type MailProblem,
  type Network,
  senderOf,
} from "./provider.ts";

export const smtpProvider: EmailProvider = {
  // Most servers deliver a mail twice if they receive it twice, whatever its Message-ID.
  isRepeatable: false,
  test: (connection, network, timeoutMs) => within(connection, network, timeoutMs, async () => {}),
  async send(connection, mail, network, timeoutMs) {
    const message = await composed(connection, mail);
    const envelope = { from: senderOf(connection).address, to: [mail.to], size: message.length };
    return within(connection, network, timeoutMs, (session) => hand(session, envelope, message));
  },
};

async function within<Result>(
  connection: Connection,
  network: Network,
  timeoutMs: number,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const untilMs = performance.now() + timeoutMs;
  const smtp = await open(connection, network, timeoutMs);
  const session = sessionOf(smtp, untilMs - performance.now());
  try {
    await session.step((done) => smtp.connect(done));
    const { user } = connection.settings;
    if (user !== undefined) {
      const credentials = { user: String(user), pass: String(connection.secrets["password"] ?? "") };
      await session.step((done) => smtp.login({ credentials }, done));
    }
    return await work(session);
  } catch (error) {
    throw failureOf(error);
  } finally {
    session.leave();
  }
}

type Done<Result> = (error?: Error | null, result?: Result) => void;

interface Session {
  readonly smtp: SMTPConnection;
  /** @throws the error of the server or the connection, and an error when the time of the whole session is over. */
  step<Result>(act: (done: Done<Result>) => void): Promise<Result | undefined>;
  leave(): void;
}

/** The library's own timeouts restart with each byte: a slow server could keep a session forever. */
function sessionOf(smtp: SMTPConnection, timeoutMs: number): Session {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(new Error("the session took too long")), Math.max(0, timeoutMs));
  return {
    smtp,
    step: (act) =>
      new Promise((resolve, reject) => {
        smtp.once("error", reject);
        over.signal.addEventListener("abort", () => reject(over.signal.reason), { once: true });
        act((error, result) => (error ? reject(error) : resolve(result)));
      }),
    leave() {
      clearTimeout(timer);
      // Late errors of a connection that nobody waits for any more.
      smtp.on("error", () => {});
      if (over.signal.aborted) {
        smtp.close();
        return;
      }
      const closing = setTimeout(() => smtp.close(), LEAVE_MS);
      smtp.once("end", () => clearTimeout(closing));
      smtp.quit();
    },
  };
}

/** After these, a server may close the session. */
const LEAVE_MS = 1_000;
/** The maximum size of one answer, and of unsolicited text. */
const ANSWER_BYTES_MAX = 65_536;

async function open({ settings }: Connection, network: Network, timeoutMs: number): Promise<SMTPConnection> {
  const host = String(settings["host"]);
  const port = Number(settings["port"]);
  const { security, user } = settings;
  if (security === "none" && user !== undefined)
    throw new MailError("refused", "A password is sent only over an encrypted connection.");
  const address = await network.resolve(host, { port, encrypted: security !== "none" });
  return new SMTPConnection({
    host: address,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    tls: { servername: host, minVersion: "TLSv1.2" },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // The rest of an answer is not waited for.
    socketCloseTimeout: 0,
    maxResponseSize: ANSWER_BYTES_MAX,
  });
}

interface Envelope {
  readonly from: string;
  readonly to: string[];
  readonly size: number;
}

/** After the first byte of the mail, a lost answer can mean that the server has the mail. */
async function hand(session: Session, envelope: Envelope, message: Buffer): Promise<string | null> {
  let begun = false;
  const body = new Readable({
    read() {
      begun = true;
      this.push(message);
      this.push(null);
    },
  });
  try {
    const info = await session.step<{ readonly response: string }>((done) => session.smtp.send(envelope, body, done));
    return queueIdOf(info?.response);
  } catch (error) {
    if (!begun || (error as { readonly responseCode?: number }).responseCode !== undefined) throw error;
    throw new MailError("unknown", "The connection ended before the mail server confirmed the mail.", error);
  }
}

function composed(connection: Connection, mail: Mail): Promise<Buffer> {
  const { messageId, to, replyTo, subject, text, html } = mail;
  const composer = new MailComposer({
    from: senderOf(connection),
    // In parts, so that a comma or bracket doesn't create a second address.
    to: { name: "", address: to },
    ...(replyTo === null ? {} : { replyTo: { name: "", address: replyTo } }),
    messageId,
    subject,
    text,
    ...(html === null ? {} : { html }),
    // The content of a template never names a file or a URL to fetch.
    disableFileAccess: true,
    disableUrlAccess: true,
    headers: { "Auto-Submitted": "auto-generated" },
    newline: "windows",
  });
  return composer.compile().build();
}

function failureOf(error: unknown): MailError {
  if (error instanceof MailError) return error;
  const { code, originalCode, responseCode, response, command } = (error ?? {}) as SmtpError;
  const reply = replyOf(response);
  const isBadAddress = command === "RCPT TO" && isUnknownRecipient(response ?? "");
  const failed = (problem: MailProblem, message: string): MailError =>
    new MailError(problem, message, error, { reply, isBadAddress });
  const answered = `The mail server answered with ${reply ?? responseCode}.`;
  if (responseCode !== undefined && responseCode < 500) return failed("unreachable", answered);
  if (code === "EAUTH") return failed("refused", "The mail server doesn't accept this user and password.");
  if (originalCode !== undefined && WRONG_CERTIFICATE.test(originalCode))
    return failed("refused", "The certificate of the mail server is not valid for its host name.");
  if (code === "ETLS") return failed("refused", "The mail server doesn't offer encryption.");
  if (responseCode !== undefined) return failed("refused", answered);
  if (code === "EMESSAGE" || code === "EENVELOPE") return failed("refused", "The mail can't be sent.");
  return failed("unreachable", "The mail server does not answer.");
}

interface SmtpError {
  readonly code?: string;
  /** The error of the system or of TLS, if the library has replaced it by its own. */
  readonly originalCode?: string;
  readonly responseCode?: number;
  /** The reply, with its code. */
  readonly response?: string;
  /** What was answered, such as `RCPT TO`. */
  readonly command?: string;
}

const REPLY_MAX = 500;
/** Also without a domain: some servers only repeat the name of a mailbox in angle brackets. */
const ADDRESS = /<[^<>]*>|[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g;

/** In one line. Addresses are not stored in plain text. */
function replyOf(response: string | undefined): string | null {
  const reply = (response ?? "").replaceAll(ADDRESS, "<address>").replaceAll(/\s+/g, " ").trim().replace(/\.$/, "");
  return reply === "" ? null : reply.toWellFormed().replaceAll("\u0000", "").slice(0, REPLY_MAX);
}

/**
 * RFC 3463: `5.1.x` is about the address, other codes about the mailbox, the mail or the sender. Without such a code,
 * a refusal for another reason is recognized by its words.
 */
function isUnknownRecipient(response: string): boolean {
  if (!/^55[013]\b/.test(response)) return false;
  const enhanced = /\b5\.\d{1,3}\.\d{1,3}\b/.exec(response)?.[0];
  if (enhanced !== undefined) return enhanced.startsWith("5.1.");
  return !/relay|spam|block|black|polic|denied|reputation|auth|spf|dkim|dmarc|sender|full|quota|size/i.test(response);
}

/** https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const WRONG_CERTIFICATE = /CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^INVALID_(?:CA|PURPOSE)$|^PATH_LENGTH_EXCEEDED$/;

/** The answer of many servers: `250 2.0.0 Ok: queued as 4F2...`. */
function queueIdOf(response: string | undefined): string | null {
  return /queued as ([\w.-]{1,100})/i.exec(response ?? "")?.[1] ?? null;
}
