// The state of a change as a badge. In: the state. Out: a badge, the same on every page.
import type { ChangeState } from "@plinth/control/router";
import { Badge, type Tone } from "./ui/badge.tsx";

const words: Record<ChangeState, readonly [string, Tone]> = {
  open: ["Open", "accent"],
  approved: ["Approved", "accent"],
  deploying: ["Deploying", "accent"],
  live: ["Live", "good"],
  unfinished: ["Live, unfinished", "bad"],
  failed: ["Failed", "bad"],
  replaced: ["Replaced", "neutral"],
  rejected: ["Rejected", "neutral"],
  outdated: ["Outdated", "warn"],
};

export function ChangeBadge({ state }: { state: ChangeState }) {
  const [word, tone] = words[state];
  return <Badge tone={tone}>{word}</Badge>;
}
