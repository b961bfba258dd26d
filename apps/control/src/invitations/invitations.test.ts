// Only the link of an invitation makes somebody a member, with exactly the role and scope that it shows.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MemberRole, MemberScope } from "../api.ts";
import { codeOf, createWorld, join, PASSWORD, type Somebody, shown, type World } from "../testing/control-plane.ts";

const WHOLE = { kind: "organization" } as const;

let world: World;
let owner: Somebody;
let organizationId: string;
let shop: string;
let depot: string;
let people = 0;

beforeAll(async () => {
  world = await createWorld({ cell: false });
  owner = await world.signUp("owner");
  organizationId = owner.organizationId;
  const create = (slug: string) => owner.client.projects.create.mutate({ organizationId, slug });
  [shop, depot] = [(await create("shop")).id, (await create("depot")).id];
}, 60_000);

afterAll(() => world?.stop());

function somebody(): Promise<Somebody> {
  return world.signUp(`somebody-${++people}`);
}

async function invite(email: string, role: MemberRole = "viewer", scope: MemberScope = WHOLE) {
  return shown(await owner.client.invitations.create.mutate({ organizationId, email, role, scope }));
}

async function idOf({ client }: Somebody): Promise<string> {
  return (await client.me.get.query()).person.id;
}

const accept = (by: Somebody, token: string) => by.client.invitations.accept.mutate({ token });
const projectsOf = async (by: Somebody) =>
  (await by.client.projects.list.query({ organizationId })).map(({ slug }) => slug).sort();

describe("an invitation", () => {
  it("shows the inviter, the organization and the role to a person with the link, and creates one membership", async () => {
    const invited = await somebody();
    const { token, email } = await invite(invited.email.toUpperCase(), "viewer", {
      kind: "projects",
      projectIds: [shop],
    });
    expect(email).toBe(invited.email);
    expect(await invited.client.invitations.open.mutate({ token })).toEqual({
      organization: { id: organizationId, name: "owner's organization" },
      invitedBy: { name: "owner", email: owner.email },
      email: invited.email,
      role: "viewer",
      scope: { kind: "projects", projects: [{ id: shop, slug: "shop" }] },
      expiresAt: expect.stringMatching(/^\d{4}-/),
      isMember: false,
      isForCaller: true,
    });
    expect(await accept(invited, token)).toEqual({ organizationId });
    expect(await projectsOf(invited)).toEqual(["shop"]);
    const second = await somebody();
    expect(await codeOf(accept(second, token))).toBe("NOT_FOUND");
    expect(await codeOf(second.client.invitations.open.mutate({ token }))).toBe("NOT_FOUND");
    const { rows } = await world.pool.query(
      "SELECT action, detail FROM control.audit WHERE person_id = $1 AND action LIKE 'invitation%'",
      [await idOf(invited)],
    );
    expect(rows).toMatchObject([{ action: "invitation.accepted", detail: { role: "viewer", email: invited.email } }]);
  });

  it("needs the link: a person who only registered the address isn't a member", async () => {
    const squatter = await somebody();
    await invite(squatter.email, "owner");
    expect(await codeOf(squatter.client.organizations.members.query({ organizationId }))).toBe("NOT_FOUND");
    expect(await projectsOf(squatter).catch(() => "refused")).toBe("refused");
  });

  it("can't be accepted by an account with another address, and stays open for the right one", async () => {
    const [invited, other] = [await somebody(), await somebody()];
    const { token } = await invite(invited.email, "owner");
    expect(await other.client.invitations.open.mutate({ token })).toMatchObject({ isForCaller: false });
    expect(await codeOf(accept(other, token))).toBe("FORBIDDEN");
    expect(await codeOf(other.client.organizations.members.query({ organizationId }))).toBe("NOT_FOUND");
    expect(await accept(invited, token)).toEqual({ organizationId });
    // The inviter had the link, so it proves nothing about the address.
    const { rows } = await world.pool.query("SELECT email_verified FROM control.people WHERE email = $1", [
      invited.email,
    ]);
    expect(rows).toEqual([{ email_verified: false }]);
  });

  it("gives the same answer whether or not the address has an account", async () => {
    const known = await somebody();
    const answers = [await invite(known.email), await invite("unknown@example.com")];
    const shape = ({ id, email, token, createdAt, expiresAt, ...rest }: (typeof answers)[number]) => [
      rest,
      Object.keys({ id, email, token, createdAt, expiresAt }),
      token.length,
    ];
    expect(answers[1] && shape(answers[1])).toEqual(answers[0] && shape(answers[0]));
  });

  it("is stored only as the hash of its token, and ends after seven days", async () => {
    const { token, id, expiresAt } = await invite("hashed@example.com");
    const { rows } = await world.pool.query<{ row: string }>("SELECT i::text AS row FROM control.invitations i");
    expect(rows.map(({ row }) => row).join("\n")).toContain("hashed@example.com");
    expect(rows.map(({ row }) => row).join("\n")).not.toContain(token);
    expect((Date.parse(expiresAt) - Date.now()) / 86_400_000).toBeCloseTo(7, 1);
    await world.pool.query("UPDATE control.invitations SET expires_at = now() WHERE id = $1", [id]);
    const late = await world.signUp("late", "hashed@example.com");
    expect(await codeOf(late.client.invitations.open.mutate({ token }))).toBe("NOT_FOUND");
    expect(await codeOf(accept(late, token))).toBe("NOT_FOUND");
  });

  it("is listed while it is open, and ends when it is revoked or created again for the same address", async () => {
    const first = await invite("listed@example.com");
    const second = await invite("listed@example.com", "viewer", { kind: "projects", projectIds: [shop, depot] });
    const open = async () =>
      (await owner.client.invitations.list.query({ organizationId })).filter(({ email }) => /^listed/.test(email));
    expect(await open()).toMatchObject([
      { id: second.id, scope: { kind: "projects", projectIds: [shop, depot].sort() } },
    ]);
    expect(JSON.stringify(await open())).not.toContain(second.token);
    const invited = await world.signUp("listed", "listed@example.com");
    expect(await codeOf(accept(invited, first.token))).toBe("NOT_FOUND");
    const revoke = { organizationId, invitationId: second.id };
    expect(await owner.client.invitations.revoke.mutate(revoke)).toEqual({ revoked: true });
    expect(await open()).toEqual([]);
    expect(await codeOf(accept(invited, second.token))).toBe("NOT_FOUND");
    expect(await codeOf(owner.client.invitations.revoke.mutate(revoke))).toBe("NOT_FOUND");
  });

  it("of another organization can't be listed or revoked, and its projects can't be named", async () => {
    const stranger = await somebody();
    const { id } = await invite("kept@example.com");
    const theirs = stranger.organizationId;
    const create = (projectId: string) =>
      stranger.client.invitations.create.mutate({
        organizationId: theirs,
        email: "x@example.com",
        role: "owner",
        scope: { kind: "projects", projectIds: [projectId] },
      });
    expect(await codeOf(create(shop))).toBe("NOT_FOUND");
    expect(await codeOf(create(`prj_${"0".repeat(20)}`))).toBe("NOT_FOUND");
    expect(await stranger.client.invitations.list.query({ organizationId: theirs })).toEqual([]);
    const revoke = stranger.client.invitations.revoke.mutate({ organizationId: theirs, invitationId: id });
    expect(await codeOf(revoke)).toBe("NOT_FOUND");
    expect((await owner.client.invitations.list.query({ organizationId })).map((one) => one.id)).toContain(id);
  });

  it("changes nothing for a member", async () => {
    const member = await somebody();
    await join(owner, member, organizationId, "viewer", { kind: "projects", projectIds: [shop] });
    expect(await codeOf(invite(member.email, "owner"))).toBe("CONFLICT");
    const { token } = await invite("forwarded@example.com", "owner");
    expect(await member.client.invitations.open.mutate({ token })).toMatchObject({ isMember: true });
    expect(await codeOf(accept(member, token))).toBe("CONFLICT");
    expect(await projectsOf(member)).toEqual(["shop"]);
    const meant = await world.signUp("meant", "forwarded@example.com");
    expect(await accept(meant, token)).toEqual({ organizationId });
  });

  it("ends with its inviter's ownership, and when the invited person is removed", async () => {
    const second = await somebody();
    await join(owner, second, organizationId, "owner");
    const byThem = async (email: string) =>
      shown(await second.client.invitations.create.mutate({ organizationId, email, role: "owner", scope: WHOLE }));
    const kept = await byThem("door@example.com");
    const personId = await idOf(second);
    await owner.client.organizations.changeMember.mutate({ organizationId, personId, role: "viewer", scope: WHOLE });
    expect(await codeOf(accept(await world.signUp("door", "door@example.com"), kept.token))).toBe("NOT_FOUND");
    await owner.client.organizations.changeMember.mutate({ organizationId, personId, role: "owner", scope: WHOLE });
    const back = await byThem("back@example.com");
    await second.client.me.changeEmail.mutate({ email: "back@example.com", password: PASSWORD });
    await owner.client.organizations.removeMember.mutate({ organizationId, personId });
    expect(await codeOf(accept(second, back.token))).toBe("NOT_FOUND");
    expect(await codeOf(byThem("more@example.com"))).toBe("NOT_FOUND");
  });

  it("is accepted once, by one of several calls at the same time", async () => {
    const { token } = await invite("race@example.com");
    const racer = await world.signUp("racer", "race@example.com");
    const outcomes = await Promise.all([1, 2, 3].map(() => codeOf(accept(racer, token))));
    expect(outcomes.filter((code) => code === null)).toHaveLength(1);
  });

  it("has a limit for each person, as have attempts with wrong links", async () => {
    const busy = await somebody();
    const theirs = busy.organizationId;
    const make = (number: number) =>
      busy.client.invitations.create.mutate({
        organizationId: theirs,
        email: `probe-${number}@example.com`,
        role: "viewer",
        scope: WHOLE,
      });
    for (let i = 0; i < 50; i++) await make(i);
    expect(await codeOf(make(50))).toBe("TOO_MANY_REQUESTS");
    const attempt = () => codeOf(busy.client.invitations.open.mutate({ token: "guessed" }));
    for (let i = 0; i < 20; i++) expect(await attempt()).toBe("NOT_FOUND");
    expect(await attempt()).toBe("TOO_MANY_REQUESTS");
  });
});

describe("a member's scope", () => {
  const change = (personId: string, role: MemberRole, scope: MemberScope) =>
    owner.client.organizations.changeMember.mutate({ organizationId, personId, role, scope });

  it("includes future projects, and can be changed", async () => {
    const member = await somebody();
    await join(owner, member, organizationId, "viewer", { kind: "projects", projectIds: [shop] });
    const later = await owner.client.projects.create.mutate({ organizationId, slug: "later" });
    expect(await codeOf(member.client.projects.get.query({ projectId: later.id }))).toBe("NOT_FOUND");
    const personId = await idOf(member);
    const changed = await change(personId, "viewer", { kind: "projects", projectIds: [depot] });
    expect(changed.scope).toEqual({ kind: "projects", projectIds: [depot] });
    expect(await projectsOf(member)).toEqual(["depot"]);
    expect(await codeOf(member.client.projects.get.query({ projectId: shop }))).toBe("NOT_FOUND");
    await change(personId, "viewer", WHOLE);
    expect(await projectsOf(member)).toEqual(["depot", "later", "shop"]);
    expect(
      (await owner.client.organizations.members.query({ organizationId })).find((one) => one.personId === personId),
    ).toMatchObject({
      scope: WHOLE,
    });
  });

  it("can only name projects of the organization; a refusal changes nothing", async () => {
    const [member, stranger] = [await somebody(), await somebody()];
    await join(owner, member, organizationId, "viewer", { kind: "projects", projectIds: [shop] });
    const theirs = stranger.organizationId;
    const foreign = await stranger.client.projects.create.mutate({ organizationId: theirs, slug: "foreign" });
    const personId = await idOf(member);
    expect(await codeOf(change(personId, "owner", { kind: "projects", projectIds: [shop, foreign.id] }))).toBe(
      "NOT_FOUND",
    );
    expect(await codeOf(change(personId, "owner", { kind: "projects", projectIds: [] }))).toBe("BAD_REQUEST");
    expect(await projectsOf(member)).toEqual(["shop"]);
    expect(await codeOf(member.client.projects.create.mutate({ organizationId, slug: "no" }))).toBe("FORBIDDEN");
    expect(await codeOf(change(await idOf(stranger), "viewer", WHOLE))).toBe("NOT_FOUND");
  });

  it("that names projects gives an owner only those, not the organization", async () => {
    const member = await somebody();
    await join(owner, member, organizationId, "owner", { kind: "projects", projectIds: [shop] });
    expect(await member.client.projects.get.query({ projectId: shop })).toMatchObject({ role: "owner" });
    const personId = await idOf(member);
    const widen = { organizationId, personId, role: "owner", scope: WHOLE } as const;
    expect(await codeOf(member.client.organizations.changeMember.mutate(widen))).toBe("FORBIDDEN");
    const invitation = { organizationId, email: "x@example.com", role: "viewer", scope: WHOLE } as const;
    expect(await codeOf(member.client.invitations.create.mutate(invitation))).toBe("FORBIDDEN");
    expect(await codeOf(member.client.projects.create.mutate({ organizationId, slug: "mine" }))).toBe("FORBIDDEN");
  });
});
