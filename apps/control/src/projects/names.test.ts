// The name of a project: unique in its organization, and changed only by its blueprint, with a real cell.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Proposal } from "../proposals/api.ts";
import { codeOf, createWorld, finished, goLive, type Somebody, until, type World } from "../testing/control-plane.ts";
import { noteBlueprint } from "../testing/note-blueprint.ts";

let world: World;
let owner: Somebody;
let organizationId: string;

beforeAll(async () => {
  world = await createWorld({ cell: true });
  owner = await world.signUp("owner");
  organizationId = owner.organizationId;
}, 60_000);

afterAll(() => world?.stop());

async function newProject(slug: string): Promise<string> {
  return (await owner.client.projects.create.mutate({ organizationId, slug })).id;
}

async function nameOf(projectId: string): Promise<string> {
  return (await owner.client.projects.get.query({ projectId })).slug;
}

/** The statuses of the cell's responses to requests with these names. */
async function statusesFor(projectId: string, ...names: string[]): Promise<number[]> {
  const { key } = await owner.client.keys.create.mutate({ projectId, name: "test", kind: "secret" });
  const request = (name: string): Promise<Response> =>
    fetch(`${world.apiUrl}/v1/resources/notes`, {
      headers: { authorization: `Bearer ${key}`, "plinth-project": name },
    });
  return Promise.all(names.map(async (name) => (await request(name)).status));
}

async function approve({ id: proposalId, hash, consents }: Proposal): Promise<string> {
  await owner.client.proposals.approve.mutate({ proposalId, hash, consents: [...consents] });
  return proposalId;
}

describe("a changed `project`", () => {
  it("renames the project with the deployment, which shows what it breaks", async () => {
    const projectId = await newProject("first-name");
    await goLive(owner, projectId, noteBlueprint("", { project: "first-name" }));
    expect(await statusesFor(projectId, "first-name", "second-name")).toEqual([200, 403]);
    const proposal = await owner.client.proposals.create.mutate({
      projectId,
      text: noteBlueprint("", { project: "second-name" }),
    });
    expect(proposal.diff).toMatchObject([
      { kind: "project_changed", classes: ["breaking"], before: "first-name", after: "second-name" },
    ]);
    expect(proposal.consents).toEqual(["breaking project", "protected_core project"]);
    expect(await nameOf(projectId)).toBe("first-name");
    const proposalId = await approve(proposal);
    const { deploymentId } = await owner.client.deployments.create.mutate({ proposalId });
    await finished(owner, deploymentId);
    expect(await nameOf(projectId)).toBe("second-name");
    expect(await statusesFor(projectId, "first-name", "second-name", projectId)).toEqual([403, 200, 200]);
    const { rows } = await world.pool.query("SELECT detail FROM control.audit WHERE action = 'project.renamed'");
    expect(rows).toEqual([{ detail: { from: "first-name", to: "second-name" } }]);
    // The old name is free again.
    await newProject("first-name");
  });

  it("also renames it before the first deployment", async () => {
    const projectId = await newProject("made-as");
    const proposal = await owner.client.proposals.create.mutate({
      projectId,
      text: noteBlueprint("", { project: "deployed-as" }),
    });
    expect(proposal.diff[0]).toMatchObject({ kind: "project_changed", before: "made-as", after: "deployed-as" });
    await goLive(owner, projectId, noteBlueprint("", { project: "deployed-as" }));
    expect(await nameOf(projectId)).toBe("deployed-as");
    expect(await statusesFor(projectId, "made-as", "deployed-as")).toEqual([403, 200]);
  });

  it("to the name of another project is refused only within the organization", async () => {
    const projectId = await newProject("wants");
    await newProject("has");
    const propose = () =>
      owner.client.proposals.create.mutate({ projectId, text: noteBlueprint("", { project: "has" }) });
    expect(await codeOf(propose())).toBe("CONFLICT");
    await expect(propose()).rejects.toThrow('The organization has another project called "has".');
    const other = await world.signUp("other");
    const theirs = other.organizationId;
    const { id } = await other.client.projects.create.mutate({ organizationId: theirs, slug: "has" });
    await goLive(other, id, noteBlueprint("", { project: "has" }));
  });

  it("is checked again when it is deployed, and then reserves the name", async () => {
    const [one, two] = [await newProject("one"), await newProject("two")];
    const propose = (projectId: string): Promise<Proposal> =>
      owner.client.proposals.create.mutate({ projectId, text: noteBlueprint("", { project: "contested" }) });
    const proposals = [await approve(await propose(one)), await approve(await propose(two))];
    await world.stopCell();
    const { deploymentId } = await owner.client.deployments.create.mutate({ proposalId: proposals[0] ?? "" });
    expect(await codeOf(owner.client.deployments.create.mutate({ proposalId: proposals[1] ?? "" }))).toBe("CONFLICT");
    expect(await codeOf(owner.client.projects.create.mutate({ organizationId, slug: "contested" }))).toBe("CONFLICT");
    expect(await nameOf(one)).toBe("one");
    await world.startCell();
    await finished(owner, deploymentId);
    expect([await nameOf(one), await nameOf(two)]).toEqual(["contested", "two"]);
  });

  it("frees the name if the deployment fails", async () => {
    const projectId = await newProject("stays");
    await goLive(owner, projectId, noteBlueprint("      body: text?\n", { project: "stays" }));
    const { key } = await owner.client.keys.create.mutate({ projectId, name: "test", kind: "secret" });
    await fetch(`${world.apiUrl}/v1/resources/notes`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ title: "a" }),
    });
    const text = noteBlueprint("      body: text\n", { project: "goes" });
    const proposalId = await approve(await owner.client.proposals.create.mutate({ projectId, text }));
    const { deploymentId } = await owner.client.deployments.create.mutate({ proposalId });
    await until(async () => (await owner.client.deployments.get.query({ deploymentId })).status === "failed");
    expect(await nameOf(projectId)).toBe("stays");
    expect(await statusesFor(projectId, "stays", "goes")).toEqual([200, 403]);
    await newProject("goes");
    expect(await codeOf(owner.client.deployments.resume.mutate({ deploymentId }))).toBe("CONFLICT");
  });
});

it("an old project whose name differs from its text keeps its name until the text changes the name", async () => {
  const projectId = await newProject("of-old");
  await goLive(owner, projectId, noteBlueprint("", { project: "of-old" }));
  await world.pool.query("UPDATE control.projects SET slug = 'older' WHERE id = $1", [projectId]);
  await world.pool.query("UPDATE control.project_names SET name = 'older' WHERE project_id = $1", [projectId]);
  const proposal = await owner.client.proposals.create.mutate({
    projectId,
    text: noteBlueprint("      body: text?\n", { project: "of-old" }),
  });
  expect(proposal.diff.map((change) => change.kind)).toEqual(["field_added"]);
  const proposalId = await approve(proposal);
  await finished(owner, (await owner.client.deployments.create.mutate({ proposalId })).deploymentId);
  expect(await nameOf(projectId)).toBe("older");
  const back = await owner.client.proposals.create.mutate({
    projectId,
    text: noteBlueprint("      body: text?\n", { project: "older" }),
  });
  expect(back.diff).toEqual([]);
});

it("the operator limits the projects of an organization", async () => {
  const most = world.config.limits.projectsPerOrganizationMax;
  const { id } = (await (await world.signUp("busy")).client.me.get.query()).person;
  const { rows } = await world.pool.query("SELECT organization_id FROM control.memberships WHERE person_id = $1", [id]);
  const full = rows[0].organization_id;
  await world.pool.query(
    `INSERT INTO control.projects (id, organization_id, slug, cell_id)
     SELECT 'prj_full' || n, $1, 'full-' || n, 'test' FROM generate_series(1, $2) n`,
    [full, most],
  );
  await world.pool.query("UPDATE control.memberships SET person_id = $2 WHERE organization_id = $1", [
    full,
    (await owner.client.me.get.query()).person.id,
  ]);
  const call = owner.client.projects.create.mutate({ organizationId: full, slug: "one-more" });
  await expect(call).rejects.toThrow(`The operator allows at most ${most} projects in an organization.`);
});
