// The risk of a change. In: its class, and how many there are of it. Out: a word and a colour.

import type { Risk } from "@plinth/blueprint";
import { Badge, type Tone } from "../../ui/badge.tsx";

const words: Record<Risk, readonly [string, Tone]> = {
  safe: ["Safe", "neutral"],
  loosens_access: ["Loosens access", "warn"],
  breaking: ["Breaking", "bad"],
  unsupported: ["Not possible yet", "bad"],
};

export function RiskBadge({ risk, count }: { risk: Risk; count?: number }) {
  const [word, tone] = words[risk];
  return (
    <Badge tone={tone} className="tabular-nums">
      {count === undefined ? word : `${count} ${word.toLowerCase()}`}
    </Badge>
  );
}
