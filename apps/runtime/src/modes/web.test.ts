// The whole runtime over HTTP: control deploys through the internal listener; an app and its users call the public one.
import { createHash, randomUUID } from "node:crypto";
import { hashApiKey, newApiKey, newId, type ProjectId } from "@plinth/bundle";
import { compileModel } from "@plinth/compiler";
import { createLogger } from "@plinth/service";
import { createFaultProxy } from "@plinth/testkit";
import { createLocalJWKSet, jwtVerify, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { cellTemplate } from "../release/testing/cell-template.ts";
import { verify } from "../release/testing/runner.ts";
import {
  cellId,
  cellSecret,
  controlSigner,
  createTestDatabase,
  modelOf,
  publicationOf,
  type TestDatabase,
} from "./testing/cell.ts";
import { webConfigOf } from "./testing/web-config.ts";
import { startWeb, type WebService } from "./web.ts";

let database: TestDatabase;
let service: WebService;
const projectId: ProjectId = newId("prj");
const bundle = compileModel(modelOf(["title"]));
const publishable = newApiKey("publishable");
const secret = newApiKey("secret");

interface Answer {
  readonly status: number;
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
  readonly body: any;
}

async function call(url: string, method: string, headers: Record<string, string>, body?: unknown): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: body === undefined ? headers : { "content-type": "application/json", ...headers },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text();
  const type = response.headers.get("content-type") ?? "";
  return { status: response.status, type, body: type.includes("json") ? JSON.parse(text) : text };
}

const internal = (
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  call(
    `${service.internalUrl}/internal/projects/${path}`,
    method,
    { authorization: `Bearer ${cellSecret}`, ...headers },
    body,
  );

const api = (
  method: string,
  path: string,
  key: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> => call(`${service.apiUrl}${path}`, method, { authorization: `Bearer ${key}`, ...headers }, body);

const assertion = (claims: Record<string, unknown>): Promise<string> =>
  new SignJWT({ role: "operator", prj: projectId, aud: cellId, ...claims })
    .setProtectedHeader({ alg: "EdDSA", kid: controlSigner.keyId })
    .setJti(randomUUID())
    .setSubject("ana@example.com")
    .setExpirationTime("30s")
    .sign(controlSigner.privateKey);

beforeAll(async () => {
  database = await createTestDatabase(cellTemplate);
  service = await startWeb(webConfigOf(database.url), createLogger({ name: "test", level: "silent" }));
  expect((await internal("PUT", projectId, { slug: "notes" })).status).toBe(204);
  const publication = publicationOf(projectId, bundle, null);
  expect((await internal("POST", `${projectId}/releases`, publication)).status).toBe(202);
  await vi.waitFor(async () => {
    const { body } = await internal("GET", `${projectId}/releases/${publication.releaseId}`);
    expect(body.status).toBe("active");
  }, 20_000);
  for (const [key, kind] of [
    [publishable, "publishable"],
    [secret, "secret"],
  ] as const) {
    const body = { hash: hashApiKey(key), kind, role: null, name: kind, expiresAt: null };
    expect((await internal("PUT", `${projectId}/keys/${newId("key")}`, body)).status).toBe(204);
  }
});
afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

it("reports the load of the process only to control", async () => {
  const ask = (secret: string): Promise<Answer> =>
    call(`${service.internalUrl}/internal/load`, "GET", { authorization: `Bearer ${secret}` });
  expect(await ask("wrong")).toMatchObject({ status: 401 });
  expect(await ask(cellSecret)).toMatchObject({ status: 200, body: { memoryBytes: { rss: expect.any(Number) } } });
  expect((await call(`${service.apiUrl}/internal/load`, "GET", {})).status).toBe(401);
});

describe("the public API", () => {
  it("serves generated routes, users and sign-in of one deployed project", async () => {
    const created = await api("POST", "/v1/resources/notes", secret, { title: "one" });
    expect(created).toMatchObject({ status: 201, body: { data: { title: "one" } } });
    expect(await api("GET", "/v1/resources/notes", publishable)).toMatchObject({ status: 403 });

    const credentials = { email: "Bo@Example.com", password: "correct horse battery" };
    const signedUp = await api("POST", "/v1/auth/sign-up", publishable, credentials);
    expect(signedUp).toMatchObject({ status: 201, body: { data: { user: { email: "bo@example.com", roles: [] } } } });
    const token = signedUp.body.data.access_token;
    const me = await api("GET", "/v1/users/me", publishable, undefined, { "plinth-user-token": token });
    expect(me).toMatchObject({ status: 200, body: { data: signedUp.body.data.user } });
    expect(await api("GET", "/v1/users/me", token)).toMatchObject({ status: 200, body: me.body });
    expect(await api("GET", "/v1/users/me", secret)).toMatchObject({ status: 401, body: { code: "user_required" } });

    const userId = me.body.data.id;
    const granted = await api("PUT", `/v1/users/${userId}/roles`, secret, { roles: ["admin"] });
    expect(granted).toMatchObject({ status: 200, body: { data: { roles: ["admin"], version: 2 } } });
    expect(await api("GET", "/v1/resources/notes", token)).toMatchObject({ status: 200 });
  });

  it("sends its description compressed or plain, and only once to clients that cache it", async () => {
    const ask = (method: string, path: string, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${service.apiUrl}${path}`, { method, headers: { authorization: `Bearer ${publishable}`, ...headers } });
    for (const [path, text] of [
      ["/v1/openapi.json", JSON.stringify(bundle.openapi)],
      ["/v1/sdk.d.ts", bundle.sdkTypes],
    ] as const) {
      const plain = await ask("GET", path, { "accept-encoding": "identity" });
      expect([plain.headers.get("content-encoding"), await plain.text()]).toEqual([null, text]);
      expect(plain.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
      const packed = await ask("GET", path, { "accept-encoding": "br, gzip" });
      expect([packed.headers.get("content-encoding"), await packed.text()]).toEqual(["gzip", text]);
      const etag = plain.headers.get("etag") ?? "";
      expect(packed.headers.get("etag")).toBe(etag);
      const same = await ask("GET", path, { "if-none-match": etag });
      expect([same.status, same.headers.get("etag"), await same.text()]).toEqual([304, etag, ""]);
      const head = await ask("HEAD", path, { "accept-encoding": "identity" });
      expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([
        200,
        String(Buffer.byteLength(text)),
        "",
      ]);
    }
  });

  it("describes itself, and publishes the keys that verify its tokens", async () => {
    expect((await api("GET", "/v1/openapi.json", publishable)).body).toEqual(bundle.openapi);
    expect((await api("GET", "/v1/sdk.d.ts", publishable)).body).toBe(bundle.sdkTypes);
    expect((await call(`${service.apiUrl}/v1/openapi.json`, "GET", {})).status).toBe(401);
    const open = await call(`${service.apiUrl}/p/${projectId}/.well-known/jwks.json`, "GET", {});
    expect(open).toMatchObject({ status: 200, type: expect.stringMatching(/^application\/jwk-set\+json/) });
    expect((await api("GET", "/.well-known/jwks.json", publishable)).body).toEqual(open.body);
    expect(JSON.stringify(open.body)).not.toContain('"d"');
    for (const named of ["notes", "nobody", newId("prj")]) {
      expect((await call(`${service.apiUrl}/p/${named}/.well-known/jwks.json`, "GET", {})).status).toBe(404);
    }

    const signedUp = await api("POST", "/v1/auth/sign-up", secret, {
      email: "cy@example.com",
      password: "long enough",
    });
    const { payload } = await jwtVerify(signedUp.body.data.access_token, createLocalJWKSet(open.body));
    expect(payload).toMatchObject({ aud: projectId, sub: signedUp.body.data.user.id });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(900);
    const { iss } = payload;
    expect(iss).toBe(`http://127.0.0.1:4000/p/${projectId}`);
  });

  it("refuses input that a hand-written route doesn't know", async () => {
    expect(await api("GET", "/v1/users/me?x=1", secret)).toMatchObject({
      status: 400,
      body: { code: "unknown_parameter" },
    });
    const bad = { email: "no address", password: "short", extra: 1 };
    const refused = await api("POST", "/v1/auth/sign-up", secret, bad);
    expect(refused).toMatchObject({ status: 422, type: "application/problem+json; charset=utf-8" });
    expect(refused.body.errors.map((error: { path: string }) => error.path).sort()).toEqual([
      "/email",
      "/extra",
      "/password",
    ]);
    expect(await api("POST", "/v1/auth/sign-in", secret, undefined)).toMatchObject({ status: 422 });
    expect(await api("DELETE", "/v1/auth/sign-in", secret)).toMatchObject({ status: 405 });
  });

  it("reports that it is alive and ready", async () => {
    expect((await fetch(`${service.apiUrl}/healthz`)).status).toBe(200);
    expect((await fetch(`${service.apiUrl}/readyz`)).status).toBe(200);
  });
});

describe("the internal listener", () => {
  it("refuses callers without the secret", async () => {
    for (const authorization of ["", "Bearer ", `Bearer ${cellSecret}x`, `Basic ${cellSecret}`]) {
      const answer = await call(`${service.internalUrl}/internal/projects/${projectId}/status`, "GET", {
        authorization,
      });
      expect(answer).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
    }
    expect(
      (
        await call(`${service.apiUrl}/internal/projects/${projectId}/status`, "GET", {
          authorization: `Bearer ${cellSecret}`,
        })
      ).status,
    ).toBe(401);
  });

  it("reports a project's use", async () => {
    await api("GET", "/v1/resources/notes", secret);
    await expect
      .poll(async () => (await internal("GET", `${projectId}/status`)).body, { timeout: 4_000 })
      .toMatchObject({
        activeReleaseId: expect.stringMatching(/^rel_/),
        bundleHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        firstRequestAt: expect.any(String),
        requests: expect.any(Number),
      });
    expect((await internal("GET", `${newId("prj")}/status`)).status).toBe(404);
  });

  it("reports when each key was last used", async () => {
    const [used, unused] = await Promise.all(
      [0, 1].map(async () => {
        const [id, key] = [newId("key"), newApiKey("secret")];
        const body = { hash: hashApiKey(key), kind: "secret", role: null, name: "key", expiresAt: null };
        expect((await internal("PUT", `${projectId}/keys/${id}`, body)).status).toBe(204);
        return { id, key };
      }),
    );
    if (used === undefined || unused === undefined) throw new Error("two keys were created");
    const before = Date.now();
    expect((await api("GET", "/v1/resources/notes", used.key)).status).toBe(200);
    const keysUsedAt = async (): Promise<Record<string, string>> =>
      ((await internal("GET", `${projectId}/status`)).body as { keysUsedAt: Record<string, string> }).keysUsedAt;
    await expect.poll(keysUsedAt, { timeout: 4_000 }).toHaveProperty(used.id);
    const at = (await keysUsedAt())[used.id] ?? "";
    expect(Math.abs(Date.parse(at) - before)).toBeLessThan(10_000);
    expect(await keysUsedAt()).not.toHaveProperty(unused.id);
  });

  it("reports the state of the schema, and measures a plan without running it", async () => {
    const schema = await internal("GET", `${projectId}/schema`);
    expect(schema).toMatchObject({ status: 200, body: { drift: [], setAside: [] } });
    expect((await internal("GET", `${newId("prj")}/schema`)).status).toBe(404);
    const step = verify("001-verify", "notes", "title");
    const measure = async (body: unknown, to: string = projectId, signed = body): Promise<Answer> => {
      const hash = createHash("sha256").update(signed === undefined ? "" : JSON.stringify(signed));
      const token = await assertion({ role: "measure", prj: to, body: hash.digest("hex") });
      return internal("POST", `${to}/measure`, body, { "plinth-assertion": token });
    };
    const measured = await measure({ steps: [step] });
    expect(measured.status).toBe(200);
    expect(measured.body.steps).toMatchObject([{ stepId: "001-verify", rowsExact: true, violators: { count: 0 } }]);
    expect((await measure({ steps: [] }, newId("prj"))).status).toBe(404);
    const bad = await measure({ steps: [{ ...step, table: 'x"; drop' }] });
    expect(bad).toMatchObject({ status: 422, body: { code: "validation_failed" } });
    expect((await measure(undefined)).status).toBe(422);
    // Measuring runs SQL, so neither the secret alone nor a signature for another call is enough.
    expect((await internal("POST", `${projectId}/measure`, { steps: [step] })).status).toBe(401);
    expect((await measure({ steps: [step] }, projectId, { steps: [] })).status).toBe(401);
    const operator = { "plinth-assertion": await assertion({}) };
    expect((await internal("POST", `${projectId}/measure`, { steps: [step] }, operator)).status).toBe(401);
  });

  it("allows two projects with the same name, and refuses keys that clash", async () => {
    expect((await internal("PUT", newId("prj"), { slug: "notes" })).status).toBe(204);
    const body = { hash: hashApiKey(publishable), kind: "publishable", role: null, name: "again", expiresAt: null };
    expect((await internal("PUT", `${projectId}/keys/${newId("key")}`, body)).status).toBe(409);
    expect((await internal("DELETE", `${projectId}/keys/${newId("key")}`)).status).toBe(404);
  });

  it("grants roles to an existing user", async () => {
    const email = "di@example.com";
    await api("POST", "/v1/auth/sign-up", publishable, { email, password: "long enough" });
    const granted = await internal("POST", `${projectId}/users/grant`, { email, roles: ["editor"] });
    expect(granted.status).toBe(204);
    const signedIn = await api("POST", "/v1/auth/sign-in", publishable, { email, password: "long enough" });
    expect(signedIn.body).toMatchObject({ data: { user: { email, roles: ["editor"] } } });
    expect((await internal("POST", `${projectId}/users/grant`, { email: "no@example.com", roles: [] })).status).toBe(
      404,
    );
    expect((await internal("POST", `${projectId}/users/grant`, { email, roles: ["boss"] })).status).toBe(422);
  });

  it("serves data to a person whom control vouches for", async () => {
    const path = `${projectId}/data/v1/resources/notes`;
    const operator = { "plinth-assertion": await assertion({}) };
    const viewer = async () => ({ "plinth-assertion": await assertion({ role: "viewer" }) });
    const created = await internal("POST", path, { title: "by ana" }, operator);
    expect(created.status).toBe(201);
    expect((await internal("GET", path, undefined, await viewer())).body.data.length).toBeGreaterThan(0);
    expect((await internal("POST", path, { title: "no" }, await viewer())).status).toBe(403);
    const mine = (await internal("GET", `${projectId}/data/v1/users`, undefined, await viewer())).status;
    expect(mine).toBe(200);
  });
});

describe("a stop", () => {
  it("lets requests in progress finish, and takes no more", async () => {
    const other = await startWeb(webConfigOf(database.url), createLogger({ name: "test", level: "silent" }));
    const headers = { authorization: `Bearer ${publishable}`, "content-type": "application/json" };
    const body = JSON.stringify({ email: "late@example.com", password: "long enough" });
    await fetch(`${other.apiUrl}/healthz`).then((response) => response.text());
    const inFlight = fetch(`${other.apiUrl}/v1/auth/sign-up`, { method: "POST", headers, body });
    await new Promise((resolve) => setTimeout(resolve, 20));
    const started = performance.now();
    const stopped = other.stop();
    expect((await inFlight).status).toBe(201);
    await stopped;
    expect(performance.now() - started).toBeLessThan(5_000);
    await expect(fetch(`${other.apiUrl}/healthz`)).rejects.toThrow();
  });

  it("names the variable for a port that is in use", async () => {
    const taken = Number(new URL(service.apiUrl).port);
    const config = { ...webConfigOf(database.url), apiPort: taken };
    await expect(startWeb(config, createLogger({ name: "test", level: "silent" }))).rejects.toThrow("PLINTH_API_PORT");
  });
});

describe("an unreachable database", () => {
  it.each(["cut", "freeze"] as const)(
    "(%s) makes the service not ready within 2 s; no request hangs; it recovers",
    async (fault) => {
      const proxy = await createFaultProxy({ target: database.url });
      const config = webConfigOf(proxy.through(database.url));
      const other = await startWeb(config, createLogger({ name: "test", level: "silent" }));
      try {
        proxy[fault]();
        const from = performance.now();
        await expect
          .poll(async () => (await fetch(`${other.apiUrl}/readyz`)).status, { timeout: 3_000, interval: 50 })
          .toBe(503);
        expect(performance.now() - from).toBeLessThan(2_000);
        const headers = { authorization: `Bearer ${secret}` };
        const asked = performance.now();
        const answer = await call(`${other.apiUrl}/v1/resources/notes`, "GET", headers);
        expect(answer).toMatchObject({ status: 503, body: { code: "unavailable" } });
        expect(performance.now() - asked).toBeLessThan(6_000);
        proxy.restore();
        await expect
          .poll(async () => (await call(`${other.apiUrl}/v1/resources/notes`, "GET", headers)).status, {
            timeout: 10_000,
          })
          .toBe(200);
        await expect.poll(async () => (await fetch(`${other.apiUrl}/readyz`)).status, { timeout: 5_000 }).toBe(200);
      } finally {
        proxy.restore();
        await other.stop();
        await proxy.close();
      }
    },
    30_000,
  );
});
