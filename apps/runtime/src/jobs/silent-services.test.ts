// Another service that never answers holds up the runs that call it, and nobody else's.
import { checkBlueprint } from "@plinth/blueprint";
import { compileModel } from "@plinth/compiler";
import { quoteIdentifier, tenantNames } from "@plinth/postgres";
import { afterEach, expect, it } from "vitest";
import { deploy, makeProject, publicationOf } from "../modes/cell-fixture.ts";
import { serviceFor } from "../project/principal.ts";
import { createRecord } from "../query/run.ts";
import { type Receiver, startReceiver } from "../workflows/testing/receiver.ts";
import { openWorkCell, type WorkCell } from "../workflows/testing/work-cell.ts";

let work: WorkCell | null = null;
let receiver: Receiver | null = null;
afterEach(async () => {
  await receiver?.close();
  await work?.close();
  work = null;
  receiver = null;
});

const calling = (url: string): string => `project: desk
modules: [auth, users, roles, workers, audit_logs]
entities:
  ticket:
    fields: { title: string }
    permissions: { admin: { all: true } }
workers:
  print: { on: ticket.created, http: { url: '${url}' }, timeout: 1d, retry: 1 }
`;

const QUICK = `project: quick
modules: [auth, users, roles, workers, audit_logs]
entities:
  note:
    fields: { text: string }
    permissions: { admin: { all: true } }
workers:
  read: { on: note.created, steps: [record.update: { with: { text: seen } }] }
`;

it("as many calls as a process has jobs, and another project's run begins all the same", async () => {
  receiver = await startReceiver(() => ({ afterMs: 30_000 }));
  const { url, received } = receiver;
  work = await openWorkCell(calling(url), {});
  const { cell } = work;
  const other = await makeProject(cell);
  const { model } = checkBlueprint(QUICK);
  if (model === null) throw new Error("the blueprint is wrong");
  expect((await deploy(cell, publicationOf(other, compileModel(model), null))).error).toBeNull();
  const tickets = await work.request("ticket");
  for (let at = 0; at < 4; at++) {
    await createRecord(tickets, crypto.randomUUID(), new Map([["title", `${at}`]]));
    // Each in a job of its own.
    await expect.poll(() => received.length, { timeout: 10_000 }).toBe(at + 1);
  }
  const release = await cell.registry.get(other);
  if (release === null) throw new Error("nothing is deployed");
  const request = { ...tickets, tenant: cell.scopeOf(other), release, entity: "note", principal: serviceFor("test") };
  await createRecord(request, crypto.randomUUID(), new Map([["text", "new"]]));
  const runs = `SELECT status FROM ${quoteIdentifier(tenantNames(other).schema)}.workers__runs`;
  await expect
    .poll(async () => (await cell.pool.query(runs)).rows, { timeout: 10_000 })
    .toEqual([{ status: "completed" }]);
  expect(await work.sql("SELECT DISTINCT status FROM {schema}.workers__runs")).toEqual([{ status: "running" }]);
});
