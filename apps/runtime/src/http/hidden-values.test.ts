// Writes as questions: no answer reveals the value of a field that the caller can't read, or anything about a record
// that they can't read.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestCell, keyPrincipal, type TestCell, type TestProject, type TestReply } from "./testing/test-cell.ts";

const blueprint = `
project: hidden-values
modules: [auth, users, roles, audit_logs]
roles: { clerk: {}, mover: {} }

entities:
  buyer:
    fields: { name: string, owner_id: user_ref = current_user.id }
    permissions:
      user: { read: name == "open", create: true }
      mover: { read: true }
      admin: { all: true }
  sale:
    soft_delete: true
    fields:
      title: string
      buyer_id: ref(buyer)?
      seller_id: user_ref = current_user.id
      state: enum[open, done] = open
    transitions:
      state:
        initial: open
        finish: { from: open, to: done, roles: [mover] }
    permissions:
      user: { read: { allow: true, fields: [title] }, update: title == "mine", delete: title == "mine" }
      clerk: { update: true, delete: true }
      mover: { read: title == "shown", update: true, restore: true }
      admin: { all: true }
  place:
    fields: { sale_id: ref(sale) on_delete(cascade), name: string }
    permissions: { admin: { all: true } }
  note:
    fields: { text: string, about_id: ref(buyer)? }
    permissions:
      user: { read: { allow: true, fields: [text] }, delete: text == "mine", update: true }
      admin: { all: true }
`;

let cell: TestCell;
let project: TestProject;
let hidden: string;
let other: string;
let open: string;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(blueprint);
  await cell.addUser("ana", project, ["user"]);
  cell.addCaller("clerk", project, keyPrincipal("key_clerk", ["clerk"]));
  cell.addCaller("mover", project, keyPrincipal("key_mover", ["mover"]));
  cell.addCaller("admin", project, keyPrincipal("key_admin", ["admin"]));
  const owner_id = await userId("ana");
  [hidden, other, open] = [
    await make("buyers", { name: "closed", owner_id }),
    await make("buyers", { name: "closed too", owner_id }),
    await make("buyers", { name: "open", owner_id }),
  ];
});
afterAll(() => cell?.close());

async function userId(name: string): Promise<unknown> {
  return (await cell.rows(project, "select id from {schema}.users where name = $1", [name]))[0]?.["id"];
}

async function make(plural: string, values: object): Promise<string> {
  const reply = await cell.send("admin", "POST", `/api/${plural}`, values);
  expect(reply.status, reply.text).toBe(201);
  return reply.json.data.id;
}

async function sale(title: string): Promise<string> {
  return make("sales", { title, buyer_id: hidden, seller_id: await userId("ana") });
}

/** All that a caller can tell two answers apart by. */
function told({ status, json }: TestReply): unknown {
  const { request_id: _, ...problem } = json ?? {};
  return [status, problem];
}

describe("a reference that the caller can't read", () => {
  test.each(["", "?dry_run=true"])("is not revealed by sending it back%s", async (query) => {
    for (const title of ["theirs", "mine"]) {
      const path = `/api/sales/${await sale(title)}${query}`;
      const before = await cell.fingerprint(project);
      const [same, another, missing] = await Promise.all(
        [hidden, other, "0199b0f4-0000-7000-8000-000000000000"].map((buyer_id) =>
          cell.send("ana", "PATCH", path, { buyer_id }),
        ),
      );
      expect(told(same!)).toEqual(told(another!));
      expect(told(same!)).toEqual(told(missing!));
      expect([same!.status, same!.json.errors[0].code]).toEqual([422, "unknown_reference"]);
      expect(await cell.fingerprint(project)).toBe(before);
    }
  });

  test("can be sent back by a caller who can read it, and set to a record that the caller can read", async () => {
    const id = await sale("mine");
    expect((await cell.send("admin", "PATCH", `/api/sales/${id}`, { buyer_id: hidden })).status).toBe(200);
    const reply = await cell.send("ana", "PATCH", `/api/sales/${id}`, { buyer_id: open });
    expect(reply.status, reply.text).toBe(200);
  });

  test("is not revealed by an owner that is sent back", async () => {
    await cell.addUser("ben", project, ["user"]);
    for (const [caller, title] of [
      ["ana", "mine"],
      ["ana", "theirs"],
      ["clerk", "mine"],
    ] as const) {
      const path = `/api/sales/${await sale(title)}`;
      const same = await cell.send(caller, "PATCH", path, { seller_id: await userId("ana") });
      const another = await cell.send(caller, "PATCH", path, { seller_id: await userId("ben") });
      expect(told(same)).toEqual(told(another));
      expect([same.status, same.json.errors[0].code]).toEqual([403, "admin_only"]);
    }
  });
});

describe("a version that the caller can't read", () => {
  test("is not revealed by a write that the rule refuses", async () => {
    const ids = { sales: await sale("theirs"), notes: await make("notes", { text: "theirs" }) };
    for (const [plural, id] of Object.entries(ids)) {
      const path = `/api/${plural}/${id}`;
      const etag = (await cell.send("admin", "GET", path)).headers.get("etag") ?? "";
      expect(etag).toMatch(/^"1-/);
      const before = await cell.fingerprint(project);
      for (const query of ["", "?dry_run=true"]) {
        const [right, wrong] = await Promise.all(
          ['"1-x"', '"2-x"'].map((match) =>
            cell.send("ana", "DELETE", `${path}${query}`, undefined, { "if-match": match }),
          ),
        );
        expect(told(right!)).toEqual(told(wrong!));
        expect(right!.status).toBe(403);
      }
      expect(await cell.fingerprint(project)).toBe(before);
      const stale = await cell.send("admin", "DELETE", path, undefined, { "if-match": '"2-x"' });
      expect([stale.status, (await cell.send("admin", "GET", path)).status]).toEqual([412, 200]);
      expect((await cell.send("admin", "DELETE", path, undefined, { "if-match": etag })).status).toBe(204);
    }
  });
});

describe("a record that the caller can change but not read", () => {
  const writes = (id: string): readonly (readonly [string, string, object | undefined])[] => [
    ["POST", `/api/sales/${id}/transitions/finish`, {}],
    ["PATCH", `/api/sales/${id}`, { title: "x" }],
    ["PATCH", `/api/sales/${id}`, {}],
  ];

  test("is only its id in every reply, whatever was selected", async () => {
    for (const shown of ["", "?dry_run=true", "?fields=id,title,state", "?expand=buyer", "?fields=version"]) {
      const id = await sale("theirs");
      for (const [method, path, body] of writes(id)) {
        const reply = await cell.send("mover", method, `${path}${shown}`, body);
        expect([reply.status, reply.json.data], `${method} ${path}${shown}`).toEqual([200, { id }]);
        // An ETag without a version, the same for every value of the record.
        expect(reply.headers.get("etag") ?? '"x"').not.toMatch(/^"[0-9]+-/);
      }
      const many = await cell.send("mover", "PATCH", `/api/sales`, [{ id, title: "y" }]);
      expect([many.status, many.json.data]).toEqual([200, [{ id }]]);
      expect((await cell.send("clerk", "DELETE", `/api/sales/${id}`)).text).toBe("");
      const restored = await cell.send("mover", "POST", `/api/sales/${id}/restore${shown}`);
      expect([restored.status, restored.json.data]).toEqual([200, { id }]);
    }
  });

  test("is refused without revealing its state", async () => {
    const path = `/api/sales/${await sale("theirs")}/transitions/finish`;
    expect((await cell.send("mover", "POST", path)).status).toBe(200);
    const reply = await cell.send("mover", "POST", path);
    expect([reply.status, reply.json.detail]).toEqual([409, "The record is in another state."]);
    expect(reply.text).not.toContain("done");
  });
});
