// What a proposal changes, in words. In: typed changes. Out: a list by entity, each change with its risk.
import type { Change } from "@plinth/blueprint";
import { MarkedText } from "../../ui/marked-text.tsx";
import { groupChanges } from "./group-changes.ts";
import { RiskBadge } from "./risk-badge.tsx";

export function ChangeGroups({ changes }: { changes: readonly Change[] }) {
  return (
    <div className="divide-y">
      {groupChanges(changes).map((group) => (
        <section
          key={group.name}
          aria-label={group.name}
          className="grid gap-x-6 gap-y-2 px-4 py-3.5 sm:grid-cols-[9rem_1fr]"
        >
          <h3 className="font-mono text-[0.8125rem] leading-6 font-medium break-words">{group.name}</h3>
          <ul className="flex flex-col gap-1.5">
            {group.changes.map((change) => (
              <li key={`${change.kind} ${change.path}`} className="flex items-start justify-between gap-4">
                <span className="min-w-0 break-words">
                  <MarkedText text={change.summary} />
                </span>
                <RiskBadge risk={change.risk} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
