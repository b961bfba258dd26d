// Loads the code that sends mail, when a project first sends through a provider. In: a provider's name. Out: its code.
import type { EmailProvider } from "./provider.ts";

export {
  type Connection,
  type EmailProvider,
  type Mail,
  MailError,
  type MailProblem,
  type Network,
} from "./provider.ts";

const loaders: Readonly<Record<string, () => Promise<EmailProvider>>> = {
  resend: async () => (await import("./resend.ts")).resendProvider,
  smtp: async () => (await import("./smtp.ts")).smtpProvider,
};

/** Null if no code sends through it. */
export async function loadEmailProvider(provider: string): Promise<EmailProvider | null> {
  return Object.hasOwn(loaders, provider) ? ((await loaders[provider]?.()) ?? null) : null;
}
