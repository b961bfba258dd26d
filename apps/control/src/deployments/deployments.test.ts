// From a text to a live release, with a real cell. Exactly the approved change is deployed.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Proposal } from "../proposals/api.ts";
import { codeOf, createWorld, finished, goLive, type Somebody, until, type World } from "../testing/control-plane.ts";

const notes = (fields = "", name = "note"): string => `project: notes
modules: [auth, users, roles]
entities:
  ${name}:
    fields:
      title: string
${fields}      user_id: user_ref = current_user.id
    permissions:
      user:
        read: user_id == current_user.id
        create: true
      admin:
        all: true
`;

let world: World;
let owner: Somebody;

beforeAll(async () => {
  world = await createWorld({ cell: true });
}, 60_000);

afterAll(() => world?.stop());

/** With its own owner, because the name of a project is unique in its organization. */
async function newProject(): Promise<string> {
  owner = await world.signUp("owner");
  const { organizationId } = owner;
  return (await owner.client.projects.create.mutate({ organizationId, slug: "notes" })).id;
}

function propose(projectId: string, text: string): Promise<Proposal> {
  return owner.client.proposals.create.mutate({ projectId, text });
}

async function messageOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "it went well",
    (error: Error) => error.message,
  );
}

describe("a proposal", () => {
  it("shows its changes against an empty project, then against the live version", async () => {
    const projectId = await newProject();
    const first = await propose(projectId, notes());
    expect(first).toMatchObject({
      status: "open",
      baseText: null,
      text: notes(),
      deploymentId: null,
      approvedBy: null,
    });
    expect(first.plan.refused).toEqual([]);
    expect(first.plan.steps.length).toBeGreaterThan(0);
    expect(first.diff.length).toBeGreaterThan(0);
    await goLive(owner, projectId, notes());
    const second = await propose(projectId, notes("      body: text?\n"));
    expect(second.baseText).toBe(notes());
    expect(second.diff).toHaveLength(1);
    expect(second.diff[0]?.classes).toEqual(["safe"]);
    expect(second.plan.steps).toHaveLength(1);
    const same = await propose(projectId, notes());
    expect(same.diff).toEqual([]);
    expect(same.plan.steps).toEqual([]);
  });

  it("of a text with errors isn't created; the diagnostics are returned", async () => {
    const projectId = await newProject();
    const error = await propose(projectId, notes("      body: nonsense\n")).then(
      () => null,
      (failure: { data: { code: string; diagnostics: { code: string; severity: string }[] } }) => failure.data,
    );
    expect(error?.code).toBe("BAD_REQUEST");
    expect(error?.diagnostics.some((diagnostic) => diagnostic.severity === "error")).toBe(true);
    expect(await owner.client.proposals.list.query({ projectId })).toEqual([]);
    expect(await owner.client.blueprints.list.query({ projectId })).toEqual([]);
  });

  it("can only be approved by the hash that was shown", async () => {
    const projectId = await newProject();
    const { id: proposalId, hash } = await propose(projectId, notes());
    const other = await propose(projectId, notes("      body: text?\n"));
    expect(other.hash).not.toBe(hash);
    expect(await codeOf(owner.client.proposals.approve.mutate({ proposalId, hash: other.hash, consents: [] }))).toBe(
      "CONFLICT",
    );
    expect((await owner.client.proposals.get.query({ proposalId })).status).toBe("open");
    expect(await codeOf(owner.client.deployments.create.mutate({ proposalId }))).toBe("CONFLICT");
    const approved = await owner.client.proposals.approve.mutate({ proposalId, hash, consents: [] });
    expect(approved).toMatchObject({ status: "approved", approvedBy: { email: owner.email } });
  });

  it("is not deployed if the approved content was changed in the database", async () => {
    const projectId = await newProject();
    const { id: proposalId, hash } = await propose(projectId, notes());
    await owner.client.proposals.approve.mutate({ proposalId, hash, consents: [] });
    await world.pool.query(`UPDATE control.proposals SET plan = '{"steps":[]}' WHERE id = $1`, [proposalId]);
    const { deploymentId } = await owner.client.deployments.create.mutate({ proposalId });
    await until(async () => (await owner.client.deployments.get.query({ deploymentId })).status === "failed");
    expect((await owner.client.projects.get.query({ projectId })).live).toBeNull();
  });

  it("rejected, can't be approved any more", async () => {
    const projectId = await newProject();
    const { id: proposalId, hash } = await propose(projectId, notes());
    expect((await owner.client.proposals.reject.mutate({ proposalId })).status).toBe("rejected");
    expect(await codeOf(owner.client.proposals.approve.mutate({ proposalId, hash, consents: [] }))).toBe("CONFLICT");
    expect(await codeOf(owner.client.deployments.create.mutate({ proposalId }))).toBe("CONFLICT");
  });

  it("is stale after another version is live: it can't be approved or deployed", async () => {
    const projectId = await newProject();
    const open = await propose(projectId, notes("      body: text?\n"));
    const approved = await propose(projectId, notes("      mood: string?\n"));
    await owner.client.proposals.approve.mutate({ proposalId: approved.id, hash: approved.hash, consents: [] });
    await goLive(owner, projectId, notes());
    const statuses = await owner.client.proposals.list.query({ projectId });
    expect(statuses.map((proposal) => proposal.status).sort()).toEqual(["deployed", "stale", "stale"]);
    expect(
      await codeOf(owner.client.proposals.approve.mutate({ proposalId: open.id, hash: open.hash, consents: [] })),
    ).toBe("CONFLICT");
    expect(await codeOf(owner.client.deployments.create.mutate({ proposalId: approved.id }))).toBe("CONFLICT");
  });

  it("that can't be migrated can't be approved, and shows the reason", async () => {
    const projectId = await newProject();
    await goLive(owner, projectId, notes());
    const {
      id: proposalId,
      hash,
      plan,
    } = await propose(projectId, notes().replace("title: string", "title: sequence(N-)"));
    expect(plan.refused.length).toBeGreaterThan(0);
    const approve = owner.client.proposals.approve.mutate({ proposalId, hash, consents: [] });
    const message = await messageOf(approve);
    expect(await codeOf(owner.client.proposals.approve.mutate({ proposalId, hash, consents: [] }))).toBe(
      "PRECONDITION_FAILED",
    );
    expect(message).toContain(plan.refused[0]?.reason);
  });
});

describe("a deployment", () => {
  it("makes the version live and shows its steps", async () => {
    const projectId = await newProject();
    const { proposalId, deploymentId } = await goLive(owner, projectId, notes());
    const deployment = await owner.client.deployments.get.query({ deploymentId });
    expect(deployment).toMatchObject({ status: "active", error: null, proposalId });
    expect(deployment.steps.length).toBeGreaterThan(0);
    expect(deployment.steps.every((step) => step.status === "done")).toBe(true);
    expect((await owner.client.proposals.get.query({ proposalId })).status).toBe("deployed");
    const project = await owner.client.projects.get.query({ projectId });
    const status = await owner.client.projects.status.query({ projectId });
    expect(project.live?.deploymentId).toBe(deploymentId);
    expect(status).toMatchObject({ activeReleaseId: deployment.releaseId });
    expect((await owner.client.blueprints.current.query({ projectId }))?.text).toBe(notes());
    expect(await codeOf(owner.client.deployments.create.mutate({ proposalId }))).toBe("CONFLICT");
  });

  it("is superseded when another goes live", async () => {
    const projectId = await newProject();
    const first = await goLive(owner, projectId, notes());
    const second = await goLive(owner, projectId, notes("      body: text?\n"));
    const deployments = await owner.client.deployments.list.query({ projectId });
    expect(deployments.map(({ id, status }) => [id, status])).toEqual([
      [second.deploymentId, "active"],
      [first.deploymentId, "superseded"],
    ]);
    const { deploymentId } = first;
    expect((await owner.client.deployments.get.query({ deploymentId })).status).toBe("superseded");
  });

  it("deploys each template without an error", async () => {
    const templates = await owner.client.blueprints.templates.query();
    expect(templates.map((template) => template.name)).toEqual([
      "parcel-desk",
      "market-square",
      "booking",
      "tracker",
      "invoicing",
      "blank",
    ]);
    for (const { text } of templates) {
      const { diagnostics, model } = await owner.client.blueprints.validate.mutate({ text });
      expect(diagnostics.filter((diagnostic) => diagnostic.severity === "error")).toEqual([]);
      expect(model?.entities.length).toBeGreaterThan(0);
      const formatted = await owner.client.blueprints.format.mutate({ text });
      expect(await owner.client.blueprints.format.mutate({ text: formatted.text })).toEqual(formatted);
      const projectId = await newProject();
      await goLive(owner, projectId, text);
      const entities = await owner.client.data.entities.query({ projectId });
      expect(entities.map((entity) => entity.name)).toEqual(model?.entities.map((entity) => entity.name));
    }
  });

  it("excludes others: one of two simultaneous ones is refused", async () => {
    const projectId = await newProject();
    const proposals = [await propose(projectId, notes()), await propose(projectId, notes("      body: text?\n"))];
    for (const { id: proposalId, hash } of proposals)
      await owner.client.proposals.approve.mutate({ proposalId, hash, consents: [] });
    const creations = proposals.map(({ id: proposalId }) => owner.client.deployments.create.mutate({ proposalId }));
    const codes = await Promise.all(creations.map(codeOf));
    expect(codes.sort()).toEqual(["CONFLICT", null].sort());
    const deployments = await owner.client.deployments.list.query({ projectId });
    expect(deployments).toHaveLength(1);
    await finished(owner, deployments[0]?.id ?? "");
  });

  it("waits for an unavailable cell, survives a restart of control, and then goes live", async () => {
    const projectId = await newProject();
    const { id: proposalId, hash } = await propose(projectId, notes());
    const { id: secondId, hash: secondHash } = await propose(projectId, notes("      body: text?\n"));
    await owner.client.proposals.approve.mutate({ proposalId, hash, consents: [] });
    await owner.client.proposals.approve.mutate({ proposalId: secondId, hash: secondHash, consents: [] });
    await world.stopCell();
    const { deploymentId } = await owner.client.deployments.create.mutate({ proposalId });
    expect((await owner.client.deployments.get.query({ deploymentId })).status).toBe("queued");
    const second = owner.client.deployments.create.mutate({ proposalId: secondId });
    expect(await codeOf(second)).toBe("CONFLICT");
    expect(await codeOf(owner.client.projects.status.query({ projectId }))).toBe("SERVICE_UNAVAILABLE");
    await world.restartControl();
    expect((await owner.client.deployments.get.query({ deploymentId })).finishedAt).toBeNull();
    await world.startCell();
    await finished(owner, deploymentId);
    expect((await owner.client.projects.get.query({ projectId })).live?.deploymentId).toBe(deploymentId);
  }, 60_000);
});

describe("a key", () => {
  it("opens the API, is shown once, and is refused after it was revoked", async () => {
    const projectId = await newProject();
    await goLive(owner, projectId, notes());
    const made = await owner.client.keys.create.mutate({ projectId, name: "server", kind: "secret" });
    expect(made).toMatchObject({ kind: "secret", role: "admin", last4: made.key.slice(-4), revokedAt: null });
    const listed = await owner.client.keys.list.query({ projectId });
    expect(JSON.stringify(listed)).not.toContain(made.key);
    const { rows } = await world.pool.query(
      "SELECT k::text AS row FROM control.key_metadata k UNION ALL SELECT a::text FROM control.audit a",
    );
    expect(JSON.stringify(rows)).not.toContain(made.key.slice(0, -4));

    const call = (): Promise<Response> =>
      fetch(`${world.apiUrl}/v1/resources/notes`, { headers: { authorization: `Bearer ${made.key}` } });
    expect((await call()).status).toBe(200);
    expect(await codeOf(owner.client.keys.revoke.mutate({ keyId: made.id }))).toBeNull();
    await until(async () => (await call()).status === 401);
    expect((await owner.client.keys.list.query({ projectId }))[0]?.revokedAt).toEqual(expect.any(String));
    expect(await codeOf(owner.client.keys.revoke.mutate({ keyId: made.id }))).toBeNull();
  });

  it("can have an existing role, and a publishable one has none", async () => {
    const projectId = await newProject();
    await goLive(owner, projectId, notes());
    const create = (input: { kind: "secret" | "publishable"; role?: string; expiresAt?: string }): Promise<unknown> =>
      owner.client.keys.create.mutate({ projectId, name: "k", ...input });
    expect(await codeOf(create({ kind: "secret", role: "wizard" }))).toBe("BAD_REQUEST");
    expect(await codeOf(create({ kind: "publishable", role: "admin" }))).toBe("BAD_REQUEST");
    expect(await codeOf(create({ kind: "secret", expiresAt: "2020-01-01T00:00:00Z" }))).toBe("BAD_REQUEST");
    expect(await codeOf(create({ kind: "secret", role: "user" }))).toBeNull();
    expect(await codeOf(create({ kind: "publishable" }))).toBeNull();
  });
});

describe("a project's data", () => {
  it("is shown with the person's rights, page by page, and filtered", async () => {
    const projectId = await newProject();
    expect(await owner.client.data.entities.query({ projectId })).toEqual([]);
    await goLive(owner, projectId, notes());
    const { key } = await owner.client.keys.create.mutate({ projectId, name: "server", kind: "secret" });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const someone = crypto.randomUUID();
    const signedUp = await fetch(`${world.apiUrl}/v1/auth/sign-up`, {
      method: "POST",
      headers,
      body: JSON.stringify({ email: `${someone}@example.com`, password: "correct horse battery" }),
    });
    const userId = await userIdIn(await signedUp.json());
    for (const title of ["a", "b", "c"]) {
      const body = JSON.stringify({ title, user_id: userId });
      const created = await fetch(`${world.apiUrl}/v1/resources/notes`, { method: "POST", headers, body });
      expect(created.status).toBe(201);
    }
    const entities = await owner.client.data.entities.query({ projectId });
    expect(entities[0]).toMatchObject({ name: "note", plural: "notes" });
    expect(entities[0]?.fields).toContainEqual({ name: "title", kind: "string" });

    const first = await owner.client.data.rows.query({ projectId, entity: "note", limit: 2, sort: "title" });
    expect(first.data.map((row) => row.title)).toEqual(["a", "b"]);
    const cursor = first.page.next_cursor ?? "";
    const rest = await owner.client.data.rows.query({ projectId, entity: "note", limit: 2, sort: "title", cursor });
    expect(rest.data.map((row) => row.title)).toEqual(["c"]);
    const filtered = await owner.client.data.rows.query({ projectId, entity: "note", filters: { title: "b" } });
    expect(filtered.data).toHaveLength(1);
    const wrong = owner.client.data.rows.query({ projectId, entity: "note", filters: { nonsense: "b" } });
    expect(await codeOf(wrong)).toBe("BAD_REQUEST");
    expect(await codeOf(owner.client.data.rows.query({ projectId, entity: "nothing" }))).toBe("NOT_FOUND");
    const grant = { projectId, email: `${someone}@example.com`, roles: ["admin"] };
    expect(await codeOf(owner.client.projects.grantUser.mutate(grant))).toBeNull();
    expect(await codeOf(owner.client.projects.grantUser.mutate({ ...grant, roles: ["wizard"] }))).toBe("BAD_REQUEST");
  });
});

/** The id of the user in the answer to a sign-up, at any depth. */
function userIdIn(answer: unknown): string {
  return /"id":"([0-9a-f-]{36})"/.exec(JSON.stringify(answer))?.[1] ?? "";
}
