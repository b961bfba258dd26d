// What an author must know of their draft. In: the draft's state and what is live. Out: that it was changed elsewhere, that the
// live version moved on, that it can't be saved, or that one was discarded; each with what to do about it.
"use client";
import type { EndedDraft } from "@plinth/control/router";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { errorText } from "../../ui/error-text.ts";
import { Notice } from "../../ui/notice.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { Time } from "../../ui/time.tsx";
import type { DraftKeeper, DraftState, Live } from "./draft-keeper.ts";
import { MergeView } from "./merge-view.tsx";
import { conflictsOf, join, mergeTexts } from "./three-way.ts";

interface DraftNoticesProps extends DraftState {
  projectId: string;
  live: Live;
  /** A draft that ended before the page was opened. */
  ended: EndedDraft | null;
  keeper: DraftKeeper;
}

export function DraftNotices({ projectId, live, ended, text, baseVersionId, status, keeper }: DraftNoticesProps) {
  if (status.kind === "conflict") {
    return (
      <MergeView
        title="The draft was changed elsewhere"
        description="Another tab or device has saved it while you wrote here. Nothing is lost: choose what it is to be."
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
            <Button size="small" onClick={() => void keeper.refresh()}>
              Save now
            </Button>
          }
        >
          {status.why} It is kept in this browser meanwhile
          {status.kind === "waiting" ? ", and saved by itself as soon as possible." : "."}
        </Notice>
      ) : null}
      {isDraft && live !== null && baseVersionId !== live.versionId ? (
        <MovedOn live={live} text={text} baseVersionId={baseVersionId} keeper={keeper} />
      ) : null}
      {!isDraft && ended?.endedBy === "discarded" ? (
        <Restorable projectId={projectId} ended={ended} keeper={keeper} />
      ) : null}
    </>
  );
}

interface MovedOnProps {
  live: NonNullable<Live>;
  text: string;
  baseVersionId: string | null;
  keeper: DraftKeeper;
}

function MovedOn({ live, text, baseVersionId, keeper }: MovedOnProps) {
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
        what="The version that the draft began from could not be loaded"
        onRetry={() => void base.refetch()}
      />
    );
  }
  const use = (rebased: string): void => {
    keeper.change(rebased, live.versionId);
    setAsking(false);
  };
  const rebase = (): void => {
    if (common === undefined) return;
    const pieces = mergeTexts(common, text, live.text);
    if (conflictsOf(pieces).length > 0) setAsking(true);
    else use(join(pieces, []));
  };
  if (asking && common !== undefined) {
    return (
      <MergeView
        title="Your draft and the live version changed the same lines"
        description="Decide for each place which lines the draft is to have."
        theirsName="Live now"
        common={common}
        mine={text}
        theirs={live.text}
        onUse={use}
        onCancel={() => setAsking(false)}
      />
    );
  }
  return (
    <Notice
      tone="warn"
      title="The live version moved on"
      actions={
        <Button size="small" disabled={common === undefined} onClick={rebase}>
          Bring the draft up to date
        </Button>
      }
    >
      Something else was deployed since this draft was begun. Proposed as it is, the draft would take those changes
      back. Bringing it up to date keeps both.
    </Notice>
  );
}

interface RestorableProps {
  projectId: string;
  ended: EndedDraft;
  keeper: DraftKeeper;
}

function Restorable({ projectId, ended, keeper }: RestorableProps) {
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
      It can be restored for a week.
      {restore.error ? <p className="text-bad">{errorText(restore.error)}</p> : null}
    </Notice>
  );
}
