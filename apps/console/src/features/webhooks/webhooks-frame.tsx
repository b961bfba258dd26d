// The two sides of webhooks as tabs: what a project sends, and what it receives. In: the project's id and which side this is.
// Out: the head of the page above its content.
"use client";
import Link from "next/link";
import type { ReactNode } from "react";
import { cn } from "../../ui/cn.ts";
import { PageHeader } from "../../ui/page-header.tsx";

const sides = [
  ["out", "Sent", "", "Where this project's events are sent, signed so that the receiver knows who sends them."],
  [
    "in",
    "Received",
    "/in",
    "What other services send to this project: each request is verified before it becomes an event.",
  ],
] as const;

interface WebhooksFrameProps {
  projectId: string;
  side: "out" | "in";
  actions?: ReactNode;
  children: ReactNode;
}

export function WebhooksFrame({ projectId, side, actions, children }: WebhooksFrameProps) {
  return (
    <>
      <PageHeader title="Webhooks" description={sides.find(([name]) => name === side)?.[3]} actions={actions} />
      <nav aria-label="Webhooks" className="mb-4 overflow-x-auto border-b">
        <ul className="flex gap-1">
          {sides.map(([name, word, path]) => (
            <li key={name}>
              <Link
                href={`/projects/${projectId}/webhooks${path}`}
                aria-current={name === side ? "page" : undefined}
                className={cn(
                  "block border-b-2 border-transparent px-3 py-2 text-[0.8125rem] font-medium whitespace-nowrap text-ink-soft -outline-offset-2 hover:text-ink",
                  name === side && "border-accent text-ink",
                )}
              >
                {word}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {children}
    </>
  );
}
