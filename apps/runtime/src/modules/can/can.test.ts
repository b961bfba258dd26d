// `POST /v1/can` over HTTP: the answers are those of the routes themselves, and reveal nothing hidden.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestCell, keyPrincipal, type TestCell, type TestProject } from "../../http/testing/test-cell.ts";
import { wholeBlueprint } from "../../http/testing/whole-blueprint.ts";
import { createModuleRoutes } from "../module-routes.ts";
import { canHandlers } from "./routes.ts";

let cell: TestCell;
let project: TestProject;
let other: TestProject;

beforeAll(async () => {
  cell = await createTestCell({ modules: createModuleRoutes(canHandlers) });
  project = await cell.addProject(wholeBlueprint);
  other = await cell.addProject(wholeBlueprint);
  await cell.addUser("ana", project, ["owner", "user"]);
  await cell.addUser("bob", project, ["owner", "user"]);
  await cell.addUser("sue", project, ["owner", "support", "user"]);
  cell.addCaller("pub", project, keyPrincipal("key_pub", []));
  cell.addCaller("adminkey", project, keyPrincipal("key_admin", ["admin"]));
  cell.addCaller("otherkey", other, keyPrincipal("key_other", ["admin"]));
});
afterAll(() => cell?.close());

async function can(as: string, ...questions: readonly object[]): Promise<readonly boolean[]> {
  const before = await cell.fingerprint(project);
  const reply = await cell.send(as, "POST", "/v1/can", questions);
  expect(reply.status, reply.text).toBe(200);
  expect(reply.json.data).toEqual(questions.map((each) => ({ ...each, allowed: expect.any(Boolean) })));
  expect(await cell.fingerprint(project)).toBe(before);
  return reply.json.data.map((each: { allowed: boolean }) => each.allowed);
}

describe("the answer", () => {
  test("without an id is whether it can be yes for any record", async () => {
    const ops = ["list", "read", "create", "update", "delete"].map((op) => ({ resource: "paper", op }));
    expect(await can("pub", ...ops)).toEqual([true, true, false, false, false]);
    expect(await can("ana", ...ops)).toEqual([true, true, true, true, true]);
  });

  test("with an id follows the rule for that record, and is no for a hidden or missing one", async () => {
    const { id } = (await cell.send("ana", "POST", "/api/tickets", { title: "t" })).json.data;
    const missing = "018f0000-0000-7000-8000-000000000000";
    const ops = ["read", "update", "transition:submit", "transition:close"];
    const asked = ops.map((op) => ({ resource: "tickets", op, id: id.toUpperCase() }));
    expect(await can("ana", ...asked)).toEqual([true, true, true, false]);
    expect(await can("bob", ...asked)).toEqual([false, false, false, false]);
    expect(await can("sue", ...asked)).toEqual([true, true, false, false]);
    expect(await can("otherkey", ...asked)).toEqual([false, false, false, false]);
    expect(
      await can(
        "adminkey",
        { resource: "ticket", op: "read", id: missing },
        { resource: "ticket", op: "read", id: "x" },
      ),
    ).toEqual([false, false]);
    await cell.send("ana", "POST", `/api/tickets/${id}/transitions/submit`);
    expect(await can("sue", ...asked)).toEqual([true, true, false, true]);
  });

  test("follows a delete and its restore", async () => {
    const { id } = (await cell.send("ana", "POST", "/api/folders", { name: "can" })).json.data;
    const asked = ["read", "delete", "restore"].map((op) => ({ resource: "folder", op, id }));
    expect(await can("ana", ...asked)).toEqual([true, true, false]);
    await cell.send("ana", "DELETE", `/api/folders/${id}`);
    expect(await can("ana", ...asked)).toEqual([false, false, true]);
  });
});

test("invalid questions are refused", async () => {
  const refused = async (body: unknown, as: string | null = "ana"): Promise<unknown> => {
    const reply = await cell.send(as, "POST", "/v1/can", body);
    return [reply.status, reply.json.code, reply.json.errors?.[0]?.path];
  };
  expect(await refused([], null)).toEqual([401, "unauthenticated", undefined]);
  expect(await refused([])).toEqual([422, "validation_failed", ""]);
  expect(await refused({ resource: "paper", op: "read" })).toEqual([422, "validation_failed", ""]);
  expect(await refused([{ resource: "papre", op: "read" }])).toEqual([422, "validation_failed", "/0/resource"]);
  expect(await refused([{ resource: "paper", op: "restore" }])).toEqual([422, "validation_failed", "/0/op"]);
  expect(await refused([{ resource: "paper", op: "create", id: "x" }])).toEqual([422, "validation_failed", "/0/id"]);
  expect(await refused([{ resource: "paper", op: "read", more: 1 }])).toEqual([422, "validation_failed", "/0/more"]);
  expect(await refused(Array(101).fill({ resource: "paper", op: "read" }))).toEqual([422, "validation_failed", ""]);
  expect((await cell.send("ana", "GET", "/v1/can")).status).toBe(405);
});
