// Organizations of an app's users, who belongs to them and who is invited. In: ids, addresses, roles. Out: records as the API
// answers them. It never keeps which organization a client works in (`inOrganization`), or which one its user has chosen.
import { createRecords, type Records } from "./entity.ts";
import type { Call } from "./transport.ts";
import type { OrganizationRecord } from "./types.ts";
import { type CallOptions, endOf } from "./writing.ts";

export type OrganizationRole = "owner" | "admin" | "member";

export interface Member {
  readonly user_id: string;
  readonly role: OrganizationRole;
  readonly created_at: string;
  /** For owners and admins. */
  readonly email?: string;
  readonly name?: string | null;
}

/** Names one user. */
export type MemberOf = { readonly user_id: string } | { readonly email: string };

export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: OrganizationRole;
  readonly invited_by: string;
  readonly created_at: string;
  readonly expires_at: string;
}

export interface Membership {
  readonly organization_id: string;
  readonly role: OrganizationRole;
  /** Whether the user's calls that name no organization are made in it. */
  readonly chosen: boolean;
}

interface OrganizationTypes {
  readonly entities: {
    readonly organization: {
      readonly record: OrganizationRecord;
      readonly create: { readonly name: string };
      readonly update: { readonly name?: string };
      readonly where: { readonly id?: string; readonly name?: string };
    };
  };
}

export interface Organizations extends Omit<Records<OrganizationTypes, "organization">, "restore" | "transition"> {
  readonly members: (organization: string, options?: CallOptions) => Promise<readonly Member[]>;
  /**
   * Gives a member another role; with an admin key, adds one, too.
   * @throws Conflict where the last owner would be none, NotFound where the user is no member.
   */
  readonly setMember: (
    organization: string,
    member: MemberOf & { readonly role: OrganizationRole },
    options?: CallOptions,
  ) => Promise<Member>;
  /** Takes a user out; everybody may leave. @throws Conflict for the last owner. */
  readonly removeMember: (organization: string, userId: string, options?: CallOptions) => Promise<void>;
  /** The open ones. */
  readonly invitations: (organization: string, options?: CallOptions) => Promise<readonly Invitation[]>;
  /** Invites an address. The token, for the link that the app sends, is in this answer alone. */
  readonly invite: (
    organization: string,
    invited: { readonly email: string; readonly role: OrganizationRole },
    options?: CallOptions,
  ) => Promise<Invitation & { readonly token: string }>;
  readonly revokeInvitation: (organization: string, invitation: string, options?: CallOptions) => Promise<void>;
  /**
   * The signed-in user, whose address was invited, joins; with `choose`, calls that name no organization are made in it.
   * @throws NotFound where the token fits nothing (any more), Conflict for who belongs there already.
   */
  readonly acceptInvitation: (
    token: string,
    options?: { readonly choose?: boolean } & CallOptions,
  ) => Promise<Membership>;
  /** Where the user's calls are made that name no organization; null: nowhere. @throws Forbidden where they don't belong. */
  readonly choose: (organization: string | null, options?: CallOptions) => Promise<void>;
}

export function createOrganizations(call: (call: Call) => Promise<unknown>): Organizations {
  const all = "/v1/organizations";
  const {
    restore: _,
    transition: __,
    ...entity
  } = createRecords<OrganizationTypes, "organization">("organization", call, all);
  const under = (organization: string, ...path: readonly string[]): string => {
    const parts = [organization, ...path];
    // An empty id would address the list.
    if (parts.some((part) => typeof part !== "string" || part === "")) throw new TypeError("an id is missing");
    return [all, ...parts.map(encodeURIComponent)].join("/");
  };
  const data = async <T>(request: Call, options: CallOptions | undefined): Promise<T> =>
    ((await call({ ...request, ...endOf(options) })) as { readonly data: T }).data;
  const done = async (request: Call, options: CallOptions | undefined): Promise<void> => {
    await call({ ...request, ...endOf(options) });
  };
  return {
    ...entity,
    members: async (organization, options) => data({ method: "GET", path: under(organization, "members") }, options),
    setMember: async (organization, member, options) =>
      data({ method: "PUT", path: under(organization, "members"), body: member }, options),
    removeMember: async (organization, userId, options) =>
      done({ method: "DELETE", path: under(organization, "members", userId) }, options),
    invitations: async (organization, options) =>
      data({ method: "GET", path: under(organization, "invitations") }, options),
    invite: async (organization, invited, options) =>
      data({ method: "POST", path: under(organization, "invitations"), body: invited }, options),
    revokeInvitation: async (organization, invitation, options) =>
      done({ method: "DELETE", path: under(organization, "invitations", invitation) }, options),
    acceptInvitation: async (token, { choose = false, ...options } = {}) =>
      data({ method: "POST", path: `${all}/accept-invitation`, body: { token, choose } }, options),
    choose: async (organization, options) =>
      done({ method: "PUT", path: "/v1/users/me/organization", body: { organization_id: organization } }, options),
  };
}
