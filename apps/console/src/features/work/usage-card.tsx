// The operator's limits for background work, and their use. In: the usage that the cell reported. Out: a number and a bar for each limit,
// with a badge if the limit is near.
import type { Queues, Used, WorkUsage } from "@plinth/control/router";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { Notice } from "../../ui/notice.tsx";
import { durationText } from "./duration.ts";

const limits: readonly (readonly [keyof WorkUsage, string])[] = [
  ["openRuns", "Unfinished runs"],
  ["openWaits", "Open waits"],
  ["activeRuns", "Runs in progress"],
  ["calls", "Calls in progress"],
  ["keptEvents", "Stored events"],
  ["keptRuns", "Stored runs"],
];

/** An event older than this is late: no worker runs, or none can read the live version. */
const lateMs = 60_000;

export function LateEvents({ queues: { at, eventsWaiting } }: { queues: Queues }) {
  const { count, oldestAt } = eventsWaiting;
  const waited = oldestAt === null ? 0 : Date.parse(at) - Date.parse(oldestAt);
  if (waited < lateMs) return null;
  return (
    <Notice tone="warn" title={`${count.toLocaleString("en")} events have not been processed yet`} className="mb-3">
      <p>
        The oldest has waited for {durationText(waited)}. Nothing is lost, but no run starts until they are processed.
        Either no worker runs, or none can read the live version. The operator of this Plinth finds the reason in the
        log of its workers.
      </p>
    </Notice>
  );
}

export function UsageCard({ usage }: { usage: WorkUsage }) {
  return (
    <Card flush title="Limits of this Plinth" className="mb-3">
      <dl className="grid grid-cols-2 gap-px bg-line lg:grid-cols-3">
        {limits.map(([key, name]) => {
          const used = usage[key];
          return used === null ? null : <Usage key={key} name={name} used={used} />;
        })}
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
