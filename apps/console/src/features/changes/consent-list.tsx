// The consents that an approval requires. In: the required consents in order, and the given ones. Out: a checkbox with a sentence for each:
// every consent is given separately. Many consents of one kind are folded, with the number of given ones. People who can't give them only
// see them.
import { ChevronRight } from "lucide-react";
import { type ReactNode, useId } from "react";
import { MarkedText } from "../../ui/marked-text.tsx";
import { ConsentBadge } from "./class-badge.tsx";
import type { RequiredConsent } from "./consents.ts";

interface ConsentListProps {
  /** False for people who only see them. Default: true. */
  mayGive?: boolean;
  /** Shown below a consent. */
  more?: (consent: RequiredConsent) => ReactNode;
  required: readonly RequiredConsent[];
  given: ReadonlySet<string>;
  onChange: (given: ReadonlySet<string>) => void;
}

/** So many consents of one kind don't fit in one window together with the rest of the review. */
const foldedMin = 8;

export function ConsentList({ mayGive = true, more, required, given, onChange }: ConsentListProps) {
  function toggle(consent: string, isGiven: boolean): void {
    const next = new Set(given);
    if (isGiven) next.add(consent);
    else next.delete(consent);
    onChange(next);
  }
  return (
    <div className="divide-y">
      {[...Map.groupBy(required, ({ kind }) => kind)].map(([kind, consents], index) => {
        const items = (
          <ul className="divide-y">
            {consents.map((consent) => (
              <ConsentItem
                key={consent.name}
                consent={consent}
                more={more?.(consent)}
                isGiven={given.has(consent.name)}
                onToggle={mayGive ? toggle : null}
              />
            ))}
          </ul>
        );
        if (consents.length < foldedMin) return <div key={kind}>{items}</div>;
        return (
          // The gravest kind comes first, and is open.
          <details key={kind} className="group" open={index === 0}>
            <summary className="flex items-center gap-3 px-4 py-3 -outline-offset-2 hover:bg-hover/60 [&::-webkit-details-marker]:hidden">
              <ChevronRight
                className="size-4 shrink-0 text-ink-faint transition-transform group-open:rotate-90"
                aria-hidden
              />
              <span className="min-w-0 flex-1">{consents.length} consents</span>
              <span className="text-xs text-ink-soft tabular-nums">
                {mayGive
                  ? `${consents.filter(({ name }) => given.has(name)).length} of ${consents.length} given`
                  : null}
              </span>
              <ConsentBadge kind={kind} />
            </summary>
            <div className="border-t">{items}</div>
          </details>
        );
      })}
    </div>
  );
}

/** Moves the focus to the first consent in `list` that is not given, and opens its fold. */
export function focusMissingConsent(list: HTMLElement | null): void {
  const box = list?.querySelector<HTMLElement>("input:not(:checked)");
  box?.closest("details")?.setAttribute("open", "");
  box?.focus();
}

interface ConsentItemProps {
  consent: RequiredConsent;
  more: ReactNode;
  isGiven: boolean;
  /** Null for people who can't give it. */
  onToggle: ((name: string, isGiven: boolean) => void) | null;
}

function ConsentItem({ consent: { name, kind, sentence, about }, more, isGiven, onToggle }: ConsentItemProps) {
  const id = useId();
  return (
    <li className="relative flex items-start gap-3 px-4 py-3 hover:bg-hover/60">
      {onToggle === null ? null : (
        <input
          id={id}
          type="checkbox"
          className="mt-0.5 size-4 shrink-0 accent-accent"
          aria-describedby={about === null ? undefined : `${id}-about`}
          checked={isGiven}
          onChange={(event) => onToggle(name, event.target.checked)}
        />
      )}
      <div className="flex min-w-0 flex-1 flex-wrap items-start justify-between gap-x-4 gap-y-1">
        <div className="min-w-0 flex-1 basis-64 break-words">
          {onToggle === null ? (
            <MarkedText text={sentence} />
          ) : (
            <label htmlFor={id} className="block cursor-pointer after:absolute after:inset-0">
              <MarkedText text={sentence} />
            </label>
          )}
          {about === null ? null : (
            <p id={`${id}-about`} className="text-[0.8125rem] text-ink-soft">
              <MarkedText text={about} />
            </p>
          )}
          {more}
        </div>
        <ConsentBadge kind={kind} />
      </div>
    </li>
  );
}
