// Large definitions are read once, not for each run: a project may have a thousand workflows, more than the cache may
// hold.
import type { Pool } from "pg";
import { afterEach, expect, it } from "vitest";
import { createDefinitions } from "./definitions.ts";
import { openWorkCell, stepOf, type WorkCell, workflowOf } from "./testing/work-cell.ts";

const TEXT = `project: desk
modules: [auth, users, roles, workers, audit_logs]
entities:
  ticket:
    fields: { title: string }
    permissions: { admin: { all: true } }
`;

let work: WorkCell | null = null;
afterEach(async () => {
  await work?.close();
  work = null;
});

/** About 5 MB as JSON. */
function thousandWorkflows() {
  const note = { kind: "literal", value: "x".repeat(5_000) } as const;
  const steps = [stepOf("note", { kind: "audit.write", note })];
  return Array.from({ length: 1_000 }, (_, at) => workflowOf({ name: `w${at}`, on: ["ticket.created"], steps }));
}

function counting(pool: Pool): { readonly pool: Pool; readonly reads: () => number } {
  let reads = 0;
  const query = (text: string, values: unknown[]) => {
    if (text.includes("bundle")) reads++;
    return pool.query(text, values);
  };
  return { pool: { query } as unknown as Pool, reads: () => reads };
}

it("a thousand workflows are not read for each run, neither of the live release nor of the previous one", async () => {
  work = await openWorkCell(TEXT, { workflows: thousandWorkflows() }, { works: false });
  const { cell, projectId } = work;
  const { pool, reads } = counting(cell.pool);
  const definitions = createDefinitions(pool, cell.registry);
  const before = (await cell.registry.get(projectId))?.releaseId ?? "";
  for (let run = 0; run < 10; run++) expect((await definitions.of(before))?.workflows.length).toBe(1_000);
  expect(reads()).toBe(0);
  await work.redeploy({ workflows: thousandWorkflows().slice(0, 1) });
  const live = (await cell.registry.reload(projectId))?.releaseId ?? "";
  for (let run = 0; run < 10; run++) {
    const [old, now] = await Promise.all([definitions.of(before), definitions.of(live)]);
    expect([old?.workflows.length, now?.workflows.length]).toEqual([1_000, 1]);
  }
  expect(reads()).toBe(1);
}, 60_000);
