// For the walk over all procedures: how parts of it say who gets past the authorization of theirs. Imported by tests only.
import type { TRPCClient } from "@trpc/client";
import type { AppRouter } from "../api.ts";

export interface Expected {
  readonly who: "person" | "member" | "owner";
  readonly call: (client: TRPCClient<AppRouter>, things: { readonly projectId: string }) => Promise<unknown>;
  /** Where an owner is let in but the call ends otherwise than well. */
  readonly owner?: string;
  /** Where nobody's call ends well, because it names nothing. */
  readonly end?: string;
  /** An owner's reading, which leaves no row in the log. */
  readonly silent?: true;
}

/** An id of nothing. */
export const NOWHERE = "00000000-0000-4000-8000-000000000000";
