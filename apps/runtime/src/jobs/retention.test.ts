// Retention: records that are older than their entity's retention are deleted like by the API; nothing else is.
import { checkBlueprint } from "@plinth/blueprint";
import type { ProjectId } from "@plinth/bundle";
import { compileModel } from "@plinth/compiler";
import { tenantNames } from "@plinth/postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { TestCell } from "../modes/testing/cell.ts";
import {
  createTestDatabase,
  deploy,
  makeLiveProject,
  makeProject,
  openTestCell,
  publicationOf,
  type TestDatabase,
} from "../modes/testing/cell.ts";
import { cellTemplate } from "../release/testing/cell-template.ts";

const TEXT = `project: desk
modules: [auth, users, roles, audit_logs]
entities:
  visit:
    retention: 90d
    fields:
      page: string
    permissions:
      admin: { read: true }
  ticket:
    retention: 30d
    soft_delete: true
    fields:
      page: string
    permissions:
      admin: { read: true }
  order:
    fields:
      visit_id: ref(visit)
    permissions:
      admin: { read: true }
`;

let database: TestDatabase;
let cell: TestCell;
let projectId: ProjectId;

beforeAll(async () => {
  database = await createTestDatabase(cellTemplate);
  cell = await openTestCell(database);
  projectId = await makeProject(cell);
  const { model, diagnostics } = checkBlueprint(TEXT);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  const status = await deploy(cell, publicationOf(projectId, compileModel(model), null));
  if (status.error !== null) throw new Error(status.error);
});
afterAll(async () => {
  await cell?.close();
  await database?.drop();
});

async function sql(text: string): Promise<readonly Record<string, unknown>[]> {
  return (await cell.pool.query(text.replaceAll("{schema}", tenantNames(projectId).schema))).rows;
}

it("deletes old records in batches, with a line in the log each; records with a restricting reference stay", async () => {
  await makeLiveProject(cell);
  for (const table of ["visits", "tickets"]) {
    await sql(`insert into {schema}.${table} (id, page, created_at)
      select gen_random_uuid(), case when n > 230 then 'young' else 'old' end,
        now() - case when n > 230 then interval '20 days' else interval '100 days' end from generate_series(1, 250) n`);
  }
  await sql(`insert into {schema}.orders (id, visit_id)
    select gen_random_uuid(), id from {schema}.visits where page = 'old' order by created_at, id limit 1`);
  expect(await cell.retention.sweep()).toBe(229 + 230);
  const counted = "select page, count(*)::int from {schema}.visits group by 1 order by 1";
  expect(await sql(counted)).toEqual([
    { page: "old", count: 1 },
    { page: "young", count: 20 },
  ]);
  const kept = "select deleted_at is null as living, count(*)::int from {schema}.tickets group by 1 order by 1";
  expect(await sql(kept)).toEqual([
    { living: false, count: 230 },
    { living: true, count: 20 },
  ]);
  const logged =
    "select actor_id, operation, entity, count(*)::int from {schema}.audit_log group by 1, 2, 3 order by 3";
  expect(await sql(logged)).toEqual([
    { actor_id: "retention", operation: "delete", entity: "ticket", count: 230 },
    { actor_id: "retention", operation: "delete", entity: "visit", count: 229 },
  ]);
  expect(await cell.retention.sweep()).toBe(0);
});
