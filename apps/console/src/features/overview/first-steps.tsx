// The first steps in a new project, from the blueprint to the first request. In: whether a version is live, and whether a request has
// arrived. Out: four steps, with a button for the next one; nothing when all are done.
"use client";
import { useQuery } from "@tanstack/react-query";
import { Check } from "lucide-react";
import { useTRPC } from "../../trpc.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { cn } from "../../ui/cn.ts";

interface FirstStepsProps {
  projectId: string;
  live: boolean;
  requested: boolean;
  mayChange: boolean;
}

export function FirstSteps({ projectId, live, requested, mayChange }: FirstStepsProps) {
  const trpc = useTRPC();
  const proposals = useQuery(trpc.proposals.list.queryOptions({ projectId }));
  const keys = useQuery(trpc.keys.list.queryOptions({ projectId }));
  const draft = useQuery(trpc.drafts.get.queryOptions({ projectId }, { enabled: mayChange }));
  const drafted = draft.data != null && draft.data.draft !== null;

  const open = proposals.data?.find(({ status }) => status === "open" || status === "approved");
  const root = `/projects/${projectId}`;
  const steps = [
    {
      title: "Write the blueprint",
      text: "Declare entities, fields and permissions.",
      done: live || drafted || open !== undefined,
      action: "Open editor",
      href: `${root}/blueprint`,
    },
    {
      title: "Review and deploy it",
      text: "Read the changes and the SQL, then approve.",
      done: live,
      action: "Review change",
      href: open ? `${root}/changes/${open.id}` : `${root}/blueprint`,
    },
    {
      title: "Create an API key",
      text: "Your app sends it with each request. It is shown once.",
      done: keys.data?.some(({ revokedAt }) => revokedAt === null) ?? false,
      action: "Go to keys",
      href: `${root}/keys`,
    },
    {
      title: "Send the first request",
      text: "Paste the command below into a terminal. This page shows when the request arrives.",
      done: requested,
      action: null,
      href: root,
    },
  ];
  const next = steps.findIndex(({ done }) => !done);
  if (next === -1 || proposals.isPending || keys.isPending) return null;

  return (
    <Card title="First steps" description={`${steps.filter(({ done }) => done).length} of ${steps.length} done`} flush>
      <ol className="divide-y">
        {steps.map((step, index) => (
          <li
            key={step.title}
            aria-current={index === next ? "step" : undefined}
            className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3"
          >
            <span
              className={cn(
                "grid size-5 shrink-0 place-items-center rounded-full border border-line-strong text-[0.6875rem] font-medium text-ink-soft tabular-nums",
                step.done && "border-good bg-good text-surface",
                index === next && "border-accent text-accent-text",
              )}
            >
              {step.done ? <Check className="size-3" strokeWidth={3} aria-hidden /> : index + 1}
              {step.done ? <span className="sr-only">Done:</span> : null}
            </span>
            <div className="min-w-0 flex-1">
              <p className={cn("font-medium", step.done && "text-ink-soft")}>{step.title}</p>
              {index === next ? <p className="text-[0.8125rem] text-ink-soft">{step.text}</p> : null}
            </div>
            {index === next && step.action ? (
              <ButtonLink href={step.href} variant="primary" size="small">
                {step.action}
              </ButtonLink>
            ) : null}
          </li>
        ))}
      </ol>
    </Card>
  );
}
