// A project named by the host: compared with the credential's project, and used if there is no credential. Through the
// real listener, because the host depends on the proxies in front of it.
import { request } from "node:http";
import { defaultLimitsMax, newId, type ProjectId } from "@plinth/bundle";
import { createLogger, networksOf } from "@plinth/service";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readRuntimeConfig } from "../config.ts";
import { createProjectOfHost } from "../identity/project-host.ts";
import type { TestCell } from "../modes/testing/cell.ts";
import {
  cellId,
  cellSecret,
  controlPublicKey,
  createTestDatabase,
  kek,
  makeKey,
  makeLiveProject,
  openTestCell,
  type TestDatabase,
} from "../modes/testing/cell.ts";
import { startWeb, type WebService } from "../modes/web.ts";
import { cellTemplate } from "../release/testing/cell-template.ts";

let database: TestDatabase;
let cell: TestCell;
let service: WebService;
let one: ProjectId;
let other: ProjectId;
let key: string;

const environment = {
  CELL_DATABASE_URL: "postgres://x/x",
  PLINTH_API_HOST: "127.0.0.1",
  PLINTH_API_PORT: "0",
  PLINTH_INTERNAL_PORT: "0",
  PLINTH_CELL_SECRET: cellSecret,
  PLINTH_CELL_ID: cellId,
  PLINTH_CONTROL_PUBLIC_KEYS: controlPublicKey,
  PLINTH_KEK: kek.toString("base64"),
  PLINTH_API_DOMAIN: "example.test",
};

beforeAll(async () => {
  database = await createTestDatabase(cellTemplate);
  cell = await openTestCell(database);
  ({ projectId: one } = await makeLiveProject(cell));
  ({ projectId: other } = await makeLiveProject(cell));
  ({ key } = await makeKey(cell, one));
  const config = { ...readRuntimeConfig(environment), databaseUrl: database.url, limitsMax: defaultLimitsMax };
  service = await startWeb(
    { ...config, isTrustedProxy: networksOf(["127.0.0.2"]) },
    createLogger({ name: "test", level: "silent" }),
  );
});
afterAll(async () => {
  await service?.stop();
  await cell?.close();
  await database?.drop();
});

interface Answer {
  readonly status: number | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
  readonly body: any;
}

function get(path: string, headers: Record<string, string>, localAddress = "127.0.0.1"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(`${service.apiUrl}${path}`, { headers, localAddress, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        resolve({ status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) });
      });
    });
    sent.on("error", reject).end();
  });
}

const credential = (): Record<string, string> => ({ authorization: `Bearer ${key}` });

describe("a host that names a project", () => {
  it("is compared with the credential's project", async () => {
    const notes = (host: string, more: Record<string, string> = {}): Promise<Answer> =>
      get("/v1/resources/notes", { ...credential(), host, ...more });
    for (const host of [
      `${one}.api.example.test`,
      `${one.toUpperCase()}.API.Example.Test.:4000`,
      `${one.replace("_", "-")}.api.example.test`,
      "api.example.test",
      "example.test",
      "127.0.0.1:4000",
      `${other}.api.elsewhere.test`,
      `${other}.xapi.example.test`,
    ]) {
      expect((await notes(host)).status, host).toBe(200);
    }
    for (const id of [other, newId("prj")]) {
      const refused = await notes(`${id}.api.example.test`);
      expect(refused).toMatchObject({ status: 403, body: { code: "project_mismatch" } });
    }
    const both = { "plinth-project": other };
    expect(await notes(`${one}.api.example.test`, both)).toMatchObject({ body: { code: "project_mismatch" } });
  });

  it("is a clear error if it names none, with a credential or without", async () => {
    const names = ["notes", "prj_short", `${one}.x`, "a..b", "", "-", "%00", "é", "x".repeat(2_000), "[::1]", "a b"];
    for (const name of names) {
      for (const headers of [credential(), {}]) {
        const refused = await get("/v1/resources/notes", { ...headers, host: `${name}.api.example.test` });
        expect(refused, name).toMatchObject({ status: 400, body: { code: "bad_request" } });
        // An invalid host is refused before its project is determined.
        expect(refused.body.detail).toMatch(/prj_|^The header Host contains no/);
      }
    }
  });

  it("finds the project of a route that needs no credential", async () => {
    const jwks = "/.well-known/jwks.json";
    const byPath = await get(`/p/${one}${jwks}`, { host: "api.example.test" });
    expect(byPath.status).toBe(200);
    expect(await get(jwks, { host: `${one}.api.example.test` })).toEqual(byPath);
    expect(await get(`/p/${one}${jwks}`, { host: `${one}.api.example.test` })).toEqual(byPath);
    expect(await get(jwks, { host: `${one}.api.example.test`, ...credential() })).toEqual(byPath);
    expect((await get(jwks, { host: `${newId("prj")}.api.example.test` })).status).toBe(404);
    for (const refused of [
      await get(jwks, { host: `${other}.api.example.test`, ...credential() }),
      await get(`/p/${one}${jwks}`, { host: `${other}.api.example.test` }),
    ]) {
      expect(refused).toMatchObject({ status: 403, body: { code: "project_mismatch" } });
    }
    expect((await get(jwks, { host: "api.example.test" })).status).toBe(401);
    expect((await get(jwks, { host: "notes.api.example.test" })).status).toBe(400);
    expect((await get(`/p/${one}${jwks}`, { host: "notes.api.example.test" })).status).toBe(400);
  });

  it("is only the header Host, because a client can write X-Forwarded-Host, and trusted proxies pass it on", async () => {
    const host = `${other}.api.example.test`;
    const forwarded = { ...credential(), host, "x-forwarded-host": `${one}.api.example.test` };
    for (const from of ["127.0.0.1", "127.0.0.2"]) {
      expect(await get("/v1/resources/notes", forwarded, from)).toMatchObject({
        status: 403,
        body: { code: "project_mismatch" },
      });
    }
  });

  it("is refused if it is no valid host, and the message names the domain", async () => {
    for (const end of ["..", ":x", ":80.", ",x"]) {
      const host = `${other}.api.example.test${end}`;
      expect((await get("/v1/resources/notes", { ...credential(), host })).status, host).toBe(400);
    }
  });
});

describe("the operator's domain", () => {
  it("has no default: without it, hosts don't name projects", () => {
    const { PLINTH_API_DOMAIN: _, ...without } = environment;
    expect(readRuntimeConfig(without).apiDomain).toBeNull();
    expect(createProjectOfHost(null)("notes.api.example.test")).toBe("none");
  });

  it("must be in lower case", () => {
    for (const domain of ["localhost", "plinth.example.com", "a--b.example"]) {
      expect(readRuntimeConfig({ ...environment, PLINTH_API_DOMAIN: domain }).apiDomain).toBe(domain);
    }
    for (const domain of [
      ".example.com",
      "Example.com",
      "https://example.com",
      "example.com:4000",
      "a_b.c",
      "-a.b",
      "a..b",
    ]) {
      expect(() => readRuntimeConfig({ ...environment, PLINTH_API_DOMAIN: domain }), domain).toThrow(
        "PLINTH_API_DOMAIN",
      );
    }
  });
});
