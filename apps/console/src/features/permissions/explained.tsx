// An explanation. In: the result of the evaluation, and the blueprint's lines. Out: allowed or denied, and the reason for each grant.
import type { RecordExplanation } from "@plinth/blueprint";
import { Check, X } from "lucide-react";
import Link from "next/link";
import { Badge } from "../../ui/badge.tsx";
import { Notice } from "../../ui/notice.tsx";

/** The id of a caller who is only given by a role. */
export const ANY_USER_ID = "00000000-0000-0000-0000-000000000000";

interface ExplainedProps {
  outcome: RecordExplanation & { readonly isCut: boolean; readonly read: number };
  lines: readonly string[];
  projectId: string;
}

export function Explained({ outcome, lines, projectId }: ExplainedProps) {
  const { allowed, reason, grants, seen, missing, isCut, read } = outcome;
  return (
    <section aria-label="Explanation" className="flex flex-col gap-3" aria-live="polite">
      <Notice tone={allowed ? "good" : "bad"} title={allowed ? "Allowed" : "Denied"}>
        {reason ?? (grants.length === 0 ? "None of the caller's roles has a permission for it." : null)}
      </Notice>
      <ul className="flex flex-col gap-2">
        {grants.map((grant, at) => {
          const line = grant.culprit?.place?.start.line ?? null;
          return (
            <li key={`${grant.role} ${grant.rule}`} className="rounded-lg border p-3 text-[0.8125rem]">
              <p className="flex flex-wrap items-center gap-1.5">
                {grant.allowed ? (
                  <Check className="size-4 text-good" aria-hidden />
                ) : (
                  <X className="size-4 text-bad" aria-hidden />
                )}
                <Badge>{grant.role}</Badge>
                {grant.allowed
                  ? "is satisfied"
                  : grant.unknown
                    ? "is undecided, because a value is empty"
                    : "is not satisfied"}
              </p>
              <code className="mt-1.5 block font-mono text-xs break-words">{grant.culprit?.text ?? grant.rule}</code>
              {(seen[at] ?? []).length > 0 ? (
                <dl className="mt-1.5 grid grid-cols-[auto_1fr] gap-x-3 font-mono text-xs text-ink-soft">
                  {seen[at]?.map(({ text, value }) => (
                    <div key={text} className="contents">
                      <dt>{text}</dt>
                      <dd className="min-w-0 break-all">= {valueText(value)}</dd>
                    </div>
                  ))}
                </dl>
              ) : null}
              {line === null ? null : (
                <p className="mt-1.5 text-xs text-ink-soft">
                  <Link
                    href={`/projects/${projectId}/blueprint`}
                    className="underline decoration-line-strong underline-offset-4 hover:text-ink"
                  >
                    Line {line}
                  </Link>{" "}
                  <code className="font-mono break-words">{(lines[line - 1] ?? "").trim()}</code>
                </p>
              )}
            </li>
          );
        })}
      </ul>
      {missing.length > 0 || isCut ? (
        <Notice tone="warn">
          {missing.length > 0 ? `The API doesn't show ${missing.join(", ")}, so it counts as empty here. ` : null}
          {isCut
            ? `The record has more related records than the ${read} that were read. The API may decide differently.`
            : null}
        </Notice>
      ) : null}
    </section>
  );
}

function valueText(value: unknown): string {
  if (value === null) return "(empty)";
  return value === ANY_USER_ID ? "(any user)" : JSON.stringify(value);
}
