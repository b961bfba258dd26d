// Organizations of an app's users, with members and invitations. In: ids, addresses, roles. Out: records as the API
// returns them. It never stores the organization of a client (`inOrganization`), or the user's chosen one.
import { createRecords, type Records } from "./entity.ts";
import type { Call } from "./transport.ts";
import type { OrganizationRecord } from "./types.ts";
import { type CallOptions, endOf } from "./writing.ts";

export type OrganizationRole = "owner" | "admin" | "member";

export interface Member {
  readonly user_id: string;
  readonly role: OrganizationRole;
  readonly created_at: string;
  /** Only owners and admins see it. */
  readonly email?: string;
  readonly name?: string | null;
}

/** Identifies one user. */
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
  /** Whether it becomes the organization for the user's calls that name none. */
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
   * Changes the role of a member; with an admin key, it also adds a user.
   * @throws Conflict if there would be no owner, NotFound if the user is not a member.
   */
  readonly setMember: (
    organization: string,
    member: MemberOf & { readonly role: OrganizationRole },
    options?: CallOptions,
  ) => Promise<Member>;
  /** Removes a user; members can remove themselves. @throws Conflict for the last owner. */
  readonly removeMember: (organization: string, userId: string, options?: CallOptions) => Promise<void>;
  /** The open invitations. */
  readonly invitations: (organization: string, options?: CallOptions) => Promise<readonly Invitation[]>;
  /** Invites an address. Only this answer contains the token, for the link that the app sends. */
  readonly invite: (
    organization: string,
    invited: { readonly email: string; readonly role: OrganizationRole },
    options?: CallOptions,
  ) => Promise<Invitation & { readonly token: string }>;
  readonly revokeInvitation: (organization: string, invitation: string, options?: CallOptions) => Promise<void>;
  /**
   * Joins the organization as the signed-in user with the invited address; with `choose`, it becomes the organization
   * for calls that name none.
   * @throws NotFound if the token is not valid (any more), Conflict if the user is already a member.
   */
  readonly acceptInvitation: (
    token: string,
    options?: { readonly choose?: boolean } & CallOptions,
  ) => Promise<Membership>;
  /**
   * Sets the organization for the user's calls that name none; null: no organization. @throws Forbidden if the user is
   * not a member.
   */
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
