// A restore over HTTP: the records that the record's own delete has marked are restored with it, but none that was
// deleted separately or that another deleted record still needs.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestCell, keyPrincipal, type TestCell, type TestProject } from "./testing/test-cell.ts";

const blueprint = `
project: kept-shelves
modules: [auth, users, roles, audit_logs]
roles:
  keeper: { inherits: user }
entities:
  box:
    soft_delete: true
    fields: { name: string, secret: bool = false }
    permissions:
      user: { create: true, update: true, delete: true, restore: true, read: secret == false }
      keeper: { all: true }
  item:
    soft_delete: true
    fields:
      name: string unique
      box_id: ref(box) on_delete(cascade)
      second_id: ref(box)? as(second_items) on_delete(cascade)
      near_id: ref(item)? as(neighbours) on_delete(set_null)
      needed_id: ref(item)? as(needing) on_delete(restrict)
    permissions:
      user: { all: true }
      keeper: { all: true }
  label:
    soft_delete: true
    fields:
      text: string
      item_id: ref(item) on_delete(cascade)
    permissions:
      user: { all: true }
`;

let cell: TestCell;
let project: TestProject;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(blueprint);
  await cell.addUser("ana", project, ["owner", "user"]);
  await cell.addUser("kim", project, ["keeper", "owner", "user"]);
  cell.addCaller("pub", project, keyPrincipal("key_pub", []));
});
afterAll(() => cell?.close());

let count = 0;
async function make(plural: string, values: object): Promise<string> {
  const reply = await cell.send("kim", "POST", `/api/${plural}`, { name: `n${++count}`, ...values });
  expect(reply.status, reply.text).toBe(201);
  return reply.json.data.id;
}
const box = (values: object = {}): Promise<string> => make("boxes", values);
const item = (box_id: string, values: object = {}): Promise<string> => make("items", { box_id, ...values });
async function label(item_id: string): Promise<string> {
  const { json } = await cell.send("ana", "POST", "/api/labels", { text: "t", item_id });
  return json.data.id;
}

async function remove(plural: string, id: string): Promise<void> {
  expect((await cell.send("ana", "DELETE", `/api/${plural}/${id}`)).status).toBe(204);
}

const restore = (plural: string, id: string, who = "ana") => cell.send(who, "POST", `/api/${plural}/${id}/restore`);

async function restored(plural: string, id: string): Promise<Record<string, unknown>> {
  const reply = await restore(plural, id);
  expect(reply.status, reply.text).toBe(200);
  return reply.json.data;
}

/** By id, whether each exists. */
async function living(plural: string, ...ids: readonly string[]): Promise<readonly boolean[]> {
  const replies = await Promise.all(ids.map((id) => cell.send("ana", "GET", `/api/${plural}/${id}`)));
  return replies.map((reply) => reply.status === 200);
}

async function last(id: string): Promise<Record<string, unknown> | undefined> {
  const sql = "select operation, changes from {schema}.audit_log where record_id = $1 order by id desc limit 1";
  return (await cell.rows(project, sql, [id]))[0];
}

describe("a restore", () => {
  test("restores all records of the same delete, at all depths, each with its line in the log", async () => {
    const root = await box();
    const items = [await item(root), await item(root)] as const;
    const text = await label(items[0]);
    await remove("boxes", root);
    expect(await living("items", ...items)).toEqual([false, false]);
    expect(await restored("boxes", root)).toMatchObject({ id: root, deleted_at: null, version: 3 });
    expect(await living("items", ...items)).toEqual([true, true]);
    expect(await living("labels", text)).toEqual([true]);
    for (const id of [root, ...items, text]) {
      expect(await last(id)).toEqual({
        operation: "restore",
        changes: { deleted_at: [expect.any(String), null] },
      });
    }
  });

  test("leaves records that were deleted separately, before and after", async () => {
    const root = await box();
    const [before, along] = [await item(root), await item(root)];
    await remove("items", before);
    await remove("boxes", root);
    await restored("boxes", root);
    expect(await living("items", before, along)).toEqual([false, true]);
    await restored("items", before);
    expect(await living("items", before)).toEqual([true]);
  });

  test("leaves records that another deleted record needs, and all below them", async () => {
    const [first, second] = [await box(), await box()];
    const [one, two] = [await item(first), await item(first, { second_id: second })];
    const [free, bound] = [await label(one), await label(two)];
    await remove("boxes", first);
    await remove("boxes", second);
    await restored("boxes", first);
    expect(await living("items", one, two)).toEqual([true, false]);
    expect(await living("labels", free, bound)).toEqual([true, false]);
    await restored("boxes", second);
    await restored("items", two);
    expect(await living("labels", free, bound)).toEqual([true, true]);
  });

  test("of a single record is refused while a record that it refers to is deleted", async () => {
    const root = await box();
    const one = await item(root);
    await remove("boxes", root);
    const before = await cell.fingerprint(project);
    const reply = await restore("items", one);
    expect(reply.status, reply.text).toBe(409);
    expect(reply.json).toMatchObject({
      code: "conflict",
      detail: "The record refers to a deleted record. Restore that record first.",
      errors: [{ path: "/box_id", code: "reference_deleted" }],
    });
    expect(await cell.fingerprint(project)).toBe(before);
    await restored("boxes", root);
    expect((await restore("items", one)).json.detail).toBe("The record is not deleted.");
  });

  test("is refused for restricting and cascading references, and never names what the caller can't read", async () => {
    const root = await box();
    const needed = await item(root);
    const needing = await item(root, { needed_id: needed });
    await remove("items", needing);
    await remove("items", needed);
    expect((await restore("items", needing)).json.errors).toMatchObject([{ path: "/needed_id" }]);
    const hidden = await box({ secret: true });
    const inside = await item(hidden);
    await remove("items", inside);
    expect((await cell.send("kim", "DELETE", `/api/boxes/${hidden}`)).status).toBe(204);
    const [told, kept] = [await restore("items", inside, "kim"), await restore("items", inside)];
    expect([told.status, kept.status]).toEqual([409, 409]);
    expect(told.json.errors).toMatchObject([{ path: "/box_id" }]);
    expect(kept.json.errors).toBeUndefined();
    expect(kept.text).not.toContain("box");
  });

  test("clears references that the delete would have cleared", async () => {
    const root = await box();
    const near = await item(root);
    const one = await item(root, { near_id: near });
    await remove("items", one);
    await remove("items", near);
    expect(await restored("items", one)).toMatchObject({ near_id: null, deleted_at: null });
    expect(await last(one)).toMatchObject({ operation: "restore", changes: { near_id: [near, null] } });
  });

  test("keeps a reference between records that come back together", async () => {
    const root = await box();
    const needed = await item(root);
    const needing = await item(root, { needed_id: needed, near_id: needed });
    await remove("boxes", root);
    await restored("boxes", root);
    const reply = await cell.send("ana", "GET", `/api/items/${needing}`);
    expect(reply.json.data).toMatchObject({ needed_id: needed, near_id: needed });
  });

  test("is refused completely if one record's place is taken", async () => {
    const root = await box();
    const taken = await item(root, { name: `taken${++count}` });
    const { name } = (await cell.send("ana", "GET", `/api/items/${taken}`)).json.data;
    await remove("boxes", root);
    await item(await box(), { name });
    const before = await cell.fingerprint(project);
    const reply = await restore("boxes", root);
    expect([reply.status, reply.json.code], reply.text).toEqual([409, "unique_violation"]);
    expect(reply.text).not.toContain(name);
    expect(await cell.fingerprint(project)).toBe(before);
  });

  test("needs the right to restore the record itself, not the rest", async () => {
    const root = await box();
    const one = await item(root);
    await remove("boxes", root);
    expect((await restore("boxes", root, "pub")).status).toBe(403);
    expect(await living("items", one)).toEqual([false]);
  });

  test("together with a delete of its target leaves no living record under a deleted one", async () => {
    for (let round = 0; round < 12; round++) {
      const root = await box();
      const one = await item(root);
      await remove("items", one);
      const [back, gone] = await Promise.all([restore("items", one), cell.send("ana", "DELETE", `/api/boxes/${root}`)]);
      expect([200, 409]).toContain(back.status);
      expect(gone.status, gone.text).toBe(204);
      const [itemLives] = await living("items", one);
      expect(itemLives, `round ${round}: restore ${back.status}`).toBe(false);
    }
  });
});
