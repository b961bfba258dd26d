// The maximum size of a run's step outputs: all projects share the memory of the process that executes it, and a run
// that continues reads all of them again.
import { checkBlueprint } from "@plinth/blueprint";
import { compileModel } from "@plinth/compiler";
import { afterEach, expect, it } from "vitest";
import { callModule, makeKey } from "../modes/testing/cell.ts";
import { createRecord } from "../query/run.ts";
import { type Receiver, startReceiver } from "./testing/receiver.ts";
import { openWorkCell, type WorkCell } from "./testing/work-cell.ts";

let work: WorkCell | null = null;
let receiver: Receiver | null = null;
afterEach(async () => {
  await work?.close();
  await receiver?.close();
  work = null;
  receiver = null;
});

const textOf = (actions: readonly string[]): string => `project: desk
modules: [auth, users, roles, workers, audit_logs]
events:
  tale.told: { payload: { t: text } }
entities:
  ticket:
    fields: { title: string }
    permissions: { admin: { all: true } }
workflows:
  hear: { on: tale.told, when: "event.data.t == 'never'", actions: [audit.write: { with: { note: heard } }] }
  grow:
    on: ticket.created
    actions:
${actions.map((action) => `      - ${action}`).join("\n")}
`;

async function runOf(actions: readonly string[]): Promise<Record<string, unknown> | undefined> {
  work = await openWorkCell(textOf(actions), {});
  await createRecord(await work.request("ticket"), crypto.randomUUID(), new Map([["title", "a"]]));
  await work.settled();
  const [run] = await work.sql("SELECT status, error->>'message' AS why FROM {schema}.workers__runs");
  return run;
}

it("a text that doubles with each step fails its run, but not the process", async () => {
  const emit = (id: number, text: string): string =>
    `{ id: a${id}, action: event.emit, with: { name: tale.told, payload: { t: "${text}" } } }`;
  const doubled = Array.from({ length: 24 }, (_, at) => emit(at + 1, `\${{ steps.a${at}.t }}\${{ steps.a${at}.t }}`));
  expect(await runOf([emit(0, "xxxxxxxxxxxxxxxx"), ...doubled])).toEqual({
    status: "failed",
    why: expect.stringContaining("more than 1048576 characters"),
  });
  // Sixteen times two to the power of sixteen are the last that fit.
  const given = "SELECT path, status FROM {schema}.workers__steps ORDER BY started_at DESC LIMIT 2";
  expect(await work?.sql(given)).toEqual([
    { path: "a17", status: "failed" },
    { path: "a16", status: "completed" },
  ]);
});

it("answers that are too large together fail their run, which could not be read again", async () => {
  receiver = await startReceiver(() => ({ body: "x".repeat(1_000_000) }));
  const list = Array.from({ length: 12 }, (_, at) => at).join(", ");
  const fetched = `{ id: fetch, action: http.request, for_each: [${list}], max_parallel: 4, with: { url: '${receiver.url}', method: GET } }`;
  expect(await runOf([fetched, "{ id: note, action: audit.write, delay: 1s, with: { note: done } }"])).toEqual({
    status: "failed",
    why: expect.stringContaining("more than 8388608 characters"),
  });
  expect(receiver.received.length).toBeLessThan(14);
});

it("records that an action finds again and again become too much", async () => {
  const text = `project: desk
modules: [auth, users, roles, workers, audit_logs]
entities:
  page: { fields: { text: text }, permissions: { admin: { all: true } } }
actions:
  grab:
    input: { numbers: json }
    permissions: { admin: true }
    steps:
      - { id: found, action: record.find, for_each: "\${{ input.numbers }}", with: { entity: page, where: {}, limit: 100 } }
`;
  const { model, diagnostics } = checkBlueprint(text);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  work = await openWorkCell(text, compileModel(model).background);
  const { key } = await makeKey(work.cell, work.projectId);
  await work.sql(
    "INSERT INTO {schema}.pages (id, text) SELECT gen_random_uuid(), repeat('x', 10000) FROM generate_series(1, 100)",
  );
  const call = (count: number) =>
    callModule(work!.cell, {
      path: "/v1/actions/grab",
      key,
      body: { numbers: Array.from({ length: count }, (_, at) => at) },
    });
  expect((await call(5)).status).toBe(200);
  await expect(call(50)).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("8388608 characters"),
  });
});
