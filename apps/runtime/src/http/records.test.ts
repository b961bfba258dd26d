// The five operations end to end over HTTP, under both route families: who can, who can't, and what is left behind.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testBlueprint } from "./testing/blueprint.ts";
import { createTestCell, keyPrincipal, type TestCell, type TestProject } from "./testing/test-cell.ts";

let cell: TestCell;
let project: TestProject;
let other: TestProject;
let ana: string;
let bob: string;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(testBlueprint);
  other = await cell.addProject(testBlueprint);
  ana = await cell.addUser("ana", project, ["owner", "user"]);
  bob = await cell.addUser("bob", project, ["owner", "user"]);
  await cell.addUser("sue", project, ["owner", "support", "user"]);
  await cell.addUser("root", project, ["admin", "owner", "user"]);
  await cell.addUser("eve", other, ["admin", "owner", "user"]);
  cell.addCaller("pub", project, keyPrincipal("key_pub", []));
  cell.addCaller("adminkey", project, keyPrincipal("key_admin", ["admin"]));
  cell.addCaller("otherkey", other, keyPrincipal("key_other", ["admin"]));
});
afterAll(() => cell?.close());

async function listing(as: string, values: Record<string, unknown> = {}): Promise<string> {
  const reply = await cell.send(as, "POST", "/api/listings", { title: "Chair", price: 10, ...values });
  expect(reply.status, reply.text).toBe(201);
  return reply.json.data.id;
}

/** A refused request changes no row and writes no audit row. */
async function refused(
  expected: { readonly status: number; readonly code: string },
  request: Parameters<TestCell["send"]>,
  of: TestProject = project,
): Promise<Awaited<ReturnType<TestCell["send"]>>> {
  const before = await cell.fingerprint(of);
  const reply = await cell.send(...request);
  expect({ status: reply.status, code: reply.json?.code }, reply.text).toEqual(expected);
  expect(reply.headers.get("content-type")).toContain("application/problem+json");
  expect(reply.text).not.toMatch(/select|insert|update .* set|at .*\.ts|\bt_[a-z0-9]{20}/i);
  expect(await cell.fingerprint(of)).toBe(before);
  return reply;
}

describe.each(["/v1/resources/listings", "/v1/resources/listing", "/api/listings"])("%s", (path) => {
  test("creates, reads, updates, lists and deletes a record", async () => {
    const created = await cell.send("ana", "POST", path, { title: "Lamp", price: 5, featured: true });
    expect(created.status, created.text).toBe(201);
    const { data } = created.json;
    expect(data).toMatchObject({
      title: "Lamp",
      price: 5,
      featured: true,
      status: "draft",
      created_by: ana,
      version: 1,
    });
    expect(data.description).toBeNull();
    expect(data.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(data.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(created.headers.get("location")).toBe(`${path}/${data.id}`);

    const read = await cell.send("ana", "GET", `${path}/${data.id}`);
    expect(read.status).toBe(200);
    expect(read.json.data).toEqual(data);

    const updated = await cell.send("ana", "PATCH", `${path}/${data.id}`, { price: 7, description: "Brass" });
    expect(updated.status, updated.text).toBe(200);
    expect(updated.json.data).toMatchObject({ price: 7, description: "Brass", title: "Lamp", version: 2 });
    const cleared = await cell.send("ana", "PATCH", `${path}/${data.id}`, { description: null });
    expect(cleared.json.data).toMatchObject({ price: 7, description: null, version: 3 });

    const list = await cell.send("ana", "GET", path);
    expect(list.status, list.text).toBe(200);
    expect(list.json.data.find((each: { id: string }) => each.id === data.id)).toEqual(cleared.json.data);

    const deleted = await cell.send("ana", "DELETE", `${path}/${data.id}`);
    expect({ status: deleted.status, text: deleted.text }).toEqual({ status: 204, text: "" });
    expect((await cell.send("ana", "GET", `${path}/${data.id}`)).status).toBe(404);
  });

  test("answers 401 without a credential", async () => {
    for (const [method, rest] of [
      ["GET", ""],
      ["POST", ""],
      ["GET", "/x"],
      ["PATCH", "/x"],
      ["DELETE", "/x"],
    ] as const) {
      const reply = await refused({ status: 401, code: "unauthenticated" }, [null, method, `${path}${rest}`]);
      expect(reply.headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  test("answers 403 where the role lacks the operation", async () => {
    const id = await listing("ana", { status: "active" });
    await refused({ status: 403, code: "forbidden" }, ["pub", "POST", path, { title: "x", price: 1 }]);
    await refused({ status: 403, code: "forbidden" }, ["pub", "PATCH", `${path}/${id}`, { price: 1 }]);
    await refused({ status: 403, code: "forbidden" }, ["pub", "DELETE", `${path}/${id}`]);
    // Refused for every id and body: neither the record nor the body is read.
    const missing = "018f0000-0000-7000-8000-000000000000";
    await refused({ status: 403, code: "forbidden" }, ["pub", "PATCH", `${path}/${missing}`, "{"]);
    await refused({ status: 403, code: "forbidden" }, ["pub", "DELETE", `${path}/${missing}`]);
  });

  test("gives the same answer for hidden and missing records", async () => {
    const hidden = await listing("ana");
    const missing = "018f0000-0000-7000-8000-000000000000";
    for (const [method, body] of [
      ["GET", undefined],
      ["PATCH", { price: 3 }],
      ["PATCH", {}],
      ["DELETE", undefined],
    ] as const) {
      const replies = [];
      for (const id of [hidden, missing]) {
        const request: Parameters<TestCell["send"]> = [
          "bob",
          method,
          `${path}/${id}`,
          body,
          { "x-request-id": "same" },
        ];
        replies.push((await refused({ status: 404, code: "not_found" }, request)).text);
      }
      expect(new Set(replies).size).toBe(1);
    }
  });

  test("answers 403 if the record is readable but the rule refuses", async () => {
    const id = await listing("ana", { status: "active" });
    await refused({ status: 403, code: "forbidden" }, ["bob", "PATCH", `${path}/${id}`, { price: 3 }]);
    await refused({ status: 403, code: "forbidden" }, ["bob", "PATCH", `${path}/${id}`, {}]);
    await refused({ status: 403, code: "forbidden" }, ["bob", "DELETE", `${path}/${id}`]);
  });

  test("separates projects", async () => {
    const id = await listing("ana", { status: "active" });
    for (const name of ["eve", "otherkey"]) {
      await refused({ status: 404, code: "not_found" }, [name, "GET", `${path}/${id}`]);
      await refused({ status: 404, code: "not_found" }, [name, "PATCH", `${path}/${id}`, { price: 1 }]);
      await refused({ status: 404, code: "not_found" }, [name, "DELETE", `${path}/${id}`]);
      const list = await cell.send(name, "GET", path);
      expect(list.json.data.map((each: { id: string }) => each.id)).not.toContain(id);
    }
  });
});

describe("an audit row", () => {
  test("is written for every write, with the data of the caller's request", async () => {
    const created = await cell.send(
      "ana",
      "POST",
      "/api/listings",
      { title: "Audited", price: 1 },
      { "x-request-id": "req-1" },
    );
    const { id } = created.json.data;
    await cell.send("ana", "PATCH", `/api/listings/${id}`, { price: 2, description: "d" }, { "x-request-id": "req-2" });
    await cell.send("adminkey", "DELETE", `/api/listings/${id}`, undefined, { "x-request-id": "req-3" });
    const rows = await cell.rows(project, "select * from {schema}.audit_log where record_id = $1 order by id", [id]);
    const summary = rows.map(({ request_id, actor_kind, actor_id, operation, entity }) => [
      request_id,
      actor_kind,
      actor_id,
      operation,
      entity,
    ]);
    expect(summary).toEqual([
      ["req-1", "user", ana, "create", "listing"],
      ["req-2", "user", ana, "update", "listing"],
      ["req-3", "key", "key_admin", "delete", "listing"],
    ]);
    expect(rows[0]?.changes).toMatchObject({ id, title: "Audited", price: 1, status: "draft", created_by: ana });
    expect(rows[1]?.changes).toEqual({ price: [1, 2], description: [null, "d"] });
    expect(rows[2]?.changes).toMatchObject({ id, title: "Audited", price: 2, version: 2 });
  });

  test("is not written by an update that changes nothing", async () => {
    const id = await listing("ana");
    const before = await cell.fingerprint(project);
    const reply = await cell.send("ana", "PATCH", `/api/listings/${id}`, {});
    expect(reply.status).toBe(200);
    expect(reply.json.data).toMatchObject({ id, version: 1 });
    expect(await cell.fingerprint(project)).toBe(before);
  });
});

describe("a rule for everybody together with one about the caller", () => {
  test("allows changes and deletes of records that they can't read", async () => {
    const made = await cell.send("ana", "POST", "/api/drafts", { text: "t" });
    const draft = `/api/drafts/${made.json.data.id}`;
    expect((await cell.send("bob", "GET", draft)).status).toBe(404);
    const changed = await cell.send("bob", "PATCH", draft, { text: "u" });
    expect([changed.status, Object.keys(changed.json.data)], changed.text).toEqual([200, ["id"]]);
    expect((await cell.send("bob", "PATCH", draft, {})).status).toBe(200);
    expect((await cell.send("bob", "DELETE", draft)).status).toBe(204);
  });
});

describe("ownership", () => {
  test("can't be given to others", async () => {
    const id = await listing("ana");
    const given = { created_by: bob };
    const reply = await refused({ status: 403, code: "forbidden" }, ["ana", "PATCH", `/api/listings/${id}`, given]);
    expect(reply.json.errors).toEqual([expect.objectContaining({ path: "/created_by", code: "admin_only" })]);
    await refused({ status: 403, code: "forbidden" }, ["ana", "PATCH", `/api/listings/${id}`, { created_by: null }]);
    const shipment = await cell.send("ana", "POST", "/api/shipments", {});
    expect(shipment.status, shipment.text).toBe(201);
    await refused({ status: 403, code: "forbidden" }, [
      "ana",
      "PATCH",
      `/api/shipments/${shipment.json.data.id}`,
      { user_id: bob },
    ]);
  });

  test("can't be given away even if the caller can write the field, because of the rule", async () => {
    const own = { title: "t", holder_email: "ana@example.com", holder: ana };
    const { id } = (await cell.send("ana", "POST", "/api/tasks", own)).json.data;
    const away = { holder_email: "bob@example.com" };
    await refused({ status: 403, code: "forbidden" }, ["ana", "PATCH", `/api/tasks/${id}`, away]);
    await refused({ status: 404, code: "not_found" }, ["bob", "PATCH", `/api/tasks/${id}`, away]);
    await refused({ status: 403, code: "forbidden" }, ["bob", "POST", "/api/tasks", { ...own, holder: bob }]);
    const rows = await cell.rows(project, "select holder_email from {schema}.tasks where id = $1", [id]);
    expect(rows).toEqual([{ holder_email: "ana@example.com" }]);
  });

  test("can't be taken by others who can change the record; naming the present owner changes nothing", async () => {
    const made = await cell.send("ana", "POST", "/api/papers", {});
    const paper = `/api/papers/${made.json.data.id}`;
    const reply = await refused({ status: 403, code: "forbidden" }, ["bob", "PATCH", paper, { holder_id: bob }]);
    expect(reply.json.errors).toEqual([expect.objectContaining({ path: "/holder_id", code: "admin_only" })]);
    const same = await cell.send("bob", "PATCH", paper, { holder_id: ana, text: "t" });
    expect(same.json.data, same.text).toMatchObject({ holder_id: ana, text: "t" });
  });

  test("can't be forged at create", async () => {
    const reply = await refused({ status: 403, code: "forbidden" }, [
      "bob",
      "POST",
      "/api/listings",
      { title: "x", price: 1, created_by: ana },
    ]);
    expect(reply.json.errors).toEqual([expect.objectContaining({ path: "/created_by", code: "admin_only" })]);
    await refused({ status: 403, code: "forbidden" }, ["bob", "POST", "/api/shipments", { user_id: ana }]);
  });

  test("can be named by the owner, in any case of letters", async () => {
    const reply = await cell.send("bob", "POST", "/api/shipments", { user_id: bob.toUpperCase() });
    expect(reply.status, reply.text).toBe(201);
    expect(reply.json.data.user_id).toBe(bob);
  });

  test("can be given by an admin, with a user's token or a key", async () => {
    for (const name of ["root", "adminkey"]) {
      const reply = await cell.send(name, "POST", "/api/shipments", { user_id: ana });
      expect(reply.status, reply.text).toBe(201);
      expect(reply.json.data.user_id).toBe(ana);
      const moved = await cell.send(name, "PATCH", `/api/shipments/${reply.json.data.id}`, { user_id: bob });
      expect(moved.json.data).toMatchObject({ user_id: bob, version: 2 });
    }
  });

  test("must be named if no user is signed in", async () => {
    const reply = await refused({ status: 422, code: "validation_failed" }, ["adminkey", "POST", "/api/shipments", {}]);
    expect(reply.json.errors).toEqual([expect.objectContaining({ path: "/user_id", code: "required" })]);
    expect(
      (await cell.send("adminkey", "POST", "/api/listings", { title: "t", price: 1 })).json.data.created_by,
    ).toBeNull();
  });
});

describe("a rule over the old and the new row", () => {
  test("allows only the declared step, only to those with the role", async () => {
    const { id } = (await cell.send("ana", "POST", "/api/shipments", {})).json.data;
    await refused({ status: 403, code: "forbidden" }, [
      "sue",
      "PATCH",
      `/api/shipments/${id}`,
      { status: "delivered" },
    ]);
    expect((await cell.send("sue", "PATCH", `/api/shipments/${id}`, { status: "purchased" })).status).toBe(200);
    await refused({ status: 403, code: "forbidden" }, [
      "sue",
      "PATCH",
      `/api/shipments/${id}`,
      { status: "purchased" },
    ]);
  });
});

describe("a reference", () => {
  const inquiry = { name: "N", email: "n@example.com", message: "Hello" };

  test("can name records that the caller can read; the reply shows no more than they can read", async () => {
    const id = await listing("ana", { status: "active" });
    const reply = await cell.send("pub", "POST", "/v1/resources/inquiries", { ...inquiry, listing_id: id });
    expect(reply.status, reply.text).toBe(201);
    expect(Object.keys(reply.json.data)).toEqual(["id"]);
    const own = await cell.send("ana", "GET", `/api/inquiries/${reply.json.data.id}`);
    expect(own.json.data).toMatchObject({ ...inquiry, listing_id: id });
    expect((await cell.send("bob", "GET", `/api/inquiries/${reply.json.data.id}`)).status).toBe(404);
  });

  test("gives the same answer for missing and hidden records", async () => {
    const hidden = await listing("ana");
    const texts = [];
    for (const id of [hidden, "018f0000-0000-7000-8000-000000000000"]) {
      const body = { ...inquiry, listing_id: id };
      const reply = await refused({ status: 422, code: "validation_failed" }, [
        "pub",
        "POST",
        "/api/inquiries",
        body,
        { "x-request-id": "r" },
      ]);
      expect(reply.json.errors).toEqual([expect.objectContaining({ path: "/listing_id", code: "unknown_reference" })]);
      texts.push(reply.text);
    }
    expect(texts[0]).toBe(texts[1]);
  });

  test("is checked again when an update changes it", async () => {
    const id = await listing("ana", { status: "active" });
    const made = await cell.send("adminkey", "POST", "/api/inquiries", { ...inquiry, listing_id: id });
    const missing = { listing_id: "018f0000-0000-7000-8000-000000000000" };
    await refused({ status: 422, code: "validation_failed" }, [
      "adminkey",
      "PATCH",
      `/api/inquiries/${made.json.data.id}`,
      missing,
    ]);
  });

  test("prevents the delete of its target", async () => {
    const id = await listing("ana", { status: "active" });
    await cell.send("pub", "POST", "/api/inquiries", { ...inquiry, listing_id: id });
    await refused({ status: 409, code: "reference_restricted" }, ["ana", "DELETE", `/api/listings/${id}`]);
  });

  test("into another project is a missing record", async () => {
    const foreign = (await cell.send("eve", "POST", "/api/listings", { title: "x", price: 1, status: "active" })).json
      .data.id;
    await refused({ status: 422, code: "validation_failed" }, [
      "pub",
      "POST",
      "/api/inquiries",
      { ...inquiry, listing_id: foreign },
    ]);
  });
});

describe("a unique field", () => {
  test("names itself in the conflict, at create and at update", async () => {
    await listing("ana", { code: "A1" });
    const id = await listing("bob", { code: "B1" });
    const created = await refused({ status: 409, code: "unique_violation" }, [
      "bob",
      "POST",
      "/api/listings",
      { title: "x", price: 1, code: "A1" },
    ]);
    expect(created.json.errors).toEqual([expect.objectContaining({ path: "/code", code: "taken" })]);
    const updated = await refused({ status: 409, code: "unique_violation" }, [
      "bob",
      "PATCH",
      `/api/listings/${id}`,
      { code: "A1" },
    ]);
    expect(updated.json.errors).toEqual([expect.objectContaining({ path: "/code" })]);
    expect(created.text).not.toContain("A1");
  });
});

describe("a console operator", () => {
  test("acts as admin and is named in the audit log; a viewer reads only", async () => {
    const roles = ["admin", "public"];
    cell.addCaller("op", project, { kind: "operator", email: "op@example.com", roles, readOnly: false });
    cell.addCaller("viewer", project, { kind: "operator", email: "view@example.com", roles, readOnly: true });
    const id = await listing("op");
    const rows = await cell.rows(project, "select actor_kind, actor_id from {schema}.audit_log where record_id = $1", [
      id,
    ]);
    expect(rows).toEqual([{ actor_kind: "operator", actor_id: "op@example.com" }]);
    expect((await cell.send("viewer", "GET", `/api/listings/${id}`)).status).toBe(200);
    await refused({ status: 403, code: "forbidden" }, ["viewer", "POST", "/api/listings", { title: "x", price: 1 }]);
    await refused({ status: 403, code: "forbidden" }, ["viewer", "PATCH", `/api/listings/${id}`, { price: 1 }]);
    await refused({ status: 403, code: "forbidden" }, ["viewer", "DELETE", `/api/listings/${id}`]);
  });
});
