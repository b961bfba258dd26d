// Drafts as clients see them: the text that a person writes before proposing it. Types only.
import type { Mutation, Query } from "../procedure.ts";

export interface Draft {
  /** Counts up with every save. */
  readonly version: number;
  readonly text: string;
  /** The version that was live when the draft was begun or rebased. Null if nothing was live. */
  readonly baseVersionId: string | null;
  readonly savedAt: string;
}

/** A draft that was deployed or discarded. It can be restored for a week. */
export interface EndedDraft {
  readonly version: number;
  readonly endedAt: string;
  readonly endedBy: "deployed" | "discarded";
}

export interface EarlierDraft {
  readonly version: number;
  readonly savedAt: string;
  readonly bytes: number;
}

export type DraftProcedures = {
  /** The caller's own draft of the project. Each person has their own. */
  get: Query<{ projectId: string }, { draft: Draft | null; ended: EndedDraft | null }>;
  /**
   * @param after The version of the draft that the text is based on. Null if there was no draft. If the draft now has another
   * version, the answer is CONFLICT, because it was saved elsewhere in the meantime.
   */
  save: Mutation<
    { projectId: string; text: string; after: number | null; baseVersionId: string | null },
    { version: number; savedAt: string }
  >;
  discard: Mutation<{ projectId: string; version: number }, EndedDraft>;
  /** Restores the draft that ended last. */
  restore: Mutation<{ projectId: string }, Draft>;
  /** Earlier texts of the draft, newest first. */
  history: Query<{ projectId: string }, readonly EarlierDraft[]>;
  earlier: Query<{ projectId: string; version: number }, Draft>;
};
