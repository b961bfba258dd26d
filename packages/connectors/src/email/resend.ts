// Sends mail through the API of Resend. In: a connection and a mail. Out: its id there. With the key of the mail, a
// repeated call sends nothing for a day. https://resend.com/docs/api-reference/emails/send-email, /errors,
// /dashboard/emails/idempotency-keys
import { type Connection, type EmailProvider, type HttpReply, MailError, type Network, senderOf } from "./provider.ts";

const API = "https://api.resend.com";

export const resendProvider: EmailProvider = {
  isRepeatable: true,
  async test(connection, network, timeoutMs) {
    // A key that can only send is answered with 401 and this name, but it is valid.
    const reply = await call(connection, network, {
      method: "GET",
      path: "/domains",
      body: null,
      key: null,
      timeoutMs,
    });
    if (reply.status >= 300 && nameOf(reply) !== "restricted_api_key") throw refusal(reply);
  },
  async send(connection, mail, network, timeoutMs) {
    const { name, address } = senderOf(connection);
    const reply = await call(connection, network, {
      method: "POST",
      path: "/emails",
      key: mail.key,
      timeoutMs,
      body: JSON.stringify({
        from: name === "" ? address : `${JSON.stringify(name)} <${address}>`,
        to: [mail.to],
        subject: mail.subject,
        text: mail.text,
        ...(mail.html === null ? {} : { html: mail.html }),
        ...(mail.replyTo === null ? {} : { reply_to: mail.replyTo }),
        headers: { "Message-ID": mail.messageId, "Auto-Submitted": "auto-generated" },
      }),
    });
    // It already received another mail under this key: an earlier attempt has sent it.
    if (nameOf(reply) === "invalid_idempotent_request") return null;
    if (reply.status >= 300) throw refusal(reply);
    return textIn(reply, "id");
  },
};

interface Call {
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
  readonly body: string | null;
  readonly timeoutMs: number;
}

function call({ secrets }: Connection, network: Network, { method, path, key, body, timeoutMs }: Call) {
  return network.fetch({
    method,
    url: `${API}${path}`,
    headers: {
      authorization: `Bearer ${secrets["api_key"]}`,
      "user-agent": "Plinth",
      ...(body === null ? {} : { "content-type": "application/json" }),
      ...(key === null ? {} : { "idempotency-key": key }),
    },
    body,
    timeoutMs,
  });
}

function refusal(reply: HttpReply): MailError {
  const { status } = reply;
  const name = nameOf(reply);
  if (name === "validation_error" && status === 403)
    return new MailError(
      "refused",
      "Resend only sends from a domain that was verified in Resend, or to the address of the account itself.",
    );
  if (status === 401 || status === 403) return new MailError("refused", "Resend doesn't accept this API key.");
  const said = `Resend answered with ${status}${name === null ? "" : ` (${name})`}.`;
  const isLater = status >= 500 || LATER.has(status) || name === "concurrent_idempotent_requests";
  if (!isLater) return new MailError("refused", said);
  return new MailError("unreachable", said, undefined, { retryAfterMs: retryAfterMs(reply) });
}

/** Statuses below 500 after which a later attempt may succeed, RFC 9110 and 6585. */
const LATER: ReadonlySet<number> = new Set([408, 425, 429]);
const RETRY_AFTER_SECONDS_MAX = 3_600;

/** Resend gives seconds. */
function retryAfterMs({ headers }: HttpReply): number {
  const seconds = Number(headers["retry-after"] ?? 0);
  return seconds > 0 ? Math.min(seconds, RETRY_AFTER_SECONDS_MAX) * 1_000 : 0;
}

/** Resend's name of the error. */
function nameOf(reply: HttpReply): string | null {
  return reply.status < 300 ? null : textIn(reply, "name");
}

function textIn({ body }: HttpReply, key: "id" | "name"): string | null {
  try {
    const { [key]: text } = JSON.parse(body) as Readonly<Record<string, unknown>>;
    return typeof text === "string" ? text.slice(0, 100) : null;
  } catch {
    return null;
  }
}
