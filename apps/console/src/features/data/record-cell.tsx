// One value in the table of records. In: the value, its field, and the addresses of records. Out: a cell. Ids are shortened and can be
// copied; references link to their records.
import type { FieldType } from "@plinth/blueprint";
import Link from "next/link";
import { namedRecord } from "../../named-record.ts";
import { cn } from "../../ui/cn.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { shortId } from "../../ui/short-id.ts";
import { cellText } from "./cell-text.ts";

/** The address of a record of that entity; null if there is none. */
export type LinkTo = (entity: string, id: string) => string | null;

interface RecordCellProps {
  name: string;
  /** Null until the model is loaded. */
  type: FieldType | null;
  value: unknown;
  linkTo: LinkTo;
}

const shownMax = 3;

export function RecordCell({ name, type, value, linkTo }: RecordCellProps) {
  const { text, look } = cellText(value, type);
  const isId = name === "id" && typeof value === "string";
  const target = type === null ? null : namedRecord(type);
  const ids = target === null ? [] : [value].flat().filter((id) => typeof id === "string");
  return (
    <td className="px-3.5 py-1.5 first:pl-[1.125rem]">
      <span className="flex items-center gap-1">
        {type?.kind === "color" && /^#[0-9a-f]{3,8}$/i.test(text) ? (
          <span
            className="size-3 shrink-0 rounded-sm border border-line-strong"
            style={{ background: text }}
            aria-hidden
          />
        ) : null}
        {target !== null && ids.length > 0 ? (
          <span className="flex gap-2 leading-7 whitespace-nowrap">
            {ids.slice(0, shownMax).map((id) => (
              <Reference key={id} id={id} href={linkTo(target, id)} />
            ))}
            {ids.length > shownMax ? <span className="text-ink-soft">and {ids.length - shownMax} more</span> : null}
          </span>
        ) : (
          <span
            title={text}
            className={cn(
              "block max-w-64 truncate leading-7",
              look === "mono" && "font-mono text-xs tabular-nums",
              // Room for the slant of the last letter.
              look === "faint" && "pr-1 text-ink-faint italic",
            )}
          >
            {isId ? shortId(text) : text}
          </span>
        )}
        {isId ? <CopyButton text={text} label={`Copy id ${text}`} /> : null}
      </span>
    </td>
  );
}

function Reference({ id, href }: { id: string; href: string | null }) {
  const look = "font-mono text-xs leading-7";
  if (href === null) {
    return (
      <span title={id} className={look}>
        {shortId(id)}
      </span>
    );
  }
  return (
    <Link href={href} title={id} className={cn(look, "text-accent-text hover:underline")}>
      {shortId(id)}
    </Link>
  );
}
