// The limits of a project's own blueprint: requests of a caller, on every kind of route, without any effect of the
// refused ones.
import { afterAll, beforeAll, expect, test } from "vitest";
import { canHandlers } from "../modules/can/routes.ts";
import { createModuleRoutes } from "../modules/module-routes.ts";
import { createTestCell, keyPrincipal, type TestCell, type TestProject } from "./testing/test-cell.ts";
import { wholeBlueprint } from "./testing/whole-blueprint.ts";

let cell: TestCell;
let project: TestProject;

beforeAll(async () => {
  cell = await createTestCell({
    modules: createModuleRoutes(canHandlers),
    limits: { caller: null },
    clock: { now: () => 1_700_000_000_000 },
  });
  project = await cell.addProject(`${wholeBlueprint}  requests_per_second: 1\n  burst: 3\n`);
});
afterAll(() => cell?.close());

const id = "018f0000-0000-7000-8000-000000000000";

test.each([
  ["GET", "/api/samples"],
  ["GET", "/api/samples/aggregate"],
  ["GET", "/v1/users"],
  ["GET", "/v1/users/aggregate"],
  ["POST", "/api/samples"],
  ["PATCH", `/api/samples/${id}`],
  ["DELETE", `/api/folders/${id}`],
  ["POST", `/api/folders/${id}/restore`],
  ["POST", `/api/tickets/${id}/transitions/close`],
  ["POST", "/v1/can"],
])("%s %s is a 429 beyond the burst", async (method, path) => {
  const name = `${method} ${path}`.replaceAll(/\W/g, "-");
  cell.addCaller(name, project, keyPrincipal(`key_${name}`, ["admin"]));
  for (let i = 0; i < 3; i++) expect((await cell.send(name, "GET", `/api/tags/${id}`)).status).toBe(404);
  const before = await cell.fingerprint(project);
  const reply = await cell.send(name, method, path, method === "GET" || method === "DELETE" ? undefined : {});
  expect([reply.status, reply.json.code], reply.text).toEqual([429, "rate_limited"]);
  expect(reply.headers.get("retry-after")).toBe("1");
  expect(reply.headers.get("ratelimit-policy")).toBe('"default";q=3;w=3');
  expect(await cell.fingerprint(project)).toBe(before);
});
