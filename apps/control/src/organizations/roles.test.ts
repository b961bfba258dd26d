// Nobody can raise a role above their own, an organization keeps an owner, and a changed role is valid from the next request on.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MemberRole, MemberScope } from "../api.ts";
import { codeOf, createWorld, goLive, join, type Somebody, shown, type World } from "../testing/control-plane.ts";

const WHOLE = { kind: "organization" } as const;

const TASKS = (permission: string): string => `project: tasks
modules: [auth, users, roles]
entities:
  task:
    fields:
      title: string
    permissions:
      user: { read: ${permission} }
      admin: { all: true }
`;

let world: World;
let owner: Somebody;
let admin: Somebody;
let developer: Somebody;
let viewer: Somebody;
let organizationId: string;

const idOf = async ({ client }: Somebody): Promise<string> => (await client.me.get.query()).person.id;

async function memberWith(role: MemberRole, scope: MemberScope = WHOLE): Promise<Somebody> {
  const member = await world.signUp(role);
  await join(owner, member, organizationId, role, scope);
  return member;
}

const change = async (by: Somebody, of: Somebody, role: MemberRole, scope: MemberScope = WHOLE) =>
  codeOf(by.client.organizations.changeMember.mutate({ organizationId, personId: await idOf(of), role, scope }));
const remove = async (by: Somebody, of: Somebody) =>
  codeOf(by.client.organizations.removeMember.mutate({ organizationId, personId: await idOf(of) }));
const invite = async (by: Somebody, email: string, role: MemberRole) =>
  shown(await by.client.invitations.create.mutate({ organizationId, email, role, scope: WHOLE }));

async function rolesNow(): Promise<Record<string, MemberRole>> {
  const members = await owner.client.organizations.members.query({ organizationId });
  return Object.fromEntries(members.map(({ email, role }) => [email, role]));
}

beforeAll(async () => {
  world = await createWorld({ cell: true });
  owner = await world.signUp("owner");
  organizationId = owner.organizationId;
  [admin, developer, viewer] = [await memberWith("admin"), await memberWith("developer"), await memberWith("viewer")];
}, 60_000);

afterAll(() => world?.stop());

describe("a role", () => {
  it("can't be raised above the caller's own; a member with a higher role can't be changed", async () => {
    const before = await rolesNow();
    const attempts = [
      change(admin, admin, "owner"),
      change(admin, viewer, "owner"),
      change(admin, owner, "viewer"),
      remove(admin, owner),
      codeOf(invite(admin, "crown@example.com", "owner")),
      change(developer, developer, "admin"),
      change(viewer, viewer, "owner"),
      codeOf(invite(developer, "friend@example.com", "viewer")),
    ];
    expect(await Promise.all(attempts)).toEqual(attempts.map(() => "FORBIDDEN"));
    expect(await rolesNow()).toEqual(before);
    expect(await owner.client.invitations.list.query({ organizationId })).toEqual([]);
  });

  it("can be given by an admin up to their own, and is valid from the next request on", async () => {
    const member = await memberWith("viewer");
    const create = (slug: string) => codeOf(member.client.projects.create.mutate({ organizationId, slug }));
    expect(await create("early")).toBe("FORBIDDEN");
    expect(await change(admin, member, "admin")).toBe(null);
    expect(await create("early")).toBe(null);
    expect(await change(admin, member, "developer")).toBe(null);
    expect(await create("late")).toBe("FORBIDDEN");
    expect(await remove(admin, member)).toBe(null);
    expect(await codeOf(member.client.projects.list.query({ organizationId }))).toBe("NOT_FOUND");
  });

  it("that was taken away ends the links that were created with it", async () => {
    const second = await memberWith("owner");
    const { token } = await invite(second, "crown@example.com", "owner");
    expect(await change(owner, second, "admin")).toBe(null);
    const invited = await world.signUp("invited", "crown@example.com");
    expect(await codeOf(invited.client.invitations.accept.mutate({ token }))).toBe("NOT_FOUND");
  });

  it("in named projects gives nothing in the organization, or in other projects", async () => {
    const create = (slug: string) => owner.client.projects.create.mutate({ organizationId, slug });
    const [mine, other] = [await create("mine"), await create("other")];
    const member = await memberWith("admin", { kind: "projects", projectIds: [mine.id] });
    const key = (projectId: string) =>
      codeOf(member.client.keys.create.mutate({ projectId, name: "k", kind: "secret" }));
    expect([await key(mine.id), await key(other.id)]).toEqual([null, "NOT_FOUND"]);
    expect(await codeOf(invite(member, "x@example.com", "viewer"))).toBe("FORBIDDEN");
    expect(await change(member, member, "admin")).toBe("FORBIDDEN");
  });

  it("of a developer approves and deploys changes without required consents, and no others", async () => {
    const { id: projectId } = await owner.client.projects.create.mutate({ organizationId, slug: "tasks" });
    await goLive(developer, projectId, TASKS("false"));
    const loosened = await developer.client.proposals.create.mutate({ projectId, text: TASKS("true") });
    expect(loosened.consents).not.toEqual([]);
    const { id: proposalId, hash, consents } = loosened;
    const approve = (by: Somebody) =>
      codeOf(by.client.proposals.approve.mutate({ proposalId, hash, consents: [...consents] }));
    expect(await approve(developer)).toBe("FORBIDDEN");
    expect((await owner.client.proposals.get.query({ proposalId })).status).toBe("open");
    expect(await approve(admin)).toBe(null);
  });
});

describe("an organization", () => {
  it("can be left by all members except the last owner", async () => {
    const member = await memberWith("viewer");
    expect(await codeOf(member.client.organizations.leave.mutate({ organizationId }))).toBe(null);
    expect(await codeOf(member.client.projects.list.query({ organizationId }))).toBe("NOT_FOUND");
    expect(await codeOf(owner.client.organizations.leave.mutate({ organizationId }))).toBe("CONFLICT");
  });

  it("can be created by anybody, renamed by its admins, and deleted by an owner when it is empty", async () => {
    const founder = await world.signUp("founder");
    const { id } = await founder.client.organizations.create.mutate({ name: " Second " });
    expect(await founder.client.organizations.rename.mutate({ organizationId: id, name: "Renamed" })).toEqual({
      name: "Renamed",
    });
    const named = async () => (await founder.client.me.get.query()).organizations.map(({ name }) => name);
    expect(await named()).toEqual(["founder's organization", "Renamed"]);
    await founder.client.projects.create.mutate({ organizationId: id, slug: "kept" });
    expect(await codeOf(founder.client.organizations.remove.mutate({ organizationId: id }))).toBe("CONFLICT");
    const empty = await founder.client.organizations.create.mutate({ name: "Empty" });
    expect(await codeOf(founder.client.organizations.remove.mutate({ organizationId: empty.id }))).toBe(null);
    expect(await named()).toEqual(["founder's organization", "Renamed"]);
    expect(await codeOf(admin.client.organizations.remove.mutate({ organizationId }))).toBe("FORBIDDEN");
  });
});

describe("an invitation", () => {
  it("is renewed with another link, also after it has expired", async () => {
    const first = await invite(admin, "late@example.com", "developer");
    await world.pool.query("UPDATE control.invitations SET expires_at = now() WHERE id = $1", [first.id]);
    const listed = await admin.client.invitations.list.query({ organizationId });
    expect(listed.map(({ id }) => id)).toContain(first.id);
    const renewal = { organizationId, invitationId: first.id };
    const renewed = shown(await admin.client.invitations.renew.mutate(renewal));
    expect(renewed).toMatchObject({ email: "late@example.com", role: "developer", scope: WHOLE });
    const invited = await world.signUp("late", "late@example.com");
    expect(await codeOf(invited.client.invitations.accept.mutate({ token: first.token }))).toBe("NOT_FOUND");
    expect(await codeOf(invited.client.invitations.accept.mutate({ token: renewed.token }))).toBe(null);
    expect((await rolesNow())[invited.email]).toBe("developer");
  });
});
