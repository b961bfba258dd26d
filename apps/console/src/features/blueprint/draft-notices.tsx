// The notices about a draft. In: the draft's state and the live version. Out: a notice if the draft was changed elsewhere, another version
// went live, the draft can't be saved, or a draft was discarded; each with a button.
"use client";
import { conflictsOf, joinPieces, mergeTexts } from "@plinth/blueprint";
import type { EndedDraft } from "@plinth/control/router";
import { useMutation, useQuery } from "@tanstack/react-query";
import { usePathname } from "next/navigation";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { errorText } from "../../ui/error-text.ts";
import { Notice } from "../../ui/notice.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { Time } from "../../ui/time.tsx";
import { withNext } from "../account/next-path.ts";
import type { DraftKeeper, DraftState, Live } from "./draft-keeper.ts";
import { MergeView } from "./merge-view.tsx";

interface DraftNoticesProps extends DraftState {
  projectId: string;
  live: Live;
  /** A draft that ended before the page was opened. */
  ended: EndedDraft | null;
  keeper: DraftKeeper;
}

export function DraftNotices({ projectId, live, ended, text, baseVersionId, status, keeper }: DraftNoticesProps) {
  const pathname = usePathname();
  if (status.kind === "conflict") {
    return (
      <MergeView
        title="The draft was changed elsewhere"
        description="Another tab or device saved it while you wrote here. Nothing is lost: choose the text that the draft gets."
        theirsName="Saved elsewhere"
        common={status.common}
        mine={text}
        theirs={status.theirs?.text ?? live?.text ?? ""}
        onUse={keeper.resolve}
        onCancel={null}
      />
    );
  }
  const isDraft = text !== (live?.text ?? "");
  return (
    <>
      {status.kind === "waiting" || status.kind === "refused" ? (
        <Notice
          tone={status.kind === "waiting" ? "warn" : "bad"}
          title="The draft is not saved yet"
          actions={
            status.kind === "refused" && status.isSignedOut ? (
              <ButtonLink size="small" href={withNext("/sign-in", pathname)}>
                Sign in
              </ButtonLink>
            ) : (
              <Button size="small" onClick={() => void keeper.refresh()}>
                Save now
              </Button>
            )
          }
        >
          {status.why} It is stored in this browser until then
          {status.kind === "waiting" ? ", and is saved as soon as possible." : "."}
        </Notice>
      ) : null}
      {isDraft && live !== null && baseVersionId !== live.versionId ? (
        <OutdatedDraft live={live} text={text} baseVersionId={baseVersionId} keeper={keeper} />
      ) : null}
      {!isDraft && ended?.endedBy === "discarded" ? (
        <DiscardedDraft projectId={projectId} ended={ended} keeper={keeper} />
      ) : null}
    </>
  );
}

interface OutdatedDraftProps {
  live: NonNullable<Live>;
  text: string;
  baseVersionId: string | null;
  keeper: DraftKeeper;
}

function OutdatedDraft({ live, text, baseVersionId, keeper }: OutdatedDraftProps) {
  const trpc = useTRPC();
  const [asking, setAsking] = useState(false);
  const base = useQuery(
    trpc.blueprints.get.queryOptions(
      { versionId: baseVersionId ?? "" },
      { enabled: baseVersionId !== null, staleTime: Number.POSITIVE_INFINITY },
    ),
  );
  const common = baseVersionId === null ? "" : base.data?.text;
  if (base.error) {
    return (
      <QueryError
        error={base.error}
        what="The version on which the draft is based could not be loaded"
        onRetry={() => void base.refetch()}
      />
    );
  }
  const apply = (rebased: string): void => {
    keeper.change(rebased, live.versionId);
    setAsking(false);
  };
  const rebase = (): void => {
    if (common === undefined) return;
    const pieces = mergeTexts(common, text, live.text);
    if (conflictsOf(pieces).length > 0) setAsking(true);
    else apply(joinPieces(pieces, []));
  };
  if (asking && common !== undefined) {
    return (
      <MergeView
        title="Your draft and the live version changed the same lines"
        description="Choose the lines for each conflict."
        theirsName="Live now"
        common={common}
        mine={text}
        theirs={live.text}
        onUse={apply}
        onCancel={() => setAsking(false)}
      />
    );
  }
  return (
    <Notice
      tone="warn"
      title="Another version went live"
      actions={
        <Button size="small" disabled={common === undefined} onClick={rebase}>
          Update the draft
        </Button>
      }
    >
      Another change was deployed since this draft was started. If you propose the draft now, it removes that change. If
      you update the draft, it has both.
    </Notice>
  );
}

interface DiscardedDraftProps {
  projectId: string;
  ended: EndedDraft;
  keeper: DraftKeeper;
}

function DiscardedDraft({ projectId, ended, keeper }: DiscardedDraftProps) {
  const trpc = useTRPC();
  const [done, setDone] = useState(false);
  const restore = useMutation(
    trpc.drafts.restore.mutationOptions({
      onSuccess: async () => {
        setDone(true);
        await keeper.refresh();
      },
    }),
  );
  if (done) return null;
  return (
    <Notice
      tone="neutral"
      title={
        <>
          You discarded a draft <Time at={ended.endedAt} />
        </>
      }
      actions={
        <Button size="small" pending={restore.isPending} onClick={() => restore.mutate({ projectId })}>
          Restore it
        </Button>
      }
    >
      You can restore it for a week.
      {restore.error ? <p className="text-bad">{errorText(restore.error)}</p> : null}
    </Notice>
  );
}
