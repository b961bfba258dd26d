// The states of runs and steps. In: a state. Out: its label, colour and icon, the same on every page.
import type { RunStatus, StepStatus } from "@plinth/control/router";
import {
  Ban,
  Check,
  CircleDashed,
  Clock3,
  LoaderCircle,
  type LucideIcon,
  RotateCw,
  SkipForward,
  TriangleAlert,
  X,
} from "lucide-react";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { cn } from "../../ui/cn.ts";

interface Look {
  readonly word: string;
  readonly tone: Tone;
  readonly Icon: LucideIcon;
}

const runLooks: Readonly<Record<RunStatus, Look>> = {
  queued: { word: "Queued", tone: "neutral", Icon: CircleDashed },
  running: { word: "Running", tone: "accent", Icon: LoaderCircle },
  waiting: { word: "Waiting", tone: "accent", Icon: Clock3 },
  completed: { word: "Completed", tone: "good", Icon: Check },
  failed: { word: "Failed", tone: "bad", Icon: X },
  cancelled: { word: "Cancelled", tone: "neutral", Icon: Ban },
  undo_failed: { word: "Undo failed", tone: "bad", Icon: TriangleAlert },
  needs_attention: { word: "Needs attention", tone: "warn", Icon: TriangleAlert },
};

const stepLooks: Readonly<Record<StepStatus, Look>> = {
  delayed: { word: "Delayed", tone: "neutral", Icon: Clock3 },
  started: { word: "Started", tone: "accent", Icon: LoaderCircle },
  waiting: { word: "Waiting", tone: "accent", Icon: Clock3 },
  retrying: { word: "Will be retried", tone: "warn", Icon: RotateCw },
  completed: { word: "Completed", tone: "good", Icon: Check },
  skipped: { word: "Skipped", tone: "neutral", Icon: SkipForward },
  failed: { word: "Failed", tone: "bad", Icon: X },
  cancelled: { word: "Cancelled", tone: "neutral", Icon: Ban },
};

export const statusChoices: readonly (readonly [RunStatus, string])[] = (
  Object.entries(runLooks) as [RunStatus, Look][]
).map(([status, { word }]) => [status, word]);

export function RunBadge({ status }: { status: RunStatus }) {
  return <LookBadge look={runLooks[status]} />;
}

export function StepBadge({ status }: { status: StepStatus }) {
  return <LookBadge look={stepLooks[status]} />;
}

function LookBadge({ look: { word, tone, Icon } }: { look: Look }) {
  return (
    <Badge tone={tone}>
      <Icon className={cn(Icon === LoaderCircle && "animate-spin")} aria-hidden />
      {word}
    </Badge>
  );
}

const iconTones: Readonly<Record<Tone, string>> = {
  neutral: "text-ink-faint",
  accent: "text-accent-text",
  good: "text-good",
  warn: "text-warn",
  bad: "text-bad",
};

export function StepIcon({ status }: { status: StepStatus }) {
  const { word, tone, Icon } = stepLooks[status];
  const look = cn("size-4 shrink-0", iconTones[tone], Icon === LoaderCircle && "animate-spin");
  return <Icon className={look} aria-label={word} role="img" />;
}
