// Environments of a project on a real cell: they share nothing, and a blueprint moves from one to the next as a proposal.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  approveAndDeploy,
  codeOf,
  createWorld,
  failureOf,
  finished,
  goLive,
  join,
  type Somebody,
  until,
  type World,
} from "../testing/control-plane.ts";
import { noteBlueprint } from "../testing/note-blueprint.ts";
import type { CreatedEnvironment } from "./api.ts";

let world: World;
let owner: Somebody;
let organizationId: string;
let slugs = 0;

beforeAll(async () => {
  world = await createWorld({ cell: true, env: { PLINTH_MAX_ENVIRONMENTS: "3" } });
  owner = await world.signUp("owner");
  organizationId = owner.organizationId;
}, 60_000);

afterAll(() => world?.stop());

interface Live {
  readonly projectId: string;
  readonly slug: string;
  readonly text: (fields?: string) => string;
}

async function liveProject(fields = ""): Promise<Live> {
  const slug = `notes-${++slugs}`;
  const projectId = (await owner.client.projects.create.mutate({ organizationId, slug })).id;
  const text = (more = ""): string => noteBlueprint(more, { project: slug });
  await goLive(owner, projectId, text(fields));
  return { projectId, slug, text };
}

async function environmentOf(
  projectId: string,
  kind: "development" | "preview",
  name?: string,
): Promise<CreatedEnvironment> {
  const made = await owner.client.environments.create.mutate({ projectId, kind, name });
  if (made.deploymentId !== null) await finished(owner, made.deploymentId);
  return made;
}

function ask(key: string, init: RequestInit = {}, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${world.apiUrl}/v1/resources/notes`, {
    ...init,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
  });
}

const titlesSeenBy = async (key: string): Promise<unknown> =>
  ((await (await ask(key)).json()) as { data: { title: string }[] }).data.map(({ title }) => title);

/** The tables of the cell that have rows of a project. */
async function tablesOf(projectId: string): Promise<readonly string[]> {
  const { rows: tables } = await world.cellPool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = 'plinth' AND column_name = 'project_id' ORDER BY 1`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rowCount } = await world.cellPool.query(`SELECT FROM plinth.${name} WHERE project_id = $1`, [projectId]);
    if (rowCount !== 0) found.push(name);
  }
  return found;
}

const detailOf = async (answer: Response): Promise<string> => ((await answer.json()) as { detail: string }).detail;
describe("an environment", () => {
  it("begins with the live blueprint and its own key, and shares neither data nor secrets", async () => {
    const { projectId, slug } = await liveProject();
    const { key } = await owner.client.keys.create.mutate({ projectId, name: "production", kind: "secret" });
    await world.cellPool.query(
      "INSERT INTO plinth.call_secrets (project_id, id, sealed) VALUES ($1, gen_random_uuid(), 'sealed')",
      [projectId],
    );
    const preview = await environmentOf(projectId, "preview", "search-box");
    expect(preview).toMatchObject({ slug: `${slug}--search-box`, kind: "preview", name: "search-box", problem: null });
    await ask(key, { method: "POST", body: JSON.stringify({ title: "real" }) });
    await ask(preview.key ?? "", { method: "POST", body: JSON.stringify({ title: "tried" }) });
    expect([await titlesSeenBy(key), await titlesSeenBy(preview.key ?? "")]).toEqual([["real"], ["tried"]]);
    expect(await tablesOf(preview.id)).toEqual([
      "api_keys",
      "catalogues",
      "epochs",
      "known_tables",
      "releases",
      "signing_keys",
    ]);
    const { rows } = await world.cellPool.query(
      "SELECT count(DISTINCT kid)::int AS kids FROM plinth.signing_keys WHERE project_id = ANY ($1)",
      [[projectId, preview.id]],
    );
    expect(rows).toEqual([{ kids: 2 }]);
  });

  it("refuses keys of another environment: the refusal names both", async () => {
    const { projectId, slug } = await liveProject();
    const { key } = await owner.client.keys.create.mutate({ projectId, name: "production", kind: "secret" });
    const development = await environmentOf(projectId, "development");
    const named = { "plinth-project": development.slug };
    expect((await ask(development.key ?? "", {}, named)).status).toBe(200);
    const refused = await ask(key, {}, named);
    expect(refused.status).toBe(403);
    expect(await detailOf(refused)).toBe(
      `The credential is for the environment production of ${slug}; the request names development.`,
    );
    const other = await ask(development.key ?? "", {}, { "plinth-project": slug });
    expect([other.status, await detailOf(other)]).toEqual([
      403,
      `The credential is for the environment development of ${slug}; the request names production.`,
    ]);
    const stranger = await ask(development.key ?? "", {}, { "plinth-project": "something-else" });
    expect(await detailOf(stranger)).toBe("The credential is for another project.");
  });

  it("begins empty with `empty`, or if nothing is live", async () => {
    const { projectId } = await liveProject();
    const made = await owner.client.environments.create.mutate({ projectId, kind: "preview", empty: true });
    expect(made).toMatchObject({ name: "preview", deploymentId: null, problem: null, key: expect.any(String) });
    const fresh = (await owner.client.projects.create.mutate({ organizationId, slug: "nothing-live" })).id;
    expect((await environmentOf(fresh, "development")).deploymentId).toBeNull();
  });

  it("is created and promoted by a developer, who gets no key, and deleted by an admin", async () => {
    const { projectId, text } = await liveProject();
    const [developer, admin] = [await world.signUp("developer"), await world.signUp("admin")];
    await join(owner, developer, organizationId, "developer");
    await join(owner, admin, organizationId, "admin");
    const made = await developer.client.environments.create.mutate({ projectId, kind: "preview" });
    expect(made).toMatchObject({ key: null, problem: null });
    await finished(developer, made.deploymentId ?? "");
    await goLive(developer, made.id, text("      body: text?\n"));
    const promoted = await developer.client.environments.promote.mutate({ projectId, fromProjectId: made.id });
    expect(promoted).toMatchObject({ status: "open", promotedFrom: { name: "preview" } });
    expect(await codeOf(developer.client.environments.delete.mutate({ projectId: made.id }))).toBe("FORBIDDEN");
    expect(await codeOf(admin.client.environments.delete.mutate({ projectId: made.id }))).toBeNull();
  });

  it("has limits: one for development, previews by name, as many as the operator allows", async () => {
    const { projectId, slug } = await liveProject();
    const make = (kind: "development" | "preview", name?: string) =>
      owner.client.environments.create.mutate({ projectId, kind, name, empty: true });
    const development = await make("development");
    expect(await failureOf(make("development"))).toBe(`${slug} already has an environment "development".`);
    expect(await failureOf(make("development", "mine"))).toContain("only a preview can have its own name");
    for (const name of ["production", "development"]) {
      expect(await failureOf(make("preview", name))).toContain("a preview can't be called");
    }
    for (const name of ["Upper", "a--b", "-a", "a".repeat(31)])
      expect(await codeOf(make("preview", name))).toBe("BAD_REQUEST");
    await make("preview", "one");
    expect(await codeOf(make("preview", "one"))).toBe("CONFLICT");
    // An environment of an environment belongs to the same project.
    const two = await owner.client.environments.create.mutate({
      projectId: development.id,
      kind: "preview",
      name: "two",
      empty: true,
    });
    expect(two.slug).toBe(`${slug}--two`);
    expect(await failureOf(make("preview", "three"))).toContain("at most 3 environments in addition to production");
    const listed = await owner.client.environments.list.query({ projectId: two.id });
    expect(listed.map(({ name }) => name)).toEqual(["production", "development", "one", "two"]);
    const project = (await owner.client.projects.list.query({ organizationId })).find(({ id }) => id === projectId);
    expect(project?.environments).toEqual(listed);
  });

  it("is created once by two simultaneous requests with one name", async () => {
    const { projectId } = await liveProject();
    const make = () =>
      owner.client.environments.create.mutate({ projectId, kind: "preview", name: "twice", empty: true });
    const outcomes = await Promise.all([codeOf(make()), codeOf(make())]);
    expect(outcomes.toSorted()).toEqual(["CONFLICT", null]);
  });

  it("can't have a parent that is an environment, or another organization's", async () => {
    const { projectId } = await liveProject();
    const preview = await owner.client.environments.create.mutate({ projectId, kind: "preview", empty: true });
    const other = await world.signUp("other");
    const theirs = other.organizationId;
    const insert = (parent: string, organization: string): Promise<unknown> =>
      world.pool.query(
        `INSERT INTO control.projects (id, organization_id, slug, cell_id, parent_id, environment, environment_name)
         VALUES ('prj_below', $2, 'below', 'test', $1, 'preview', 'below')`,
        [parent, organization],
      );
    expect(await failureOf(insert(preview.id, organizationId))).toContain("foreign key");
    expect(await failureOf(insert(projectId, theirs))).toContain("foreign key");
  });

  it("is open only to the members of its project, and no scope can name it", async () => {
    const { projectId } = await liveProject();
    const elsewhere = await liveProject();
    const preview = await environmentOf(projectId, "preview");
    const [member, viewer, neighbour] = [
      await world.signUp("member"),
      await world.signUp("viewer"),
      await world.signUp("neighbour"),
    ];
    await join(owner, member, organizationId, "owner", { kind: "projects", projectIds: [projectId] });
    await join(owner, viewer, organizationId, "viewer", { kind: "projects", projectIds: [projectId] });
    await join(owner, neighbour, organizationId, "owner", { kind: "projects", projectIds: [elsewhere.projectId] });
    const propose = ({ client }: Somebody) =>
      client.environments.promote.mutate({ projectId, fromProjectId: preview.id, overwrite: true });
    const remove = ({ client }: Somebody) => client.environments.delete.mutate({ projectId: preview.id });
    expect(await codeOf(neighbour.client.projects.get.query({ projectId: preview.id }))).toBe("NOT_FOUND");
    expect(await codeOf(propose(neighbour))).toBe("NOT_FOUND");
    expect(await codeOf(remove(neighbour))).toBe("NOT_FOUND");
    expect(await codeOf(propose(viewer))).toBe("FORBIDDEN");
    expect(await codeOf(remove(viewer))).toBe("FORBIDDEN");
    const from = elsewhere.projectId;
    expect(await codeOf(member.client.environments.compare.query({ projectId, fromProjectId: from }))).toBe(
      "NOT_FOUND",
    );
    expect(await codeOf(owner.client.environments.compare.query({ projectId, fromProjectId: from }))).toBe(
      "BAD_REQUEST",
    );
    expect((await viewer.client.projects.get.query({ projectId: preview.id })).environment).toMatchObject({
      kind: "preview",
      projectId,
    });
    const scope = { kind: "projects", projectIds: [preview.id] } as const;
    const invite = { organizationId, email: "x@example.com", role: "viewer", scope } as const;
    expect(await codeOf(owner.client.invitations.create.mutate(invite))).toBe("NOT_FOUND");
    expect(await codeOf(remove(member))).toBeNull();
  });

  it("is renamed with its project, and answers to the new name", async () => {
    const { projectId, slug, text } = await liveProject();
    const preview = await environmentOf(projectId, "preview");
    const earlier = await owner.client.proposals.create.mutate({
      projectId: preview.id,
      text: text("      body: text?\n"),
    });
    await goLive(owner, projectId, noteBlueprint("", { project: `${slug}-renamed` }));
    const renamed = `${slug}-renamed--preview`;
    expect((await owner.client.projects.get.query({ projectId: preview.id })).slug).toBe(renamed);
    const asked = async (name: string) => (await ask(preview.key ?? "", {}, { "plinth-project": name })).status;
    // The cell gets the name a moment after the deployment has ended.
    await expect
      .poll(async () => [await asked(renamed), await asked(`${slug}--preview`)], { timeout: 5_000 })
      .toEqual([200, 403]);
    await finished(owner, await approveAndDeploy(owner, earlier));
    expect((await owner.client.projects.get.query({ projectId: preview.id })).slug).toBe(renamed);
    // In the other direction, a preview's text renames nothing before it is promoted.
    await goLive(owner, preview.id, noteBlueprint("", { project: `${slug}-again` }));
    expect((await owner.client.projects.get.query({ projectId: preview.id })).slug).toBe(renamed);
    expect((await owner.client.projects.get.query({ projectId })).slug).toBe(`${slug}-renamed`);
    const promoted = await owner.client.environments.promote.mutate({
      projectId,
      fromProjectId: preview.id,
      overwrite: true,
    });
    expect(promoted.consents).toContain("breaking project");
    await finished(owner, await approveAndDeploy(owner, promoted));
    expect((await owner.client.projects.get.query({ projectId: preview.id })).slug).toBe(`${slug}-again--preview`);
  });
});

describe("a deleted environment", () => {
  it("is removed with its data and keys, changes no other, and frees its name", async () => {
    const { projectId } = await liveProject();
    const { key } = await owner.client.keys.create.mutate({ projectId, name: "production", kind: "secret" });
    await ask(key, { method: "POST", body: JSON.stringify({ title: "stays" }) });
    const sibling = await environmentOf(projectId, "development");
    const found = [await tablesOf(projectId), await tablesOf(sibling.id)];
    const preview = await environmentOf(projectId, "preview", "short");
    expect((await ask(preview.key ?? "")).status).toBe(200);
    await owner.client.environments.delete.mutate({ projectId: preview.id });
    expect((await ask(preview.key ?? "")).status).toBe(401);
    expect(await codeOf(owner.client.projects.get.query({ projectId: preview.id }))).toBe("NOT_FOUND");
    expect(await tablesOf(preview.id)).toEqual([]);
    const { rows } = await world.cellPool.query(
      `SELECT (SELECT count(*) FROM pg_namespace WHERE nspname LIKE '%' || $1)::int AS schemas,
              (SELECT count(*) FROM pg_roles WHERE rolname LIKE '%' || $1 || '%')::int AS roles`,
      [preview.id.slice(4)],
    );
    expect(rows).toEqual([{ schemas: 0, roles: 0 }]);
    expect([await tablesOf(projectId), await tablesOf(sibling.id)]).toEqual(found);
    expect(await titlesSeenBy(key)).toEqual(["stays"]);
    expect((await ask(sibling.key ?? "")).status).toBe(200);
    expect(await codeOf(owner.client.environments.delete.mutate({ projectId: preview.id }))).toBe("NOT_FOUND");
    expect((await environmentOf(projectId, "preview", "short")).id).not.toBe(preview.id);
    const { rows: audit } = await world.pool.query(
      "SELECT action, subject FROM control.audit WHERE project_id = $1 AND action = 'environment.deleted'",
      [projectId],
    );
    expect(audit).toEqual([{ action: "environment.deleted", subject: preview.id }]);
  });

  it("can't be deleted while it deploys or if it is production, and is erased when its cell is back", async () => {
    const { projectId, text } = await liveProject();
    const preview = await environmentOf(projectId, "preview");
    expect(await codeOf(owner.client.environments.delete.mutate({ projectId }))).toBe("CONFLICT");
    const change = await owner.client.proposals.create.mutate({
      projectId: preview.id,
      text: text("      body: text?\n"),
    });
    await world.stopCell();
    const deploymentId = await approveAndDeploy(owner, change);
    const remove = () => owner.client.environments.delete.mutate({ projectId: preview.id });
    expect(await failureOf(remove())).toBe("A deployment is running. Delete the environment after it has finished.");
    await world.startCell();
    await finished(owner, deploymentId);
    await world.stopCell();
    expect(await codeOf(remove())).toBeNull();
    expect((await owner.client.environments.list.query({ projectId })).map(({ name }) => name)).toEqual(["production"]);
    const again = () => owner.client.environments.create.mutate({ projectId, kind: "preview" });
    expect(await failureOf(again())).toBe(
      `The environment "preview" of ${preview.slug.split("--")[0]} is being deleted. Try again shortly.`,
    );
    await world.startCell();
    await world.restartControl();
    await until(async () => (await ask(preview.key ?? "")).status === 401);
    await until(async () => (await codeOf(again())) === null);
  }, 60_000);
});
