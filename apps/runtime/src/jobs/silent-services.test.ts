// Other services that never answer only delay the runs that call them, however many projects have such a service.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { checkBlueprint } from "@plinth/blueprint";
import { compileModel } from "@plinth/compiler";
import { quoteIdentifier, tenantNames } from "@plinth/postgres";
import { afterEach, expect, it } from "vitest";
import { deploy, makeProject, publicationOf } from "../modes/testing/cell.ts";
import { serviceFor } from "../project/principal.ts";
import { createRecord, type Request } from "../query/run.ts";
import { type Receiver, startReceiver } from "../workflows/testing/receiver.ts";
import { openWorkCell, type WorkCell } from "../workflows/testing/work-cell.ts";

let work: WorkCell | null = null;
let receiver: Receiver | null = null;
const silent: Server[] = [];
afterEach(async () => {
  for (const server of silent.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
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

const GREEDY = (url: string): string => `project: greedy
modules: [auth, users, roles, workers, audit_logs]
entities:
  ticket:
    fields: { title: string, copies: "list<int>" }
    permissions: { admin: { all: true } }
workflows:
  print:
    on: ticket.created
    steps:
      - { id: copy, action: http.request, for_each: "\${{ record.copies }}", max_parallel: 100, timeout: 1d, retry: 1, with: { url: '${url}' } }
`;

const ASKING = (url: string): string => `project: asking
modules: [auth, users, roles, workers, audit_logs]
entities:
  note:
    fields: { text: string }
    permissions: { admin: { all: true } }
workflows:
  ask:
    on: note.created
    steps:
      - { id: ask, action: http.request, timeout: 30s, with: { url: '${url}' } }
`;

/** A server that accepts everything and answers nothing. */
async function startSilence(): Promise<{ readonly url: string; readonly open: () => number }> {
  let open = 0;
  const server = createServer(() => {
    open++;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  silent.push(server);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, open: () => open };
}

it("twenty projects with silent services leave another project its calls", async () => {
  receiver = await startReceiver(() => ({ body: "yes" }));
  const silence = await startSilence();
  work = await openWorkCell(GREEDY(silence.url), {});
  const { cell } = work;
  const first = await work.request("ticket");
  const copies = JSON.stringify(Array.from({ length: 60 }, (_, at) => at));
  const requestOf = async (text: string, entity: string): Promise<Request> => {
    const { model, diagnostics } = checkBlueprint(text);
    if (model === null) throw new Error(JSON.stringify(diagnostics));
    const projectId = await makeProject(cell);
    expect((await deploy(cell, publicationOf(projectId, compileModel(model), null))).error).toBeNull();
    const release = await cell.registry.get(projectId);
    if (release === null) throw new Error("nothing is deployed");
    return { ...first, tenant: cell.scopeOf(projectId), release, entity };
  };
  const others = [];
  for (let at = 1; at < 20; at++) others.push(await requestOf(GREEDY(silence.url), "ticket"));
  const asking = await requestOf(ASKING(receiver.url), "note");
  for (const request of [first, ...others]) {
    const values = new Map([
      ["title", "new"],
      ["copies", copies],
    ]);
    for (let at = 0; at < 3; at++) await createRecord(request, crypto.randomUUID(), values);
  }
  // The maximum is reached: no further connection opens.
  let before = -1;
  const isStill = (): boolean => {
    const last = before;
    before = silence.open();
    return last === before && last > 200;
  };
  await expect.poll(isStill, { timeout: 30_000, interval: 1_500 }).toBe(true);
  for (let at = 0; at < 20; at++) await createRecord(asking, crypto.randomUUID(), new Map([["text", `${at}`]]));
  const runs = `SELECT status, count(*)::int FROM ${asking.release.schema}.workers__runs GROUP BY status`;
  await expect
    .poll(async () => (await cell.pool.query(runs)).rows, { timeout: 20_000 })
    .toEqual([{ status: "completed", count: 20 }]);
  expect(await work.sql("SELECT DISTINCT status FROM {schema}.workers__runs WHERE status <> 'queued'")).toEqual([
    { status: "running" },
  ]);
}, 90_000);

it("with as many calls as a process has jobs, another project's run still starts", async () => {
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
    // Each in its own job.
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
