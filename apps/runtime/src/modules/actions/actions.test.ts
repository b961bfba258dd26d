// `POST /v1/actions/<name>` over HTTP: a project's own operations, each one transaction with its caller's rights.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Desk, openDesk } from "./testing/desk.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk?.close());

const call: Desk["call"] = (...sent) => desk.call(...sent);
const refused: Desk["refused"] = (...sent) => desk.refused(...sent);
const account: Desk["account"] = (...named) => desk.account(...named);
const rows = (sql: string, values?: readonly unknown[]) => desk.cell.rows(desk.project, sql, values);

describe("a call", () => {
  test("executes its steps and answers with its output", async () => {
    const id = await account("first");
    const reply = await call(
      "key",
      "book",
      { account_id: id, amount: "12.5", memo: "first one" },
      { "x-request-id": "r1" },
    );
    expect(reply.status, reply.text).toBe(200);
    expect(reply.json).toEqual({ data: { entry: expect.any(String), balance: "12.50", before: "0.00" } });
    expect(await rows("select balance::text from {schema}.accounts where id = $1", [id])).toEqual([
      { balance: "12.50" },
    ]);
    const log = await rows(
      "select actor_kind, actor_id, operation, entity, changes->>'action' as action from {schema}.audit_log where request_id = 'r1' order by id",
    );
    expect(log).toEqual([
      { actor_kind: "key", actor_id: "key_clerk", operation: "call", entity: "action", action: "book" },
      { actor_kind: "service", actor_id: "action book", operation: "create", entity: "entry", action: null },
      { actor_kind: "key", actor_id: "key_clerk", operation: "update", entity: "account", action: null },
    ]);
    const events = await rows(
      "select name, actor_kind, actor_id, cause, data from plinth.outbox where request_id = 'r1'",
    );
    expect(events).toEqual([
      { name: "booking.made", actor_kind: "key", actor_id: "key_clerk", cause: null, data: { amount: "12.50" } },
    ]);
  });

  test("sees its caller and their profile", async () => {
    const reply = await call("ana", "open-own", { name: "ana's" });
    expect(reply.json?.data, reply.text).toMatchObject({ desk: "left", by: "ana@example.com" });
  });

  test("without an output answers null, and without an input takes no body", async () => {
    for (const input of [undefined, {}]) {
      const reply = await call("visitor", "hello", input);
      expect([reply.status, reply.text]).toEqual([200, '{"data":null}']);
    }
  });

  test("uses defaults, skips steps, and ignores allowed failures", async () => {
    await account("taken");
    const reply = await call("key", "many", { names: ["m1", "taken", "m2"] });
    expect(reply.json?.data, reply.text).toEqual({ made: 3, size: "small" });
    const made = "select name from {schema}.accounts where name in ('m1', 'm2') order by name";
    expect(await rows(made)).toEqual([{ name: "m1" }, { name: "m2" }]);
    const off = await call("key", "many", { names: ["m3"], on: false, size: "large" });
    expect(off.json?.data, off.text).toEqual({ made: null, size: "large" });
  });

  test("has another effect if a step fails, and only that stays", async () => {
    await account("dupe");
    expect((await call("key", "rescue", { name: "dupe" })).status).toBe(200);
    const found = "select count(*)::int as n from {schema}.accounts where name like 'dupe%'";
    expect(await rows(found)).toEqual([{ n: 2 }]);
  });

  test("uses a transition of a record, and deletes it with its referring records", async () => {
    const [row] = await rows("insert into {schema}.parcels (id, code) values (gen_random_uuid(), 'a') returning id");
    const parcel = row?.["id"];
    await rows("insert into {schema}.labels (id, parcel_id) values (gen_random_uuid(), $1)", [parcel]);
    expect((await call("key", "ship", { parcel })).json).toEqual({ data: "sent" });
    await refused(409, "transition_not_allowed", "key", "ship", { parcel });
    expect((await call("key", "drop", { parcel })).status).toBe(200);
    const left = "select count(*)::int as n from {schema}.labels where deleted_at is null";
    expect(await rows(left)).toEqual([{ n: 0 }]);
    await refused(404, "not_found", "key", "drop", { parcel });
  });

  test("only audits that a masked field had a value", async () => {
    const id = await account("masked");
    const sent = { account_id: id, amount: "1.00", pin: 4711 };
    expect((await call("key", "book", sent, { "x-request-id": "r2" })).status).toBe(200);
    const [line] = await rows("select changes from {schema}.audit_log where request_id = 'r2' and operation = 'call'");
    expect(line).toEqual({
      changes: { action: "book", input: { account_id: id, amount: "1.00", memo: null, pin: "[masked]" } },
    });
    await call("key", "keep", { key: "hush hush", note: { a: [1, "x"] } }, { "x-request-id": "r3" });
    const kept = await rows("select changes::text as t from {schema}.audit_log where request_id = 'r3'");
    expect(JSON.stringify(kept)).toContain('\\"key\\": \\"[masked]\\"');
    expect(JSON.stringify(kept)).not.toContain("hush");
  });
});

describe("is refused", () => {
  test("without a credential, to a role without it, to a viewer, and where there is no such action", async () => {
    await refused(401, "unauthenticated", null, "book", {});
    await refused(403, "forbidden", "visitor", "book", {});
    await refused(403, "forbidden", "viewer", "hello");
    await refused(404, "not_found", "key", "boook", {});
    expect((await desk.cell.send("key", "GET", "/v1/actions/book")).status).toBe(405);
    const query = await desk.cell.send("key", "POST", "/v1/actions/hello?x=1");
    expect([query.status, query.json.code]).toEqual([400, "unknown_parameter"]);
  });

  test("by a rule over its input and the records that it refers to", async () => {
    const own = await account("own", desk.ana);
    const amount = { account_id: own, amount: "99.99" };
    expect((await call("ana", "book", amount)).status).toBe(200);
    await refused(403, "forbidden", "ana", "book", { ...amount, amount: "100.00" });
  });

  test.each([
    ["an unknown member", { amount: "1", x: 1 }, ["/account_id", "/x"]],
    ["a number for money", { amount: 1 }, ["/account_id", "/amount"]],
    ["too many places", { amount: "1.001" }, ["/account_id", "/amount"]],
    ["no object", [], [""]],
  ])("%s", async (_, input, paths) => {
    const reply = await refused(422, "validation_failed", "key", "book", input);
    expect(reply.json.errors.map((error: { path: string }) => error.path).sort()).toEqual(paths);
  });

  test("for errors that only Postgres finds: bounds, patterns, and invalid days", async () => {
    const id = await account("bounds");
    const bound = await refused(422, "validation_failed", "key", "book", {
      account_id: id,
      amount: "-1001",
      memo: "A",
    });
    expect(bound.json.errors.map((error: { path: string }) => error.path)).toEqual(["/amount", "/memo"]);
    for (const { message } of bound.json.errors) expect(message).toMatch(/^It must (be at least|match|have) /);
    await refused(422, "validation_failed", "key", "keep", { key: "x", at: "2026-02-30" });
  });

  test("for malformed JSON, another media type, and too much input", async () => {
    await refused(400, "malformed_json", "key", "book", "{");
    const plain = await refused(415, "unsupported_media_type", "key", "book", "{}", { "content-type": "text/plain" });
    expect(plain.json.detail).toBe("Send the body as application/json in UTF-8.");
    await refused(413, "payload_too_large", "key", "many", { names: ["x".repeat(70_000)] });
  });

  test("for a hidden record in the same way as for a missing record", async () => {
    const hidden = await account("hidden");
    const missing = "0190b3c2-6a7e-7d51-8f0e-3a5b9c1d2e4f";
    const [one, other] = [
      await refused(422, "validation_failed", "ben", "book", { account_id: hidden, amount: "1" }),
      await refused(422, "validation_failed", "ben", "book", { account_id: missing, amount: "1" }),
    ];
    expect(one.json.errors).toEqual([
      { path: "/account_id", code: "unknown_reference", message: "This record does not exist." },
    ]);
    expect(other.json.errors).toEqual(one.json.errors);
  });
});

describe("a step", () => {
  test("that fails rolls back all earlier steps, whatever rights they had", async () => {
    const vault = await account("vault");
    // The service adds an entry; then the clerk can't change the vault.
    await refused(403, "forbidden", "key", "book", { account_id: vault, amount: "5.00" });
    const poor = await account("poor");
    const reply = await refused(422, "validation_failed", "key", "book", { account_id: poor, amount: "-5.00" });
    expect(reply.json.detail).toContain("`move`");
  });

  test("names the input member that its value came from", async () => {
    await account("same name");
    const reply = await refused(409, "unique_violation", "ana", "open-own", { name: "same name" });
    expect(reply.json.errors).toEqual([{ path: "/name", code: "taken", message: "The value is already taken." }]);
  });

  test("has the rights of its caller: hidden records are missing", async () => {
    const [row] = await rows("insert into {schema}.parcels (id, code) values (gen_random_uuid(), 'b') returning id");
    await refused(403, "forbidden", "ben", "ship", { parcel: row?.["id"] });
  });

  test("treats a hidden record like the generated route: as a missing one", async () => {
    const [hidden, own] = [await account("not ben's"), await account("ana's own", desk.ana)];
    const missing = "0190b3c2-6a7e-7d51-8f0e-3a5b9c1d2e4f";
    const answers = [
      await refused(404, "not_found", "ben", "rename", { id: hidden, name: "mine" }),
      await refused(404, "not_found", "ben", "rename", { id: missing, name: "mine" }),
    ];
    expect(new Set(answers.map(({ json }) => JSON.stringify({ ...json, request_id: null }))).size).toBe(1);
    expect((await call("ana", "rename", { id: own, name: "renamed" })).status).toBe(200);
    expect((await call("ben", "peek", { id: hidden })).json.data).toEqual({ own: null, any: "not ben's" });
  });

  test("that deletes includes records that were created while it waited", async () => {
    const [row] = await rows("insert into {schema}.parcels (id, code) values (gen_random_uuid(), 'c') returning id");
    const parcel = row?.["id"];
    const other = await desk.cell.pool.connect();
    try {
      await other.query("begin");
      const { schema } = desk.project.names;
      await other.query(`insert into "${schema}".labels (id, parcel_id) values (gen_random_uuid(), $1)`, [parcel]);
      const waiting = call("key", "drop", { parcel });
      const blocked =
        "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      await expect.poll(() => rows(blocked), { timeout: 5_000 }).toEqual([{ n: 1 }]);
      await other.query("commit");
      const reply = await waiting;
      expect(reply.status, reply.text).toBe(200);
    } finally {
      other.release();
    }
    const labels = await rows("select deleted_at from {schema}.labels where parcel_id = $1", [parcel]);
    expect(labels).toEqual([{ deleted_at: expect.any(Date) }]);
  });

  test("can't find records by a field that its caller can't read", async () => {
    const [row] = await rows(
      "insert into {schema}.pages (id, body) values (gen_random_uuid(), 'hidden words') returning id",
    );
    expect((await call("admin", "seek", { body: "hidden words" })).json).toEqual({ data: row?.["id"] });
    await refused(403, "forbidden", "key", "seek", { body: "hidden words" });
  });

  test("fails if its results are too large for memory", async () => {
    const fill =
      "insert into {schema}.pages (id, body) select gen_random_uuid(), repeat('x', 1000000) from generate_series(1, $1)";
    await rows(fill, [6]);
    expect((await call("admin", "read-all")).status).toBe(200);
    await rows(fill, [6]);
    await refused(409, "conflict", "admin", "read-all");
  });

  test("that waits too long for a lock fails, and all earlier steps are rolled back", async () => {
    const id = await account("locked");
    const holder = await desk.cell.pool.connect();
    try {
      await holder.query("begin");
      await holder.query(`select 1 from "${desk.project.names.schema}".accounts where id = $1 for update`, [id]);
      await refused(409, "conflict", "key", "book", { account_id: id, amount: "1.00" });
    } finally {
      await holder.query("rollback");
      holder.release();
    }
  });
});
