// Everything around the operations: rate limits, CORS, module routes, logs, failures of our own, a change of release.
import { Fault } from "@plinth/service";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ModuleMatch, ModuleRoutes } from "./contracts.ts";
import { testBlueprint } from "./testing/blueprint.ts";
import { createTestCell, keyPrincipal, type TestCell, type TestProject } from "./testing/test-cell.ts";

function served(pattern: string, answer: ModuleMatch["answer"]): ModuleMatch {
  return { pattern, bodyBytesMax: 65_536, answer };
}

const modules: ModuleRoutes = {
  match(method, path) {
    if (method === "POST" && path === "/v1/auth/echo") {
      return served(path, async ({ incoming, principal, projectId }) => ({
        status: 202,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ body: incoming.body?.toString(), kind: principal.kind, projectId }),
      }));
    }
    if (method === "GET" && path === "/v1/auth/fault") {
      return served(path, async () => {
        throw new Fault("conflict", { detail: "public words", cause: new Error("internal words") });
      });
    }
    if (method === "GET" && path === "/v1/auth/bug") {
      return served(path, async () => {
        throw new Error("a bug with secret words");
      });
    }
    return null;
  },
  matchOpen: ({ method, path }) =>
    method === "GET" && path === "/p/x/jwks"
      ? {
          projectId: project.projectId,
          bodyBytesMax: 0,
          handler: async () => ({ status: 200, headers: {}, body: "open" }),
        }
      : null,
};

let cell: TestCell;
let project: TestProject;
let notReady: string | null = null;
/** Only changes when a test moves it, so that no bucket fills because the machine is busy. */
let nowMs = 1_700_000_000_000;

beforeAll(async () => {
  cell = await createTestCell({
    modules,
    limits: { caller: { perSecond: 5, burst: 10 }, open: { perSecond: 1, burst: 3 } },
    ready: async () => notReady,
    clock: { now: () => nowMs },
  });
  project = await cell.addProject(testBlueprint);
});
afterAll(() => cell?.close());

let callers = 0;
/** A caller with a full bucket. */
function fresh(): string {
  callers += 1;
  cell.addCaller(`caller${callers}`, project, keyPrincipal(`key_${callers}`, ["admin"]));
  return `caller${callers}`;
}

describe("the rate limit", () => {
  const paths = [
    "/api/listings",
    "/v1/resources/listings",
    "/api/listings/x",
    "/v1/users",
    "/v1/auth/fault",
    "/api/nothing",
  ];

  test.each(paths)("counts every reply of %s, says what is left, and refuses when nothing is", async (path) => {
    const caller = fresh();
    const left: number[] = [];
    let reply = await cell.send(caller, "GET", path);
    while (reply.status !== 429 && left.length < 50) {
      expect(reply.headers.get("ratelimit-policy")).toBe('"default";q=10;w=2');
      left.push(Number(/^"default";r=(\d+);t=\d+$/.exec(reply.headers.get("ratelimit") ?? "")?.[1]));
      reply = await cell.send(caller, "GET", path);
    }
    expect(left).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    expect(reply.json.code).toBe("rate_limited");
    expect(reply.headers.get("retry-after")).toBe("1");
    expect(reply.headers.get("ratelimit")).toBe('"default";r=0;t=2');
    nowMs += 1_000;
    expect((await cell.send(caller, "GET", path)).headers.get("ratelimit")).toBe('"default";r=4;t=2');
  });

  test("leaves other callers alone, and refused writes change nothing", async () => {
    const [noisy, quiet] = [fresh(), fresh()];
    const reads = await Promise.all(Array.from({ length: 30 }, () => cell.send(noisy, "GET", "/api/listings")));
    expect(reads.filter((reply) => reply.status === 200)).toHaveLength(10);
    const before = await cell.fingerprint(project);
    for (const [method, path, body] of [
      ["POST", "/api/listings", { title: "x", price: 1 }],
      ["PATCH", "/v1/resources/listings/018f0000-0000-7000-8000-000000000000", { price: 1 }],
      ["DELETE", "/api/listings/018f0000-0000-7000-8000-000000000000", undefined],
    ] as const) {
      expect((await cell.send(noisy, method, path, body)).status).toBe(429);
    }
    expect(await cell.fingerprint(project)).toBe(before);
    expect((await cell.send(quiet, "GET", "/api/listings")).status).toBe(200);
  });

  test("counts open routes by address", async () => {
    const replies = [];
    for (let i = 0; i < 5; i++) replies.push((await cell.send(null, "GET", "/p/x/jwks")).status);
    expect(replies).toEqual([200, 200, 200, 429, 429]);
  });
});

describe("CORS", () => {
  test("lets any page send a credential in a header, never in cookies", async () => {
    const preflight = await cell.send(null, "OPTIONS", "/api/listings", undefined, {
      origin: "https://shop.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type",
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    expect(preflight.headers.get("access-control-allow-methods")).toContain("PATCH");
    expect(preflight.headers.get("access-control-allow-headers")).toContain("authorization");
    expect(preflight.headers.get("access-control-allow-credentials")).toBeNull();
    for (const caller of [fresh(), null]) {
      const reply = await cell.send(caller, "GET", "/api/listings", undefined, { origin: "https://shop.example" });
      expect(reply.headers.get("access-control-allow-origin")).toBe("*");
      expect(reply.headers.get("access-control-expose-headers")).toContain("x-request-id");
    }
  });
});

describe("a module's route", () => {
  test("is served after authentication, with the raw body", async () => {
    const reply = await cell.send(fresh(), "POST", "/v1/auth/echo", { a: 1 });
    expect(reply.status).toBe(202);
    expect(reply.json).toEqual({ body: '{"a":1}', kind: "key", projectId: project.projectId });
    expect((await cell.send(null, "POST", "/v1/auth/echo", { a: 1 })).status).toBe(401);
    expect((await cell.send(fresh(), "GET", "/v1/auth/echo")).headers.get("allow")).toBe("POST, OPTIONS");
  });

  test("refuses a viewer of the console unless it only reads", async () => {
    const roles = ["admin", "public"];
    cell.addCaller("viewer", project, { kind: "operator", email: "v@example.com", roles, readOnly: true });
    expect((await cell.send("viewer", "POST", "/v1/auth/echo", { a: 1 })).json.code).toBe("forbidden");
    expect((await cell.send("viewer", "GET", "/v1/auth/fault")).json.code).toBe("conflict");
  });

  test("fails with a public text; the rest is in the log under the request's id", async () => {
    const fault = await cell.send(fresh(), "GET", "/v1/auth/fault");
    expect(fault.json).toMatchObject({ status: 409, code: "conflict", detail: "public words" });
    expect(fault.text).not.toContain("internal words");
    const bug = await cell.send(fresh(), "GET", "/v1/auth/bug", undefined, { "x-request-id": "bug-1" });
    expect(bug.json).toEqual({
      type: "https://plinth.dev/problems/internal",
      title: expect.any(String),
      status: 500,
      code: "internal",
      request_id: "bug-1",
    });
    const line = cell.logLines.find((each) => each.includes("bug-1") && each.includes("request failed"));
    expect(line).toContain("a bug with secret words");
  });
});

describe("the access log", () => {
  test("contains route, status and caller, never values or credentials", async () => {
    const caller = fresh();
    await cell.send(caller, "GET", "/api/listings?title=private-words", undefined, { "x-request-id": "log-1" });
    const line = cell.logLines.find((each) => each.includes("log-1"));
    expect(JSON.parse(line ?? "")).toMatchObject({
      request_id: "log-1",
      method: "GET",
      route: "/api/listings",
      status: 200,
      ms: expect.any(Number),
      project: project.projectId,
      principal: `key_${callers}`,
    });
    const all = cell.logLines.join("");
    expect(all).not.toContain("private-words");
    expect(all).not.toContain(`Bearer ${caller}`);
  });
});

describe("health", () => {
  test("needs no credential and says why not", async () => {
    expect((await cell.send(null, "GET", "/healthz")).status).toBe(200);
    expect((await cell.send(null, "GET", "/readyz")).status).toBe(200);
    notReady = "The database is away.";
    const reply = await cell.send(null, "GET", "/readyz");
    expect(reply.status).toBe(503);
    expect(reply.text).toContain("The database is away.");
    notReady = null;
  });
});

describe("a release that changes", () => {
  const withNote = testBlueprint.replace("external: uuid?", "external: uuid?\n      note: string?");

  test("is read again, once, if a statement finds its table or column gone", async () => {
    const changed = await cell.addProject(testBlueprint);
    cell.addCaller("changing", changed, keyPrincipal("key_changing", ["admin"]));
    const { id } = (await cell.send("changing", "POST", "/api/listings", { title: "x", price: 1 })).json.data;
    await cell.publish(changed, withNote);
    // Another replica has renamed a column, and the stored release doesn't know the old one.
    await cell.rows(changed, 'alter table {schema}.listings drop column "external"');
    const without = testBlueprint.replace("      external: uuid?\n", "");
    await cell.publish(changed, without, { migrate: false });
    const reply = await cell.send("changing", "GET", `/api/listings/${id}`);
    expect(reply.status, reply.text).toBe(200);
    expect(Object.keys(reply.json.data)).not.toContain("external");
    expect(cell.reloads).toEqual([changed.projectId]);
  });

  test("that is itself broken is a 500 without details, without a loop", async () => {
    const broken = await cell.addProject(testBlueprint);
    cell.addCaller("broken", broken, keyPrincipal("key_broken", ["admin"]));
    await cell.rows(broken, "drop table {schema}.secret_notes");
    const reply = await cell.send("broken", "GET", "/api/secret_notes");
    expect(reply.json).toMatchObject({ status: 500, code: "internal" });
    expect(reply.text).not.toContain("secret_notes");
    expect(cell.reloads.filter((each) => each === broken.projectId)).toHaveLength(1);
  });

  test("that doesn't exist yet is a 404", async () => {
    const projectId = `prj_${"0".repeat(20)}` as const;
    cell.addCaller("early", { ...project, projectId }, keyPrincipal("key_early", ["admin"]));
    const reply = await cell.send("early", "GET", "/api/listings");
    expect(reply.json).toMatchObject({ status: 404, detail: "Nothing is deployed in this project yet." });
  });
});
