// What a provider reports about a mail that it has taken. In: how it calls the mail, and what happened. Out: the mail is marked, and those
// whom it was for get no more. Inbound webhooks of mail providers call it.
import type { Ledger } from "./ledger.ts";
import type { Suppressions } from "./suppressions.ts";

export interface MailReport {
  readonly projectId: string;
  readonly mail: { readonly providerId: string } | { readonly messageId: string };
  /** `bounced`: it can't be delivered, now or ever. `complained`: its reader called it spam. */
  readonly status: "bounced" | "complained";
  /** Whom it is about; null for all whom the mail was for. */
  readonly address: string | null;
}

/** Whether there was such a mail. Twice is as once; an address that the mail was not for is left alone. */
export async function reportMail(
  { ledger, suppressions }: { readonly ledger: Ledger; readonly suppressions: Suppressions },
  { projectId, mail, status, address }: MailReport,
): Promise<boolean> {
  const receivers = await ledger.report(projectId, mail, status);
  if (receivers === null) return false;
  const meant = address?.toLowerCase() ?? null;
  for (const each of receivers)
    if (meant === null || each.toLowerCase() === meant) await suppressions.add(projectId, each, status);
  return true;
}
