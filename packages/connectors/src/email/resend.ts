// Mail by the API of Resend. In: a connection and a mail. Out: its id there. The key of the mail makes a repeated call none.
// https://resend.com/docs/api-reference/emails/send-email
import { type Connection, type EmailProvider, MailError, type Network, senderOf } from "./provider.ts";

const API = "https://api.resend.com";

export const resendProvider: EmailProvider = {
  async test(connection, network, timeoutMs) {
    // A key that may only send is refused with 401 and this name: it is a good one all the same.
    const reply = await call(connection, network, {
      method: "GET",
      path: "/domains",
      body: null,
      key: null,
      timeoutMs,
    });
    if (reply.status >= 400 && !reply.body.includes("restricted_api_key")) throw refusal(reply.status);
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
        to: mail.to,
        subject: mail.subject,
        text: mail.text,
        ...(mail.html === null ? {} : { html: mail.html }),
        ...(mail.replyTo === null ? {} : { reply_to: mail.replyTo }),
        headers: { "Message-ID": mail.messageId, "Auto-Submitted": "auto-generated" },
      }),
    });
    if (reply.status >= 300) throw refusal(reply.status);
    return idOf(reply.body);
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

function refusal(status: number): MailError {
  if (status === 401 || status === 403) return new MailError("refused", "Resend doesn't take this API key.");
  const isLater = status >= 500 || status === 429 || status === 408;
  return new MailError(isLater ? "unreachable" : "refused", `Resend answered with ${status}.`);
}

function idOf(body: string): string | null {
  try {
    const { id } = JSON.parse(body) as { readonly id?: unknown };
    return typeof id === "string" ? id.slice(0, 100) : null;
  } catch {
    return null;
  }
}
