// The two sides of webhooks as tabs: what a project sends, and what it receives. In: the project's id and which side this is.
// Out: the head of the page above its content.
"use client";
import type { ReactNode } from "react";
import { PageHeader } from "../../ui/page-header.tsx";
import { TabLinks } from "../../ui/tab-links.tsx";

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
      <TabLinks
        label="Webhooks"
        tabs={sides.map(([name, label, path]) => ({ name, label, href: `/projects/${projectId}/webhooks${path}` }))}
        current={side}
      />
      {children}
    </>
  );
}
