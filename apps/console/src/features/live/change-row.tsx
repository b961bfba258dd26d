// One change of a record. In: the change. Out: a line that can be opened to see the record after the change.
"use client";
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { cn } from "../../ui/cn.ts";
import { exactTime } from "../../ui/exact-time.ts";
import { JsonView } from "../work/json-view.tsx";
import { IdLink, recordPath } from "../work/work-links.tsx";
import type { ShownChange } from "./use-changes.ts";

const tones: Readonly<Record<ShownChange["kind"], Tone>> = {
  created: "good",
  updated: "accent",
  gone: "warn",
  resync: "neutral",
};

export function ChangeRow({ projectId, change }: { projectId: string; change: ShownChange }) {
  const { at, entity, kind, id, record } = change;
  const [isOpen, setOpen] = useState(false);
  const time = new Date(at);
  return (
    <li className="text-[0.8125rem]">
      <div className="flex items-center gap-3 px-3.5 py-2">
        <time dateTime={at} title={exactTime(at)} className="shrink-0 font-mono text-xs text-ink-soft">
          {time.toLocaleTimeString("en-GB")}
        </time>
        <span className="w-20 shrink-0">
          <Badge tone={tones[kind]}>{kind}</Badge>
        </span>
        {id === undefined ? (
          <span className="text-ink-soft">{entity}: some changes may be missing</span>
        ) : (
          <span className="shrink-0">
            <IdLink href={recordPath(projectId, entity, id)} id={id}>
              {entity}
            </IdLink>
          </span>
        )}
        {record === undefined ? null : (
          <button
            type="button"
            aria-expanded={isOpen}
            aria-label={`Show the ${entity}`}
            className="flex min-w-0 flex-1 items-center gap-1 rounded text-left text-ink-soft hover:text-ink"
            onClick={() => setOpen(!isOpen)}
          >
            <ChevronRight className={cn("size-3.5 shrink-0 transition-transform", isOpen && "rotate-90")} aria-hidden />
            <span className="truncate font-mono text-xs">{preview(record)}</span>
          </button>
        )}
      </div>
      {isOpen ? <JsonView value={record} label={`The ${entity}`} className="mx-3.5 mb-3" /> : null}
    </li>
  );
}

/** The fields of the entity, without those that every record has. */
function preview(record: Readonly<Record<string, unknown>>): string {
  const { id: _, created_at: _c, updated_at: _u, version: _v, ...own } = record;
  return Object.entries(own)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" · ");
}
