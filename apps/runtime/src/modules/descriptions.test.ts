// The descriptions of releases: stored when they are published, read once, and created for releases that an older
// version stored.
import { gunzipSync } from "node:zlib";
import { compileModel } from "@plinth/compiler";
import type { Pool } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createTestDatabase,
  deploy,
  makeLiveProject,
  modelOf,
  openTestCell,
  publicationOf,
  type TestCell,
  type TestDatabase,
} from "../modes/testing/cell.ts";
import { cellTemplate } from "../release/testing/cell-template.ts";
import { createDescriptions, type Descriptions } from "./descriptions.ts";

let database: TestDatabase;
let cell: TestCell;
let queries: string[];
let descriptions: Descriptions;

beforeAll(async () => {
  database = await createTestDatabase(cellTemplate);
  cell = await openTestCell(database);
  const counting = {
    query: (query: { readonly text: string } | string, values?: unknown[]) => {
      queries.push(typeof query === "string" ? query : query.text);
      return cell.pool.query(query as string, values);
    },
  };
  queries = [];
  descriptions = createDescriptions(counting as Pool);
});
afterAll(async () => {
  await cell?.close();
  await database?.drop();
});

async function stored(releaseId: string): Promise<number> {
  const { rows } = await cell.pool.query("SELECT FROM plinth.descriptions WHERE release_id = $1", [releaseId]);
  return rows.length;
}

test("many callers cost one look-up of the description that was stored with the release", async () => {
  const { projectId, bundle } = await makeLiveProject(cell);
  const release = (await cell.registry.get(projectId)) ?? expect.fail("nothing is live");
  queries = [];
  const parts = await Promise.all(Array.from({ length: 50 }, () => descriptions.of(release, "openapi")));
  expect(JSON.parse(gunzipSync(parts[0] as Buffer).toString())).toEqual(bundle.openapi);
  await descriptions.of(release, "openapi");
  expect(queries).toEqual([expect.stringContaining("plinth.descriptions")]);
  expect(gunzipSync(await descriptions.of(release, "sdkTypes")).toString()).toBe(bundle.sdkTypes);
});

test("for a release that was stored without one, it is created once and stored", async () => {
  const { projectId, bundle } = await makeLiveProject(cell);
  const release = (await cell.registry.get(projectId)) ?? expect.fail("nothing is live");
  await cell.pool.query("DELETE FROM plinth.descriptions WHERE release_id = $1", [release.releaseId]);
  expect(JSON.parse(gunzipSync(await descriptions.of(release, "openapi")).toString())).toEqual(bundle.openapi);
  expect(await stored(release.releaseId)).toBe(1);
  queries = [];
  expect(gunzipSync(await descriptions.of(release, "sdkTypes")).toString()).toBe(bundle.sdkTypes);
  expect(queries.length).toBe(1);
});

test("a release's description is deleted when another release replaces it", async () => {
  const { projectId, bundle } = await makeLiveProject(cell);
  const before = (await cell.registry.get(projectId)) ?? expect.fail("nothing is live");
  expect(await stored(before.releaseId)).toBe(1);
  const next = publicationOf(projectId, compileModel(modelOf(["title", "body?"])), bundle);
  expect((await deploy(cell, next)).status).toBe("active");
  expect([await stored(before.releaseId), await stored(next.releaseId)]).toEqual([0, 1]);
  // Another replica may serve it for a moment longer: it is answered, and not stored again.
  await descriptions.of(before, "openapi");
  expect(await stored(before.releaseId)).toBe(0);
});

test("a failure is not shared with other callers", async () => {
  const { projectId } = await makeLiveProject(cell);
  const release = (await cell.registry.get(projectId)) ?? expect.fail("nothing is live");
  let isDown = true;
  const failing = {
    query: (...given: Parameters<Pool["query"]>) =>
      isDown ? Promise.reject(Object.assign(new Error("no"), { code: "ECONNREFUSED" })) : cell.pool.query(...given),
  };
  const others = createDescriptions(failing as unknown as Pool);
  await expect(others.of(release, "openapi")).rejects.toMatchObject({ code: "unavailable" });
  isDown = false;
  expect((await others.of(release, "openapi")).length).toBeGreaterThan(0);
});
