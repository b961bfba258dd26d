// What each procedure about drafts says to an owner, a viewer, a stranger and nobody. For the walk over all procedures.
import type { TRPCClient } from "@trpc/client";
import type { AppRouter } from "../../api.ts";

interface Things {
  readonly projectId: string;
}

interface DraftExpectation {
  readonly who: "owner";
  readonly call: (client: TRPCClient<AppRouter>, things: Things) => Promise<unknown>;
  readonly owner?: string;
  readonly silent?: true;
}

/** In this order: each goes on with what the former left. */
export const draftExpectations: Record<string, DraftExpectation> = {
  "drafts.save": {
    who: "owner",
    call: (c, { projectId }) => c.drafts.save.mutate({ projectId, text: "x", after: null, baseVersionId: null }),
  },
  "drafts.get": { who: "owner", silent: true, call: (c, { projectId }) => c.drafts.get.query({ projectId }) },
  "drafts.discard": { who: "owner", call: (c, { projectId }) => c.drafts.discard.mutate({ projectId, version: 1 }) },
  "drafts.restore": { who: "owner", call: (c, { projectId }) => c.drafts.restore.mutate({ projectId }) },
  "drafts.history": { who: "owner", silent: true, call: (c, { projectId }) => c.drafts.history.query({ projectId }) },
  "drafts.earlier": {
    who: "owner",
    owner: "NOT_FOUND",
    silent: true,
    call: (c, { projectId }) => c.drafts.earlier.query({ projectId, version: 99 }),
  },
};
