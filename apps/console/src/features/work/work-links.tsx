// Addresses of the pages about work. In: a project's id, and a run, an event, a request or a record. Out: an address, or a link with a
// shortened id. Filters are in the address, so that one can share a view.
import Link from "next/link";
import type { ReactNode } from "react";
import { shortId } from "../../ui/short-id.ts";

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

/** The page with the consequences of one request. */
export function requestPath(projectId: string, requestId: string): string {
  return `/projects/${projectId}/work/requests/${encodeURIComponent(requestId)}`;
}

export function recordPath(projectId: string, entity: string, recordId: string): string {
  return `/projects/${projectId}/data?entity=${encodeURIComponent(entity)}&id=${encodeURIComponent(recordId)}`;
}

interface IdLinkProps {
  href: string;
  id: string;
  /** A word before the id, such as `run`. */
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
