// The mail of a project. In: its id. Out: its connections and mails.
import type { Metadata } from "next";
import { MailPage } from "../../../../../features/mail/mail-page.tsx";

export const metadata: Metadata = { title: "Mail" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  return <MailPage projectId={projectId} />;
}
