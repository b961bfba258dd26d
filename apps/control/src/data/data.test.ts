// An owner's changes of a project's records through the console, with a real cell: deleted records are listed and restored, and
// records take transitions. Both are in the project's own log under the person's name.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  codeOf,
  createWorld,
  goLive,
  join,
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
  const { organizationId } = owner;
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

describe("a record", () => {
  const create = (values: Record<string, unknown>, by = owner) =>
    by.client.data.create.mutate({ projectId, entity: "post", values });
  const update = (id: string, version: number, values: Record<string, unknown>, by = owner) =>
    by.client.data.update.mutate({ projectId, entity: "post", recordId: id, version, values });
  const remove = (id: string, version: number, by = owner) =>
    by.client.data.remove.mutate({ projectId, entity: "post", recordId: id, version });

  it("is created, changed and deleted under the person's name, by the project's own rules", async () => {
    const made = await create({ title: "written by hand" });
    expect(made).toMatchObject({ title: "written by hand", state: "draft", slogan: null, version: 1 });
    const id = String(made.id);
    expect(await update(id, 1, { slogan: "best" })).toMatchObject({ title: "written by hand", slogan: "best" });
    expect(await update(id, 2, { slogan: null })).toMatchObject({ slogan: null, version: 3 });
    expect(await remove(id, 3)).toEqual({ deleted: true });
    expect((await send("GET", `posts/${id}`)).status).toBe(404);
    expect(await logOf(id)).toEqual(
      ["create", "update", "update", "delete"].map((act) => `${act} operator ${owner.email}`),
    );
    const { rows } = await world.pool.query(
      "SELECT action FROM control.audit WHERE project_id = $1 AND action LIKE 'record.%' AND (subject = $2 OR subject IS NULL) ORDER BY id",
      [projectId, id],
    );
    expect(rows.map(({ action }) => action)).toEqual([
      "record.created",
      "record.updated",
      "record.updated",
      "record.deleted",
    ]);
  });

  it("is refused with the invalid fields, and nothing is stored", async () => {
    const id = String((await create({ title: "taken" })).id);
    const wrong = create({ title: 7, state: "nowhere" });
    await expect(wrong).rejects.toMatchObject({
      data: { code: "BAD_REQUEST", fields: [{ path: "/title" }, { path: "/state" }] },
    });
    await expect(create({})).rejects.toMatchObject({ data: { fields: [{ path: "/title" }] } });
    await expect(create({ title: "x", nothing: 1 })).rejects.toMatchObject({
      data: { fields: [{ path: "/nothing" }] },
    });
    expect(await codeOf(create({ title: "taken" }))).toBe("CONFLICT");
    expect(await codeOf(update(id, 1, { version: 9 }))).toBe("BAD_REQUEST");
    expect(await codeOf(owner.client.data.create.mutate({ projectId, entity: "none", values: {} }))).toBe("NOT_FOUND");
    expect(await logOf(id)).toEqual([`create operator ${owner.email}`]);
  });

  it("can't be overwritten by a person who saw an earlier version", async () => {
    const id = String((await create({ title: "contested" })).id);
    await send("PATCH", `posts/${id}`, { slogan: "of the app" });
    expect(await codeOf(update(id, 1, { slogan: "of the console" }))).toBe("CONFLICT");
    expect(await codeOf(remove(id, 1))).toBe("CONFLICT");
    expect(await (await send("GET", `posts/${id}`)).json()).toMatchObject({ data: { slogan: "of the app" } });
    const both = await Promise.all([1, 2].map((n) => codeOf(update(id, 2, { slogan: `of ${n}` }))));
    expect(both.sort()).toEqual(["CONFLICT", null]);
  });

  it("can be found with the operators of the project's API", async () => {
    for (const title of ["sea 1", "sea 2", "shore"]) await create({ title });
    const found = async (filters: Record<string, string>): Promise<unknown[]> =>
      (await viewer.client.data.rows.query({ projectId, entity: "post", filters })).data
        .map(({ title }) => title)
        .sort();
    expect(await found({ "title[contains]": "sea" })).toEqual(["sea 1", "sea 2"]);
    expect(await found({ "title[starts_with]": "s", "title[ne]": "sea 1", "slogan[is_null]": "true" })).toEqual([
      "sea 2",
      "shore",
    ]);
    expect(await codeOf(found({ "title[like]": "s" }))).toBe("BAD_REQUEST");
    expect(await codeOf(found({ "limit[gte]": "1" }))).toBe("BAD_REQUEST");
  });

  it("can't be changed by viewers", async () => {
    const id = String((await create({ title: "kept from viewers" })).id);
    expect(await codeOf(create({ title: "of a viewer" }, viewer))).toBe("FORBIDDEN");
    expect(await codeOf(update(id, 1, { title: "of a viewer" }, viewer))).toBe("FORBIDDEN");
    expect(await codeOf(remove(id, 1, viewer))).toBe("FORBIDDEN");
    expect(await logOf(id)).toEqual([`create operator ${owner.email}`]);
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
