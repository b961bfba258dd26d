// What a provider reports about a mail that it has taken. In: the mail, as the provider or its header names it, and what happened. Out:
// the mail is marked, and the addresses that it was for get no more mail of the project. Inbound webhooks call it.
import type { Ledger, MailName } from "./ledger.ts";
import type { Suppressions } from "./suppressions.ts";

export interface MailReport {
  readonly projectId: string;
  readonly mail: MailName;
  /** `bounced`: it can't be delivered, now or later. `complained`: its reader marked it as spam. */
  readonly status: "bounced" | "complained";
  /** Which address it is about; null for all that the mail was for. */
  readonly address: string | null;
}

export interface MailReportOptions {
  readonly ledger: Ledger;
  readonly suppressions: Suppressions;
}

/**
 * A report that is repeated changes nothing: an address that somebody has allowed again stays allowed. The address is suppressed before
 * the mail is marked, so that a report that failed halfway takes effect when the provider repeats it.
 * @returns whether there is such a mail.
 */
export async function reportMail(
  { ledger, suppressions }: MailReportOptions,
  { projectId, mail, status, address }: MailReport,
): Promise<boolean> {
  const reported = await ledger.named(projectId, mail);
  if (reported === null) return false;
  if (reported.status === status || reported.status === "complained") return true;
  const meant = address?.toLowerCase() ?? null;
  for (const each of reported.to)
    if (meant === null || each.toLowerCase() === meant) await suppressions.add(projectId, each, status);
  await ledger.mark(projectId, reported.key, status);
  return true;
}
