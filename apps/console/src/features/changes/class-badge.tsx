// The class of a change as a badge. In: the class, and optionally a count. Out: a badge.
import type { ChangeClass, ConsentKind } from "@plinth/blueprint";
import { Badge, type Tone } from "../../ui/badge.tsx";

const words: Readonly<Record<ChangeClass, readonly [string, Tone]>> = {
  unsupported: ["Not possible", "bad"],
  destructive: ["Drops data", "bad"],
  loosens_access: ["Loosens access", "warn"],
  widens_egress: ["Data leaves", "warn"],
  breaking: ["Breaks clients", "bad"],
  data_dependent: ["Depends on data", "warn"],
  rewrite: ["Rewrites a column", "accent"],
  backfill: ["Fills rows", "accent"],
  online: ["Runs online", "neutral"],
  safe: ["Safe", "neutral"],
};

export function ClassBadge({ of, count }: { of: ChangeClass; count?: number }) {
  const [word, tone] = words[of];
  return (
    <Badge tone={tone} className="tabular-nums">
      {count === undefined ? word : `${count} ${word.toLowerCase()}`}
    </Badge>
  );
}

export function ConsentBadge({ kind }: { kind: ConsentKind }) {
  return kind === "protected_core" ? <Badge tone="warn">Protected core</Badge> : <ClassBadge of={kind} />;
}
