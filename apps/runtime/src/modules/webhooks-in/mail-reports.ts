// Processes the reports of mail providers about mails that they accepted. In: the body of a genuine request. Out: the
// mail is marked, and an address that can't be reached, or complained, gets no more mail of the project. Other requests
// are ignored.
import type { BundleInbound } from "@plinth/bundle";
import { z } from "zod";
import { type MailReport, type MailReportOptions, reportMail } from "../../mail/bounces.ts";

type Reported = Pick<MailReport, "status" | "address"> & { readonly providerId: string };

/** By the provider that signs. */
const readers: Readonly<Record<string, (value: unknown) => Reported | null>> = { resend: readResend };

export function createMailReports(
  options: MailReportOptions,
): (projectId: string, verify: BundleInbound["verify"], value: unknown) => Promise<void> {
  return async (projectId, verify, value) => {
    const read = typeof verify === "string" && Object.hasOwn(readers, verify) ? readers[verify] : undefined;
    const reported = read?.(value) ?? null;
    if (reported === null) return;
    const { providerId, ...report } = reported;
    await reportMail(options, { ...report, projectId, mail: { providerId } });
  };
}

const resendEvent = z.object({
  type: z.enum(["email.bounced", "email.complained"]),
  data: z.object({
    // Text in Postgres can't contain a NUL character, so no mail has such an id.
    email_id: z.string().regex(/^[^\0]{1,100}$/),
    bounce: z.object({ type: z.string().optional() }).optional(),
  }),
});

/**
 * https://resend.com/docs/webhooks/emails/bounced and /complained. A temporary bounce (`Transient`, `Undetermined`)
 * says nothing about the next mail. Each mail has one recipient, so the report doesn't need to name one.
 */
function readResend(value: unknown): Reported | null {
  const { data: event } = resendEvent.safeParse(value);
  if (event === undefined) return null;
  const { type, data } = event;
  if (type === "email.complained") return { status: "complained", address: null, providerId: data.email_id };
  const kind = data.bounce?.type?.toLowerCase() ?? "permanent";
  return kind === "permanent" ? { status: "bounced", address: null, providerId: data.email_id } : null;
}
