// An answer is for the approval that its sender has read, and for no later one. On Postgres and the job queue, over the API's handlers.
import { checkBlueprint } from "@plinth/blueprint";
import { compileModel } from "@plinth/compiler";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callModule, dataOf, makeKey } from "../../modes/cell-fixture.ts";
import { openWorkCell, type WorkCell } from "../../workflows/testing/work-cell.ts";

const TEXT = `project: desk
modules: [auth, users, roles, workers, audit_logs]
actions:
  pay:
    mode: async
    permissions: { admin: true }
    steps:
      - id: small
        action: approve
        with: { roles: [admin], by_self: true, message: Pay 10? }
      - id: large
        action: approve
        with: { roles: [admin], by_self: true, message: Pay 10000? }
entities:
  note:
    fields: { text: string }
    permissions: { admin: { all: true } }
`;

let work: WorkCell;
let admin: string;

beforeAll(async () => {
  const { model, diagnostics } = checkBlueprint(TEXT);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  work = await openWorkCell(TEXT, compileModel(model).background);
  admin = (await makeKey(work.cell, work.projectId)).key;
});
afterAll(() => work?.close());

test("a repeated answer does not answer the approval behind it", async () => {
  const { id } = dataOf(await callModule(work.cell, { path: "/v1/actions/pay", key: admin }));
  const waiting = async (step: string): Promise<void> => {
    const open = "SELECT path FROM {schema}.workers__waits WHERE answer IS NULL";
    await expect.poll(() => work.sql(open), { timeout: 10_000 }).toEqual([{ path: step }]);
  };
  const approve = () => {
    const headers = { "idempotency-key": "one click" };
    return callModule(work.cell, { path: `/v1/runs/${id}/approve`, key: admin, body: {}, headers });
  };
  await waiting("small");
  await approve();
  await waiting("large");
  // The same request once more: a lost answer, or a second click.
  await approve().catch(() => null);
  const answered = await work.sql("SELECT path FROM {schema}.workers__waits WHERE answer IS NOT NULL");
  expect(answered.map(({ path }) => path)).not.toContain("large");
});
