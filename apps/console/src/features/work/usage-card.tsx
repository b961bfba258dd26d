// How much of the operator's limits a project's background work uses. In: the usage that its cell reported. Out: a figure with a bar for
// each limit, marked where it is near.
import type { Queues, Used, WorkUsage } from "@plinth/control/router";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { Notice } from "../../ui/notice.tsx";
import { durationText } from "./duration.ts";

const limits: readonly (readonly [keyof WorkUsage, string])[] = [
  ["openRuns", "Unfinished runs"],
  ["openWaits", "Open waits"],
  ["keptEvents", "Kept events"],
  ["keptRuns", "Kept runs"],
];

/** Nobody has handed on events for so long: no worker runs, or none can read the live version. */
const lateMs = 60_000;

export function LateEvents({ queues: { at, eventsWaiting } }: { queues: Queues }) {
  const { count, oldestAt } = eventsWaiting;
  const waited = oldestAt === null ? 0 : Date.parse(at) - Date.parse(oldestAt);
  if (waited < lateMs) return null;
  return (
    <Notice tone="warn" title={`${count.toLocaleString("en")} events wait to be handed on`} className="mb-3">
      <p>
        The oldest has waited for {durationText(waited)}. Nothing is lost, and no run begins meanwhile. Whoever operates
        this Plinth finds the reason in the log of its workers: none runs, or none can read the live version.
      </p>
    </Notice>
  );
}

export function UsageCard({ usage }: { usage: WorkUsage }) {
  return (
    <Card flush title="Limits of this Plinth" className="mb-3">
      <dl className="grid grid-cols-2 gap-px bg-line lg:grid-cols-4">
        {limits.map(([key, name]) => (
          <Usage key={key} name={name} used={usage[key]} />
        ))}
      </dl>
    </Card>
  );
}

function Usage({ name, used: { used, allowed, near } }: { name: string; used: Used }) {
  const percent = allowed === 0 ? 100 : Math.min(100, Math.floor((used / allowed) * 100));
  return (
    <div className="min-w-0 bg-surface px-4 py-2.5">
      <dt className="flex items-center justify-between gap-2 text-xs text-ink-soft">
        {name}
        {near ? <Badge tone="warn">{percent} % used</Badge> : null}
      </dt>
      <dd className="tabular-nums">
        <span className={`text-lg font-semibold ${near ? "text-warn" : ""}`}>{used.toLocaleString("en")}</span>{" "}
        <span className="text-xs text-ink-soft">of {allowed.toLocaleString("en")}</span>
      </dd>
      <dd aria-hidden className="mt-1.5 h-1 overflow-hidden rounded-full bg-sunken">
        <div className={`h-full ${near ? "bg-warn" : "bg-accent"}`} style={{ width: `${percent}%` }} />
      </dd>
    </div>
  );
}
