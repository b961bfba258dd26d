// Writes of a record that is named by a unique key: PUT creates or updates it; PATCH and DELETE require that it exists.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestCell, keyPrincipal, type TestCell, type TestProject, type TestReply } from "./testing/test-cell.ts";

const blueprint = `
project: shop
modules: [auth, users, roles, audit_logs]
roles: { clerk: {}, importer: {} }
entities:
  product:
    soft_delete: true
    fields:
      sku: string(1,20) unique
      code: int? unique
      name: string
      stock: { type: int, min: 0, default: 0 }
      origin: string? immutable
    permissions:
      admin: { all: true }
      clerk: { read: true, update: { allow: true, fields: [name, stock] } }
      importer: { read: stock > 0, create: true }
      public: { read: { allow: true, fields: [name] } }
  document:
    require_version: true
    fields: { key: string unique, text: string }
    permissions: { admin: { all: true } }
  favorite:
    unique: [product_id, user_id]
    fields: { product_id: ref(product), user_id: user_ref immutable = current_user.id, note: string? }
    permissions:
      user: { read: user_id == current_user.id, create: true, update: user_id == current_user.id, delete: user_id == current_user.id }
`;

let cell: TestCell;
let project: TestProject;
let ana: string;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(blueprint);
  ana = await cell.addUser("ana", project, ["owner", "user"]);
  await cell.addUser("ben", project, ["owner", "user"]);
  for (const role of ["admin", "clerk", "importer", "public"]) {
    cell.addCaller(role, project, keyPrincipal(`key_${role}`, [role]));
  }
});
beforeEach(async () => {
  await cell.rows(project, "truncate {schema}.products, {schema}.favorites, {schema}.documents, {schema}.audit_log");
});
afterAll(() => cell?.close());

type Headers = Readonly<Record<string, string>>;
const put = (as: string, path: string, body?: unknown, headers: Headers = {}): Promise<TestReply> =>
  cell.send(as, "PUT", `/api/products/by/${path}`, body, headers);
const audits = (): Promise<readonly unknown[]> =>
  cell.rows(project, "select operation, changes from {schema}.audit_log where entity = 'product' order by id");
const codeOf = ({ status, json }: TestReply): readonly unknown[] => [status, json?.code, json?.errors?.[0]?.path];

test("creates a missing record, and updates an existing one", async () => {
  const created = await put("admin", "sku/a%2Fb", { name: "Saw", stock: 3, origin: "DE" });
  expect(created.status, created.text).toBe(201);
  expect(created.json.data).toMatchObject({ sku: "a/b", name: "Saw", stock: 3, version: 1 });
  expect(created.headers.get("location")).toBe(`/api/products/${created.json.data.id}`);
  const updated = await put("admin", "sku/a%2Fb", { name: "Axe", origin: "FR" });
  expect(updated.status, updated.text).toBe(200);
  // Fields that can only be set at create stay.
  expect(updated.json.data).toMatchObject({
    id: created.json.data.id,
    name: "Axe",
    stock: 3,
    origin: "DE",
    version: 2,
  });
  expect(updated.headers.get("location")).toBeNull();
  expect(await audits()).toMatchObject([
    { operation: "create" },
    { operation: "update", changes: { name: ["Saw", "Axe"] } },
  ]);
  expect((await put("admin", "code/7", { sku: "seven", name: "N" })).json.data).toMatchObject({
    code: 7,
    sku: "seven",
  });
});

test("without a change, it is enough that the record exists", async () => {
  const { id } = (await put("admin", "sku/a", { name: "Saw", stock: 1 })).json.data;
  const found = await put("importer", "sku/a");
  expect([found.status, found.json.data.id, found.json.data.version]).toEqual([200, id, 1]);
  // A field that can only be set at create doesn't count as a change.
  expect((await put("importer", "sku/a", { origin: "FR", sku: "a" })).json.data.version).toBe(1);
  expect(await audits()).toHaveLength(1);
  expect((await put("admin", "sku/a", {}, { "if-match": '"9-x"' })).status).toBe(412);
});

test("sixty simultaneous requests create one record", async () => {
  const replies = await Promise.all(Array.from({ length: 60 }, (_, n) => put("admin", "sku/one", { name: `N${n}` })));
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(replies.map(({ status }) => status).filter((status) => status !== 201 && status !== 200)).toEqual([]);
  expect((await cell.rows(project, "select version from {schema}.products"))[0]).toEqual({ version: 60 });
});

test("during deletes, each request either creates or updates, and none is a 5xx", async () => {
  const replies = await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      n % 3 === 0
        ? cell.send("admin", "DELETE", "/api/products/by/sku/one")
        : put("admin", "sku/one", { name: `N${n}` }),
    ),
  );
  const counts = new Map<number, number>();
  for (const { status } of replies) counts.set(status, (counts.get(status) ?? 0) + 1);
  expect([...counts.keys()].filter((status) => ![200, 201, 204, 404, 409].includes(status))).toEqual([]);
  const living = await cell.rows(project, "select id from {schema}.products where deleted_at is null");
  expect((counts.get(201) ?? 0) - (counts.get(204) ?? 0)).toBe(living.length);
});

test("the body can repeat the key, but not contradict it; all errors are reported at once", async () => {
  expect((await put("admin", "sku/a", { sku: "a", name: "Saw" })).status).toBe(201);
  expect(codeOf(await put("admin", "sku/a", { sku: "b", name: "Saw" }))).toEqual([422, "validation_failed", "/sku"]);
  expect(codeOf(await put("admin", "sku/b", { sku: "a", name: "Saw" }))).toEqual([422, "validation_failed", "/sku"]);
  expect(codeOf(await put("admin", `sku/${"x".repeat(21)}`, { name: "Saw" }))).toEqual([
    422,
    "validation_failed",
    "/sku",
  ]);
  expect(codeOf(await put("admin", "sku/c", {}))).toEqual([422, "validation_failed", "/name"]);
  expect(codeOf(await put("admin", "sku/c"))).toEqual([422, "validation_failed", "/name"]);
  expect(codeOf(await put("admin", "sku/c", { name: "x", colour: "red" }))).toEqual([
    422,
    "validation_failed",
    "/colour",
  ]);
  expect(codeOf(await put("admin", "code/seven", { name: "x" }))).toEqual([400, "bad_request", "code"]);
  expect(codeOf(await put("admin", "stock/7", { name: "x" }))[0]).toBe(404);
  expect((await put("admin", "sku/a", {})).json.data).toMatchObject({ sku: "a", name: "Saw" });
});

test("needs the right to the create or the update that it becomes", async () => {
  expect(codeOf(await put("clerk", "sku/a", { name: "Saw" }))).toEqual([403, "forbidden", undefined]);
  expect((await put("importer", "sku/a", { name: "Saw", stock: 1 })).status).toBe(201);
  expect(codeOf(await put("importer", "sku/a", { name: "Axe" }))).toEqual([403, "forbidden", undefined]);
  expect((await put("clerk", "sku/a", { name: "Axe" })).status).toBe(200);
  expect(codeOf(await put("public", "sku/a", { name: "Axe" }))[0]).toBe(403);
});

test("a caller who can't see the record gets the answer of a create", async () => {
  await put("admin", "sku/hidden", { name: "Saw", stock: 0 });
  const plain = await cell.send("importer", "POST", "/api/products", { sku: "hidden", name: "x" });
  const reply = await put("importer", "sku/hidden", { name: "x" });
  expect([reply.status, reply.json.code, reply.json.errors]).toEqual([409, plain.json.code, plain.json.errors]);
});

test("a deleted record conflicts with nothing", async () => {
  const first = await put("admin", "sku/a", { name: "Saw" });
  expect((await cell.send("admin", "DELETE", "/api/products/by/sku/a")).status).toBe(204);
  const second = await put("admin", "sku/a", { name: "Axe" });
  expect([second.status, second.json.data.id === first.json.data.id]).toEqual([201, false]);
});

test("a key that holds the caller: a favorite is set twice, and once", async () => {
  const { id } = (await put("admin", "sku/a", { name: "Saw" })).json.data;
  const path = `/api/favorites/by/product_id,user_id/${id},${ana}`;
  expect((await cell.send("ana", "PUT", path)).status).toBe(201);
  expect((await cell.send("ana", "PUT", path, { note: "mine" })).json.data).toMatchObject({ note: "mine", version: 2 });
  expect((await cell.send("ben", "PUT", path)).status).toBe(403);
  expect((await cell.send("ben", "DELETE", path)).status).toBe(404);
  expect((await cell.send("ana", "DELETE", path)).status).toBe(204);
  expect((await cell.send("ana", "DELETE", path)).status).toBe(404);
});

test("PATCH and DELETE name a record by its key as by its id", async () => {
  const path = "/api/products/by/sku/a";
  expect((await cell.send("admin", "PATCH", path, { name: "x" })).status).toBe(404);
  await put("admin", "sku/a", { name: "Saw", stock: 5 });
  expect((await cell.send("admin", "PATCH", path, { stock: { add: -2 } })).json.data).toMatchObject({ stock: 3 });
  expect((await cell.send("admin", "PATCH", path, { sku: "b" })).json.data).toMatchObject({ sku: "b" });
  expect((await cell.send("admin", "DELETE", "/api/products/by/sku/b")).status).toBe(204);
  expect((await cell.send("admin", "POST", path, {})).status).toBe(405);
});

test("conditions, dry runs and repetitions work as for other writes", async () => {
  const once = { "idempotency-key": "k1" };
  const first = await put("admin", "sku/a", { name: "Saw" }, once);
  const again = await put("admin", "sku/a", { name: "Saw" }, once);
  expect([again.status, again.text, again.headers.get("idempotency-replayed")]).toEqual([201, first.text, "true"]);
  expect(again.headers.get("location")).toBe(first.headers.get("location"));
  expect(codeOf(await put("admin", "sku/a", { name: "Axe" }, once))).toEqual([
    422,
    "idempotency_key_reused",
    undefined,
  ]);
  expect((await put("admin", "sku/a", { name: "x" }, { "if-none-match": "*" })).status).toBe(412);
  expect((await put("admin", "sku/b", { name: "x" }, { "if-none-match": "*" })).status).toBe(201);
  expect((await put("admin", "sku/c", { name: "x" }, { "if-match": '"1-x"' })).status).toBe(412);
  expect((await put("admin", "sku/a", { name: "x" }, { "if-match": '"9-x"' })).status).toBe(412);
  const etag = first.headers.get("etag") ?? "";
  expect((await put("admin", "sku/a", { name: "x" }, { "if-match": etag })).status).toBe(200);
  const tried = await put("admin", "sku/new?dry_run=true", { name: "x" });
  expect([tried.status, tried.headers.get("plinth-dry-run"), tried.headers.get("location")]).toEqual([
    201,
    "true",
    null,
  ]);
  expect((await cell.send("admin", "GET", "/api/products/by/sku/new")).status).toBe(404);
  expect(codeOf(await put("admin", "sku/a?colour=red", { name: "x" }))).toEqual([400, "unknown_parameter", "colour"]);
  const gone = { "idempotency-key": "k2" };
  const remove = (): Promise<TestReply> => cell.send("admin", "DELETE", "/api/products/by/sku/b", undefined, gone);
  expect([(await remove()).status, (await remove()).status]).toEqual([204, 204]);
});

test("if a version is required, an update must name one", async () => {
  const path = "/api/documents/by/key/a";
  expect((await cell.send("admin", "PUT", path, { text: "x" })).status).toBe(201);
  expect((await cell.send("admin", "PUT", path, { text: "y" })).status).toBe(428);
  expect((await cell.send("admin", "PUT", path, { text: "y" }, { "if-match": "*" })).status).toBe(200);
});
