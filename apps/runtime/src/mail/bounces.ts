// Processes what a provider reports about a mail that it accepted. In: the mail's id from the provider or its header,
// and the report. Out: the mail is marked, and its addresses get no more mail of the project. Inbound webhooks call it.
import type { Ledger, MailName } from "./ledger.ts";
import type { Suppressions } from "./suppressions.ts";

export interface MailReport {
  readonly projectId: string;
  readonly mail: MailName;
  /** `bounced`: it can't be delivered, now or later. `complained`: its reader marked it as spam. */
  readonly status: "bounced" | "complained";
  /** The address that the report is about; null for all addresses of the mail. */
  readonly address: string | null;
}

export interface MailReportOptions {
  readonly ledger: Ledger;
  readonly suppressions: Suppressions;
}

/**
 * A repeated report changes nothing: an address that somebody has allowed again stays allowed. The address is
 * suppressed before the mail is marked, so that a report that failed halfway takes effect when the provider repeats it.
 * @returns whether the mail exists.
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
