// Inbound webhooks in a bundle: how a source's requests are verified, and which events they become. Only data, never a
// secret.
import { z } from "zod";

export interface BundleScheme {
  readonly scheme: "hmac-sha1" | "hmac-sha256" | "hmac-sha512" | "token" | "ed25519";
  /** In lower case. */
  readonly header: string;
  /** Absent: `{hex}`. A `{timestamp}` before the signature is separated from it by `,`, `;` or a space. */
  readonly format?: string;
  /** `body`, `url`, `timestamp` (that of `format`), `headers.<name>`, or text. Absent: the body. */
  readonly message?: readonly string[];
}

export interface BundleInbound {
  readonly name: string;
  /** A provider's name, or a scheme of the project's own. */
  readonly verify: string | BundleScheme;
  /** The path of a list, each member of which is an event of its own. */
  readonly each?: string;
  /** A path into the body, the headers or, with `each`, the member; absent: the provider's default. */
  readonly type?: string;
  readonly dedupe?: string;
  /** The provider's type > our event. */
  readonly events?: Readonly<Record<string, string>>;
}

const scheme = z.looseObject({
  scheme: z.enum(["hmac-sha1", "hmac-sha256", "hmac-sha512", "token", "ed25519"]),
  header: z.string().min(1),
  format: z.string().optional(),
  message: z.array(z.string()).optional(),
});

export const inbound: z.ZodType = z.looseObject({
  name: z.string().min(1),
  verify: z.union([z.string().min(1), scheme]),
  each: z.string().optional(),
  type: z.string().optional(),
  dedupe: z.string().optional(),
  events: z.record(z.string(), z.string()).optional(),
});
