// Changes of organizations and their members. In: an organization that the caller can see or change. Out: its members. It never
// adds a member (an accepted invitation does), and never leaves an organization without an owner.
import { notFound, refuse } from "../failure.ts";
import type { Person } from "../people/auth.ts";
import type { OrganizationAccess } from "./access.ts";
import type { Member, MemberRole, MemberScope, OrganizationSummary } from "./api.ts";
import { rightsOf } from "./rights.ts";
import type { OrganizationStore } from "./store.ts";

interface ChangedMember {
  readonly personId: string;
  readonly role: MemberRole;
  readonly scope: MemberScope;
}

export interface OrganizationService {
  ofPerson(person: Person): Promise<readonly OrganizationSummary[]>;
  create(by: Person, name: string): Promise<OrganizationSummary>;
  rename(by: Person, organization: OrganizationAccess, name: string): Promise<{ name: string }>;
  remove(by: Person, organization: OrganizationAccess): Promise<{ removed: true }>;
  members(organization: OrganizationAccess): Promise<readonly Member[]>;
  changeMember(by: Person, organization: OrganizationAccess, change: ChangedMember): Promise<Member>;
  removeMember(by: Person, organization: OrganizationAccess, personId: string): Promise<{ removed: true }>;
}

const LAST_OWNER =
  "The organization's last owner can't leave, be removed, get another role or be limited to projects. Name another owner first.";
const ABOVE = "You can't give a role above your own, or change a member who has one.";
const OWNED_MAX = 50;

export function createOrganizationService(store: OrganizationStore): OrganizationService {
  return {
    ofPerson: (person) => store.ofPerson(person.id),
    create: async (by, name) => {
      const made = await store.create({ name, createdBy: by.id }, OWNED_MAX);
      if (made === "gone") throw refuse("UNAUTHORIZED", "Sign in first.");
      if (made === null) throw refuse("PRECONDITION_FAILED", `You can own at most ${OWNED_MAX} organizations.`);
      return { id: made.id, name, role: "owner", scope: "organization", may: rightsOf("owner") };
    },
    rename: async (by, organization, name) => {
      await store.rename(organization.id, name, by.id);
      return { name };
    },
    remove: async (by, organization) => {
      if ((await store.remove(organization.id, by.id)) === "not_empty")
        throw refuse(
          "CONFLICT",
          "The organization still has projects. Delete them first; a deleted project is kept for 7 days.",
        );
      return { removed: true };
    },
    members: async ({ id, projectIds }) => {
      const members = await store.members(id);
      return projectIds === null ? members : members.flatMap((member) => seenFrom(member, projectIds));
    },
    changeMember: async (by, organization, change) => {
      const outcome = await store.changeMember({ organizationId: organization.id, changedBy: by.id, ...change });
      if (outcome === "last_owner") throw refuse("CONFLICT", LAST_OWNER);
      if (outcome === "above") throw refuse("FORBIDDEN", ABOVE);
      if (outcome === "no_member") throw notFound("member");
      if (outcome === "no_project") throw notFound("project");
      const member = (await store.members(organization.id)).find(({ personId }) => personId === change.personId);
      return member ?? notAnyMore();
    },
    removeMember: async (by, organization, personId) => {
      const outcome = await store.removeMember({ organizationId: organization.id, personId, changedBy: by.id });
      if (outcome === "last_owner") throw refuse("CONFLICT", LAST_OWNER);
      if (outcome === "above") throw refuse("FORBIDDEN", ABOVE);
      if (outcome === "no_member") throw notFound("member");
      return { removed: true };
    },
  };
}

/** A member as seen by a person who only knows these projects. Null if they share none of them. */
function seenFrom(member: Member, projectIds: readonly string[]): readonly Member[] {
  if (member.scope.kind === "organization") return [member];
  const shared = member.scope.projectIds.filter((id) => projectIds.includes(id));
  return shared.length === 0 ? [] : [{ ...member, scope: { kind: "projects", projectIds: shared } }];
}

function notAnyMore(): never {
  throw notFound("member");
}
