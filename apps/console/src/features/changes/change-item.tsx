// One change. In: a typed change. Out: its summary, its classes, and an example if it gives somebody access: a role and a record that it
// can now reach.
import type { Change, Witness } from "@plinth/blueprint";
import { Eye } from "lucide-react";
import { MarkedText } from "../../ui/marked-text.tsx";
import { ClassBadge } from "./class-badge.tsx";

interface ChangeItemProps {
  change: Change;
  /** In a list of safe changes, the badge "Safe" is left out. */
  amongSafe?: boolean;
}

export function ChangeItem({ change, amongSafe = false }: ChangeItemProps) {
  const classes = change.classes.filter((name) => !(amongSafe && name === "safe"));
  return (
    <li>
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
        <span className="min-w-0 flex-1 basis-64 break-words">
          <MarkedText text={change.summary} />
        </span>
        <span className="flex flex-wrap gap-1 sm:justify-end">
          {classes.map((name) => (
            <ClassBadge key={name} of={name} />
          ))}
        </span>
      </div>
      {change.witness ? <WitnessBox witness={change.witness} /> : null}
    </li>
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

/** A value that is the same before and after is listed once. */
function rowsOf(record: Readonly<Record<string, unknown>>): readonly (readonly [name: string, value: unknown])[] {
  return Object.entries(record).flatMap(([name, value]): (readonly [string, unknown])[] => {
    const field = name.replace(/^(old|new)\./, "");
    const [old, now] = [`old.${field}`, `new.${field}`];
    if (name === field || !(old in record) || !(now in record) || record[old] !== record[now]) return [[name, value]];
    return name === old ? [[field, value]] : [];
  });
}
