// An owner's changes of a project's records through the console, with a real cell: deleted records are listed and restored, and
// records take transitions. Both are in the project's own log under the person's name.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  codeOf,
  createWorld,
  goLive,
  join,
  organizationOf,
  recordRequests,
  type Somebody,
  type World,
} from "../testing/control-plane.ts";

const POSTS = `project: posts
modules: [auth, users, roles]
entities:
  post:
    soft_delete: true
    fields:
      title: string unique
      state: enum[draft, live] = draft
      slogan: text?
    transitions:
      state:
        initial: draft
        publish: { from: draft, to: live }
        boast: { from: live, to: draft, require: [slogan] }
    permissions:
      admin:
        all: true
  plain:
    fields:
      title: string
    permissions:
      admin:
        all: true
`;

let world: World;
let owner: Somebody;
let viewer: Somebody;
let projectId: string;
let send: (method: string, path: string, body?: unknown) => Promise<Response>;

beforeAll(async () => {
  world = await createWorld({ cell: true });
  [owner, viewer] = [await world.signUp("owner"), await world.signUp("viewer")];
  const organizationId = await organizationOf(owner);
  await join(owner, viewer, organizationId, "viewer");
  projectId = (await owner.client.projects.create.mutate({ organizationId, slug: "posts" })).id;
  await goLive(owner, projectId, POSTS);
  send = await recordRequests(world, owner, projectId);
}, 60_000);

afterAll(() => world?.stop());

async function post(title: string): Promise<string> {
  const created = await send("POST", "posts", { title });
  expect(created.status).toBe(201);
  return ((await created.json()) as { data: { id: string } }).data.id;
}

async function deletedIds(): Promise<readonly unknown[]> {
  const page = await owner.client.data.rows.query({ projectId, entity: "post", deleted: true });
  return page.data.map((row) => row.id);
}

async function logOf(recordId: string): Promise<readonly unknown[]> {
  const { rows } = await world.cellPool.query(
    `SELECT operation, actor_kind, actor_id FROM t_${projectId.slice(4)}.audit_log WHERE record_id = $1 ORDER BY id`,
    [recordId],
  );
  return rows.map((row) => `${row.operation} ${row.actor_kind} ${row.actor_kind === "operator" ? row.actor_id : "?"}`);
}

describe("deleted records", () => {
  it("are shown to an owner on request, and restored under their name", async () => {
    const [kept, id] = [await post("kept"), await post("gone")];
    expect((await send("DELETE", `posts/${id}`)).status).toBe(204);
    expect(await deletedIds()).toEqual([id]);
    const living = await owner.client.data.rows.query({ projectId, entity: "post" });
    expect(living.data.map((row) => row.id)).toEqual([kept]);
    expect(await owner.client.data.restore.mutate({ projectId, entity: "post", recordId: id })).toMatchObject({ id });
    expect(await deletedIds()).toEqual([]);
    expect((await send("GET", `posts/${id}`)).status).toBe(200);
    expect(await logOf(id)).toEqual(["create key ?", "delete key ?", `restore operator ${owner.email}`]);
    const again = owner.client.data.restore.mutate({ projectId, entity: "post", recordId: id });
    expect(await codeOf(again)).toBe("CONFLICT");
  });

  it("are hidden from everybody else, on every route", async () => {
    const id = await post("hidden");
    await send("DELETE", `posts/${id}`);
    const asked = viewer.client.data.rows.query({ projectId, entity: "post", deleted: true });
    expect(await codeOf(asked)).toBe("FORBIDDEN");
    const byKey = await send("GET", "posts?_deleted=only");
    expect([byKey.status, ((await byKey.json()) as { code: string }).code]).toEqual([400, "unknown_parameter"]);
    const smuggled = owner.client.data.rows.query({ projectId, entity: "post", filters: { _deleted: "only" } });
    expect(await codeOf(smuggled)).toBe("BAD_REQUEST");
    const plain = owner.client.data.rows.query({ projectId, entity: "plain", deleted: true });
    expect(await codeOf(plain)).toBe("BAD_REQUEST");
    expect(await codeOf(viewer.client.data.restore.mutate({ projectId, entity: "post", recordId: id }))).toBe(
      "FORBIDDEN",
    );
    expect(await logOf(id)).toEqual(["create key ?", "delete key ?"]);
  });

  it("stay deleted if their unique value is taken", async () => {
    const id = await post("twice");
    await send("DELETE", `posts/${id}`);
    await post("twice");
    expect(await codeOf(owner.client.data.restore.mutate({ projectId, entity: "post", recordId: id }))).toBe(
      "CONFLICT",
    );
    expect(await deletedIds()).toContain(id);
  });
});

describe("a transition", () => {
  it("is taken under the person's name, only from its source states", async () => {
    const recordId = await post("moving");
    const take = (edge: string): Promise<unknown> =>
      owner.client.data.transition.mutate({ projectId, entity: "post", recordId, edge });
    expect(await take("publish")).toMatchObject({ id: recordId, state: "live" });
    expect(await codeOf(take("publish"))).toBe("CONFLICT");
    expect(await codeOf(take("boast"))).toBe("BAD_REQUEST");
    expect(await codeOf(take("vanish"))).toBe("NOT_FOUND");
    await send("PATCH", `posts/${recordId}`, { slogan: "best" });
    expect(await take("boast")).toMatchObject({ state: "draft" });
    expect(await logOf(recordId)).toEqual([
      "create key ?",
      `transition:publish operator ${owner.email}`,
      "update key ?",
      `transition:boast operator ${owner.email}`,
    ]);
  });
});
