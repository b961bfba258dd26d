// Organizations of an app's users, and who belongs to them. In: ids, names, roles. Out: records as the API answers them.
// It never keeps which organization a user works in: that is a client's (`inOrganization`).
import { createEntity, type Entity } from "./entity.ts";
import type { Call } from "./transport.ts";
import type { OrganizationRecord } from "./types.ts";

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

export interface Organizations extends Omit<Entity<OrganizationTypes, "organization">, "restore" | "transition"> {
  readonly members: (organization: string) => Promise<readonly Member[]>;
  /** Adds a user, or gives one another role. @throws Conflict where the last owner would be none. */
  readonly setMember: (organization: string, member: MemberOf & { readonly role: OrganizationRole }) => Promise<Member>;
  /** Takes a user out; everybody may leave. @throws Conflict for the last owner. */
  readonly removeMember: (organization: string, userId: string) => Promise<void>;
}

export function createOrganizations(call: (call: Call) => Promise<unknown>): Organizations {
  const all = "/v1/organizations";
  const {
    restore: _,
    transition: __,
    ...entity
  } = createEntity<OrganizationTypes, "organization">("organization", call, all);
  const membersOf = (organization: string): string => {
    if (typeof organization !== "string" || organization === "")
      throw new TypeError("the organization's id is missing");
    return `${all}/${encodeURIComponent(organization)}/members`;
  };
  const data = async <T>(request: Call): Promise<T> => ((await call(request)) as { readonly data: T }).data;
  return {
    ...entity,
    members: async (organization) => data({ method: "GET", path: membersOf(organization) }),
    setMember: async (organization, member) => data({ method: "PUT", path: membersOf(organization), body: member }),
    removeMember: async (organization, userId) => {
      await call({ method: "DELETE", path: `${membersOf(organization)}/${encodeURIComponent(userId)}` });
    },
  };
}
