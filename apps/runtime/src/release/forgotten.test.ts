// A cell's cached data of a project ends with its release: its proofs, and its credentials if no other release follows.
import { hashApiKey, type ProjectId } from "@plinth/bundle";
import { compileModel } from "@plinth/compiler";
import { type TenantNames, tenantNames, UnprovenStatement } from "@plinth/postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { TestCell } from "../modes/testing/cell.ts";
import {
  createTestDatabase,
  deploy,
  makeKey,
  makeLiveProject,
  modelOf,
  openTestCell,
  publicationOf,
  type TestDatabase,
} from "../modes/testing/cell.ts";
import { cellTemplate } from "./testing/cell-template.ts";

let database: TestDatabase;
let cell: TestCell;

beforeAll(async () => {
  database = await createTestDatabase(cellTemplate);
  cell = await openTestCell(database);
});
afterAll(async () => {
  await cell?.close();
  await database?.drop();
});

/** Puts a proof and a key of the project into memory; then removes the right under which the proof was made. */
async function remember(on: TestCell, projectId: ProjectId): Promise<{ read: () => Promise<unknown>; hash: string }> {
  const names: TenantNames = tenantNames(projectId);
  const { key } = await makeKey(on, projectId);
  await on.authenticator.authenticate({ authorization: `Bearer ${key}` }, { ip: "192.0.2.1" });
  const tenant = on.scopeOf(projectId);
  const text = `SELECT title FROM ${names.schema}.notes`;
  const read = (): Promise<unknown> => tenant.run({ text, values: [], lane: "fast" });
  await read();
  await cell.pool.query(
    `SET ROLE ${names.owner}; REVOKE SELECT ON ${names.schema}.notes FROM ${names.worker}; RESET ROLE`,
  );
  await read();
  return { read, hash: hashApiKey(key) };
}

it("an evicted project: its proofs and its keys are removed too", async () => {
  const ids = [(await makeLiveProject(cell)).projectId, (await makeLiveProject(cell)).projectId];
  const small = await openTestCell(database, { cacheBytesMax: 1 });
  try {
    const { read, hash } = await remember(small, ids[0] as ProjectId);
    expect(small.keys.peek(hash)).toBeDefined();
    await small.registry.get(ids[1] as ProjectId);
    expect(small.registry.peek(ids[0] as ProjectId)).toBeUndefined();
    expect(small.keys.peek(hash)).toBeUndefined();
    await expect(read()).rejects.toBeInstanceOf(UnprovenStatement);
  } finally {
    await small.close();
  }
});

it("a project that another replica deploys: its statements are proven again", async () => {
  const { projectId, bundle } = await makeLiveProject(cell);
  const other = await openTestCell(database);
  try {
    const { read } = await remember(other, projectId);
    const next = compileModel(modelOf(["title", "body?"]));
    await deploy(cell, publicationOf(projectId, next, bundle));
    // A deploy grants the worker its rights again.
    const { schema, owner, worker } = tenantNames(projectId);
    await cell.pool.query(`SET ROLE ${owner}; REVOKE SELECT ON ${schema}.notes FROM ${worker}; RESET ROLE`);
    const outcome = (): Promise<unknown> => read().catch((error: unknown) => error);
    await expect.poll(outcome, { timeout: 3_000 }).toBeInstanceOf(UnprovenStatement);
  } finally {
    await other.close();
  }
});

it("a suspended project: all of it is removed", async () => {
  const { projectId } = await makeLiveProject(cell);
  const other = await openTestCell(database);
  try {
    const { read, hash } = await remember(other, projectId);
    await cell.pool.query("UPDATE plinth.projects SET active_release_id = NULL WHERE id = $1", [projectId]);
    await expect.poll(() => other.keys.peek(hash), { timeout: 3_000 }).toBeUndefined();
    await expect(read()).rejects.toBeInstanceOf(UnprovenStatement);
  } finally {
    await other.close();
  }
});
