// Every procedure, called as an owner, a viewer, a stranger, and signed out. A procedure without an expectation here
// fails the walk. A denial changes nothing: no row in the audit log.
import type { TRPCClient } from "@trpc/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AppRouter } from "./api.ts";
import { environmentExpectations } from "./environments/testing/expectations.ts";
import { mailExpectations } from "./mail/testing/expectations.ts";
import { appRouter } from "./router.ts";
import { codeOf, createWorld, goLive, join, type Somebody, type World } from "./testing/control-plane.ts";
import { NOWHERE } from "./testing/expected.ts";
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
      user_id: user_ref = current_user.id
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
  /** Made anew for each caller, since a decision can be taken once. */
  open: { id: string; hash: string };
  approved: string;
  keyId: string;
  viewerId: string;
  extraMemberId: string;
  invitationId: string;
}

type Call = (client: TRPCClient<AppRouter>, things: Things) => Promise<unknown>;

/** Who gets past the authorization: anybody signed in, members, or owners. */
interface Expectation {
  readonly who: "person" | "member" | "owner";
  readonly call: Call;
  /** Needs proposals that nobody has decided on. */
  readonly fresh?: true;
  /** Where an owner is let in but the call ends otherwise than well. */
  readonly owner?: string;
  /** Where nobody's call ends well, because it names nothing. */
  readonly end?: string;
  /** An owner's reading, which leaves no row in the log. */
  readonly silent?: true;
}

let slugs = 0;
const expectations: Record<string, Expectation> = {
  "me.get": { who: "person", call: (c) => c.me.get.query() },
  "organizations.members": {
    who: "member",
    call: (c, t) => c.organizations.members.query({ organizationId: t.organizationId }),
  },
  "organizations.changeMember": {
    who: "owner",
    call: (c, t) =>
      c.organizations.changeMember.mutate({
        organizationId: t.organizationId,
        personId: t.viewerId,
        role: "viewer",
        scope: { kind: "organization" },
      }),
  },
  "organizations.removeMember": {
    who: "owner",
    call: (c, t) =>
      c.organizations.removeMember.mutate({ organizationId: t.organizationId, personId: t.extraMemberId }),
  },
  "invitations.list": {
    who: "owner",
    call: (c, t) => c.invitations.list.query({ organizationId: t.organizationId }),
    silent: true,
  },
  "invitations.create": {
    who: "owner",
    call: (c, t) =>
      c.invitations.create.mutate({
        organizationId: t.organizationId,
        email: "somebody@example.com",
        role: "viewer",
        scope: { kind: "projects", projectIds: [t.projectId] },
      }),
  },
  "invitations.revoke": {
    who: "owner",
    call: (c, t) => c.invitations.revoke.mutate({ organizationId: t.organizationId, invitationId: t.invitationId }),
  },
  "invitations.open": { who: "person", end: "NOT_FOUND", call: (c) => c.invitations.open.mutate({ token: "x" }) },
  "invitations.accept": { who: "person", end: "NOT_FOUND", call: (c) => c.invitations.accept.mutate({ token: "x" }) },
  "projects.list": { who: "member", call: (c, t) => c.projects.list.query({ organizationId: t.organizationId }) },
  "projects.create": {
    who: "owner",
    call: (c, t) => c.projects.create.mutate({ organizationId: t.organizationId, slug: `walk-${++slugs}` }),
  },
  "projects.get": { who: "member", call: (c, t) => c.projects.get.query({ projectId: t.projectId }) },
  "projects.status": { who: "member", call: (c, t) => c.projects.status.query({ projectId: t.projectId }) },
  "projects.grantUser": {
    who: "owner",
    owner: "NOT_FOUND",
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
    who: "owner",
    call: (c, t) => c.proposals.create.mutate({ projectId: t.projectId, text: NOTE }),
  },
  "proposals.get": { fresh: true, who: "member", call: (c, t) => c.proposals.get.query({ proposalId: t.open.id }) },
  "proposals.list": { who: "member", call: (c, t) => c.proposals.list.query({ projectId: t.projectId }) },
  "proposals.approve": {
    fresh: true,
    who: "owner",
    call: (c, t) => c.proposals.approve.mutate({ proposalId: t.open.id, hash: t.open.hash, consents: [] }),
  },
  "proposals.createFromVersion": {
    who: "owner",
    call: (c, t) => c.proposals.createFromVersion.mutate({ projectId: t.projectId, versionId: t.versionId }),
  },
  "proposals.renew": {
    fresh: true,
    who: "owner",
    owner: "CONFLICT",
    call: (c, t) => c.proposals.renew.mutate({ proposalId: t.open.id }),
  },
  "proposals.measure": {
    fresh: true,
    who: "owner",
    call: (c, t) => c.proposals.measure.mutate({ proposalId: t.open.id }),
  },
  "proposals.reject": {
    fresh: true,
    who: "owner",
    call: (c, t) => c.proposals.reject.mutate({ proposalId: t.open.id }),
  },
  "deployments.create": {
    fresh: true,
    who: "owner",
    call: (c, t) => c.deployments.create.mutate({ proposalId: t.approved }),
  },
  "deployments.resume": {
    who: "owner",
    owner: "CONFLICT",
    call: (c, t) => c.deployments.resume.mutate({ deploymentId: t.deploymentId }),
  },
  "deployments.get": { who: "member", call: (c, t) => c.deployments.get.query({ deploymentId: t.deploymentId }) },
  "deployments.list": { who: "member", call: (c, t) => c.deployments.list.query({ projectId: t.projectId }) },
  "keys.create": {
    who: "owner",
    call: (c, t) => c.keys.create.mutate({ projectId: t.projectId, name: "walk", kind: "secret" }),
  },
  "keys.list": { who: "member", call: (c, t) => c.keys.list.query({ projectId: t.projectId }) },
  "keys.revoke": { who: "owner", call: (c, t) => c.keys.revoke.mutate({ keyId: t.keyId }) },
  "data.entities": { who: "member", call: (c, t) => c.data.entities.query({ projectId: t.projectId }) },
  "data.changes": {
    who: "member",
    end: "NOT_FOUND",
    call: (c, t) => c.data.changes.query({ projectId: t.projectId, entities: [{ entity: "note" }] }),
  },
  "data.restore": {
    who: "owner",
    owner: "NOT_FOUND",
    call: (c, t) => c.data.restore.mutate({ projectId: t.projectId, entity: "note", recordId: NOWHERE }),
  },
  "data.transition": {
    who: "owner",
    owner: "NOT_FOUND",
    call: (c, t) =>
      c.data.transition.mutate({ projectId: t.projectId, entity: "note", recordId: NOWHERE, edge: "publish" }),
  },
  ...environmentExpectations,
  ...mailExpectations,
  ...webhookExpectations,
  ...inboundExpectations,
  ...workExpectations,
  "data.rows": { who: "member", call: (c, t) => c.data.rows.query({ projectId: t.projectId, entity: "note" }) },
};

const procedures = Object.entries(
  appRouter._def.procedures as unknown as Record<string, { _def: { meta?: { right?: string } } }>,
);

describe("every procedure", () => {
  let world: World;
  let owner: Somebody;
  let viewer: Somebody;
  let stranger: Somebody;
  /** An owner, but of another project of the same organization alone. */
  let neighbour: Somebody;
  let things: Things;

  beforeAll(async () => {
    world = await createWorld({ cell: true });
    [owner, viewer, stranger, neighbour] = [
      await world.signUp("owner"),
      await world.signUp("viewer"),
      await world.signUp("stranger"),
      await world.signUp("neighbour"),
    ];
    const organizationId = (await owner.client.me.get.query()).organizations[0]?.id ?? "";
    const viewerId = (await viewer.client.me.get.query()).person.id;
    await join(owner, viewer, organizationId, "viewer");
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
    const open = await owner.client.proposals.create.mutate({ projectId, text: NOTE });
    const approved = await owner.client.proposals.create.mutate({ projectId, text: NOTE });
    await owner.client.proposals.approve.mutate({ proposalId: approved.id, hash: approved.hash, consents: [] });
    things = { ...things, open: { id: open.id, hash: open.hash }, approved: approved.id };
  }

  /** Acts of people: the deployment of one test may finish during the next. */
  async function audited(): Promise<number> {
    const { rows } = await world.pool.query<{ count: string }>(
      "SELECT count(*) FROM control.audit WHERE person_id IS NOT NULL",
    );
    return Number(rows[0]?.count);
  }

  it("has an expectation here, and names a right", () => {
    expect(procedures.map(([path]) => path).sort()).toEqual(Object.keys(expectations).sort());
    for (const [path, procedure] of procedures) expect(procedure._def.meta?.right, path).toEqual(expect.any(String));
  });

  it.each(Object.entries(expectations))(
    "%s",
    async (path, { who, call, fresh = false, end = null, owner: ownersEnd = end, silent }) => {
      if (fresh) await freshProposals();
      const before = await audited();
      expect(await codeOf(call(world.nobody, things)), "signed out").toBe("UNAUTHORIZED");
      expect(await codeOf(call(stranger.client, things)), "stranger").toBe(who === "person" ? end : "NOT_FOUND");
      expect(await codeOf(call(neighbour.client, things)), "member of another project").toBe(neighboursEnd(path, end));
      const viewersEnd = who === "owner" ? "FORBIDDEN" : end;
      expect(await codeOf(call(viewer.client, things)), "viewer").toBe(viewersEnd);
      expect(await audited(), "a denial changes nothing").toBe(before);
      expect(await codeOf(call(owner.client, things)), "owner").toBe(ownersEnd);
      const acted = who === "owner" && ownersEnd !== "CONFLICT" && !silent;
      if (acted) expect(await audited(), "an act is in the log").toBeGreaterThan(before);
    },
  );

  /** Whoever may open one project meets the others as a stranger does, and the organization as a reader. */
  function neighboursEnd(path: string, end: string | null): string | null {
    const right = procedures.find(([name]) => name === path)?.[1]._def.meta?.right;
    if (right === "person") return end;
    if (right === "organization:write") return "FORBIDDEN";
    return right === "organization:read" ? null : "NOT_FOUND";
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

  it("answers a stranger alike for what exists and for what doesn't", async () => {
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
