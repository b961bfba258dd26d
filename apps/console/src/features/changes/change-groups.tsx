// What a proposal changes, in words. In: typed changes. Out: a list by entity, each change with what it does and, where it
// lays something open, who can now reach which record.
import type { Change, Witness } from "@plinth/blueprint";
import { Eye } from "lucide-react";
import { MarkedText } from "../../ui/marked-text.tsx";
import { ClassBadge } from "./class-badge.tsx";
import { groupChanges } from "./group-changes.ts";

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
          <ul className="flex flex-col gap-2">
            {group.changes.map((change) => (
              <li key={`${change.kind} ${change.path}`}>
                <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
                  <span className="min-w-0 flex-1 basis-64 break-words">
                    <MarkedText text={change.summary} />
                  </span>
                  <span className="flex flex-wrap gap-1 sm:justify-end">
                    {change.classes.map((name) => (
                      <ClassBadge key={name} of={name} />
                    ))}
                  </span>
                </div>
                {change.witness ? <WitnessBox witness={change.witness} /> : null}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function WitnessBox({ witness }: { witness: Witness }) {
  const values = rowsOf(witness.record ?? {});
  return (
    <div className="mt-1.5 rounded-md border bg-sunken px-3 py-2 text-[0.8125rem]">
      <p className="flex items-start gap-2">
        <Eye className="mt-0.5 size-3.5 shrink-0 text-warn" aria-hidden />
        <span>
          <MarkedText text={witness.summary} />
        </span>
      </p>
      {values.length > 0 ? (
        <dl className="mt-1.5 ml-[1.375rem] grid grid-cols-[auto_1fr] gap-x-3 font-mono text-xs">
          {values.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-ink-soft">{name}</dt>
              <dd className="break-all">{typeof value === "string" ? value : JSON.stringify(value)}</dd>
            </div>
          ))}
        </dl>
      ) : null}
    </div>
  );
}

/** What stays as it was is told once. */
function rowsOf(record: Readonly<Record<string, unknown>>): readonly (readonly [name: string, value: unknown])[] {
  return Object.entries(record).flatMap(([name, value]): (readonly [string, unknown])[] => {
    const field = name.replace(/^(old|new)\./, "");
    const [old, now] = [`old.${field}`, `new.${field}`];
    if (name === field || !(old in record) || !(now in record) || record[old] !== record[now]) return [[name, value]];
    return name === old ? [[field, value]] : [];
  });
}
