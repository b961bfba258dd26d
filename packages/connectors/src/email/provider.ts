// The interface for code that sends mail. Types, and its only error.
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
  /** The same for all attempts of one mail. */
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
  /** With lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How a connector reaches the network: only through the runtime's guard. */
export interface Network {
  /** The checked address to connect to. @throws MailError. */
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
  /** Tests the connection without sending anything. @throws MailError. */
  test(connection: Connection, network: Network, timeoutMs: number): Promise<void>;
  /** @returns the provider's id of the mail; null if there is none. @throws MailError. */
  send(connection: Connection, mail: Mail, network: Network, timeoutMs: number): Promise<string | null>;
}

/**
 * `refused`: the mail or the connection is not accepted, and a later attempt doesn't help. `unreachable`: nothing was
 * accepted; a later attempt may succeed. `unknown`: it is not known whether it was accepted. `unanswered`: the same,
 * but a later attempt does no harm.
 */
export type MailProblem = "refused" | "unreachable" | "unknown" | "unanswered";

export interface MailErrorOptions {
  readonly retryAfterMs?: number;
  readonly reply?: string | null;
  readonly isBadAddress?: boolean;
}

export class MailError extends Error {
  readonly problem: MailProblem;
  /** How many milliseconds the provider asks to wait; 0 if it doesn't. */
  readonly retryAfterMs: number;
  /** The reply of the mail server, without addresses; null if there is none. */
  readonly reply: string | null;
  /** Whether the mail server says that the recipient does not exist. */
  readonly isBadAddress: boolean;

  constructor(problem: MailProblem, message: string, cause?: unknown, more: MailErrorOptions = {}) {
    super(message, { cause });
    this.name = "MailError";
    this.problem = problem;
    this.retryAfterMs = more.retryAfterMs ?? 0;
    this.reply = more.reply ?? null;
    this.isBadAddress = more.isBadAddress ?? false;
  }
}

/** The domain in ASCII (RFC 5891), which every mail server accepts. */
export function senderOf({ settings }: Connection): { readonly name: string; readonly address: string } {
  const [local = "", domain = ""] = String(settings["from_address"]).split("@");
  return { name: String(settings["from_name"] ?? ""), address: `${local}@${domainToASCII(domain)}` };
}
