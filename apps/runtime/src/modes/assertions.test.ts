// Which of control's signed assertions a cell accepts: each works for one call, once, in whichever process of the cell.
import { createHash, randomUUID } from "node:crypto";
import { newControlKeys, newId, type ProjectId, readControlSigner } from "@plinth/bundle";
import { compileModel } from "@plinth/compiler";
import { createLogger } from "@plinth/service";
import { SignJWT } from "jose";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { cellTemplate } from "../release/testing/cell-template.ts";
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
const notes = `/internal/projects/${projectId}/data/v1/resources/notes`;
const measure = `/internal/projects/${projectId}/measure`;

interface Call {
  readonly method: string;
  readonly target: string;
  readonly body?: string;
}

const start = (): Promise<WebService> =>
  startWeb(webConfigOf(database.url), createLogger({ name: "test", level: "silent" }));

async function send({ method, target, body }: Call, assertion?: string): Promise<number> {
  const headers: Record<string, string> = { authorization: `Bearer ${cellSecret}` };
  if (assertion !== undefined) headers["plinth-assertion"] = assertion;
  if (body !== undefined) headers["content-type"] = "application/json";
  const response = await fetch(`${service.internalUrl}${target}`, { method, headers, body: body ?? null });
  await response.text();
  return response.status;
}

const sign = (claims: Record<string, unknown>, lifetime = "30s", by = controlSigner): Promise<string> =>
  new SignJWT({ role: "operator", prj: projectId, aud: cellId, ...claims })
    .setProtectedHeader({ alg: "EdDSA", kid: controlSigner.keyId })
    .setJti(randomUUID())
    .setSubject("ana@example.com")
    .setExpirationTime(lifetime)
    .sign(by.privateKey);

/** Signs like control, for exactly this call. */
const signFor = ({ method, target, body = "" }: Call, claims: Record<string, unknown> = {}): Promise<string> =>
  sign({ htm: method, target, body: createHash("sha256").update(body).digest("hex"), ...claims });

beforeAll(async () => {
  database = await createTestDatabase(cellTemplate);
  service = await start();
  expect(await send({ method: "PUT", target: `/internal/projects/${projectId}`, body: '{"slug":"notes"}' })).toBe(204);
  const publication = publicationOf(projectId, compileModel(modelOf(["title"])), null);
  const releases = `/internal/projects/${projectId}/releases`;
  expect(await send({ method: "POST", target: releases, body: JSON.stringify(publication) })).toBe(202);
  const list: Call = { method: "GET", target: notes };
  await vi.waitFor(async () => expect(await send(list, await signFor(list))).toBe(200), 20_000);
}, 60_000);
afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

it("accepts no assertion that is missing, forged, long-lived, used, or for another cell or project", async () => {
  const stranger = readControlSigner(newControlKeys().privateKey);
  const hmac = new SignJWT({ role: "operator", prj: projectId, aud: cellId })
    .setProtectedHeader({ alg: "HS256", kid: controlSigner.keyId })
    .setSubject("ana@example.com")
    .setJti(randomUUID())
    .setExpirationTime("30s");
  const used = await sign({});
  const list: Call = { method: "GET", target: notes };
  expect(await send(list, used)).toBe(200);
  const answers = await Promise.all(
    [
      undefined,
      await sign({}, "30s", stranger),
      await hmac.sign(Buffer.from(cellSecret)),
      used,
      await sign({ aud: "another" }),
      await sign({}, "10m"),
      await sign({}, "-1s"),
      await sign({ role: "owner" }),
      await sign({ prj: newId("prj") }),
    ].map((assertion) => send(list, assertion)),
  );
  expect(answers).toEqual([401, 401, 401, 401, 401, 401, 401, 401, 403]);
});

it("accepts an assertion only for the call that it was signed for", async () => {
  const create: Call = { method: "POST", target: notes, body: '{"title":"one"}' };
  const page: Call = { method: "GET", target: `${notes}?limit=1` };
  expect(await send(create, await signFor(create))).toBe(201);
  expect(await send(page, await signFor(page))).toBe(200);
  const others: readonly (readonly [Call, Call])[] = [
    [{ method: "GET", target: notes }, create],
    [create, { method: "GET", target: notes }],
    [create, { ...create, target: `${notes}/batch` }],
    [page, { ...page, target: notes }],
    [page, { ...page, target: `${notes}?limit=2` }],
    [create, { ...create, body: '{"title":"two"}' }],
    [{ method: "POST", target: notes }, create],
  ];
  for (const [signed, sent] of others) expect([sent, await send(sent, await signFor(signed))]).toEqual([sent, 401]);
  const measured: Call = { method: "POST", target: measure, body: '{"steps":[]}' };
  const claims = { role: "measure" };
  expect(await send(measured, await signFor({ ...measured, target: notes }, claims))).toBe(401);
  expect(await send(measured, await signFor(measured, claims))).toBe(200);
});

it("accepts no assertion that names only a part of its call", async () => {
  const list: Call = { method: "GET", target: notes };
  expect(await send(list, await sign({ htm: "GET" }))).toBe(401);
  expect(await send(list, await sign({ htm: "GET", target: notes }))).toBe(401);
});

it("accepts an assertion only once, in all processes, and after a restart", async () => {
  const create: Call = { method: "POST", target: notes, body: '{"title":"once"}' };
  const measured: Call = { method: "POST", target: measure, body: '{"steps":[]}' };
  const [made, asked] = [await signFor(create), await signFor(measured, { role: "measure" })];
  const both = await Promise.all([send(create, made), send(create, made)]);
  expect(both.sort()).toEqual([201, 401]);
  expect(await send(measured, asked)).toBe(200);
  expect(await send(measured, asked)).toBe(401);
  await service.stop();
  service = await start();
  expect(await send(create, made)).toBe(401);
  expect(await send(measured, asked)).toBe(401);
});
