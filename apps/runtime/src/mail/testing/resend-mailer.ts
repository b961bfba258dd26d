// For tests: a mailer whose Resend calls go to a server of the test, and a project's connection to it.
import { createUuidV7 } from "@plinth/service";
import { createMailer, type Mailer } from "../mailer.ts";
import type { MailParts } from "../open-mail.ts";
import { type ResendServer, resendKeys } from "./resend-server.ts";

export function resendMailer(parts: MailParts, resend: ResendServer): Mailer {
  return createMailer({
    ...parts,
    networkOf: (project) => resend.networkThrough(parts.networkOf(project)),
    newId: createUuidV7({ now: Date.now }),
    perHourMax: 100,
    mailbox: false,
  });
}

export async function connectToResend({ connections }: MailParts, projectId: string, name: string): Promise<void> {
  await connections.set(projectId, {
    name,
    provider: "resend",
    settings: { from_address: "desk@example.com" },
    secrets: { api_key: resendKeys.sending },
  });
}
