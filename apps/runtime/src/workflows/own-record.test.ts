// A wait for an event of the run's own record: `run.record` and `run.event` in addition to the event that came. On
// Postgres and the job queue.
import { checkBlueprint } from "@plinth/blueprint";
import { compileModel } from "@plinth/compiler";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createRecord, updateRecord } from "../query/run.ts";
import { openWorkCell, type WorkCell } from "./testing/work-cell.ts";

const TEXT = `project: desk
modules: [auth, users, roles, workers, audit_logs]
entities:
  ticket:
    fields: { title: string, code: string? }
    permissions: { admin: { all: true } }
  note:
    fields: { text: string }
    permissions: { admin: { all: true } }
workflows:
  changed:
    on: ticket.created
    steps:
      - wait_for: { event: ticket.updated, if: record.id == run.record.id && event.at >= run.event.at }
      - record.create: { with: { entity: note, text: "\${{ record.title }}: \${{ steps.wait_for.record.code }}" } }
`;

let work: WorkCell;
beforeAll(async () => {
  const { model, diagnostics } = checkBlueprint(TEXT);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  work = await openWorkCell(TEXT, compileModel(model).background);
});
afterAll(() => work?.close());

it("only reacts to that record's event, and is found by an index", async () => {
  const ids = await Promise.all(
    ["first", "second"].map(async (title) => {
      const id = crypto.randomUUID();
      await createRecord(await work.request("ticket"), id, new Map([["title", title]]));
      return id;
    }),
  );
  const waits = "SELECT member, wanted FROM {schema}.workers__waits ORDER BY wanted";
  const wanted = ids.toSorted().map((id) => ({ member: "record/id", wanted: id }));
  await expect.poll(() => work.sql(waits), { timeout: 10_000 }).toEqual(wanted);
  await updateRecord(await work.request("ticket"), ids[1]!, new Map([["code", "b"]]));
  const notes = async () => (await work.sql("SELECT text FROM {schema}.notes ORDER BY id")).map(({ text }) => text);
  await expect.poll(notes, { timeout: 10_000 }).toEqual(["second: b"]);
  await updateRecord(await work.request("ticket"), ids[0]!, new Map([["code", "a"]]));
  await expect.poll(notes, { timeout: 10_000 }).toEqual(["second: b", "first: a"]);
});
