// The configuration of the control plane. In: environment variables. Out: a typed configuration. It never reads the environment
// itself; `main.ts` passes it in.
import { type ControlSigner, readControlSigner } from "@plinth/bundle";
import { ConfigError, type LogLevel, readConfig } from "@plinth/service";
import { z } from "zod";
import type { CellSettings } from "./cells/store.ts";
import { type OperatorLimits, operatorLimits, operatorLimitVariables } from "./operator-limits.ts";
import { trustedOrigins } from "./origin.ts";
import { type OwnMailSettings, smtpConnection } from "./own-mail/settings.ts";

export interface Config {
  readonly port: number;
  readonly host: string;
  readonly databaseUrl: string;
  /** The secret for the cells' internal listeners, which the cells know too. */
  readonly cellSecret: string;
  /** The private key that signs approvals and assertions. */
  readonly signer: ControlSigner;
  /** The cell of this installation. An operator can add more cells to the database. */
  readonly cell: CellSettings;
  readonly controlUrl: string;
  readonly consoleUrl: string;
  readonly authSecret: string;
  /** Whether cookies are sent over HTTPS only. True if the console uses HTTPS. */
  readonly secureCookies: boolean;
  /** The origins whose pages may send a person's cookie. */
  readonly trustedOrigins: readonly string[];
  /** Proves that a request comes from the console, so that its header with the client's address is trusted. */
  readonly consoleSecret: string;
  /** Failed sign-ins per client address and minute, and sign-ups per client address and hour. */
  readonly attemptsMax: number;
  readonly limits: OperatorLimits;
  readonly mail: OwnMailSettings;
  readonly parentPid: number | null;
  readonly logLevel: LogLevel;
}

export function controlConfig(env: Record<string, string | undefined>): Config {
  const schema = z.object({
    ...operatorLimitVariables,
    PLINTH_CONTROL_PORT: z.coerce.number().int().min(0).max(65535).default(4100),
    PLINTH_CONTROL_HOST: z.string().min(1).default("127.0.0.1"),
    CONTROL_DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//, "must be a postgres:// URL"),
    PLINTH_CELL_SECRET: z.string().min(32, "must have at least 32 characters"),
    PLINTH_SIGNING_KEY: z.string().transform((text, context) => {
      try {
        return readControlSigner(text);
      } catch (error) {
        context.issues.push({ code: "custom", message: (error as Error).message, input: "" });
        return z.NEVER;
      }
    }),
    PLINTH_CELL_ID: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,39}$/, "must be lower-case letters, digits and -")
      .default("local"),
    PLINTH_CELL_URL: z.url().default("http://127.0.0.1:4001"),
    PLINTH_PUBLIC_API_URL: z.url().default("http://127.0.0.1:4000"),
    PLINTH_CONTROL_URL: z.url().default("http://127.0.0.1:4100"),
    PLINTH_CONSOLE_URL: z.url().default("http://127.0.0.1:3000"),
    PLINTH_AUTH_SECRET: z.string().min(32, "must have at least 32 characters"),
    PLINTH_CONSOLE_SECRET: z.string().min(32, "must have at least 32 characters"),
    PLINTH_SIGN_IN_LIMIT: z.coerce.number().int().positive().default(20),
    PLINTH_SMTP_URL: z.string().optional(),
    PLINTH_MAIL_FROM: z.string().optional(),
    PLINTH_MAILBOX_FOLDER: z.string().optional(),
    PLINTH_PARENT_PID: z.coerce.number().int().positive().optional(),
    PLINTH_LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  });
  const given = readConfig(schema, env);
  return {
    port: given.PLINTH_CONTROL_PORT,
    host: given.PLINTH_CONTROL_HOST,
    databaseUrl: given.CONTROL_DATABASE_URL,
    cellSecret: given.PLINTH_CELL_SECRET,
    signer: given.PLINTH_SIGNING_KEY,
    cell: {
      id: given.PLINTH_CELL_ID,
      internalUrl: withoutSlash(given.PLINTH_CELL_URL),
      publicUrl: withoutSlash(given.PLINTH_PUBLIC_API_URL),
    },
    controlUrl: withoutSlash(given.PLINTH_CONTROL_URL),
    consoleUrl: withoutSlash(given.PLINTH_CONSOLE_URL),
    authSecret: given.PLINTH_AUTH_SECRET,
    secureCookies: given.PLINTH_CONSOLE_URL.startsWith("https:"),
    trustedOrigins: trustedOrigins(given.PLINTH_CONSOLE_URL),
    consoleSecret: given.PLINTH_CONSOLE_SECRET,
    attemptsMax: given.PLINTH_SIGN_IN_LIMIT,
    limits: operatorLimits(given),
    mail: mailSettings(given),
    parentPid: given.PLINTH_PARENT_PID ?? null,
    logLevel: given.PLINTH_LOG_LEVEL,
  };
}

/** A mail server is preferred to the mailbox of a local Plinth. */
function mailSettings(given: MailVariables): OwnMailSettings {
  const { PLINTH_SMTP_URL: url, PLINTH_MAIL_FROM: from, PLINTH_MAILBOX_FOLDER: folder } = given;
  if (url !== undefined) {
    try {
      return { kind: "smtp", connection: smtpConnection(url, from) };
    } catch (error) {
      throw new ConfigError([`PLINTH_SMTP_URL: ${(error as Error).message}`]);
    }
  }
  return folder === undefined ? { kind: "none" } : { kind: "mailbox", folder };
}

type MailVariables = Readonly<
  Partial<Record<"PLINTH_SMTP_URL" | "PLINTH_MAIL_FROM" | "PLINTH_MAILBOX_FOLDER", string | undefined>>
>;

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, "");
}
