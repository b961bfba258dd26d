// `GET /v1/audit-log` over HTTP: all entries, newest first, only for admins of that project.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createTestCell,
  keyPrincipal,
  type TestCell,
  type TestProject,
  type TestReply,
} from "../../http/testing/test-cell.ts";
import { wholeBlueprint } from "../../http/testing/whole-blueprint.ts";
import {
  callModule,
  createTestDatabase,
  dataOf,
  makeKey,
  makeLiveProject,
  openTestCell,
} from "../../modes/testing/cell.ts";
import type { OperatorPrincipal } from "../../project/principal.ts";
import { cellTemplate } from "../../release/testing/cell-template.ts";
import { canHandlers } from "../can/routes.ts";
import { createModuleRoutes } from "../module-routes.ts";
import { auditStatement } from "./audit-statement.ts";
import { auditLogHandlers } from "./routes.ts";

const LOG = "/v1/audit-log";
const routes = createModuleRoutes({ ...canHandlers, ...auditLogHandlers });
let cell: TestCell;
let project: TestProject;
let other: TestProject;
let ana: string;

beforeAll(async () => {
  cell = await createTestCell({ modules: routes });
  project = await cell.addProject(wholeBlueprint);
  other = await cell.addProject(wholeBlueprint);
  const without = await cell.addProject(wholeBlueprint.replace(", audit_logs]", "]"));
  ana = await cell.addUser("ana", project, ["owner", "user"]);
  await cell.addUser("boss", project, ["admin", "owner", "user"]);
  cell.addCaller("pub", project, keyPrincipal("key_pub", []));
  cell.addCaller("adminkey", project, keyPrincipal("key_admin", ["admin"]));
  cell.addCaller("otherkey", other, keyPrincipal("key_other", ["admin"]));
  cell.addCaller("withoutkey", without, keyPrincipal("key_without", ["admin"]));
  const viewer: OperatorPrincipal = { kind: "operator", email: "v@example.com", roles: ["admin"], readOnly: true };
  cell.addCaller("viewer", project, viewer);
});
afterAll(() => cell?.close());

const log = (as: string | null, query = ""): Promise<TestReply> => cell.send(as, "GET", `${LOG}${query}`);

async function created(as: string, body: object, headers: Record<string, string> = {}): Promise<string> {
  const reply = await cell.send(as, "POST", "/api/samples", body, headers);
  expect(reply.status, reply.text).toBe(201);
  return reply.json.data.id;
}

/** Also asserts that the project is unchanged. */
async function refused(status: number, code: string, as: string | null, query = ""): Promise<TestReply> {
  const before = await cell.fingerprint(project);
  const reply = await log(as, query);
  expect([reply.status, reply.json?.code], reply.text).toEqual([status, code]);
  expect(await cell.fingerprint(project)).toBe(before);
  return reply;
}

describe("an admin", () => {
  test("reads who changed what, newest first", async () => {
    const id = await created("ana", { title: "a", price: "1.00" }, { "x-request-id": "req-create" });
    const changed = await cell.send(
      "adminkey",
      "PATCH",
      `/api/samples/${id}`,
      { title: "b" },
      { "x-request-id": "req-update" },
    );
    expect(changed.status, changed.text).toBe(200);
    const before = await cell.fingerprint(project);
    const reply = await log("boss");
    expect(reply.status, reply.text).toBe(200);
    expect(reply.headers.get("cache-control")).toBe("no-store");
    expect(reply.json.page).toEqual({ next_cursor: null, has_more: false });
    const [update, create] = reply.json.data;
    expect(update).toEqual({
      id: expect.stringMatching(/^\d+$/),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      request_id: "req-update",
      actor_kind: "key",
      actor_id: "key_admin",
      operation: "update",
      entity: "sample",
      record_id: id,
      changes: { title: ["a", "b"] },
    });
    expect(create).toMatchObject({ request_id: "req-create", actor_kind: "user", actor_id: ana, operation: "create" });
    expect(create.changes).toMatchObject({ title: "a" });
    expect(Number(create.id)).toBeLessThan(Number(update.id));
    for (const as of ["adminkey", "viewer"]) expect((await log(as)).text).toBe(reply.text);
    expect(await cell.fingerprint(project)).toBe(before);
  });

  test("only sees that masked and secret fields had a value", async () => {
    const id = await created("ana", { title: "m", price: "1.00", phone: "+4930123456", token: "hush hush" });
    await cell.send("ana", "PATCH", `/api/samples/${id}`, { phone: "+4930999999", token: "still hush" });
    const reply = await log("adminkey", `?record_id=${id}`);
    const [update, create] = reply.json.data;
    expect(create.changes).toMatchObject({ phone: "[masked]", token: "[masked]" });
    expect(update.changes).toMatchObject({ phone: ["[masked]", "[masked]"], token: ["[masked]", "[masked]"] });
    expect(reply.text).not.toMatch(/\+4930|hush/);
    expect(create.changes).not.toHaveProperty("inner");
  });

  test("gets numbers unchanged, however long", async () => {
    const id = await created("ana", { title: "n", price: "1.00", big: "9007199254740993" });
    const { text } = await log("adminkey", `?entity=sample&record_id=${id}`);
    expect(text).toMatch(/"big": "?9007199254740993\b/);
  });

  test("reads each entry once, page by page", async () => {
    for (let i = 0; i < 25; i++) await created("ana", { title: `p${i}`, price: "1.00" });
    const all = (await cell.rows(project, "select l.id::text from {schema}.audit_log l order by l.id desc")).map(
      (row) => row.id,
    );
    for (const query of [
      "limit=7",
      "",
      "limit=100",
      "entity=sample&limit=9",
      `actor_id=${ana}&operation=create&limit=4`,
    ]) {
      const found: string[] = [];
      let next: string | null = null;
      do {
        const cursor: string = next === null ? "" : `&cursor=${next}`;
        const { status, json, text } = await log("adminkey", `?${query}${cursor}`);
        expect(status, text).toBe(200);
        const limit = Number(/limit=(\d+)/.exec(query)?.[1] ?? 20);
        expect(json.page.has_more).toBe(json.page.next_cursor !== null);
        expect(json.data.length).toBeLessThanOrEqual(limit);
        if (json.page.has_more) expect(json.data).toHaveLength(limit);
        found.push(...json.data.map((entry: { id: string }) => entry.id));
        next = json.page.next_cursor;
      } while (next !== null);
      if (!query.includes("actor_id")) expect(found, query).toEqual(all);
      else expect(found.length).toBeGreaterThanOrEqual(25);
      expect(new Set(found).size).toBe(found.length);
    }
  });

  test("filters by the parts of an entry", async () => {
    const id = await created("ana", { title: "f", price: "1.00" }, { "x-request-id": "req-filter" });
    await cell.send("adminkey", "DELETE", `/api/samples/${id}`);
    const operations = async (query: string): Promise<string[]> =>
      (await log("adminkey", `?${query}`)).json.data.map((entry: { operation: string }) => entry.operation);
    expect(await operations(`record_id=${id.toUpperCase()}`)).toEqual(["delete", "create"]);
    expect(await operations(`entity=sample&record_id=${id}`)).toEqual(["delete", "create"]);
    expect(await operations(`entity=tag&record_id=${id}`)).toEqual([]);
    expect(await operations(`record_id=${id}&operation=delete`)).toEqual(["delete"]);
    expect(await operations(`record_id=${id}&actor_id=${ana}`)).toEqual(["create"]);
    expect(await operations("request_id=req-filter")).toEqual(["create"]);
    expect(await operations("request_id=req-filte")).toEqual([]);
    expect(await operations("request_id=%27%20or%20true--")).toEqual([]);
  });
});

describe("nobody else can read it", () => {
  test("without a credential, or as less than an admin", async () => {
    await refused(401, "unauthenticated", null);
    for (const as of ["ana", "pub"]) {
      await refused(403, "forbidden", as);
      await refused(403, "forbidden", as, "?unknown=1");
    }
  });

  test("of another project", async () => {
    const id = await created("ana", { title: "x", price: "1.00" });
    expect((await log("otherkey")).json.data).toEqual([]);
    expect((await log("otherkey", `?entity=sample&record_id=${id}`)).json.data).toEqual([]);
    const { next_cursor: cursor } = (await log("adminkey", "?limit=1")).json.page;
    await refused(400, "invalid_cursor", "otherkey", `?limit=1&cursor=${cursor}`);
  });

  test("the route does not exist without the module", async () => {
    const reply = await log("withoutkey");
    const unknown = await cell.send("withoutkey", "GET", "/v1/audit-logs");
    expect([reply.status, reply.json.code, reply.json.detail]).toEqual([404, "not_found", unknown.json.detail]);
    expect((await cell.send("withoutkey", "POST", LOG, {})).status).toBe(404);
  });
});

test("invalid parameters are refused", async () => {
  const paths = async (query: string, code: string): Promise<string[]> => {
    const { json } = await refused(400, code, "adminkey", query);
    return (json.errors ?? []).map((error: { path: string }) => error.path);
  };
  expect(await paths("?entitty=sample", "unknown_parameter")).toEqual(["entitty"]);
  expect(await paths("?sort=id", "unknown_parameter")).toEqual(["sort"]);
  expect(await paths("?record_id=1", "bad_request")).toEqual(["record_id"]);
  expect(await paths("?entity=a&entity=b", "bad_request")).toEqual(["entity"]);
  for (const limit of ["0", "101", "-1", "x", ""]) {
    expect(await paths(`?limit=${limit}`, "bad_request")).toEqual(["limit"]);
  }
  await paths("?entity=%00", "bad_request");
  await paths("?cursor=nonsense", "invalid_cursor");
  const { next_cursor: cursor } = (await log("adminkey", "?limit=1")).json.page;
  await paths(`?entity=sample&limit=1&cursor=${cursor}`, "invalid_cursor");
  expect((await log("adminkey", `?limit=2&cursor=${cursor}`)).status).toBe(200);
  const posted = await cell.send("adminkey", "POST", LOG, {});
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  // The other routes of the kind still take none.
  expect((await cell.send("adminkey", "POST", "/v1/can?limit=1", [])).json.code).toBe("unknown_parameter");
});

test("beyond the burst it is a 429", async () => {
  const limited = await createTestCell({
    modules: routes,
    limits: { caller: null },
    clock: { now: () => 1_700_000_000_000 },
  });
  try {
    const slow = await limited.addProject(`${wholeBlueprint}  requests_per_second: 1\n  burst: 3\n`);
    limited.addCaller("adminkey", slow, keyPrincipal("key_admin", ["admin"]));
    const replies: number[] = [];
    for (let i = 0; i < 4; i++) replies.push((await limited.send("adminkey", "GET", LOG)).status);
    expect(replies).toEqual([200, 200, 200, 429]);
  } finally {
    await limited.close();
  }
});

test("every shape of its statement is proven, and only those with an index can use the fast lane", async () => {
  const scope = cell.tenants.forProject(project);
  const earned: string[] = [];
  const route = project.release.bundle.moduleRoutes.find(({ path }) => path === LOG);
  const auditFilters = Object.keys(route?.filters ?? {}).sort();
  let shapes = 0;
  for (let bits = 0; bits < 2 ** auditFilters.length; bits++) {
    const names = auditFilters.filter((_, i) => bits & (1 << i));
    const filters = new Map(names.map((name) => [name, "x"]));
    for (const before of [null, "1"]) {
      const { text, lane, keep } = auditStatement(project.release.schema, { limit: 20, filters, before });
      await scope.prove(text).catch((error: Error) => expect.fail(`${error.message}\n${text}`));
      expect(keep).toBe(lane === "earned");
      if (lane === "earned" && before === null) earned.push(names.join());
      shapes++;
    }
  }
  expect(shapes).toBe(64);
  expect(earned).toEqual(["", "entity,record_id"]);
});

test("an opened cell serves it, with its modules' entries, to a key with the role", async () => {
  const database = await createTestDatabase(cellTemplate);
  const live = await openTestCell(database);
  try {
    const { projectId } = await makeLiveProject(live);
    const publishable = (await makeKey(live, projectId, { kind: "publishable" })).key;
    const admin = (await makeKey(live, projectId, { role: "admin" })).key;
    const credentials = { email: "ana@example.com", password: "correct horse battery" };
    const { user } = dataOf(await callModule(live, { path: "/v1/auth/sign-up", key: publishable, body: credentials }));
    const reply = await callModule(live, { method: "GET", path: LOG, key: admin });
    expect(dataOf(reply)).toMatchObject([
      { entity: "session", operation: "sign_in", actor_id: user.id },
      { entity: "user", operation: "create", record_id: user.id },
    ]);
    expect(reply.body).not.toContain(credentials.password);
    const denied = callModule(live, { method: "GET", path: LOG, key: publishable });
    await expect(denied).rejects.toMatchObject({ code: "forbidden" });
  } finally {
    await live.close();
    await database.drop();
  }
});
