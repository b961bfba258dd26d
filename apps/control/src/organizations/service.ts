// What can be done with organizations. In: an organization that the caller may see or change. Out: its members.
// It never leaves an organization without an owner.
import { notFound, refuse } from "../failure.ts";
import type { Person } from "../people/auth.ts";
import type { OrganizationAccess } from "./access.ts";
import type { Member, MemberRole, OrganizationSummary } from "./api.ts";
import type { OrganizationStore } from "./store.ts";

export interface OrganizationService {
  ofPerson(person: Person): Promise<readonly OrganizationSummary[]>;
  members(organization: OrganizationAccess): Promise<readonly Member[]>;
  addMember(by: Person, organization: OrganizationAccess, email: string, role: MemberRole): Promise<Member>;
  removeMember(by: Person, organization: OrganizationAccess, personId: string): Promise<{ removed: true }>;
}

const LAST_OWNER = "The organization's last owner can't be removed or made a viewer. Name another owner first.";

export function createOrganizationService(store: OrganizationStore): OrganizationService {
  return {
    ofPerson: (person) => store.ofPerson(person.id),
    members: (organization) => store.members(organization.id),
    addMember: async (by, organization, email, role) => {
      const personId = await store.personIdByEmail(email);
      if (personId === null) {
        throw refuse("NOT_FOUND", "Nobody has an account with this email address. Ask them to sign up first.");
      }
      const set = await store.setMember({ organizationId: organization.id, personId, role, changedBy: by.id });
      if (!set) throw refuse("CONFLICT", LAST_OWNER);
      const member = (await store.members(organization.id)).find((candidate) => candidate.personId === personId);
      if (member === undefined) throw notFound("member");
      return member;
    },
    removeMember: async (by, organization, personId) => {
      const outcome = await store.removeMember({ organizationId: organization.id, personId, changedBy: by.id });
      if (outcome === "last_owner") throw refuse("CONFLICT", LAST_OWNER);
      if (outcome === "no_member") throw notFound("member");
      return { removed: true };
    },
  };
}
