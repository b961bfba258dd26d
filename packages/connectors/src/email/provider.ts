// What code that sends mail is given, and what it answers. Types, and the one error that it throws.
import type { ConnectionValues } from "../manifests/all.ts";

export interface Mail {
  readonly messageId: string;
  readonly to: readonly string[];
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

/** How code of a connector reaches the network: by the runtime's guard alone. */
export interface Network {
  /** The address to connect to, judged. @throws MailError. */
  resolve(host: string, options: { readonly port: number; readonly encrypted: boolean }): Promise<string>;
  /** @throws MailError. */
  fetch(request: HttpRequest): Promise<{ readonly status: number; readonly body: string }>;
}

export interface Connection {
  readonly settings: ConnectionValues;
  readonly secrets: ConnectionValues;
}

export interface EmailProvider {
  /** Whether the connection works, without sending anything. @throws MailError. */
  test(connection: Connection, network: Network, timeoutMs: number): Promise<void>;
  /** @returns what the provider calls the mail; null where it gives it no name. @throws MailError. */
  send(connection: Connection, mail: Mail, network: Network, timeoutMs: number): Promise<string | null>;
}

/**
 * `refused`: the mail or the connection won't do, and no later try helps. `unreachable`: nothing was taken; a later try may
 * succeed. `unknown`: nobody knows whether it was taken.
 */
export type MailProblem = "refused" | "unreachable" | "unknown";

export class MailError extends Error {
  readonly problem: MailProblem;

  constructor(problem: MailProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "MailError";
    this.problem = problem;
  }
}

/** `Name <address>`, as a header has it. */
export function senderOf({ settings }: Connection): { readonly name: string; readonly address: string } {
  return { name: String(settings["from_name"] ?? ""), address: String(settings["from_address"]) };
}
