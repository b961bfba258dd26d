// `{"stock": {"add": -1}}`: adds a number to a field's value, in the statement of the update.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestCell, keyPrincipal, type TestCell, type TestProject, type TestReply } from "./testing/test-cell.ts";

const blueprint = `
project: additions
modules: [auth, users, roles, audit_logs]

roles:
  clerk: { inherits: user }

entities:
  item:
    fields:
      name: string
      stock: { type: int, min: 0, max: 1000, default: 0 }
      wide: int = 0
      big: bigint = 0
      price: decimal(8,2)?
      cost: money(EUR) = 0
      weight: float = 0
      share: percent = 0
      secret_points: { type: int, min: 0, max: 100, default: 50 }
      since: date?
      note: json?
      state: enum[open, closed] = open
      owner_id: user_ref = current_user.id
    transitions:
      state:
        initial: open
        close: { from: open, to: closed, roles: [user], require: [stock] }
    permissions:
      user:
        read: { allow: true, fields: [name, stock, wide, big, price, cost, weight, share, since, note, state, version, created_at] }
        create: true
        update: true
      clerk:
        read: { allow: owner_id == current_user.id, fields: [secret_points] }
        update: true
      admin: { all: true }
  ruled:
    fields: { level: int, ceiling: int }
    permissions:
      user: { read: true, update: input.level <= 900 && new.level <= old.ceiling }
      admin: { all: true }
  hidden:
    fields: { name: string, amount: { type: int, min: 0, max: 10, default: 5 } }
    permissions:
      user: { update: true }
      admin: { all: true }
`;

let cell: TestCell;
let project: TestProject;
beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(blueprint);
  await cell.addUser("ana", project, ["user"]);
  await cell.addUser("cleo", project, ["clerk", "user"]);
  cell.addCaller("admin", project, keyPrincipal("key_admin", ["admin"]));
});
afterAll(() => cell?.close());

async function item(values: object = {}, caller = "admin"): Promise<string> {
  const owner = caller === "admin" ? { owner_id: await ownerOf("ana") } : {};
  const reply = await cell.send(caller, "POST", "/api/items", { name: "x", ...owner, ...values });
  expect(reply.status, reply.text).toBe(201);
  return `/api/items/${reply.json.data.id}`;
}

async function ownerOf(name: string): Promise<unknown> {
  const found = await cell.rows(project, "select id from {schema}.users where name = $1", [name]);
  return found[0]?.["id"];
}

const patch = (path: string, body: object, caller = "ana"): Promise<TestReply> =>
  cell.send(caller, "PATCH", path, body);

async function refused(path: string, body: object, status: number, code: string, caller = "ana"): Promise<TestReply> {
  const before = await cell.fingerprint(project);
  const reply = await patch(path, body, caller);
  expect([reply.status, reply.json?.errors?.[0]?.code ?? reply.json?.code], reply.text).toEqual([status, code]);
  expect(await cell.fingerprint(project)).toBe(before);
  return reply;
}

describe("an added number", () => {
  test.each([
    ["stock", 30, -1, 29],
    ["wide", 5, 7, 12],
    ["big", "9007199254740993", "-2", "9007199254740991"],
    ["price", "12.50", "0.25", "12.75"],
    ["cost", "10.00", "-12.34", "-2.34"],
    ["weight", 1.5, 0.25, 1.75],
    ["share", 99.5, -0.25, 99.25],
  ])("to %s gives the sum", async (field, before, add, after) => {
    const path = await item({ [field]: before });
    const reply = await patch(path, { [field]: { add } });
    expect([reply.status, reply.json.data?.[field]], reply.text).toEqual([200, after]);
    expect(reply.json.data.version).toBe(2);
  });

  test("is in the audit log as the values before and after", async () => {
    const path = await item({ stock: 30 });
    await patch(path, { stock: { add: -2 }, name: "y" });
    const [line] = await cell.rows(
      project,
      "select changes from {schema}.audit_log where operation = 'update' order by id desc limit 1",
    );
    expect(line?.["changes"]).toEqual({ stock: [30, 28], name: ["x", "y"] });
  });

  test("is checked against the field's limits, which are named", async () => {
    const path = await item({ stock: 3, share: 99 });
    const low = await refused(path, { stock: { add: -4 } }, 422, "out_of_range");
    expect(low.json.errors).toEqual([
      { path: "/stock", code: "out_of_range", message: "It must be at least 0 and at most 1000." },
    ]);
    await refused(path, { share: { add: 2 } }, 422, "out_of_range");
  });

  test.each([
    ["wide", 2_147_483_647, 1],
    ["big", "9223372036854775807", "1"],
    ["price", "999999.99", "0.01"],
    ["weight", 1.7e308, 1.7e308],
  ])("out of the range of %s is refused", async (field, before, add) => {
    const path = await item({ [field]: before });
    const reply = await refused(path, { [field]: { add } }, 422, "out_of_range");
    expect(reply.json.errors[0].path).toBe(`/${field}`);
  });

  test("needs a value to add to", async () => {
    const reply = await refused(await item(), { price: { add: "1.00" } }, 422, "no_value");
    expect(reply.json.errors[0].path).toBe("/price");
  });

  test("is judged by rules as the sum", async () => {
    for (const [level, ceiling] of [
      [895, 2_000],
      [95, 100],
    ]) {
      const made = await cell.send("admin", "POST", "/api/ruleds", { level, ceiling });
      const path = `/api/ruleds/${made.json.data.id}`;
      expect((await patch(path, { level: { add: 5 } })).status).toBe(200);
      await refused(path, { level: { add: 1 } }, 403, "forbidden");
    }
  });

  test("has the form of its field", async () => {
    const path = await item({ stock: 3, price: "1.00" });
    for (const [body, code] of [
      [{ stock: { add: "1" } }, "wrong_type"],
      [{ stock: { add: 1.5 } }, "wrong_type"],
      [{ stock: { add: null } }, "wrong_type"],
      [{ stock: {} }, "required"],
      [{ stock: { add: 1, more: 1 } }, "unknown_field"],
      [{ price: { add: 1 } }, "wrong_type"],
      [{ price: { add: "0.001" } }, "invalid_format"],
      [{ since: { add: "P1D" } }, "wrong_type"],
      [{ name: { add: "y" } }, "wrong_type"],
    ] as const) {
      await refused(path, body, 422, code);
    }
    const create = await cell.send("ana", "POST", "/api/items", { name: "x", stock: { add: 1 } });
    expect([create.status, create.json.errors[0].code]).toEqual([422, "wrong_type"]);
  });

  test("is a plain value for a JSON field", async () => {
    const reply = await patch(await item(), { note: { add: 1 } });
    expect([reply.status, reply.json.data.note]).toEqual([200, { add: 1 }]);
  });

  test("works in a transition, and in an update of the state", async () => {
    const closed = await cell.send("ana", "POST", `${await item({ stock: 3 })}/transitions/close`, {
      stock: { add: -1 },
    });
    expect([closed.status, closed.json.data?.stock], closed.text).toEqual([200, 2]);
    const updated = await patch(await item({ stock: 3 }), { state: "closed", stock: { add: -1 } });
    expect([updated.status, updated.json.data?.stock, updated.json.data?.state], updated.text).toEqual([
      200,
      2,
      "closed",
    ]);
  });

  test("reveals nothing that the caller can't read", async () => {
    for (const add of [1, 51, 2_147_483_647]) {
      const { json } = await refused(await item(), { secret_points: { add } }, 403, "not_readable", "cleo");
      expect(json.errors[0].path).toBe("/secret_points");
    }
    const own = await item({}, "cleo");
    expect((await patch(own, { secret_points: { add: 1 } }, "cleo")).json.data?.secret_points).toBe(51);
    const made = await cell.send("admin", "POST", "/api/hiddens", { name: "x" });
    await refused(`/api/hiddens/${made.json.data.id}`, { amount: { add: 100 } }, 403, "not_readable");
  });

  test("by sixty callers at once is added as often as there is stock", async () => {
    const path = await item({ stock: 30 });
    const replies = await Promise.all(Array.from({ length: 60 }, () => patch(path, { stock: { add: -1 } })));
    const count = (status: number): number => replies.filter((reply) => reply.status === status).length;
    expect([count(200), count(422)]).toEqual([30, 30]);
    expect((await cell.send("ana", "GET", path)).json.data).toMatchObject({ stock: 0, version: 31 });
  });
});
