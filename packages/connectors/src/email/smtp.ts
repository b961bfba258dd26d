// Mail by SMTP. In: a connection and a mail. Out: it is taken by the server, or why not. It connects to the address that the
// runtime has judged, and holds the server's certificate to the name that the connection gives.
import { createTransport, type Transporter } from "nodemailer";
import { type Connection, type EmailProvider, MailError, type Network, senderOf } from "./provider.ts";

export const smtpProvider: EmailProvider = {
  async test(connection, network, timeoutMs) {
    const transport = await open(connection, network, timeoutMs);
    try {
      await transport.verify();
    } catch (error) {
      throw failureOf(error);
    } finally {
      transport.close();
    }
  },
  async send(connection, mail, network, timeoutMs) {
    const transport = await open(connection, network, timeoutMs);
    try {
      const { messageId, to, replyTo, subject, text, html } = mail;
      const sent = await transport.sendMail({
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
      });
      return queueIdOf(sent.response);
    } catch (error) {
      throw failureOf(error);
    } finally {
      transport.close();
    }
  },
};

async function open({ settings, secrets }: Connection, network: Network, timeoutMs: number): Promise<Transporter> {
  const host = String(settings["host"]);
  const port = Number(settings["port"]);
  const { security, user } = settings;
  const address = await network.resolve(host, { port, encrypted: security !== "none" });
  return createTransport({
    host: address,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    tls: { servername: host, minVersion: "TLSv1.2" },
    ...(user === undefined ? {} : { auth: { user: String(user), pass: String(secrets["password"] ?? "") } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Commands before the mail itself: where one of them fails, nothing was taken. */
const BEFORE_DATA = /^(?:CONN|EHLO|HELO|LHLO|STARTTLS|AUTH|MAIL|RCPT)/;

function failureOf(error: unknown): MailError {
  if (error instanceof MailError) return error;
  const { code, command, responseCode } = (error ?? {}) as {
    readonly code?: string;
    readonly command?: string;
    readonly responseCode?: number;
  };
  if (code === "EAUTH") return new MailError("refused", "The mail server doesn't take this user and password.", error);
  if (responseCode !== undefined) {
    const problem = responseCode >= 500 ? "refused" : "unreachable";
    return new MailError(problem, `The mail server answered with ${responseCode}.`, error);
  }
  if (code === "EMESSAGE" || code === "EENVELOPE") return new MailError("refused", "The mail can't be sent.", error);
  if (code === "ETLS") return new MailError("refused", "The mail server doesn't offer encryption.", error);
  if (code === "EDNS" || command === undefined || BEFORE_DATA.test(command)) {
    return new MailError("unreachable", "The mail server does not answer.", error);
  }
  return new MailError("unknown", "The connection ended before the mail server said that it has the mail.", error);
}

/** What many servers say: `250 2.0.0 Ok: queued as 4F2...`. */
function queueIdOf(response: string | undefined): string | null {
  return /queued as ([\w.-]{1,100})/i.exec(response ?? "")?.[1] ?? null;
}
