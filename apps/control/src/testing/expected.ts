// For the walk over all procedures: how parts of it say who gets past the authorization of theirs. Imported by tests only.
import type { TRPCClient } from "@trpc/client";
import type { AppRouter } from "../api.ts";

/** The least that gets past the authorization: any member, or a member with this role. */
export type LeastMember = "member" | "developer" | "admin" | "owner";

export interface Expected {
  readonly who: "person" | LeastMember;
  readonly call: (client: TRPCClient<AppRouter>, things: { readonly projectId: string }) => Promise<unknown>;
  /** Where somebody is let in by their role but the call ends otherwise than well. */
  readonly allowed?: string;
  /** Where nobody's call ends well, because it names nothing. */
  readonly end?: string;
  /** A reading, which leaves no row in the log. */
  readonly silent?: true;
}

/** An id of nothing. */
export const NOWHERE = "00000000-0000-4000-8000-000000000000";
