// One change in the timeline. In: the change. Out: a row that links to it and shows its error, with a menu to compare its version with the
// live one or to go back to it.
"use client";
import type { TimelineEntry } from "@plinth/control/router";
import { Ellipsis, GitCompareArrows, History } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { ChangeBadge } from "../../change-state.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { errorText } from "../../ui/error-text.ts";
import { MarkedText } from "../../ui/marked-text.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { Time } from "../../ui/time.tsx";
import { ConsentBadge } from "./class-badge.tsx";
import { useProposeVersion } from "./use-propose-version.ts";

interface ChangeRowProps {
  projectId: string;
  change: TimelineEntry;
  liveVersionId: string | null;
  mayChange: boolean;
}

export function ChangeRow({ projectId, change, liveVersionId, mayChange }: ChangeRowProps) {
  const router = useRouter();
  const root = `/projects/${projectId}/changes`;
  const goBack = useProposeVersion(projectId);
  const {
    number,
    title,
    risks,
    state,
    createdBy,
    createdAt,
    deployedAt,
    error,
    waitingSince,
    versionId,
    promotedFrom,
    author,
  } = change;
  const isOther = liveVersionId !== null && versionId !== liveVersionId;
  return (
    <li className="relative flex items-start gap-3 px-4 py-3 hover:bg-hover/60">
      <span className="w-9 shrink-0 pt-px text-right font-mono text-[0.8125rem] text-ink-soft tabular-nums">
        #{number}
      </span>
      <div className="min-w-0 flex-1">
        <Link href={`${root}/${change.id}`} className="font-medium break-words after:absolute after:inset-0">
          {title}
        </Link>
        <p className="text-[0.8125rem] text-ink-soft">
          {createdBy.name || createdBy.email}{" "}
          {promotedFrom === null ? "proposed it" : `promoted it from ${promotedFrom.name}`} <Time at={createdAt} />
          {deployedAt !== null && (state === "live" || state === "replaced") ? (
            <>
              , deployed <Time at={deployedAt} />
            </>
          ) : null}
        </p>
        {error !== null && (state === "failed" || state === "unfinished") ? (
          <p className="mt-0.5 line-clamp-2 text-[0.8125rem] break-words text-bad">
            <MarkedText text={error} />
          </p>
        ) : null}
        {waitingSince !== null ? (
          <p className="mt-0.5 text-[0.8125rem] text-warn">
            The runtime has not answered since <Time at={waitingSince} />.
          </p>
        ) : null}
        {goBack.error ? (
          <p role="alert" className="relative mt-0.5 text-[0.8125rem] break-words text-bad">
            The version could not be proposed. <MarkedText text={errorText(goBack.error)} />
          </p>
        ) : null}
      </div>
      <span className="flex shrink-0 flex-wrap justify-end gap-1 pt-px">
        {author === "ai" ? <Badge>AI</Badge> : null}
        {risks
          .filter((risk) => risk !== "breaking" || risks.length === 1)
          .map((risk) => (
            <ConsentBadge key={risk} kind={risk} />
          ))}
        <ChangeBadge state={state} />
      </span>
      {isOther ? (
        <span className="relative -my-0.5 shrink-0">
          <Menu
            trigger={
              <Button
                variant="ghost"
                size="icon-small"
                aria-label={`Actions for change ${number}`}
                pending={goBack.isPending || goBack.isSuccess}
                icon={<Ellipsis />}
              />
            }
          >
            <MenuItem onSelect={() => router.push(`${root}/compare?from=${liveVersionId}&to=${versionId}`)}>
              <GitCompareArrows aria-hidden />
              Compare with live
            </MenuItem>
            {mayChange ? (
              <MenuItem onSelect={() => goBack.mutate({ projectId, versionId })}>
                <History aria-hidden />
                {state === "replaced" ? "Go back to this version" : "Propose again"}
              </MenuItem>
            ) : null}
          </Menu>
        </span>
      ) : (
        <span className="hidden w-7 shrink-0 sm:block" aria-hidden />
      )}
    </li>
  );
}
