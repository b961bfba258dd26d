// A record that is named by the values of a unique key: the same as by its id, under the same rules.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestCell, keyPrincipal, type TestCell, type TestProject } from "./testing/test-cell.ts";

const blueprint = `
project: shop
modules: [auth, users, roles, organizations]
entities:
  product:
    fields:
      sku: string unique
      number: int? unique
      shelf: string?
      place: string?
      cost: string? unique
      owner_id: user_ref = current_user.id
    unique: [[shelf, place]]
    permissions:
      admin: { all: true }
      owner: { read: owner_id == current_user.id }
      user: { read: { allow: shelf == "open", fields: [sku, number, shelf, place, owner_id] } }
      public: { read: { allow: shelf == "open", fields: [sku, number, shelf] } }
  vehicle:
    fields: { plate: string unique(org), label: string? }
    org_scoped: true
    permissions:
      admin: { all: true }
`;

let cell: TestCell;
let project: TestProject;
let anas: string;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(blueprint);
  const ana = await cell.addUser("ana", project, ["owner", "user"]);
  await cell.addUser("ben", project, ["owner", "user"]);
  cell.addCaller("admin", project, keyPrincipal("key_admin", ["admin"]));
  cell.addCaller("pub", project, keyPrincipal("key_pub", ["public"]));
  const create = async (body: object): Promise<string> => {
    const reply = await cell.send("admin", "POST", "/api/products", body);
    expect(reply.status, reply.text).toBe(201);
    return reply.json.data.id;
  };
  anas = await create({ sku: "a/b, c?%é", number: 1, cost: "9", owner_id: ana });
  await create({ sku: "two", number: 2, shelf: "open", place: "x,y", cost: "7", owner_id: ana });
  await create({ sku: "three", shelf: "open", place: "x", owner_id: ana });
});
afterAll(() => cell?.close());

async function read(as: string, path: string): Promise<unknown> {
  const { status, json } = await cell.send(as, "GET", `/api/products/by/${path}`);
  return status === 200 ? json.data.sku : [status, json.errors?.[0]?.message ?? json.detail ?? json.code];
}

test("is read by each of its keys, whatever characters its values contain", async () => {
  expect(await read("admin", `sku/${encodeURIComponent("a/b, c?%é")}`)).toBe("a/b, c?%é");
  expect(await read("admin", "number/2")).toBe("two");
  expect(await read("admin", "shelf,place/open,x%2Cy")).toBe("two");
  expect(await read("admin", "shelf,place/open,x")).toBe("three");
  const plain = await cell.send("admin", "GET", "/v1/resources/product/by/number/1?fields=number&expand=owner");
  expect(plain.json.data).toEqual({ number: 1, owner: expect.objectContaining({ id: expect.any(String) }) });
  const byId = await cell.send("ana", "GET", `/api/products/${anas}`);
  const byKey = await cell.send("ana", "GET", `/api/products/by/number/1`);
  expect([byKey.text, byKey.headers.get("etag")]).toEqual([byId.text, byId.headers.get("etag")]);
});

test("is hidden from the same callers as by its id", async () => {
  expect(await read("ana", "number/1")).toBe("a/b, c?%é");
  expect(await read("ben", "number/1")).toEqual([404, expect.anything()]);
  expect(await read("ben", "number/999")).toEqual(await read("ben", "number/1"));
  expect(await read("pub", "sku/two")).toBe("two");
});

test("a key that the caller can't read names nothing", async () => {
  expect(await read("pub", "cost/7")).toEqual([403, "Your role does not allow you to name a record by cost."]);
  expect(await read("ana", "cost/9")).toBe("a/b, c?%é");
  expect(await read("ben", "sku/two")).toBe("two");
  expect(await read("ben", "cost/7")).toEqual([404, expect.anything()]);
});

test("a text that is no value of the key gets an error", async () => {
  expect(await read("admin", "number/one")).toEqual([400, "It must be a whole number of 32 bits."]);
  expect(await read("admin", "shelf,place/open")).toEqual([400, "It takes 2 values, a comma within one as %2C."]);
  expect(await read("admin", "sku/%zz")).toEqual([400, expect.anything()]);
  expect(await read("admin", "sku/%00")).toEqual([400, expect.anything()]);
  expect(await read("admin", "shelf/open")).toEqual([404, expect.anything()]);
  expect(await read("admin", "sku/two?colour=red")).toEqual([400, "Reading a record takes fields and expand."]);
});

test("a key that is unique within organizations finds the record of the request's organization", async () => {
  const insert = "insert into {schema}.organizations (id, name) values (gen_random_uuid(), $1) returning id";
  const made = await Promise.all(["One", "Two"].map((name) => cell.rows(project, insert, [name])));
  const within = made.map(([row]) => ({ "plinth-organization": String(row?.["id"]) }));
  for (const headers of within)
    await cell.send("admin", "POST", "/api/vehicles", { plate: "B-1", label: "x" }, headers);
  const path = "/api/vehicles/by/plate/B-1";
  for (const headers of within) {
    const reply = await cell.send("admin", "GET", path, undefined, headers);
    expect(reply.json.data.org_id).toBe(headers["plinth-organization"]);
  }
  const open = await cell.send("admin", "GET", path);
  expect([open.status, open.json.detail]).toEqual([
    400,
    "Several organizations have such a record. Name your organization in the header Plinth-Organization.",
  ]);
});
