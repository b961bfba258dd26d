// A project's end users as clients see them. Types only. Times are RFC 3339 UTC.
import type { CreatedUser, EndUserDetail, EndUserPage } from "@plinth/bundle/cell";
import type { Mutation, Query } from "../procedure.ts";

export type { CreatedUser, EndUser, EndUserDetail, EndUserPage, EndUserSession } from "@plinth/bundle/cell";

type Named = { projectId: string; userId: string };

export type UserProcedures = {
  /** Newest first. Null if nothing is deployed. */
  list: Query<
    {
      projectId: string;
      /** Part of an address or a name. */
      search?: string | undefined;
      role?: string | undefined;
      disabled?: boolean | undefined;
      cursor?: string | undefined;
      limit?: number | undefined;
    },
    EndUserPage | null
  >;
  get: Query<Named, EndUserDetail>;
  /** In the form of the project's own API, with the fields of the profile. */
  record: Query<Named, Readonly<Record<string, unknown>>>;
  /** Without a password. A mail has the link to set the first one; if the project sends no mail, the answer has it. */
  create: Mutation<{ projectId: string; email: string; name?: string | undefined; roles: string[] }, CreatedUser>;
  setRoles: Mutation<Named & { roles: string[] }, { readonly roles: readonly string[] }>;
  /** A disabled user can't sign in, and their sessions end immediately. */
  setDisabled: Mutation<Named & { disabled: boolean }, { readonly disabled: boolean }>;
  /** All sessions, or only the named one. */
  endSessions: Mutation<Named & { sessionId?: string | undefined }, { readonly ended: true }>;
  mailReset: Mutation<Named, { readonly mailed: true }>;
};
