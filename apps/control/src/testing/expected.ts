// Expectations for the test of all procedures: who is authorized to call each. Imported by tests only.
import type { TRPCClient } from "@trpc/client";
import type { AppRouter } from "../api.ts";

/** The least that is authorized: any member, or a member with this role. */
export type LeastMember = "member" | "developer" | "admin" | "owner";

export interface Expected {
  readonly who: "person" | LeastMember;
  readonly call: (client: TRPCClient<AppRouter>, things: { readonly projectId: string }) => Promise<unknown>;
  /** The code with which a call ends that is authorized but doesn't succeed. */
  readonly allowed?: string;
  /** The code for everybody, if no call can succeed because it names nothing. */
  readonly end?: string;
  /** A read, which leaves no row in the log. */
  readonly silent?: true;
}

/** An id of nothing. */
export const NOWHERE = "00000000-0000-4000-8000-000000000000";
