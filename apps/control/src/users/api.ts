// What a client sees of a project's end users. Types alone. Times are RFC 3339 UTC.
import type { CreatedUser, EndUserDetail, EndUserPage } from "@plinth/bundle/cell";
import type { Mutation, Query } from "../procedure.ts";

export type { CreatedUser, EndUser, EndUserDetail, EndUserPage, EndUserSession } from "@plinth/bundle/cell";

type Named = { projectId: string; userId: string };

export type UserProcedures = {
  /** Newest first; null where nothing is deployed. */
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
  /** As the project's own API shows the user, with the fields of the profile. */
  record: Query<Named, Readonly<Record<string, unknown>>>;
  /** Without a password: a mail brings what sets the first one, or the answer holds it where the project sends no mail. */
  create: Mutation<{ projectId: string; email: string; name?: string | undefined; roles: string[] }, CreatedUser>;
  setRoles: Mutation<Named & { roles: string[] }, { readonly roles: readonly string[] }>;
  /** A disabled user can't sign in; their sessions end at once. */
  setDisabled: Mutation<Named & { disabled: boolean }, { readonly disabled: boolean }>;
  /** Of all devices, unless one session is named. */
  endSessions: Mutation<Named & { sessionId?: string | undefined }, { readonly ended: true }>;
  mailReset: Mutation<Named, { readonly mailed: true }>;
};
