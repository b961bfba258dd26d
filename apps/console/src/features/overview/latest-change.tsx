// The latest change, if it needs attention. In: the project's id. Out: a notice that it failed, is being deployed or waits for a decision;
// nothing if it is live or was rejected.
"use client";
import type { TimelineEntry } from "@plinth/control/router";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "../../trpc.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { MarkedText } from "../../ui/marked-text.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";

const pollMs = 1_500;

export function LatestChange({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const timeline = useQuery(
    trpc.proposals.timeline.queryOptions(
      { projectId },
      { refetchInterval: ({ state }) => (state.data?.changes[0]?.state === "deploying" ? pollMs : false) },
    ),
  );
  const change = timeline.data?.changes[0];
  const live = timeline.data?.changes.find(({ state }) => state === "live" || state === "unfinished");
  const words = change === undefined ? null : wordsFor(change, live);
  if (change === undefined || words === null) return null;
  return (
    <Notice
      tone={words.tone}
      title={words.title}
      actions={
        <ButtonLink size="small" href={`/projects/${projectId}/changes/${change.id}`}>
          {words.action}
        </ButtonLink>
      }
    >
      <p className="break-words">{words.text}</p>
    </Notice>
  );
}

function wordsFor(change: TimelineEntry, live: TimelineEntry | undefined) {
  const name = `Change #${change.number}`;
  const serving = live === undefined ? "Nothing is live yet." : `#${live.number} still serves.`;
  switch (change.state) {
    case "failed":
      return {
        tone: "bad" as const,
        title: `${name} failed`,
        text: (
          <>
            <MarkedText text={change.error ?? "A step failed."} /> {serving}
          </>
        ),
        action: "Show details",
      };
    case "unfinished":
      return {
        tone: "bad" as const,
        title: `${name} is live, but its last steps failed`,
        text: <MarkedText text={change.error ?? ""} />,
        action: "Show details",
      };
    case "deploying":
      return change.waitingSince === null
        ? { tone: "neutral" as const, title: `${name} is being deployed`, text: serving, action: "Follow" }
        : {
            tone: "warn" as const,
            title: `${name} waits for the runtime`,
            text: (
              <>
                The runtime has not answered since <Time at={change.waitingSince} />. The deployment continues by
                itself.
              </>
            ),
            action: "Follow",
          };
    case "open":
    case "approved":
      return {
        tone: "neutral" as const,
        title: change.state === "open" ? `${name} waits for approval` : `${name} is approved and not deployed yet`,
        text: change.title,
        action: change.state === "open" ? "Review" : "Deploy",
      };
    default:
      return null;
  }
}
