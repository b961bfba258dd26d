// What an approval owes beyond a click. In: the consents that are owed, in their order, and those given. Out: a box to tick for
// each, in words; whoever ticks them has read them one by one.
import type { ConsentKind } from "@plinth/blueprint";
import { useId } from "react";
import { Badge } from "../../ui/badge.tsx";
import { MarkedText } from "../../ui/marked-text.tsx";
import { ClassBadge } from "./class-badge.tsx";
import type { OwedConsent } from "./consents.ts";

interface ConsentListProps {
  owed: readonly OwedConsent[];
  given: ReadonlySet<string>;
  onChange: (given: ReadonlySet<string>) => void;
}

export function ConsentList({ owed, given, onChange }: ConsentListProps) {
  const id = useId();
  function toggle(consent: string, agreed: boolean): void {
    const next = new Set(given);
    if (agreed) next.add(consent);
    else next.delete(consent);
    onChange(next);
  }
  return (
    <ul className="divide-y">
      {owed.map(({ name, kind, sentence, about }, index) => (
        <li key={name} className="relative flex items-start gap-3 px-4 py-3 hover:bg-hover/60">
          <input
            id={`${id}-${index}`}
            type="checkbox"
            className="mt-0.5 size-4 shrink-0 accent-accent"
            aria-describedby={about === null ? undefined : `${id}-${index}-about`}
            checked={given.has(name)}
            onChange={(event) => toggle(name, event.target.checked)}
          />
          <div className="flex min-w-0 flex-1 flex-wrap items-start justify-between gap-x-4 gap-y-1">
            <div className="min-w-0 flex-1 basis-64 break-words">
              <label htmlFor={`${id}-${index}`} className="block cursor-pointer after:absolute after:inset-0">
                <MarkedText text={sentence} />
              </label>
              {about === null ? null : (
                <p id={`${id}-${index}-about`} className="text-[0.8125rem] text-ink-soft">
                  <MarkedText text={about} />
                </p>
              )}
            </div>
            <KindBadge kind={kind} />
          </div>
        </li>
      ))}
    </ul>
  );
}

function KindBadge({ kind }: { kind: ConsentKind }) {
  return kind === "protected_core" ? <Badge tone="warn">Protected core</Badge> : <ClassBadge of={kind} />;
}
