// One mail as its readers get it. In: its id. Out: its HTML in a frame that runs nothing, and its plain text.
"use client";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "../../trpc.ts";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";

export function MailView({ projectId, emailId }: { projectId: string; emailId: string }) {
  const trpc = useTRPC();
  const mail = useQuery(trpc.mail.read.queryOptions({ projectId, emailId }));
  if (mail.error) return <QueryError error={mail.error} what="The mail could not be loaded" />;
  if (mail.isPending) return <SkeletonRows rows={1} className="h-40" />;
  const { text, html } = mail.data;
  if (text === null && html === null)
    return (
      <p className="px-4 pb-3 text-[0.8125rem] text-ink-soft">
        It has left the project: what it says is kept by those whom it was sent to.
      </p>
    );
  return (
    <div className="grid gap-4 border-t bg-sunken p-4 lg:grid-cols-2">
      {html === null ? null : (
        <iframe
          title="The mail as HTML"
          // Neither scripts nor forms nor this page's origin.
          sandbox=""
          referrerPolicy="no-referrer"
          srcDoc={html}
          className="h-80 w-full rounded-md border bg-white"
        />
      )}
      <pre className="h-80 overflow-auto rounded-md border bg-surface p-3 font-mono text-xs whitespace-pre-wrap">
        {text}
      </pre>
    </div>
  );
}
