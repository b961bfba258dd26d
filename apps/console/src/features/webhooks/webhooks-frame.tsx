// The frame of the pages about webhooks, with a tab for sent and one for received webhooks. In: the project's id and the current tab. Out:
// the head of the page above its content.
"use client";
import type { ReactNode } from "react";
import { PageHeader } from "../../ui/page-header.tsx";
import { TabLinks } from "../../ui/tab-links.tsx";

const sides = [
  [
    "out",
    "Sent",
    "",
    "The project sends its events to these endpoints, with a signature that the receiver can verify.",
  ],
  [
    "in",
    "Received",
    "/in",
    "Other services send requests to this project. Each request is verified before it becomes an event.",
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
