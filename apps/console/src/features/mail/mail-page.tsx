// The mail of a project. In: its id. Out: its connections, the newest mails (with content if they are stored), its templates, and suppressed
// addresses.
"use client";
import { useQuery } from "@tanstack/react-query";
import { Mail } from "lucide-react";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { ConnectionCard } from "./connection-card.tsx";
import { MailView } from "./mail-view.tsx";
import { SuppressionList } from "./suppression-list.tsx";
import { TemplatePreview } from "./template-preview.tsx";

const pollMs = 5_000;

const tones: Readonly<Record<string, Tone>> = {
  sent: "good",
  kept: "accent",
  failed: "bad",
  unknown: "warn",
  bounced: "bad",
  complained: "bad",
  suppressed: "warn",
};

export function MailPage({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const mayAct = project.data?.may.write === true;
  return (
    <>
      <PageHeader title="Mail" description="The project's mails, and the connections that send them." />
      <div className="flex flex-col gap-6">
        <ConnectionCard projectId={projectId} mayAct={project.data?.may.manage === true} />
        {mayAct ? (
          <Segmented
            label="Mail of the project"
            tabs={[
              { value: "mails", label: "Mails", content: <MailList projectId={projectId} /> },
              { value: "templates", label: "Templates", content: <TemplatePreview projectId={projectId} /> },
              {
                value: "suppressed",
                label: "Suppressed addresses",
                content: <SuppressionList projectId={projectId} />,
              },
            ]}
          />
        ) : null}
        {project.data && !mayAct ? (
          <p className="text-ink-soft">
            Mails contain links to sign in, so only people who can change the project read them.
          </p>
        ) : null}
      </div>
    </>
  );
}

function MailList({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const mails = useQuery(trpc.mail.list.queryOptions({ projectId }, { refetchInterval: pollMs }));
  const [open, setOpen] = useState<string | null>(null);
  if (mails.error)
    return <QueryError error={mails.error} what="The mails could not be loaded" onRetry={() => void mails.refetch()} />;
  if (mails.isPending) return <SkeletonRows rows={3} className="h-12" />;
  if (mails.data === null || mails.data.length === 0)
    return (
      <EmptyState
        icon={<Mail />}
        title="No mail yet"
        action={
          <ButtonLink href={`/projects/${projectId}/blueprint`} variant="primary">
            Open editor
          </ButtonLink>
        }
      >
        <p>
          The step <code className="font-mono text-xs">email.send</code> sends mail, and so does a reset of a password.
          In development, without a connection, every mail is stored here.
        </p>
      </EmptyState>
    );
  return (
    <Card title="Mails" description="The newest first." flush>
      <ul className="divide-y">
        {mails.data.map(({ id, subject, to, status, error, createdAt }) => (
          <li key={id}>
            <button
              type="button"
              aria-expanded={open === id}
              className="flex w-full flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-left hover:bg-hover"
              onClick={() => setOpen(open === id ? null : id)}
            >
              <span className="min-w-0 basis-full truncate font-medium sm:flex-1 sm:basis-0">{subject}</span>
              <span className="truncate text-ink-soft">{to.join(", ")}</span>
              <Badge tone={tones[status] ?? "neutral"}>{status}</Badge>
              <Time at={createdAt} className="text-ink-faint" />
            </button>
            {error === null ? null : <p className="px-4 pb-2.5 text-[0.8125rem] text-bad">{error}</p>}
            {open === id ? <MailView projectId={projectId} emailId={id} /> : null}
          </li>
        ))}
      </ul>
    </Card>
  );
}
