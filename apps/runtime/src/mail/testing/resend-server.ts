// For tests: a server that speaks Resend's API. It stores the mails that it accepts, respects idempotency keys while it
// runs, refuses as documented, fails on command, and reports the result of a mail in a signed webhook.
// https://resend.com/docs/api-reference/errors, /emails/send-email, /dashboard/emails/idempotency-keys,
// /webhooks/verify-webhooks-requests
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Network } from "@plinth/connectors/email";
import { Webhook } from "svix";

export interface TakenMail {
  readonly id: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  readonly reply_to?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The result of the next call: accepted, accepted without an answer, or a documented error. */
export type ResendAnswer =
  | "take"
  | "lose"
  | { readonly status: number; readonly name: string; readonly after?: number };

export interface ResendServer {
  readonly sent: readonly TakenMail[];
  /** Calls of `POST /emails`, including refused ones. */
  readonly calls: number;
  /** Sends calls to the API's public address to this server, and lets all others fail. */
  networkThrough(network: Network): Network;
  /** The signed request that reports the result of a mail. */
  reportOf(
    type: string,
    id: string,
    more?: object,
  ): { readonly headers: Record<string, string>; readonly body: string };
  close(): Promise<void>;
}

export const resendKeys = { full: "re_full", sending: "re_sending" } as const;
export const resendSecret: string = `whsec_${Buffer.from("a secret of the mail provider").toString("base64")}`;

export async function startResend(answer: (call: number) => ResendAnswer = () => "take"): Promise<ResendServer> {
  const sent: TakenMail[] = [];
  const answered = new Map<string, { readonly payload: string; readonly id: string }>();
  let calls = 0;

  function post(request: IncomingMessage, payload: string): Answered {
    const key = request.headers["idempotency-key"];
    const said = answer(++calls);
    if (typeof said === "object")
      return failed(said.status, said.name, said.after === undefined ? {} : { "retry-after": String(said.after) });
    if (typeof key === "string" && key.length > 256) return failed(400, "invalid_idempotency_key");
    const before = typeof key === "string" ? answered.get(key) : undefined;
    if (before !== undefined && before.payload !== payload) return failed(409, "invalid_idempotent_request");
    const mail = JSON.parse(payload) as Omit<TakenMail, "id">;
    if (!/^(?:"(?:[^"\\]|\\.)*" <[^<>\s]+@[^<>\s]+>|[^<>\s]+@[^<>\s]+)$/.test(mail.from))
      return failed(422, "validation_error");
    const id = before?.id ?? randomUUID();
    if (before === undefined) sent.push({ ...mail, id });
    if (typeof key === "string") answered.set(key, { payload, id });
    return said === "lose" ? "lose" : { status: 200, headers: {}, body: { id } };
  }

  function judge(request: IncomingMessage, payload: string): Answered {
    const [, key] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? [];
    if (key === undefined) return failed(401, "missing_api_key");
    if (key !== resendKeys.full && key !== resendKeys.sending) return failed(403, "invalid_api_key");
    if (request.method === "POST" && request.url === "/emails") return post(request, payload);
    if (key === resendKeys.sending) return failed(401, "restricted_api_key");
    if (request.method === "GET" && request.url === "/domains") return { status: 200, headers: {}, body: { data: [] } };
    return failed(404, "not_found");
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => reply(response, judge(request, Buffer.concat(chunks).toString("utf8"))));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const here = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    sent,
    get calls() {
      return calls;
    },
    networkThrough: (network) => ({
      ...network,
      fetch: (request) =>
        network.fetch({ ...request, url: request.url.replace(/^https:\/\/api\.resend\.com(?=\/)/, here) }),
    }),
    reportOf(type, id, more = {}) {
      const mail = sent.find((one) => one.id === id);
      const data = { email_id: id, from: mail?.from, to: mail?.to ?? [], subject: mail?.subject, ...more };
      const body = JSON.stringify({ type, created_at: new Date().toISOString(), data });
      const name = `msg_${randomUUID()}`;
      const now = new Date();
      return {
        body,
        headers: {
          "content-type": "application/json",
          "svix-id": name,
          "svix-timestamp": String(Math.floor(now.getTime() / 1_000)),
          "svix-signature": new Webhook(resendSecret).sign(name, now, body),
        },
      };
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

type Answered =
  | "lose"
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: object };

function failed(statusCode: number, name: string, headers: Readonly<Record<string, string>> = {}): Answered {
  return { status: statusCode, headers, body: { statusCode, name, message: `${name}, as the documents say` } };
}

function reply(response: ServerResponse, answer: Answered): void {
  if (answer === "lose") {
    response.destroy();
    return;
  }
  response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
  response.end(JSON.stringify(answer.body));
}
