// A deleted project isn't served, can be restored completely within seven days, and is erased after them, even if control or its
// cell stops in between.
import { tenantNames } from "@plinth/postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  codeOf,
  createWorld,
  finished,
  goLive,
  join,
  type Somebody,
  until,
  type World,
} from "../testing/control-plane.ts";

const APP = (name: string): string => `project: ${name}
modules: [auth, users, roles, workers, audit_logs]
entities:
  note:
    fields:
      title: string
    permissions:
      admin: { all: true }
workflows:
  welcome:
    on: note.created
    steps:
      - delay: 1h
      - audit.write: { with: { note: welcomed } }
`;

let world: World;
let owner: Somebody;
let organizationId: string;
let projects = 0;

beforeAll(async () => {
  world = await createWorld({ cell: true });
  owner = await world.signUp("owner");
  organizationId = owner.organizationId;
}, 60_000);

afterAll(() => world?.stop());

interface CreatedProject {
  readonly projectId: string;
  readonly slug: string;
  readonly key: string;
}

async function newProject(): Promise<CreatedProject> {
  const slug = `ends-${++projects}`;
  const { id: projectId } = await owner.client.projects.create.mutate({ organizationId, slug });
  await goLive(owner, projectId, APP(slug));
  const { key } = await owner.client.keys.create.mutate({ projectId, name: "app", kind: "secret" });
  return { projectId, slug, key };
}

async function notes(key: string, body?: object): Promise<{ status: number; text: string }> {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await fetch(`${world.apiUrl}/v1/resources/notes`, { ...init, headers }).catch(() => null);
  return { status: response?.status ?? 0, text: (await response?.text()) ?? "" };
}

const statusOf = async (key: string): Promise<number> => (await notes(key)).status;
const remove = ({ projectId, slug }: CreatedProject) => owner.client.projects.remove.mutate({ projectId, name: slug });
const restore = ({ projectId }: CreatedProject, by = owner) =>
  by.client.projects.restore.mutate({ organizationId, projectId });
const deleted = async (): Promise<string[]> =>
  (await owner.client.projects.deleted.query({ organizationId })).map(({ id }) => id);

async function waitingForLocks(): Promise<number> {
  const { rows } = await world.pool.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  );
  return rows[0]?.count ?? 0;
}

describe("a deleted project", () => {
  it("isn't served, and is complete again when it is restored", async () => {
    const made = await newProject();
    const { projectId, slug, key } = made;
    expect((await notes(key, { title: "kept" })).status).toBe(201);
    expect(await codeOf(owner.client.projects.remove.mutate({ projectId, name: "ends" }))).toBe("BAD_REQUEST");
    expect(await statusOf(key)).toBe(200);
    expect(await remove(made)).toEqual({ restorableDays: 7 });
    const refused = await notes(key);
    expect([refused.status, refused.text]).toEqual([404, expect.stringContaining("This project is deleted.")]);
    expect((await notes(key, { title: "lost" })).status).toBe(404);
    const calls = [
      owner.client.projects.get.query({ projectId }),
      owner.client.keys.create.mutate({ projectId, name: "late", kind: "secret" }),
      owner.client.data.rows.query({ projectId, entity: "note" }),
      owner.client.users.list.query({ projectId }),
      owner.client.projects.remove.mutate({ projectId, name: slug }),
    ];
    expect(await Promise.all(calls.map(codeOf))).toEqual(calls.map(() => "NOT_FOUND"));
    expect((await owner.client.projects.list.query({ organizationId })).map(({ id }) => id)).not.toContain(projectId);
    expect(await deleted()).toEqual([projectId]);
    const again = owner.client.projects.create.mutate({ organizationId, slug });
    await expect(again).rejects.toThrow(`A deleted project is called "${slug}".`);
    expect(await restore(made)).toEqual({ projectId });
    expect(JSON.parse((await notes(key)).text).data).toMatchObject([{ title: "kept" }]);
    expect(await deleted()).toEqual([]);
    const { rows } = await world.pool.query(
      "SELECT action FROM control.audit WHERE project_id = $1 AND action IN ('project.deleted', 'project.restored') ORDER BY id",
      [projectId],
    );
    expect(rows.map(({ action }) => action)).toEqual(["project.deleted", "project.restored"]);
  });

  it("refuses a deployment, an approval and a new title that were authorized just before", async () => {
    const made = await newProject();
    const { projectId, slug } = made;
    const propose = (title: string) =>
      owner.client.proposals.create.mutate({ projectId, title, text: `${APP(slug)}# ${title}\n` });
    const [open, approved] = [await propose("open"), await propose("approved")];
    const consents = [...approved.consents];
    await owner.client.proposals.approve.mutate({ proposalId: approved.id, hash: approved.hash, consents });
    const deletion = await world.pool.connect();
    try {
      await deletion.query("BEGIN");
      await deletion.query("SELECT FROM control.projects WHERE id = $1 FOR UPDATE", [projectId]);
      const late = [
        owner.client.deployments.create.mutate({ proposalId: approved.id }),
        owner.client.proposals.approve.mutate({ proposalId: open.id, hash: open.hash, consents: [...open.consents] }),
        owner.client.proposals.rename.mutate({ proposalId: open.id, title: "late" }),
      ].map(codeOf);
      await until(async () => (await waitingForLocks()) >= late.length);
      await deletion.query(
        "UPDATE control.projects SET deleted_at = now(), erase_after = now() + interval '7 days' WHERE id = $1",
        [projectId],
      );
      await deletion.query("COMMIT");
      expect(await Promise.all(late)).toEqual(late.map(() => "NOT_FOUND"));
    } finally {
      deletion.release();
    }
    const { rows } = await world.pool.query(
      "SELECT status, title FROM control.proposals WHERE project_id = $1 AND number > 1 ORDER BY number",
      [projectId],
    );
    expect(rows).toEqual([
      { status: "open", title: "open" },
      { status: "approved", title: "approved" },
    ]);
    await restore(made);
  });

  it("pauses its work, and continues it when it is restored", async () => {
    const made = await newProject();
    expect((await notes(made.key, { title: "new" })).status).toBe(201);
    const due = async (): Promise<number[]> => {
      const { rows } = await world.cellPool.query<{ hours: number }>(
        "SELECT round(extract(epoch FROM due_at - now()) / 3600)::int AS hours FROM plinth.due_runs WHERE project_id = $1",
        [made.projectId],
      );
      return rows.map(({ hours }) => hours);
    };
    await until(async () => (await due()).join() === "1");
    await remove(made);
    expect((await due())[0]).toBeGreaterThan(1_000_000);
    await restore(made);
    expect(await due()).toEqual([1]);
  });

  it("is deleted by an admin of it, and restored by an admin of its own organization", async () => {
    const made = await newProject();
    const { projectId, slug } = made;
    const [developer, stranger] = [await world.signUp("developer"), await world.signUp("stranger")];
    await join(owner, developer, organizationId, "developer");
    expect(await codeOf(developer.client.projects.remove.mutate({ projectId, name: slug }))).toBe("FORBIDDEN");
    expect(await codeOf(stranger.client.projects.remove.mutate({ projectId, name: slug }))).toBe("NOT_FOUND");
    await remove(made);
    expect(await codeOf(restore(made, developer))).toBe("FORBIDDEN");
    const theirs = stranger.organizationId;
    const claim = stranger.client.projects.restore.mutate({ organizationId: theirs, projectId });
    expect(await codeOf(claim)).toBe("NOT_FOUND");
    expect(await deleted()).toEqual([projectId]);
    await restore(made);
  });

  it("has the same end if its cell is unavailable, or control stops before it calls the cell", async () => {
    const made = await newProject();
    await world.stopCell();
    await remove(made);
    await world.startCell();
    await world.restartControl();
    await until(async () => (await statusOf(made.key)) === 404);
    await world.stopCell();
    await restore(made);
    await world.startCell();
    expect(await statusOf(made.key)).toBe(404);
    await world.restartControl();
    await until(async () => (await statusOf(made.key)) === 200);
    // Control stopped after it had called the cell, and before it recorded that. In the meantime the project was restored.
    await remove(made);
    await world.pool.query(
      "UPDATE control.projects SET deleted_at = NULL, erase_after = NULL, on_cell = 'unsure' WHERE id = $1",
      [made.projectId],
    );
    await world.restartControl();
    await until(async () => (await statusOf(made.key)) === 200);
  }, 60_000);

  it("is completely erased after seven days", async () => {
    const [made, neighbour] = [await newProject(), await newProject()];
    const { projectId } = made;
    await notes(made.key, { title: "gone" });
    await remove(made);
    const age = (days: number) =>
      world.pool.query(
        "UPDATE control.projects SET erase_after = now() + make_interval(days => 7 - $2) WHERE id = $1",
        [projectId, days],
      );
    await age(8);
    expect(await codeOf(restore(made))).toBe("NOT_FOUND");
    await age(6);
    await restore(made);
    expect(await statusOf(made.key)).toBe(200);
    await remove(made);
    await age(8);
    await world.restartControl();
    await until(
      async () => (await world.pool.query("SELECT FROM control.projects WHERE id = $1", [projectId])).rowCount === 0,
    );
    expect(await traces(projectId)).toEqual([]);
    const { schema, owner: ownerRole, worker } = tenantNames(projectId);
    const { rows } = await world.cellPool.query(
      "SELECT nspname AS name FROM pg_namespace WHERE nspname = $1 UNION ALL SELECT rolname FROM pg_roles WHERE rolname = ANY ($2)",
      [schema, [ownerRole, worker]],
    );
    expect(rows).toEqual([]);
    expect(await statusOf(made.key)).toBe(401);
    expect(await statusOf(neighbour.key)).toBe(200);
    await owner.client.projects.create.mutate({ organizationId, slug: made.slug });
  }, 60_000);

  it("is deleted and restored with its environments, and erased after them", async () => {
    const made = await newProject();
    const { projectId } = made;
    const preview = await owner.client.environments.create.mutate({ projectId, kind: "preview" });
    const alone = await owner.client.environments.create.mutate({ projectId, kind: "development" });
    await finished(owner, preview.deploymentId ?? "");
    await finished(owner, alone.deploymentId ?? "");
    const key = preview.key ?? "";
    const asProject = owner.client.projects.remove.mutate({ projectId: preview.id, name: preview.slug });
    expect(await codeOf(asProject)).toBe("CONFLICT");
    await owner.client.environments.delete.mutate({ projectId: alone.id });
    await remove(made);
    expect([await statusOf(made.key), await statusOf(key)]).toEqual([404, 404]);
    expect(await codeOf(owner.client.projects.get.query({ projectId: preview.id }))).toBe("NOT_FOUND");
    expect(await codeOf(owner.client.environments.delete.mutate({ projectId: preview.id }))).toBe("NOT_FOUND");
    expect(await deleted()).toEqual([projectId]);
    const claim = owner.client.projects.restore.mutate({ organizationId, projectId: preview.id });
    expect(await codeOf(claim)).toBe("NOT_FOUND");
    await restore(made);
    expect([await statusOf(made.key), await statusOf(key)]).toEqual([200, 200]);
    const names = (await owner.client.environments.list.query({ projectId })).map(({ name }) => name);
    expect(names).toEqual(["production", "preview"]);
    await remove(made);
    const both = "WHERE id = $1 OR parent_id = $1";
    await world.pool.query(`UPDATE control.projects SET erase_after = now() ${both}`, [projectId]);
    await world.restartControl();
    await until(
      async () => (await world.pool.query(`SELECT FROM control.projects ${both}`, [projectId])).rowCount === 0,
    );
    expect([...(await traces(projectId)), ...(await traces(preview.id))]).toEqual([]);
    const { rows } = await world.pool.query<{ action: string }>(
      "SELECT action FROM control.audit WHERE project_id = $1 AND action LIKE '%.erased' ORDER BY id",
      [projectId],
    );
    expect(rows.map(({ action }) => action)).toEqual(["environment.erased", "environment.erased", "project.erased"]);
  }, 60_000);

  /** Tables of the cell that still contain its id. */
  async function traces(projectId: string): Promise<string[]> {
    const { rows } = await world.cellPool.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'plinth' AND table_type = 'BASE TABLE'`,
    );
    const found: string[] = [];
    for (const { name } of rows) {
      const { rowCount } = await world.cellPool.query(
        `SELECT FROM plinth."${name}" t WHERE t::text LIKE '%' || $1 || '%' LIMIT 1`,
        [projectId],
      );
      if (rowCount !== 0) found.push(name);
    }
    return found;
  }
});
