// The output of an approval for later steps: given, refused, and refused as a branch of the workflow. On Postgres and
// the job queue, with answers over the API.
import { checkBlueprint } from "@plinth/blueprint";
import { compileModel } from "@plinth/compiler";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callModule, dataOf, makeKey } from "../modes/testing/cell.ts";
import { openWorkCell, type WorkCell } from "./testing/work-cell.ts";

const TEXT = `project: desk
modules: [auth, users, roles, workers, audit_logs]
entities:
  note:
    fields:
      of: string
      text: string?
    permissions:
      admin: { all: true }
actions:
  branch:
    mode: async
    permissions: { admin: true }
    steps:
      - approval: { roles: [admin], by_self: true, on_reject: continue }
      - id: yes_note
        action: record.create
        if: steps.approve.approved
        with: { entity: note, of: branch, text: "yes: \${{ steps.approve.note }}" }
      - id: no_note
        action: record.create
        if: "!steps.approve.approved"
        with: { entity: note, of: branch, text: "no: \${{ steps.approve.note }}" }
  fail:
    mode: async
    permissions: { admin: true }
    steps:
      - approval: { roles: [admin], by_self: true }
      - record.create: { with: { entity: note, of: fail, text: never } }
  caught:
    mode: async
    permissions: { admin: true }
    steps:
      - id: pay
        action: record.create
        approval: { roles: [admin], by_self: true }
        with: { entity: note, of: caught, text: paid }
        on_error: [{ id: refuse, action: record.create, with: { entity: note, of: caught, text: refused } }]
      - id: last
        action: record.create
        with: { entity: note, of: caught, text: last }
  beside:
    mode: async
    permissions: { admin: true }
    steps:
      - id: pay
        action: record.create
        approval: { roles: [admin], by_self: true, on_reject: continue }
        with: { entity: note, of: beside, text: paid }
      - id: last
        action: record.create
        with: { entity: note, of: beside, text: last }
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

/** The run after its end, and the notes that its action has created. */
async function answered(action: string, how: "approve" | "reject", note?: string) {
  await work.sql("DELETE FROM {schema}.notes");
  const { id } = dataOf(await callModule(work.cell, { path: `/v1/actions/${action}`, key: admin }));
  const run = async () => dataOf(await callModule(work.cell, { method: "GET", path: `/v1/runs/${id}`, key: admin }));
  await expect.poll(async () => (await run()).waits_for, { timeout: 10_000 }).toMatchObject([{ kind: "approval" }]);
  const [{ step }] = (await run()).waits_for;
  const body = { step, ...(note === undefined ? {} : { note }) };
  await callModule(work.cell, { path: `/v1/runs/${id}/${how}`, key: admin, body });
  await work.settled();
  const { status, error } = await run();
  const notes = await work.sql("SELECT text FROM {schema}.notes ORDER BY id");
  return { status, error, notes: notes.map(({ text }) => text) };
}

test("a refusal with its own branch completes its step, and later steps see the note", async () => {
  expect(await answered("branch", "reject", "too dear")).toEqual({
    status: "completed",
    error: null,
    notes: ["no: too dear"],
  });
  expect(await answered("branch", "approve", "fine")).toEqual({
    status: "completed",
    error: null,
    notes: ["yes: fine"],
  });
});

test("any other refusal fails the step as `rejected`, with the note as its message", async () => {
  expect(await answered("fail", "reject", "too dear")).toEqual({
    status: "failed",
    error: { code: "rejected", message: "too dear" },
    notes: [],
  });
  expect(await answered("fail", "reject")).toMatchObject({
    error: { code: "rejected", message: "It was not approved." },
  });
});

test("the effects next to an approval never happen without it", async () => {
  expect(await answered("caught", "reject")).toEqual({ status: "completed", error: null, notes: ["refused", "last"] });
  expect(await answered("caught", "approve")).toEqual({ status: "completed", error: null, notes: ["paid", "last"] });
  expect(await answered("beside", "reject")).toEqual({ status: "completed", error: null, notes: ["last"] });
  expect(await answered("beside", "approve")).toEqual({ status: "completed", error: null, notes: ["paid", "last"] });
});
