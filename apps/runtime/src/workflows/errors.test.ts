// What the steps of an `on_error` know about the failure: in a run, for a member of a list, nested, and in an action
// that is one transaction. Masked like everything else. On Postgres, with a worker.
import { checkBlueprint } from "@plinth/blueprint";
import { compileModel } from "@plinth/compiler";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callModule, dataOf, makeKey } from "../modes/testing/cell.ts";
import { type Receiver, startReceiver } from "./testing/receiver.ts";
import { openWorkCell, type WorkCell } from "./testing/work-cell.ts";

const note = (text: string): string => `with: { entity: note, text: "${text}" }`;
const told = "${{ error.step }}: ${{ error.code }} (${{ error.attempts }}) ${{ error.message }}";

const TEXT = `project: desk
modules: [auth, users, roles, workers, audit_logs]
entities:
  note:
    fields: { text: text }
    permissions: { admin: { all: true } }
  code:
    fields: { of: string unique, email: { type: string?, pii: true } }
    permissions: { admin: { all: true } }
workers:
  failing:
    steps:
      - id: take
        action: record.create
        with: { entity: code, of: taken, email: "\${{ input }}" }
  calling:
    steps:
      - { id: there, action: http.request, with: { url: "SERVICE/gone", method: POST }, retry: { attempts: 1 } }
actions:
  ask:
    mode: async
    permissions: { admin: true }
    steps:
      - approval: { roles: [admin], by_self: true }
        on_error:
          - { id: late, action: record.create, if: error.code == "timeout", ${note("late")} }
          - { id: no, action: record.create, if: error.code == "rejected", ${note(told)} }
  list:
    mode: async
    permissions: { admin: true }
    steps:
      - id: take
        action: record.create
        for_each: [free, taken]
        with: { entity: code, of: "\${{ each }}" }
        on_error:
          - { id: failed, action: record.create, ${note(`\${{ each }}, ${told}`)} }
      - { id: after, action: record.create, ${note("after")} }
  within:
    mode: async
    permissions: { admin: true }
    steps:
      - id: outer
        action: record.create
        with: { entity: code, of: taken }
        on_error:
          - id: inner
            action: record.create
            with: { entity: code, of: taken }
            on_error:
              - { id: deep, action: record.create, ${note("${{ error.step }}: ${{ error.code }}")} }
          - { id: behind, action: record.create, ${note("${{ error.step }}: ${{ error.code }}")} }
  whole:
    permissions: { admin: true }
    steps:
      - id: take
        action: record.create
        with: { entity: code, of: taken }
        on_error:
          - { id: failed, action: record.create, ${note(told)} }
  refused:
    mode: async
    permissions: { admin: true }
    steps:
      - id: call
        action: http.request
        with: { url: "SERVICE/gone", method: POST }
        retry: { attempts: 1 }
        on_error:
          - { id: gone, action: record.create, if: error.status == 410, ${note("gone ${{ error.status }}")} }
          - { id: late, action: record.create, if: error.status == 503, ${note("late")} }
      - id: pass_on
        action: worker.run
        with: { worker: calling }
        on_error: [{ id: told_on, action: record.create, if: error.status == 410, ${note("handed on")} }]
      - id: inside
        action: record.create
        with: { entity: code, of: taken }
        on_error:
          - { id: unasked, action: record.create, if: error.status == null, ${note("nobody answered")} }
          - { id: other, action: record.create, if: error.status != 410, ${note("never")} }
  masked:
    mode: async
    input: { email: { type: string, pii: true } }
    permissions: { admin: true }
    steps:
      - id: call
        action: worker.run
        with: { worker: failing, input: "\${{ input.email }}" }
        on_error: [{ id: quiet, action: audit.write, with: { note: "\${{ error.message }}" } }]
`;

let work: WorkCell;
let receiver: Receiver;
let admin: string;

beforeAll(async () => {
  receiver = await startReceiver(() => ({ status: 410 }));
  const text = TEXT.replaceAll("SERVICE", receiver.url);
  const { model, diagnostics } = checkBlueprint(text);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  work = await openWorkCell(text, compileModel(model).background);
  admin = (await makeKey(work.cell, work.projectId)).key;
  await work.sql("INSERT INTO {schema}.codes (id, of) VALUES (gen_random_uuid(), 'taken')");
});
afterAll(async () => {
  await work?.close();
  await receiver?.close();
});

const call = (action: string, body: unknown = {}) =>
  callModule(work.cell, { path: `/v1/actions/${action}`, key: admin, body });
async function notes(): Promise<readonly unknown[]> {
  const rows = await work.sql("SELECT text FROM {schema}.notes ORDER BY id");
  await work.sql("DELETE FROM {schema}.notes");
  return rows.map(({ text }) => text);
}

test("of an approval: whether it was refused, with the note", async () => {
  const { id } = dataOf(await call("ask"));
  const run = async () => dataOf(await callModule(work.cell, { method: "GET", path: `/v1/runs/${id}`, key: admin }));
  await expect.poll(async () => (await run()).waits_for, { timeout: 10_000 }).toMatchObject([{ kind: "approval" }]);
  await callModule(work.cell, {
    path: `/v1/runs/${id}/reject`,
    key: admin,
    body: { step: "approve", note: "too dear" },
  });
  await work.settled();
  expect(await notes()).toEqual(["approve: rejected (1) too dear"]);
});

test("of a call: the status of the service's answer, even through a worker", async () => {
  const { id } = dataOf(await call("refused"));
  await work.settled();
  expect(await notes()).toEqual(["gone 410", "handed on", "nobody answered"]);
  const { steps } = dataOf(await callModule(work.cell, { method: "GET", path: `/v1/runs/${id}`, key: admin }));
  const errors = new Map(steps.map((step: { path: string; error: unknown }) => [step.path, step.error]));
  const gone = { code: "http_status", message: "The service answered with status 410.", status: 410 };
  expect([errors.get("call"), errors.get("pass_on")]).toEqual([gone, gone]);
  expect(errors.get("inside")).not.toHaveProperty("status");
});

test("of a member of a list: which one it was", async () => {
  await call("list");
  await work.settled();
  expect(await notes()).toEqual([expect.stringMatching(/^taken, take: unique_violation \(1\) .*taken/), "after"]);
});

test("of nested steps: the innermost, and then the outer one", async () => {
  await call("within");
  await work.settled();
  expect(await notes()).toEqual(["inner: unique_violation", "outer: unique_violation"]);
});

test("of an action that is one transaction", async () => {
  expect((await call("whole")).status).toBe(200);
  expect(await notes()).toEqual([expect.stringMatching(/^take: unique_violation \(1\) Another record/)]);
});

test("is masked if the step's input is masked", async () => {
  await call("masked", { email: "ana@example.com" });
  await work.settled();
  const rows = await work.sql("SELECT changes->>'note' AS note FROM {schema}.audit_log WHERE operation = 'note'");
  expect(rows).toEqual([{ note: "[masked]" }]);
});
