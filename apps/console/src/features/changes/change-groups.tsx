// The changes of a proposal. In: typed changes, and the consents that they need. Out: the changes to review, by entity; below them the safe
// ones, folded by kind with a count. A long list can be limited to one entity.
"use client";
import type { Change } from "@plinth/blueprint";
import { ChevronRight } from "lucide-react";
import { useMemo, useState } from "react";
import { SelectField } from "../../ui/field.tsx";
import { ChangeItem } from "./change-item.tsx";
import { foldChanges, type SafeKind } from "./fold-changes.ts";
import { groupChanges } from "./group-changes.ts";

interface ChangeGroupsProps {
  changes: readonly Change[];
  /** As `<kind> <path>`. */
  consents?: readonly string[];
}

/** The filter by entity appears from this number of changes on: they don't fit in one window. */
const filteredMin = 12;
const noConsents: readonly string[] = [];

export function ChangeGroups({ changes, consents = noConsents }: ChangeGroupsProps) {
  const [entity, setEntity] = useState("");
  const groups = useMemo(() => groupChanges(changes), [changes]);
  const shown = groups.find(({ name }) => name === entity)?.changes ?? changes;
  const { toReview, safe } = useMemo(() => foldChanges(shown, consents), [shown, consents]);
  const safeCount = safe.reduce((sum, { changes: members }) => sum + members.length, 0);
  return (
    <div className="divide-y">
      {groups.length > 1 && changes.length >= filteredMin ? (
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3">
          <SelectField
            label="Changes of"
            hideLabel
            className="h-8 max-w-72 text-[0.8125rem]"
            value={entity}
            onChange={(event) => setEntity(event.target.value)}
          >
            <option value="">All entities: {changes.length} changes</option>
            {groups
              .toSorted((a, b) => a.name.localeCompare(b.name))
              .map(({ name, changes: members }) => (
                <option key={name} value={name}>
                  {name}: {members.length === 1 ? "1 change" : `${members.length} changes`}
                </option>
              ))}
          </SelectField>
          <p role="status" className="text-xs text-ink-soft tabular-nums">
            {toReview.length} to review{safeCount > 0 ? `, ${safeCount} safe` : ""}
          </p>
        </div>
      ) : null}
      {groupChanges(toReview).map((group) => (
        <section
          key={group.name}
          aria-label={group.name}
          className="grid gap-x-6 gap-y-2 px-4 py-3.5 sm:grid-cols-[9rem_1fr]"
        >
          <h3 className="font-mono text-[0.8125rem] leading-6 font-medium break-words">{group.name}</h3>
          <ul className="flex flex-col gap-2">
            {group.changes.map((change) => (
              <ChangeItem key={`${change.kind} ${change.path}`} change={change} />
            ))}
          </ul>
        </section>
      ))}
      {safe.map((kind) => (
        <SafeFold key={kind.kind} kind={kind} />
      ))}
    </div>
  );
}

/** The changes are rendered when the fold is opened: there can be hundreds. */
function SafeFold({ kind: { title, changes } }: { kind: SafeKind }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="group" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="flex items-center gap-3 px-4 py-3 -outline-offset-2 hover:bg-hover/60 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          className="size-4 shrink-0 text-ink-faint transition-transform group-open:rotate-90"
          aria-hidden
        />
        <span className="min-w-0 flex-1">{title}</span>
        <span className="text-xs text-ink-soft tabular-nums">{changes.length} safe</span>
      </summary>
      {open ? (
        <ul className="flex flex-col gap-2 border-t bg-sunken px-4 py-3.5 sm:pl-11">
          {changes.map((change) => (
            <ChangeItem key={`${change.kind} ${change.path}`} change={change} amongSafe />
          ))}
        </ul>
      ) : null}
    </details>
  );
}
