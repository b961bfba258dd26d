// What code that sends mail is given, and what it answers. Types, and the one error that it throws.
import { domainToASCII } from "node:url";
import type { ConnectionValues } from "../manifests/all.ts";

export interface Mail {
  readonly messageId: string;
  /** In ASCII; one address. */
  readonly to: string;
  readonly replyTo: string | null;
  readonly subject: string;
  readonly text: string;
  readonly html: string | null;
  /** The same for all tries of one mail. */
  readonly key: string;
}

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly timeoutMs: number;
}

export interface HttpReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How code of a connector reaches the network: by the runtime's guard alone. */
export interface Network {
  /** The address to connect to, judged. @throws MailError. */
  resolve(host: string, options: { readonly port: number; readonly encrypted: boolean }): Promise<string>;
  /** @throws MailError. */
  fetch(request: HttpRequest): Promise<HttpReply>;
}

export interface Connection {
  readonly settings: ConnectionValues;
  readonly secrets: ConnectionValues;
}

export interface EmailProvider {
  /** A mail that is sent again within a day under the same key arrives once. */
  readonly isRepeatable: boolean;
  /** Whether the connection works, without sending anything. @throws MailError. */
  test(connection: Connection, network: Network, timeoutMs: number): Promise<void>;
  /** @returns what the provider calls the mail; null where it gives it no name. @throws MailError. */
  send(connection: Connection, mail: Mail, network: Network, timeoutMs: number): Promise<string | null>;
}

/**
 * `refused`: the mail or the connection won't do, and no later try helps. `unreachable`: nothing was taken; a later try may
 * succeed. `unknown`: nobody knows whether it was taken. `unanswered`: nor does anybody, but a later try does no harm.
 */
export type MailProblem = "refused" | "unreachable" | "unknown" | "unanswered";

export class MailError extends Error {
  readonly problem: MailProblem;
  /** Milliseconds that the provider asks to wait for; 0 where it doesn't. */
  readonly retryAfterMs: number;

  constructor(problem: MailProblem, message: string, cause?: unknown, retryAfterMs: number = 0) {
    super(message, { cause });
    this.name = "MailError";
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The domain in ASCII (RFC 5891), which every mail server takes. */
export function senderOf({ settings }: Connection): { readonly name: string; readonly address: string } {
  const [local = "", domain = ""] = String(settings["from_address"]).split("@");
  return { name: String(settings["from_name"] ?? ""), address: `${local}@${domainToASCII(domain)}` };
}
