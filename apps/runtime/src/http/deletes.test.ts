// Deletes over HTTP: marks and restores, and the effects on records that refer to the deleted one: they are deleted
// too, lose their reference, or prevent the delete.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestCell, keyPrincipal, type TestCell, type TestProject } from "./testing/test-cell.ts";
import { wholeBlueprint } from "./testing/whole-blueprint.ts";

let cell: TestCell;
let project: TestProject;
let other: TestProject;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(wholeBlueprint);
  other = await cell.addProject(wholeBlueprint);
  await cell.addUser("ana", project, ["owner", "user"]);
  cell.addCaller("pub", project, keyPrincipal("key_pub", []));
  cell.addCaller("adminkey", project, keyPrincipal("key_admin", ["admin"]));
  cell.addCaller("otherkey", other, keyPrincipal("key_other", ["admin"]));
});
afterAll(() => cell?.close());

let last = 0;
async function make(plural: string, values: object = {}): Promise<string> {
  const reply = await cell.send("ana", "POST", `/api/${plural}`, values);
  expect(reply.status, reply.text).toBe(201);
  return reply.json.data.id;
}
const folder = (values: object = {}): Promise<string> => make("folders", { name: `f${++last}`, ...values });

async function refused(status: number, code: string, request: Parameters<TestCell["send"]>): Promise<string> {
  const before = await cell.fingerprint(project);
  const reply = await cell.send(...request);
  expect([reply.status, reply.json?.code], reply.text).toEqual([status, code]);
  expect(await cell.fingerprint(project)).toBe(before);
  return reply.text;
}

async function operations(id: string): Promise<readonly unknown[]> {
  const rows = await cell.rows(project, "select operation from {schema}.audit_log where record_id = $1 order by id", [
    id,
  ]);
  return rows.map((row) => row.operation);
}

async function remove(plural: string, id: string): Promise<void> {
  const reply = await cell.send("ana", "DELETE", `/api/${plural}/${id}`);
  expect(reply.status, reply.text).toBe(204);
}

describe("a record that is only marked", () => {
  test("is not found anywhere until it is restored", async () => {
    const id = await folder({ name: "kept" });
    await remove("folders", id);
    await refused(404, "not_found", ["ana", "GET", `/api/folders/${id}`]);
    await refused(404, "not_found", ["ana", "PATCH", `/api/folders/${id}`, { name: "x" }]);
    await refused(404, "not_found", ["ana", "PATCH", `/api/folders/${id}`, {}]);
    await refused(404, "not_found", ["ana", "DELETE", `/api/folders/${id}`]);
    expect((await cell.send("ana", "GET", `/api/folders?name=kept`)).json.data).toEqual([]);
    const reply = await cell.send("ana", "POST", "/api/notes", { text: "t", folder_id: id });
    expect([reply.status, reply.json.errors[0].code]).toEqual([422, "unknown_reference"]);
    const restored = await cell.send("ana", "POST", `/api/folders/${id}/restore`);
    expect(restored.status, restored.text).toBe(200);
    expect(restored.json.data).toMatchObject({ id, name: "kept", version: 3, deleted_at: null });
    expect((await cell.send("ana", "GET", `/api/folders/${id}`)).json.data).toEqual(restored.json.data);
    expect(await operations(id)).toEqual(["create", "delete", "restore"]);
  });

  test("is only listed for the project's operators who can change it", async () => {
    const roles = ["admin", "public"];
    cell.addCaller("op", project, { kind: "operator", email: "op@example.com", roles, readOnly: false });
    cell.addCaller("viewer", project, { kind: "operator", email: "v@example.com", roles, readOnly: true });
    const [id, living] = [await folder({ name: "listed" }), await folder({ name: "alive" })];
    await remove("folders", id);
    const ids = async (query: string): Promise<readonly string[]> => {
      const reply = await cell.send("op", "GET", `/api/folders?${query}`);
      expect(reply.status, reply.text).toBe(200);
      return reply.json.data.map((row: { id: string }) => row.id);
    };
    expect(await ids("_deleted=only&name=listed")).toEqual([id]);
    expect(await ids("_deleted=only")).not.toContain(living);
    expect(await ids("name=listed")).toEqual([]);
    for (const caller of ["ana", "adminkey", "viewer"]) {
      await refused(400, "unknown_parameter", [caller, "GET", "/api/folders?_deleted=only"]);
    }
    await refused(400, "bad_request", ["op", "GET", "/api/folders?_deleted=also"]);
    const text = await refused(400, "unknown_parameter", ["ana", "GET", "/api/folders?_delete=only"]);
    expect(text).not.toContain("_deleted");
    const second = await folder({ name: "listed-too" });
    await remove("folders", second);
    const page = await cell.send("op", "GET", "/api/folders?_deleted=only&limit=1");
    const cursor = encodeURIComponent(page.json.page.next_cursor);
    expect(await ids(`_deleted=only&limit=1&cursor=${cursor}`)).toHaveLength(1);
    await refused(400, "invalid_cursor", ["op", "GET", `/api/folders?limit=1&cursor=${cursor}`]);
  });

  test("frees its unique value, and can't be restored if that is taken", async () => {
    const id = await folder({ name: "unique-one" });
    await remove("folders", id);
    const next = await folder({ name: "unique-one" });
    await refused(409, "unique_violation", ["ana", "POST", `/api/folders/${id}/restore`]);
    await remove("folders", next);
    expect((await cell.send("ana", "POST", `/api/folders/${id}/restore`)).status).toBe(200);
  });

  test("can be restored by those who have the right, and only once", async () => {
    const id = await folder();
    await refused(409, "conflict", ["ana", "POST", `/api/folders/${id}/restore`]);
    await remove("folders", id);
    await refused(401, "unauthenticated", [null, "POST", `/api/folders/${id}/restore`]);
    await refused(403, "forbidden", ["pub", "POST", `/api/folders/${id}/restore`]);
    await refused(404, "not_found", ["otherkey", "POST", `/api/folders/${id}/restore`]);
    await refused(404, "not_found", ["ana", "POST", "/api/folders/018f0000-0000-7000-8000-000000000000/restore"]);
    for (const body of [{ name: "x" }, []]) {
      await refused(422, "validation_failed", ["ana", "POST", `/api/folders/${id}/restore`, body]);
    }
    // The route only exists for entities with soft delete.
    await refused(404, "not_found", ["ana", "POST", `/api/shelves/${id}/restore`]);
    const replies = await Promise.all(
      [undefined, {}].map((body) => cell.send("ana", "POST", `/api/folders/${id}/restore`, body)),
    );
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409]);
  });
});

describe("a cascade", () => {
  test("marks records with soft delete at all depths, with an audit row each", async () => {
    const root = await folder();
    const child = await folder({ parent_id: root });
    const grandchild = await folder({ parent_id: child });
    const note = await make("notes", { text: "t", folder_id: grandchild });
    const pin = await make("pins", { note_id: note, text: "p" });
    const aside = await make("notes", { text: "t", folder_id: await folder() });
    await remove("folders", root);
    for (const [plural, id] of [
      ["folders", child],
      ["folders", grandchild],
      ["notes", note],
    ]) {
      expect((await cell.send("ana", "GET", `/api/${plural}/${id}`)).status).toBe(404);
      expect(await operations(id as string)).toEqual(["create", "delete"]);
    }
    const let_go = await cell.send("ana", "GET", `/api/pins/${pin}`);
    expect(let_go.json.data).toMatchObject({ note_id: null, version: 2 });
    const rows = await cell.rows(
      project,
      "select operation, changes from {schema}.audit_log where record_id = $1 order by id",
      [pin],
    );
    expect(rows[1]).toEqual({ operation: "update", changes: { note_id: [note, null] } });
    expect((await cell.send("ana", "GET", `/api/notes/${aside}`)).status).toBe(200);
    expect((await cell.send("ana", "POST", `/api/folders/${root}/restore`)).status).toBe(200);
  });

  test("deletes the others for good, and clears the remaining references", async () => {
    const shelf = await make("shelves", { name: "s" });
    const books = [await make("books", { shelf_id: shelf }), await make("books", { shelf_id: shelf })];
    const pages = [await make("pages", { book_id: books[0] }), await make("pages", { book_id: books[1] })];
    const far = await make("books", { shelf_id: await make("shelves", { name: "other" }), twin_id: books[0] });
    await remove("shelves", shelf);
    for (const id of [...books, ...pages]) expect(await operations(id as string)).toEqual(["create", "delete"]);
    const left = await cell.rows(project, "select 1 from {schema}.books where shelf_id = $1", [shelf]);
    expect(left).toEqual([]);
    expect((await cell.send("ana", "GET", `/api/books/${far}`)).json.data).toMatchObject({ twin_id: null, version: 2 });
  });

  test("is stopped by a restriction at any depth", async () => {
    const root = await folder();
    const child = await folder({ parent_id: root });
    const lock = await make("locks", { folder_id: child });
    await refused(409, "reference_restricted", ["ana", "DELETE", `/api/folders/${root}`]);
    await refused(409, "reference_restricted", ["ana", "DELETE", `/api/folders/${child}`]);
    await remove("locks", lock);
    await remove("folders", root);
  });

  test("ends in a cycle", async () => {
    const a = await folder();
    const b = await folder({ parent_id: a });
    expect((await cell.send("ana", "PATCH", `/api/folders/${a}`, { parent_id: b })).status).toBe(200);
    await remove("folders", a);
    expect((await cell.send("ana", "GET", `/api/folders/${b}`)).status).toBe(404);
  });

  test("of more than a thousand rows is refused completely", async () => {
    const shelf = await make("shelves", { name: "full" });
    const fill = (count: number): Promise<unknown> =>
      cell.rows(
        project,
        `insert into {schema}.books (id, shelf_id) select gen_random_uuid(), $1 from generate_series(1, ${count})`,
        [shelf],
      );
    await fill(999);
    const almost = await make("books", { shelf_id: shelf });
    await refused(409, "cascade_too_large", ["ana", "DELETE", `/api/shelves/${shelf}`]);
    await remove("books", almost);
    await remove("shelves", shelf);
    expect(await cell.rows(project, "select 1 from {schema}.books where shelf_id = $1", [shelf])).toEqual([]);
  });

  test("includes records that are created at the same time", async () => {
    for (let round = 0; round < 10; round++) {
      const shelf = await make("shelves", { name: "busy" });
      await make("books", { shelf_id: shelf });
      const replies = await Promise.all([
        ...[1, 2, 3].map(() => cell.send("ana", "POST", "/api/books", { shelf_id: shelf })),
        cell.send("ana", "DELETE", `/api/shelves/${shelf}`),
        cell.send("ana", "DELETE", `/api/shelves/${shelf}`),
        cell.send("ana", "POST", "/api/books", { shelf_id: shelf }),
      ]);
      for (const reply of replies) expect([201, 204, 404, 409, 422], reply.text).toContain(reply.status);
      const [standing] = await cell.rows(project, "select count(*)::int as n from {schema}.shelves where id = $1", [
        shelf,
      ]);
      if (standing?.n === 0) {
        expect(await cell.rows(project, "select 1 from {schema}.books where shelf_id = $1", [shelf])).toEqual([]);
      }
    }
  });

  test("is for those who can delete the record, and hidden from others", async () => {
    const shelf = await make("shelves", { name: "s" });
    await make("books", { shelf_id: shelf });
    await refused(403, "forbidden", ["pub", "DELETE", `/api/shelves/${shelf}`]);
    await refused(404, "not_found", ["otherkey", "DELETE", `/api/shelves/${shelf}`]);
  });
});

describe("a delete that is restricted", () => {
  const told = async (path: string): Promise<{ status: number; body: object; headers: readonly string[] }> => {
    const before = await cell.fingerprint(project);
    const reply = await cell.send("ana", "DELETE", path, undefined, { "x-request-id": "same" });
    expect(await cell.fingerprint(project)).toBe(before);
    return { status: reply.status, body: reply.json, headers: [...reply.headers.keys()].sort() };
  };

  test("gives the same answer for any number, reference and depth of the referring records", async () => {
    const answers = [];
    for (const count of [1, 3]) {
      // By its own foreign key, and marked.
      const maker = await make("makers", { name: "m" });
      for (let i = 0; i < count; i++) await make("models", { maker_id: maker });
      answers.push(await told(`/api/makers/${maker}`));
      const marked = await make("yards", { name: "y" });
      for (let i = 0; i < count; i++) await make("lots", { yard_id: marked });
      answers.push(await told(`/api/yards/${marked}`));
      // Behind a record that would be deleted too.
      const town = await make("towns", { name: "t" });
      const yard = await make("yards", { name: "y", town_id: town });
      for (let i = 0; i < count; i++) await make("lots", { yard_id: yard });
      answers.push(await told(`/api/towns/${town}`));
    }
    expect(answers[0]).toMatchObject({ status: 409, body: { code: "reference_restricted" } });
    expect(Object.keys(answers[0]!.body).sort()).toEqual(["code", "detail", "request_id", "status", "title", "type"]);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });
});

describe("a delete that another request has to wait for", () => {
  async function holding(
    sql: readonly string[],
    values: readonly unknown[],
    request: () => Promise<unknown>,
  ): Promise<void> {
    const client = await cell.pool.connect();
    try {
      await client.query("begin");
      for (const each of sql) await client.query(each.replaceAll("{schema}", `"${project.names.schema}"`), [...values]);
      const waiting = request();
      await new Promise((resolve) => setTimeout(resolve, 300));
      await client.query("commit");
      await waiting;
    } finally {
      client.release();
    }
  }

  test("leaves no reference to the marked record", async () => {
    const id = await folder();
    const lock = "select 1 from {schema}.folders where id = $1 for update";
    const mark = "update {schema}.folders set deleted_at = now() where id = $1";
    const tag = await make("tags", { name: `waiting${++last}` });
    await holding([lock, mark], [id], async () => {
      const reply = await cell.send("ana", "POST", "/api/notes", { text: "t", folder_id: id });
      expect([reply.status, reply.json.errors?.[0]?.code], reply.text).toEqual([422, "unknown_reference"]);
    });
    await holding([lock.replace("folders", "tags"), mark.replace("folders", "tags")], [tag], async () => {
      const reply = await cell.send("ana", "POST", "/api/samples", { title: `w${++last}`, tags: [tag] });
      expect([reply.status, reply.json.errors?.[0]?.code], reply.text).toEqual([422, "unknown_reference"]);
    });
    expect(await cell.rows(project, "select 1 from {schema}.notes where folder_id = $1", [id])).toEqual([]);
  });

  test("includes records that were created while it waited", async () => {
    const shelf = await make("shelves", { name: "waiting" });
    const insert = "insert into {schema}.books (id, shelf_id) values (gen_random_uuid(), $1)";
    await holding([insert], [shelf], async () => {
      const reply = await cell.send("ana", "DELETE", `/api/shelves/${shelf}`);
      expect(reply.status, reply.text).toBe(204);
    });
    expect(await cell.rows(project, "select 1 from {schema}.books where shelf_id = $1", [shelf])).toEqual([]);
  });

  test("marks records that were created while it waited, at any depth", async () => {
    for (const depth of [0, 1, 2]) {
      const root = await folder();
      let last = root;
      for (let i = 0; i < depth; i++) last = await folder({ parent_id: last });
      const insert = "insert into {schema}.notes (id, text, folder_id) values (gen_random_uuid(), 'late', $1)";
      await holding([insert], [last], async () => {
        const reply = await cell.send("ana", "DELETE", `/api/folders/${root}`);
        expect(reply.status, reply.text).toBe(204);
      });
      const rows = await cell.rows(project, "select deleted_at from {schema}.notes where folder_id = $1", [last]);
      expect(rows, `depth ${depth}`).toEqual([{ deleted_at: expect.any(Date) }]);
    }
  });
});

describe("audited reads", () => {
  test("have one row per call in the audit log, only for the shown records", async () => {
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push(await make("visits", { place: `p${i}` }));
    await cell.send("ana", "GET", `/api/visits/${ids[0]}`);
    await cell.send("ana", "GET", "/api/visits?limit=2");
    expect(await operations(ids[0] as string)).toEqual(["create", "read"]);
    const rows = await cell.rows(
      project,
      "select changes from {schema}.audit_log where operation = 'list' and entity = 'visit'",
    );
    expect(rows).toEqual([{ changes: { ids: [ids[2], ids[1]] } }]);
    await cell.addUser("eve", project, ["owner", "user"]);
    await refused(404, "not_found", ["eve", "GET", `/api/visits/${ids[0]}`]);
  });
});
