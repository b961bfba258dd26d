// All values of a record, in full. In: the live entity and the record. Out: a list of the fields; a reference links to the record that it
// names, and long texts keep their lines.
import type { Entity, FieldType } from "@plinth/blueprint";
import type { DataRow } from "@plinth/control/router";
import Link from "next/link";
import { namedRecord } from "../../named-record.ts";
import { inputKindOf, typeText } from "../../typed-fields/values.ts";
import { cn } from "../../ui/cn.ts";
import { cellText } from "./cell-text.ts";
import type { LinkTo } from "./record-cell.tsx";

interface RecordValuesProps {
  entity: Entity;
  record: DataRow;
  linkTo: LinkTo;
}

export function RecordValues({ entity, record, linkTo }: RecordValuesProps) {
  return (
    <dl className="divide-y rounded-lg border text-[0.8125rem]">
      {entity.fields
        .filter(({ internal }) => !internal)
        .map(({ name, type }) => (
          <div key={name} className="grid gap-x-4 gap-y-0.5 px-3.5 py-2 sm:grid-cols-[11rem_1fr]">
            <dt className="min-w-0">
              <span className="block font-mono text-xs break-words">{name}</span>
              <span className="block text-xs text-ink-faint">{typeText(type)}</span>
            </dt>
            <dd className="min-w-0">
              <Value type={type} value={record[name]} linkTo={linkTo} />
            </dd>
          </div>
        ))}
    </dl>
  );
}

function Value({ type, value, linkTo }: { type: FieldType; value: unknown; linkTo: LinkTo }) {
  const target = namedRecord(type);
  const ids = target === null ? [] : [value].flat().filter((id) => typeof id === "string");
  if (target !== null && ids.length > 0) {
    return ids.map((id) => {
      const href = linkTo(target, id);
      return (
        <span key={id} className="block font-mono text-xs leading-5 break-all">
          {href === null ? (
            id
          ) : (
            <Link href={href} className="text-accent-text hover:underline">
              {id}
            </Link>
          )}
        </span>
      );
    });
  }
  const isJson =
    inputKindOf(type) === "json" && typeof value === "object" && value !== null && type.kind !== "enum_set";
  const { text, look } = isJson
    ? { text: JSON.stringify(value, null, 2), look: "mono" as const }
    : cellText(value, type);
  return (
    <span
      className={cn(
        "block max-h-64 overflow-y-auto leading-5 break-words whitespace-pre-wrap",
        look === "mono" && "font-mono text-xs leading-5 tabular-nums",
        look === "faint" && "text-ink-faint italic",
      )}
    >
      {text}
    </span>
  );
}
