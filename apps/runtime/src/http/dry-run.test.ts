// `dry_run=true`: the statements of the write judge and answer it as usual, and nothing is stored.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestCell, keyPrincipal, type TestCell, type TestProject, type TestReply } from "./testing/test-cell.ts";

const blueprint = `
project: tried
modules: [auth, users, roles, audit_logs]

entities:
  album:
    soft_delete: true
    fields:
      name: string
      code: string? unique
      number: sequence(A-)
      plays: { type: int, min: 0, default: 5 }
      tags: refs(label)
      owner_id: user_ref = current_user.id
      state: enum[draft, out] = draft
    transitions:
      state:
        initial: draft
        release: { from: draft, to: out, roles: [user], require: [code] }
    permissions:
      user: { read: true, create: true, update: owner_id == current_user.id, delete: owner_id == current_user.id, restore: true }
      admin: { all: true }
  track:
    soft_delete: true
    fields:
      title: string
      album_id: ref(album) on_delete(cascade)
    permissions:
      user: { read: true, create: true, delete: true }
      admin: { all: true }
  label:
    fields: { name: string }
    permissions:
      user: { all: true }
`;

let cell: TestCell;
let project: TestProject;
let before: string;
let album: string;
let label: string;
beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(blueprint);
  await cell.addUser("ana", project, ["user"]);
  await cell.addUser("ben", project, ["user"]);
  cell.addCaller("admin", project, keyPrincipal("key_admin", ["admin"]));
  const made = await cell.send("ana", "POST", "/api/albums", { name: "first", code: "c1" });
  expect(made.status, made.text).toBe(201);
  album = `/api/albums/${made.json.data.id}`;
  await cell.send("ana", "POST", "/api/tracks", { title: "one", album_id: made.json.data.id });
  label = (await cell.send("ana", "POST", "/api/labels", { name: "quiet" })).json.data.id;
});
afterAll(() => cell?.close());
beforeEach(async () => {
  before = await cell.fingerprint(project);
});

async function tried(
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<TestReply> {
  const reply = await cell.send("ana", method, `${path}?dry_run=true`, body, headers);
  expect(await cell.fingerprint(project), `${method} ${path} has kept something`).toBe(before);
  if (reply.status < 300) expect(reply.headers.get("plinth-dry-run")).toBe("true");
  return reply;
}

describe("a dry run", () => {
  test("answers a create as usual, and uses up no number", async () => {
    const reply = await tried("POST", "/api/albums", { name: "second", tags: [label] });
    expect([reply.status, reply.headers.get("location")], reply.text).toEqual([201, null]);
    expect(reply.json.data).toMatchObject({ name: "second", number: "A-2", state: "draft", tags: [label], version: 1 });
    expect((await tried("POST", "/v1/resources/albums", { name: "second" })).json.data.number).toBe("A-2");
  });

  test("answers an update, one that changes nothing, and a sum", async () => {
    const reply = await tried("PATCH", album, { name: "other", plays: { add: 2 }, tags: [label] });
    expect(reply.json.data).toMatchObject({ name: "other", plays: 7, tags: [label], version: 2 });
    expect((await tried("PATCH", album, {})).json.data.version).toBe(1);
  });

  test("answers a transition", async () => {
    expect((await tried("POST", `${album}/transitions/release`)).json.data).toMatchObject({ state: "out", version: 2 });
  });

  test("answers a delete with its cascade, and a restore", async () => {
    expect((await tried("DELETE", album)).status).toBe(204);
    expect((await tried("DELETE", `/api/labels/${label}`)).status).toBe(204);
    expect((await cell.send("ana", "DELETE", album)).status).toBe(204);
    before = await cell.fingerprint(project);
    expect((await tried("POST", `${album}/restore`)).json.data.version).toBe(3);
    expect((await cell.send("ana", "POST", `${album}/restore`)).status).toBe(200);
  });

  test("is refused as usual", async () => {
    const cases = [
      [409, "unique_violation", "POST", "/api/albums", { name: "x", code: "c1" }],
      [422, "validation_failed", "POST", "/api/albums", { nam: "x" }],
      [422, "validation_failed", "POST", "/api/tracks", { title: "x", album_id: label }],
      [422, "validation_failed", "PATCH", album, { plays: { add: -6 } }],
      [404, "not_found", "DELETE", `/api/albums/${label}`, undefined],
    ] as const;
    for (const [status, code, method, path, body] of cases) {
      const reply = await tried(method, path, body);
      expect([reply.status, reply.json?.code], `${method} ${path} ${reply.text}`).toEqual([status, code]);
    }
    const other = await cell.send("ben", "PATCH", `${album}?dry_run=true`, { name: "mine" });
    expect([other.status, other.json.code]).toEqual([403, "forbidden"]);
    const stale = await tried("PATCH", album, { name: "x" }, { "if-match": '"9-a"' });
    expect(stale.status).toBe(412);
  });

  test("saves no reply for its key, and doesn't use a saved one", async () => {
    const key = { "idempotency-key": "tried" };
    expect((await tried("POST", "/api/albums", { name: "keyed" }, key)).status).toBe(201);
    const made = await cell.send("ana", "POST", "/api/albums", { name: "keyed" }, key);
    expect([made.status, made.headers.get("idempotency-replayed"), made.headers.get("plinth-dry-run")]).toEqual([
      201,
      null,
      null,
    ]);
    before = await cell.fingerprint(project);
    const again = await tried("POST", "/api/albums", { name: "keyed" }, key);
    expect([again.headers.get("idempotency-replayed"), again.json.data.id === made.json.data.id]).toEqual([
      null,
      false,
    ]);
  });
});

test("dry_run is true or false, given once, on routes that write", async () => {
  const send = (query: string, method = "PATCH") =>
    cell.send("ana", method, `${album}?${query}`, method === "GET" ? undefined : {});
  expect((await send("dry_run=false")).headers.get("plinth-dry-run")).toBeNull();
  expect(await cell.fingerprint(project)).toBe(before);
  for (const query of ["dry_run", "dry_run=", "dry_run=1", "dry_run=true&dry_run=true", "dry_run=TRUE"]) {
    const reply = await send(query);
    expect([reply.status, reply.json.code, reply.json.errors[0].path], query).toEqual([400, "bad_request", "dry_run"]);
  }
  const unknown = await send("dryrun=true");
  expect([unknown.status, unknown.json.code, unknown.json.errors[0].path]).toEqual([
    400,
    "unknown_parameter",
    "dryrun",
  ]);
  expect((await send("dry_run=true", "GET")).status).toBe(400);
});
