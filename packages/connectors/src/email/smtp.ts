// Mail by SMTP. In: a connection and a mail. Out: it is taken by the server, or why not. It connects to the address that the
// runtime has judged, and holds the server's certificate to the name that the connection gives.
import { Readable } from "node:stream";
import MailComposer from "nodemailer/lib/mail-composer";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { type Connection, type EmailProvider, type Mail, MailError, type Network, senderOf } from "./provider.ts";

export const smtpProvider: EmailProvider = {
  test: (connection, network, timeoutMs) => within(connection, network, timeoutMs, async () => {}),
  async send(connection, mail, network, timeoutMs) {
    const message = await composed(connection, mail);
    const envelope = { from: senderOf(connection).address, to: [...mail.to], size: message.length };
    return within(connection, network, timeoutMs, (session) => hand(session, envelope, message));
  },
};

async function within<Result>(
  connection: Connection,
  network: Network,
  timeoutMs: number,
  work: (session: SMTPConnection) => Promise<Result>,
): Promise<Result> {
  const session = await open(connection, network, timeoutMs);
  try {
    await new Promise<void>((resolve, reject) => {
      session.once("error", reject);
      session.connect((error) => (error ? reject(error) : resolve()));
    });
    const { user } = connection.settings;
    if (user !== undefined) {
      const credentials = { user: String(user), pass: String(connection.secrets["password"] ?? "") };
      await new Promise<void>((resolve, reject) => {
        session.once("error", reject);
        session.login({ credentials }, (error) => (error ? reject(error) : resolve()));
      });
    }
    return await work(session);
  } catch (error) {
    throw failureOf(error);
  } finally {
    // Late errors of a connection that nobody waits for any more.
    session.on("error", () => {});
    session.quit();
  }
}

async function open({ settings }: Connection, network: Network, timeoutMs: number): Promise<SMTPConnection> {
  const host = String(settings["host"]);
  const port = Number(settings["port"]);
  const { security } = settings;
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
  });
}

interface Envelope {
  readonly from: string;
  readonly to: string[];
  readonly size: number;
}

/** From the first byte of the mail on, a lost answer may mean that the server has it. */
async function hand(session: SMTPConnection, envelope: Envelope, message: Buffer): Promise<string | null> {
  let begun = false;
  const body = new Readable({
    read() {
      begun = true;
      this.push(message);
      this.push(null);
    },
  });
  try {
    return await new Promise((resolve, reject) => {
      session.once("error", reject);
      session.send(envelope, body, (error, info) => (error ? reject(error) : resolve(queueIdOf(info?.response))));
    });
  } catch (error) {
    if (!begun || (error as { readonly responseCode?: number }).responseCode !== undefined) throw error;
    throw new MailError("unknown", "The connection ended before the mail server said that it has the mail.", error);
  }
}

function composed(connection: Connection, mail: Mail): Promise<Buffer> {
  const { messageId, to, replyTo, subject, text, html } = mail;
  const composer = new MailComposer({
    from: senderOf(connection),
    // A list of parts, so that no comma or bracket in one makes two of it.
    to: to.map((address) => ({ name: "", address })),
    ...(replyTo === null ? {} : { replyTo: { name: "", address: replyTo } }),
    messageId,
    subject,
    text,
    ...(html === null ? {} : { html }),
    // What a template holds names neither a file nor a URL to be fetched.
    disableFileAccess: true,
    disableUrlAccess: true,
    headers: { "Auto-Submitted": "auto-generated" },
    newline: "windows",
  });
  return composer.compile().build();
}

function failureOf(error: unknown): MailError {
  if (error instanceof MailError) return error;
  const { code, responseCode } = (error ?? {}) as { readonly code?: string; readonly responseCode?: number };
  if (code === "EAUTH") return new MailError("refused", "The mail server doesn't take this user and password.", error);
  if (responseCode !== undefined) {
    const problem = responseCode >= 500 ? "refused" : "unreachable";
    return new MailError(problem, `The mail server answered with ${responseCode}.`, error);
  }
  if (code === "EMESSAGE" || code === "EENVELOPE") return new MailError("refused", "The mail can't be sent.", error);
  if (code === "ETLS") return new MailError("refused", "The mail server doesn't offer encryption.", error);
  return new MailError("unreachable", "The mail server does not answer.", error);
}

/** What many servers say: `250 2.0.0 Ok: queued as 4F2...`. */
function queueIdOf(response: string | undefined): string | null {
  return /queued as ([\w.-]{1,100})/i.exec(response ?? "")?.[1] ?? null;
}
