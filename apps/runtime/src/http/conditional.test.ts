// Conditional requests: ETags, changes since, and writes that accept only one version. HEAD and OPTIONS.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestCell, keyPrincipal, type TestCell, type TestProject, type TestReply } from "./testing/test-cell.ts";

const blueprint = `
project: notes
modules: [auth, users, roles]
entities:
  page:
    require_version: true
    fields:
      text: string
    permissions:
      public: { read: true }
      admin: { all: true }
  folder:
    soft_delete: true
    fields:
      name: string
    permissions:
      public: { read: true }
      user: { read: true, update: name != 'locked' }
      admin: { all: true }
  note:
    fields:
      text: string
      state: enum[open, done] = open
      folder_id: ref(folder)? on_delete(cascade)
      secret: bool = false
    transitions:
      state:
        initial: open
        finish: { from: open, to: done, roles: [user, admin] }
    permissions:
      public: { read: { allow: secret == false, fields: [text] } }
      user: { read: secret == false, update: secret == false, delete: text != 'kept' }
      admin: { all: true }
`;

let cell: TestCell;
let project: TestProject;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(blueprint);
  await cell.addUser("ana", project, ["user"]);
  cell.addCaller("admin", project, keyPrincipal("key_admin", ["admin"]));
  cell.addCaller("pub", project, keyPrincipal("key_pub", []));
});
afterAll(() => cell?.close());

interface Made {
  readonly path: string;
  readonly etag: string;
}

async function made(entity: string, fields: object): Promise<Made> {
  const reply = await cell.send("admin", "POST", `/api/${entity}`, fields);
  expect(reply.status, reply.text).toBe(201);
  return { path: `/api/${entity}/${reply.json.data.id}`, etag: reply.headers.get("etag") ?? "" };
}

const send = (
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: unknown,
  as = "admin",
): Promise<TestReply> => cell.send(as, method, path, body, headers);

describe("an ETag", () => {
  test("is only the same for the same representation", async () => {
    const { path, etag } = await made("notes", { text: "one" });
    expect(etag).toMatch(/^"1-[\w-]{16}"$/);
    const read = await send("GET", path);
    expect(read.headers.get("etag")).toBe(etag);
    const others = new Set([
      etag,
      (await send("GET", path, {}, undefined, "pub")).headers.get("etag"),
      (await send("GET", `${path}?fields=text`)).headers.get("etag"),
      (await send("GET", `${path}?expand=folder`)).headers.get("etag"),
      (await send("PATCH", path, {}, { text: "two" })).headers.get("etag"),
    ]);
    expect(others.size).toBe(5);
    expect((await send("GET", path)).headers.get("etag")).toMatch(/^"2-/);
  });

  test("can't be forged by a record's values", async () => {
    const text = '"version":9,"created_by":null}';
    const { path, etag } = await made("notes", { text });
    expect(etag).toMatch(/^"1-/);
    expect((await send("GET", path)).json.data.text).toBe(text);
    expect((await send("GET", `${path}?fields=text`)).headers.get("etag")).toMatch(/^"[\w-]{16}"$/);
  });

  test("saves sending a record that the caller already has", async () => {
    const { path, etag } = await made("notes", { text: "one" });
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const reply = await send("GET", path, { "if-none-match": tag });
      expect([reply.status, reply.text, reply.headers.get("etag")], tag).toEqual([304, "", etag]);
    }
    for (const tag of ['"other"', '"1"', ""])
      expect((await send("GET", path, { "if-none-match": tag })).status).toBe(200);
    expect((await send("PATCH", path, { "if-none-match": etag }, { text: "two" })).status).toBe(200);
    expect((await send("GET", path, { "if-none-match": etag })).status).toBe(200);
    const hidden = await made("notes", { text: "x", secret: true });
    expect((await send("GET", hidden.path, { "if-none-match": "*" }, undefined, "ana")).status).toBe(404);
  });
});

describe("If-Match", () => {
  test.each<[string, (made: Made, header: string) => Promise<TestReply>, number]>([
    ["an update", ({ path }, tag) => send("PATCH", path, { "if-match": tag }, { text: "new" }), 200],
    ["an update of nothing", ({ path }, tag) => send("PATCH", path, { "if-match": tag }, {}), 200],
    ["a transition", ({ path }, tag) => send("POST", `${path}/transitions/finish`, { "if-match": tag }), 200],
    ["a delete", ({ path }, tag) => send("DELETE", path, { "if-match": tag }), 204],
  ])("makes %s depend on the version", async (_, act, status) => {
    const note = await made("notes", { text: "one" });
    const stale = await act(note, '"7-abc"');
    expect([stale.status, stale.json.code]).toEqual([412, "precondition_failed"]);
    expect((await send("GET", note.path)).headers.get("etag")).toBe(note.etag);
    // The version counts, whichever representation the caller has seen.
    for (const malformed of ["1", '"1"', 'W/"1-x"', '"x-1"', "", '"1-x" "2-x"']) {
      expect((await act(note, malformed)).status, malformed).toBe(400);
    }
    expect((await act(note, '"4-x", "1-x"')).status).toBe(status);
    const other = await made("notes", { text: "one" });
    expect((await act(other, "*")).status).toBe(status);
    expect((await act({ ...other, path: "/api/notes/018f0000-0000-7000-8000-000000000000" }, "*")).status).toBe(404);
  });

  test("also applies to cascades and restores", async () => {
    const folder = await made("folders", { name: "a" });
    await made("notes", { text: "in it", folder_id: folder.path.split("/").at(-1) });
    expect((await send("DELETE", folder.path, { "if-match": '"3-x"' })).status).toBe(412);
    expect((await send("GET", folder.path)).status).toBe(200);
    expect((await send("DELETE", folder.path, { "if-match": folder.etag })).status).toBe(204);
    expect((await send("POST", `${folder.path}/restore`, { "if-match": folder.etag })).status).toBe(412);
    expect((await send("POST", `${folder.path}/restore`, { "if-match": '"2-x"' })).status).toBe(200);
  });

  test("reveals nothing hidden, and a rule's refusal comes first", async () => {
    const hidden = await made("notes", { text: "x", secret: true });
    expect((await send("PATCH", hidden.path, { "if-match": '"9-x"' }, { text: "y" }, "ana")).status).toBe(404);
    const locked = await made("folders", { name: "locked" });
    expect((await send("PATCH", locked.path, { "if-match": '"9-x"' }, { name: "y" }, "ana")).status).toBe(403);
  });

  test("lets one of many writers succeed", async () => {
    const { path, etag } = await made("notes", { text: "0" });
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, n) => send("PATCH", path, { "if-match": etag }, { text: `by ${n}` })),
    );
    const won = replies.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 412]));
    expect((await send("GET", path)).json.data).toEqual(won[0]?.json.data);
  });

  test("is required if the blueprint says so", async () => {
    const { path, etag } = await made("pages", { text: "one" });
    for (const method of ["PATCH", "DELETE"]) {
      const reply = await send(method, path, {}, method === "PATCH" ? { text: "two" } : undefined);
      expect([reply.status, reply.json.code]).toEqual([428, "precondition_required"]);
    }
    expect((await send("PATCH", path, {}, { text: "two" }, "pub")).status).toBe(403);
    expect((await send("PATCH", path, { "if-match": etag }, { text: "two" })).status).toBe(200);
    expect((await send("DELETE", path, { "if-match": "*" })).status).toBe(204);
  });

  test("applies to users as well", async () => {
    const id = (await send("GET", "/v1/users")).json.data[0].id;
    const rename = (tag: string): Promise<TestReply> =>
      send("PATCH", `/v1/users/${id}`, { "if-match": tag }, { name: "A" });
    expect((await rename('"9-x"')).status).toBe(412);
    expect((await rename('"1-x"')).status).toBe(200);
  });
});

test("HEAD answers like GET, without the body", async () => {
  const { path } = await made("notes", { text: "é".repeat(100) });
  for (const target of [path, "/api/notes?limit=1", "/api/notes/x", "/api/nothing"]) {
    const [head, get] = [await send("HEAD", target), await send("GET", target)];
    expect([head.status, head.text]).toEqual([get.status, ""]);
    expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
    expect(head.headers.get("etag")).toBe(get.headers.get("etag"));
    if (!target.startsWith("/api/notes?")) {
      expect(head.headers.get("content-length"), target).toBe(get.headers.get("content-length"));
    }
  }
  const etag = (await send("GET", path)).headers.get("etag") ?? "";
  expect((await send("HEAD", path, { "if-none-match": etag })).status).toBe(304);
});

test("OPTIONS lists the methods of a path", async () => {
  const { path } = await made("notes", { text: "one" });
  const allow = async (target: string): Promise<[number, string | null]> => {
    const reply = await send("OPTIONS", target);
    return [reply.status, reply.headers.get("allow")];
  };
  expect(await allow("/api/notes")).toEqual([204, "GET, HEAD, POST, PATCH, DELETE, OPTIONS"]);
  expect(await allow(path)).toEqual([204, "GET, HEAD, PATCH, DELETE, OPTIONS"]);
  expect(await allow(`${path}/transitions/finish`)).toEqual([204, "POST, OPTIONS"]);
  expect(await allow("/api/nothing")).toEqual([404, null]);
  expect((await cell.send(null, "OPTIONS", path)).status).toBe(401);
  const refused = await send("PUT", path);
  expect([refused.status, refused.headers.get("allow")]).toEqual([405, "GET, HEAD, PATCH, DELETE, OPTIONS"]);
});
