// Each route that a module describes has a handler, and each handler has a description.
import type { ProjectId } from "@plinth/bundle";
import { describe, expect, test } from "vitest";
import type { ModuleContext } from "../http/contracts.ts";
import { bundleOf } from "../http/testing/test-cell.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import { nothingKept } from "../project/derived.ts";
import { type ModuleParts, moduleHandlers } from "./handlers.ts";
import { createModuleRoutes } from "./module-routes.ts";

const everyModule = "[auth, users, roles, organizations, webhooks, workers, audit_logs]";
const id = "018f0000-0000-7000-8000-000000000001";

function releaseOf(modules: string, more = ""): ActiveRelease {
  return {
    projectId: "prj_test" as ProjectId,
    slug: "desk",
    releaseId: "rel_test",
    bundle: bundleOf(`project: desk\nmodules: ${modules}\n${more}`),
    schema: '"t_desk"',
    plans: nothingKept(),
    own: nothingKept(),
  };
}

const release = releaseOf(
  everyModule,
  `entities:
  booking: { realtime: true, fields: { note: string } }
actions:
  greet: { permissions: { user: true }, steps: [audit.write] }
`,
);
// Only the names are needed: no handler is called.
const handlers = moduleHandlers({
  users: {},
  auth: {},
  organizations: {},
  webhooks: {},
  workers: {},
  actions: {},
  email: {},
  batch: {},
  selfDescription: {},
  streams: {},
  webhooksIn: {},
} as ModuleParts);
const routes = createModuleRoutes(handlers);

describe("the routes of modules", () => {
  test("have a handler each, and each handler has a route", () => {
    const described = release.bundle.moduleRoutes.map(({ operation }) => operation);
    expect(described.toSorted()).toEqual(Object.keys(handlers).toSorted());
  });

  test.each(release.bundle.moduleRoutes)("$method $path is found", ({ method, path }) => {
    expect(routes.match(method, path.replaceAll(/:\w+/g, id), release)?.pattern).toBe(path);
  });

  test("are those of the modules that the project lists", () => {
    const bare = releaseOf("[auth]");
    expect(routes.match("POST", "/v1/auth/sign-in", bare)).not.toBeNull();
    for (const path of ["/v1/organizations", "/v1/audit-log", "/v1/runs", `/v1/organizations/${id}/members`]) {
      for (const method of ["GET", "POST"]) expect(routes.match(method, path, bare), path).toBeNull();
    }
  });

  test.each([
    ["PUT", "/v1/users/me"],
    ["POST", "/v1/auth/sign-in/"],
    ["GET", "/v1/organizations//members/x"],
    ["GET", `/v1/runs/${id}/cancel`],
    ["GET", "/v1/__proto__"],
    ["toString", "/v1/can"],
  ])("%s %s is not a route", (method, path) => expect(routes.match(method, path, release)).toBeNull());

  test("answer 404 for an address that the project does not have, for every method", async () => {
    const still = releaseOf("[auth, users, workers]");
    const found = routes.match("GET", "/v1/events/stream", still);
    const context = {
      incoming: { query: "resource=bookings" },
      principal: { roles: ["admin"] },
    } as unknown as ModuleContext;
    await expect((async () => found?.answer(context))()).rejects.toMatchObject({ code: "not_found" });
  });
});
