// The signed-in person as clients see them. Types only. Times are RFC 3339 UTC.
import type { OrganizationSummary } from "../organizations/api.ts";
import type { Mutation, Query } from "../procedure.ts";

/** `system`: like the device. */
export type Theme = "system" | "light" | "dark";

export interface Me {
  readonly person: {
    readonly id: string;
    readonly name: string;
    readonly email: string;
    readonly theme: Theme;
    /** Whether signing in also needs a code. */
    readonly twoFactor: boolean;
  };
  readonly organizations: readonly OrganizationSummary[];
}

export interface PersonSession {
  readonly id: string;
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly createdAt: string;
  /** Accurate to some minutes. */
  readonly lastSeenAt: string;
  readonly isCurrent: boolean;
}

export type MeProcedures = {
  get: Query<void, Me>;
  sessions: Query<void, readonly PersonSession[]>;
  endSession: Mutation<{ sessionId: string }, { readonly ended: true }>;
  rename: Mutation<{ name: string }, { readonly name: string }>;
  changeEmail: Mutation<{ email: string; password: string }, { readonly email: string }>;
  setTheme: Mutation<{ theme: Theme }, { readonly theme: Theme }>;
  /** Refused to the last owner of an organization that has projects or other members. */
  remove: Mutation<{ password: string }, { readonly removed: true }>;
};
