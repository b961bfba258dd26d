// One mail. In: its id. Out: its content, if it is stored.
"use client";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "../../trpc.ts";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { MailContent } from "./mail-content.tsx";

export function MailView({ projectId, emailId }: { projectId: string; emailId: string }) {
  const trpc = useTRPC();
  const mail = useQuery(trpc.mail.read.queryOptions({ projectId, emailId }));
  if (mail.error) return <QueryError error={mail.error} what="The mail could not be loaded" />;
  if (mail.isPending) return <SkeletonRows rows={1} className="h-40" />;
  const { text, html } = mail.data;
  if (text === null && html === null)
    return (
      <p className="px-4 pb-3 text-[0.8125rem] text-ink-soft">
        It was sent. The project doesn't store the content of sent mails.
      </p>
    );
  return <MailContent html={html} text={text} />;
}
