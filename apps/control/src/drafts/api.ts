// What a client sees of drafts: the text that a person writes and has not proposed yet. Types alone.
import type { Mutation, Query } from "../procedure.ts";

export interface Draft {
  /** Counts up with every save. */
  readonly version: number;
  readonly text: string;
  /** The version that was live when it was begun or rebased; null where nothing was. */
  readonly baseVersionId: string | null;
  readonly savedAt: string;
}

/** A draft that was deployed or discarded, and can be restored for a week. */
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
  /** The caller's own draft of the project; everybody has their own. */
  get: Query<{ projectId: string }, { draft: Draft | null; ended: EndedDraft | null }>;
  /**
   * @param after The version that the text was written upon; null where there was no draft. Where the draft has another
   * version now, CONFLICT: it was saved elsewhere meanwhile.
   */
  save: Mutation<
    { projectId: string; text: string; after: number | null; baseVersionId: string | null },
    { version: number; savedAt: string }
  >;
  discard: Mutation<{ projectId: string; version: number }, EndedDraft>;
  /** Brings back the draft that ended last. */
  restore: Mutation<{ projectId: string }, Draft>;
  /** What the draft was before, newest first. */
  history: Query<{ projectId: string }, readonly EarlierDraft[]>;
  earlier: Query<{ projectId: string; version: number }, Draft>;
};
