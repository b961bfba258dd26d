// Where the pieces of background work are. In: a project's id and what is meant. Out: an address, or a link that shows an id by its
// ends. Filters stand in the address, so that a view can be sent to somebody.
import Link from "next/link";
import type { ReactNode } from "react";
import { shortId } from "./run-words.ts";

export type WorkView = "runs" | "events" | "queues" | "schedules" | "actions";

export function workPath(projectId: string, view: WorkView, filters: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(filters).toString();
  return `/projects/${projectId}/work${view === "runs" ? "" : `/${view}`}${query === "" ? "" : `?${query}`}`;
}

export function runPath(projectId: string, runId: string): string {
  return `/projects/${projectId}/work/runs/${runId}`;
}

export function eventPath(projectId: string, eventId: string): string {
  return `/projects/${projectId}/work/events/${eventId}`;
}

/** All that came of one request. */
export function requestPath(projectId: string, requestId: string): string {
  return `/projects/${projectId}/work/requests/${encodeURIComponent(requestId)}`;
}

export function recordPath(projectId: string, entity: string, recordId: string): string {
  return `/projects/${projectId}/data?entity=${encodeURIComponent(entity)}&id=${encodeURIComponent(recordId)}`;
}

interface IdLinkProps {
  href: string;
  id: string;
  /** What it is, before the id. */
  children?: ReactNode;
}

export function IdLink({ href, id, children }: IdLinkProps) {
  return (
    <Link href={href} title={id} className="truncate text-accent-text hover:underline">
      {children ? <>{children} </> : null}
      <span className="font-mono text-xs">{shortId(id)}</span>
    </Link>
  );
}
