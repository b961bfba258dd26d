// The draft of a project in a component. In: the draft when the page opened, and the live version. Out: the draft's state and its keeper.
// It saves when the page is left, and fetches other saves when the person comes back.
"use client";
import type { Draft } from "@plinth/control/router";
import { useEffect, useState, useSyncExternalStore } from "react";
import type { DraftPlace } from "../../draft.ts";
import { useTRPCClient } from "../../trpc.ts";
import { createDraftKeeper, type DraftKeeper, type DraftState, type Live } from "./draft-keeper.ts";

export function useDraft(place: DraftPlace, stored: Draft | null, live: Live): DraftState & { keeper: DraftKeeper } {
  const { projectId } = place;
  const client = useTRPCClient();
  const [keeper] = useState(() =>
    createDraftKeeper({
      place,
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
    const refresh = (): void => void keeper.refresh();
    document.addEventListener("visibilitychange", refresh);
    window.addEventListener("online", refresh);
    window.addEventListener("focus", refresh);
    return () => {
      document.removeEventListener("visibilitychange", refresh);
      window.removeEventListener("online", refresh);
      window.removeEventListener("focus", refresh);
      // Saves unsaved text when the page is left; the copy in the browser covers a closed tab.
      void keeper.refresh().finally(keeper.stop);
    };
  }, [keeper]);
  return { ...state, keeper };
}
