// The draft of a project in a component. In: what the server had when the page opened, and what is live now. Out: the draft's
// state and its keeper. It saves when the page is left and looks for other saves when it is come back to.
"use client";
import type { Draft } from "@plinth/control/router";
import { useEffect, useState, useSyncExternalStore } from "react";
import { useTRPCClient } from "../../trpc.ts";
import { createDraftKeeper, type DraftKeeper, type DraftState, type Live } from "./draft-keeper.ts";

export function useDraft(projectId: string, stored: Draft | null, live: Live): DraftState & { keeper: DraftKeeper } {
  const client = useTRPCClient();
  const [keeper] = useState(() =>
    createDraftKeeper({
      projectId,
      stored,
      live,
      port: {
        get: async () => (await client.drafts.get.query({ projectId })).draft,
        save: (draft) => client.drafts.save.mutate({ projectId, ...draft }),
        discard: (version) => client.drafts.discard.mutate({ projectId, version }),
      },
    }),
  );
  const state = useSyncExternalStore(keeper.subscribe, keeper.state, keeper.state);
  useEffect(() => keeper.setLive(live), [keeper, live]);
  useEffect(() => {
    keeper.start();
    const look = (): void => void keeper.refresh();
    document.addEventListener("visibilitychange", look);
    window.addEventListener("online", look);
    window.addEventListener("focus", look);
    return () => {
      document.removeEventListener("visibilitychange", look);
      window.removeEventListener("online", look);
      window.removeEventListener("focus", look);
      // What is not saved yet is saved on the way out; the browser's copy covers a page that is closed.
      void keeper.refresh().finally(keeper.stop);
    };
  }, [keeper]);
  return { ...state, keeper };
}
