// Calls every procedure with the least role that has the right, with all lower roles, as a stranger, and signed out. The test
// fails for a procedure without an expectation. A denial changes nothing: it adds no row to the audit log.
import type { TRPCClient } from "@trpc/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AppRouter } from "./api.ts";
import { dataExpectations } from "./data/testing/expectations.ts";
import { draftExpectations } from "./drafts/testing/expectations.ts";
import { environmentExpectations } from "./environments/testing/expectations.ts";
import { mailExpectations } from "./mail/testing/expectations.ts";
import { proposalExpectations } from "./proposals/testing/expectations.ts";
import { appRouter } from "./router.ts";
import { codeOf, createWorld, goLive, join, programOf, type Somebody, type World } from "./testing/control-plane.ts";
import type { Expected, LeastMember } from "./testing/expected.ts";
import { forPrograms } from "./testing/for-programs.ts";
import { tokenExpectations } from "./tokens/testing/expectations.ts";
import { transferExpectations } from "./transfers/testing/expectations.ts";
import { userExpectations } from "./users/testing/expectations.ts";
import { webhookExpectations } from "./webhooks/testing/expectations.ts";
import { inboundExpectations } from "./webhooks-in/testing/expectations.ts";
import { workExpectations } from "./work/testing/expectations.ts";

const NOTE = `project: notes
modules: [auth, users, roles]
entities:
  note:
    soft_delete: true
    fields:
      title: string
      state: enum[draft, live] = draft
      user_id: user_ref? = current_user.id
    transitions:
      state:
        initial: draft
        publish: { from: draft, to: live }
    permissions:
      user:
        read: user_id == current_user.id
      admin:
        all: true
`;

interface Things {
  organizationId: string;
  projectId: string;
  versionId: string;
  deploymentId: string;
  /** Created again for each caller, since a proposal can be decided only once. */
  open: { id: string; hash: string };
  approved: string;
  keyId: string;
  viewerId: string;
  extraMemberId: string;
  invitationId: string;
}

type Call = (client: TRPCClient<AppRouter>, things: Things) => Promise<unknown>;

interface Expectation extends Omit<Expected, "who" | "call"> {
  readonly who: "person" | LeastMember;
  readonly call: Call;
  /** Needs proposals that are still open. */
  readonly fresh?: true;
}

let slugs = 0;
const expectations: Record<string, Expectation> = {
  "me.get": { who: "person", call: (c) => c.me.get.query() },
  "me.sessions": { who: "person", call: (c) => c.me.sessions.query() },
  "me.endSession": { who: "person", end: "NOT_FOUND", call: (c) => c.me.endSession.mutate({ sessionId: "none" }) },
  "me.rename": { who: "person", call: (c) => c.me.rename.mutate({ name: "Stranger" }) },
  "me.changeEmail": {
    who: "person",
    end: "BAD_REQUEST",
    call: (c) => c.me.changeEmail.mutate({ email: "other@example.com", password: "wrong" }),
  },
  "me.setTheme": { who: "person", call: (c) => c.me.setTheme.mutate({ theme: "dark" }) },
  "me.remove": { who: "person", end: "BAD_REQUEST", call: (c) => c.me.remove.mutate({ password: "wrong" }) },
  "organizations.members": {
    who: "member",
    call: (c, t) => c.organizations.members.query({ organizationId: t.organizationId }),
  },
  "organizations.create": { who: "person", call: (c) => c.organizations.create.mutate({ name: "Walk" }) },
  "organizations.rename": {
    who: "admin",
    call: (c, t) => c.organizations.rename.mutate({ organizationId: t.organizationId, name: "Walked" }),
  },
  "organizations.remove": {
    who: "owner",
    allowed: "CONFLICT",
    call: (c, t) => c.organizations.remove.mutate({ organizationId: t.organizationId }),
  },
  "organizations.leave": {
    // The stranger's own membership. The tests of organizations cover members who leave.
    who: "person",
    end: "NOT_FOUND",
    call: (c) => c.organizations.leave.mutate({ organizationId: `org_${"0".repeat(20)}` }),
  },
  "organizations.changeMember": {
    who: "admin",
    call: (c, t) =>
      c.organizations.changeMember.mutate({
        organizationId: t.organizationId,
        personId: t.viewerId,
        role: "viewer",
        scope: { kind: "organization" },
      }),
  },
  "organizations.removeMember": {
    who: "admin",
    call: (c, t) =>
      c.organizations.removeMember.mutate({ organizationId: t.organizationId, personId: t.extraMemberId }),
  },
  "invitations.list": {
    who: "admin",
    call: (c, t) => c.invitations.list.query({ organizationId: t.organizationId }),
    silent: true,
  },
  "invitations.create": {
    who: "admin",
    call: (c, t) =>
      c.invitations.create.mutate({
        organizationId: t.organizationId,
        email: "somebody@example.com",
        role: "viewer",
        scope: { kind: "projects", projectIds: [t.projectId] },
      }),
  },
  "invitations.renew": {
    who: "admin",
    allowed: "NOT_FOUND",
    silent: true,
    call: (c, t) =>
      c.invitations.renew.mutate({ organizationId: t.organizationId, invitationId: `inv_${"0".repeat(20)}` }),
  },
  "invitations.revoke": {
    who: "admin",
    call: (c, t) => c.invitations.revoke.mutate({ organizationId: t.organizationId, invitationId: t.invitationId }),
  },
  "invitations.open": { who: "person", end: "NOT_FOUND", call: (c) => c.invitations.open.mutate({ token: "x" }) },
  "invitations.accept": { who: "person", end: "NOT_FOUND", call: (c) => c.invitations.accept.mutate({ token: "x" }) },
  "projects.list": { who: "member", call: (c, t) => c.projects.list.query({ organizationId: t.organizationId }) },
  "projects.create": {
    who: "admin",
    call: (c, t) => c.projects.create.mutate({ organizationId: t.organizationId, slug: `walk-${++slugs}` }),
  },
  "projects.get": { who: "member", call: (c, t) => c.projects.get.query({ projectId: t.projectId }) },
  "projects.status": { who: "member", call: (c, t) => c.projects.status.query({ projectId: t.projectId }) },
  "projects.remove": {
    who: "admin",
    allowed: "BAD_REQUEST",
    silent: true,
    call: (c, t) => c.projects.remove.mutate({ projectId: t.projectId, name: "another" }),
  },
  "projects.deleted": {
    who: "admin",
    silent: true,
    call: (c, t) => c.projects.deleted.query({ organizationId: t.organizationId }),
  },
  "projects.restore": {
    who: "admin",
    allowed: "NOT_FOUND",
    silent: true,
    call: (c, t) => c.projects.restore.mutate({ organizationId: t.organizationId, projectId: t.projectId }),
  },
  "projects.grantUser": {
    who: "admin",
    allowed: "NOT_FOUND",
    call: (c, t) =>
      c.projects.grantUser.mutate({ projectId: t.projectId, email: "nobody@example.com", roles: ["admin"] }),
  },
  "blueprints.templates": { who: "person", call: (c) => c.blueprints.templates.query() },
  "blueprints.validate": { who: "person", call: (c) => c.blueprints.validate.mutate({ text: NOTE }) },
  "blueprints.format": { who: "person", call: (c) => c.blueprints.format.mutate({ text: NOTE }) },
  "blueprints.list": { who: "member", call: (c, t) => c.blueprints.list.query({ projectId: t.projectId }) },
  "blueprints.get": { who: "member", call: (c, t) => c.blueprints.get.query({ versionId: t.versionId }) },
  "blueprints.current": { who: "member", call: (c, t) => c.blueprints.current.query({ projectId: t.projectId }) },
  "proposals.create": {
    who: "developer",
    call: (c, t) => c.proposals.create.mutate({ projectId: t.projectId, text: NOTE }),
  },
  "proposals.get": { fresh: true, who: "member", call: (c, t) => c.proposals.get.query({ proposalId: t.open.id }) },
  ...proposalExpectations(NOTE),
  "proposals.rename": {
    fresh: true,
    who: "developer",
    call: (c, t) => c.proposals.rename.mutate({ proposalId: t.open.id, title: "Walk" }),
  },
  "proposals.approve": {
    fresh: true,
    who: "developer",
    call: (c, t) => c.proposals.approve.mutate({ proposalId: t.open.id, hash: t.open.hash, consents: [] }),
  },
  "proposals.createFromVersion": {
    who: "developer",
    call: (c, t) => c.proposals.createFromVersion.mutate({ projectId: t.projectId, versionId: t.versionId }),
  },
  "proposals.renew": {
    fresh: true,
    who: "developer",
    allowed: "CONFLICT",
    call: (c, t) => c.proposals.renew.mutate({ proposalId: t.open.id }),
  },
  "proposals.measure": {
    fresh: true,
    who: "developer",
    call: (c, t) => c.proposals.measure.mutate({ proposalId: t.open.id }),
  },
  "proposals.reject": {
    fresh: true,
    who: "developer",
    call: (c, t) => c.proposals.reject.mutate({ proposalId: t.open.id }),
  },
  "deployments.create": {
    fresh: true,
    who: "developer",
    call: (c, t) => c.deployments.create.mutate({ proposalId: t.approved }),
  },
  "deployments.resume": {
    who: "developer",
    allowed: "CONFLICT",
    call: (c, t) => c.deployments.resume.mutate({ deploymentId: t.deploymentId }),
  },
  "deployments.get": { who: "member", call: (c, t) => c.deployments.get.query({ deploymentId: t.deploymentId }) },
  "deployments.list": { who: "member", call: (c, t) => c.deployments.list.query({ projectId: t.projectId }) },
  "keys.create": {
    who: "admin",
    call: (c, t) => c.keys.create.mutate({ projectId: t.projectId, name: "walk", kind: "secret" }),
  },
  "keys.list": { who: "member", call: (c, t) => c.keys.list.query({ projectId: t.projectId }) },
  "keys.revoke": { who: "admin", call: (c, t) => c.keys.revoke.mutate({ keyId: t.keyId }) },
  ...dataExpectations,
  ...draftExpectations,
  ...environmentExpectations,
  ...mailExpectations,
  ...webhookExpectations,
  ...inboundExpectations,
  ...workExpectations,
  ...tokenExpectations,
  ...transferExpectations,
  ...userExpectations,
};

const procedures = Object.entries(
  appRouter._def.procedures as unknown as Record<string, { _def: { meta?: { right?: string; callers?: string } } }>,
);

describe("every procedure", () => {
  let world: World;
  let owner: Somebody;
  let viewer: Somebody;
  let developer: Somebody;
  let admin: Somebody;
  let stranger: Somebody;
  /** An owner, but of another project of the same organization only. */
  let neighbour: Somebody;
  let things: Things;

  beforeAll(async () => {
    world = await createWorld({ cell: true });
    [owner, viewer, developer, admin, stranger, neighbour] = [
      await world.signUp("owner"),
      await world.signUp("viewer"),
      await world.signUp("developer"),
      await world.signUp("admin"),
      await world.signUp("stranger"),
      await world.signUp("neighbour"),
    ];
    const { organizationId } = owner;
    const viewerId = (await viewer.client.me.get.query()).person.id;
    await join(owner, viewer, organizationId, "viewer");
    await join(owner, developer, organizationId, "developer");
    await join(owner, admin, organizationId, "admin");
    const extra = await world.signUp("extra");
    await join(owner, extra, organizationId, "viewer");
    const other = await owner.client.projects.create.mutate({ organizationId, slug: "next-door" });
    await join(owner, neighbour, organizationId, "owner", { kind: "projects", projectIds: [other.id] });
    const project = await owner.client.projects.create.mutate({ organizationId, slug: "walked" });
    const { deploymentId } = await goLive(owner, project.id, NOTE);
    const version = await owner.client.blueprints.current.query({ projectId: project.id });
    const { id: keyId } = await owner.client.keys.create.mutate({
      projectId: project.id,
      name: "k",
      kind: "publishable",
    });
    const { id: invitationId } = await owner.client.invitations.create.mutate({
      organizationId,
      email: "invited@example.com",
      role: "viewer",
      scope: { kind: "organization" },
    });
    things = {
      organizationId,
      projectId: project.id,
      versionId: version?.versionId ?? "",
      deploymentId,
      open: { id: "", hash: "" },
      approved: "",
      keyId,
      viewerId,
      invitationId,
      extraMemberId: (await extra.client.me.get.query()).person.id,
    };
  }, 60_000);

  afterAll(() => world?.stop());

  async function freshProposals(): Promise<void> {
    const { projectId } = things;
    const approved = await owner.client.proposals.create.mutate({ projectId, text: NOTE });
    await owner.client.proposals.approve.mutate({ proposalId: approved.id, hash: approved.hash, consents: [] });
    const open = await owner.client.proposals.create.mutate({ projectId, text: NOTE });
    things = { ...things, open: { id: open.id, hash: open.hash }, approved: approved.id };
  }

  /** Only actions of people, because the deployment of one test may finish during the next test. */
  async function audited(): Promise<number> {
    const { rows } = await world.pool.query<{ count: string }>(
      "SELECT count(*) FROM control.audit WHERE person_id IS NOT NULL",
    );
    return Number(rows[0]?.count);
  }

  it("says whether a token for programs can call it", () => {
    const open = procedures.filter(([, { _def }]) => _def.meta?.callers === "programs").map(([path]) => path);
    expect(open.sort()).toEqual(forPrograms);
    for (const [path, { _def }] of procedures) expect(_def.meta?.callers, path).toMatch(/^(people|programs)$/);
  });

  it("has an expectation and a right", () => {
    expect(procedures.map(([path]) => path).sort()).toEqual(Object.keys(expectations).sort());
    for (const [path, procedure] of procedures) expect(procedure._def.meta?.right, path).toEqual(expect.any(String));
  });

  it.each(Object.entries(expectations))(
    "%s",
    async (path, { who, call, fresh = false, end = null, allowed = end, silent }) => {
      if (fresh) await freshProposals();
      const members = { member: viewer, developer, admin, owner };
      const least = who === "person" ? stranger : members[who];
      const program = await programOf(world, least);
      const before = await audited();
      const ends = (by: Somebody): Promise<string | null> => codeOf(call(by.client, things));
      expect(await codeOf(call(world.nobody, things)), "signed out").toBe("UNAUTHORIZED");
      if (who !== "person") expect(await ends(stranger), "stranger").toBe("NOT_FOUND");
      if (who !== "person") expect(await ends(neighbour), "member of another project").toBe(neighboursEnd(path, end));
      const below = who === "person" ? [] : Object.values(members).slice(0, Object.values(members).indexOf(least));
      for (const member of below) expect(await ends(member), "below the role").toBe("FORBIDDEN");
      const isForPrograms = forPrograms.includes(path);
      if (!isForPrograms) expect(await codeOf(call(program, things)), "a program").toBe("FORBIDDEN");
      expect(await audited(), "a denial changes nothing").toBe(before);
      const ofProgram = path === "tokens.revokeOwn" ? null : allowed;
      if (isForPrograms) expect(await codeOf(call(program, things)), "a program").toBe(ofProgram);
      const between = await audited();
      expect(await ends(least), "the least role that has the right").toBe(allowed);
      const acted = who !== "person" && who !== "member" && allowed !== "CONFLICT" && !silent;
      if (acted) expect(await audited(), "an action is in the log").toBeGreaterThan(between);
    },
  );

  /** A member of one project meets other projects like a stranger, and the organization like a reader. */
  function neighboursEnd(path: string, end: string | null): string | null {
    const right = procedures.find(([name]) => name === path)?.[1]._def.meta?.right;
    if (right === "person" || right === "session" || right === "organization:read") return end;
    return right?.startsWith("organization:") ? "FORBIDDEN" : "NOT_FOUND";
  }

  it("shows a member of one project that project, and the members who can open it", async () => {
    const { organizationId } = things;
    const projects = await neighbour.client.projects.list.query({ organizationId });
    expect(projects.map(({ slug }) => slug)).toEqual(["next-door"]);
    const walker = await world.signUp("walker");
    await join(owner, walker, organizationId, "owner", { kind: "projects", projectIds: [things.projectId] });
    const seen = await neighbour.client.organizations.members.query({ organizationId });
    expect(seen.map(({ email }) => email)).toContain(owner.email);
    expect(seen.map(({ email }) => email)).not.toContain(walker.email);
    expect(
      await codeOf(walker.client.keys.create.mutate({ projectId: things.projectId, name: "w", kind: "secret" })),
    ).toBe(null);
    const { organizations } = await walker.client.me.get.query();
    expect(organizations[1]).toMatchObject({ id: organizationId, role: "owner", scope: "projects" });
  });

  it("gives a stranger the same answer for existing and missing things", async () => {
    const elsewhere = { projectId: `prj_${"0".repeat(20)}` };
    const message = (call: Promise<unknown>): Promise<string> =>
      call.then(
        () => "",
        (error: Error) => error.message,
      );
    expect(await message(stranger.client.projects.get.query({ projectId: things.projectId }))).toBe(
      await message(stranger.client.projects.get.query(elsewhere)),
    );
  });
});
