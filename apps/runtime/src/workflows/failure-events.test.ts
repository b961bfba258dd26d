// Whoever listens is told about runs that failed or wait for a person, once and without messages; a chain of such runs
// ends; a project's own event with such a name stays its own. On Postgres and the job queue.
import { afterEach, expect, it } from "vitest";
import { createRecord } from "../query/run.ts";
import { openWorkCell, type WorkCell } from "./testing/work-cell.ts";

const head = `project: desk
modules: [auth, users, roles, workers, audit_logs]
entities:
  ticket:
    fields: { title: string }
    permissions: { admin: { all: true } }
`;
const failing = 'record.delete: { with: { entity: ticket, id: "${{ event.id }}" } }';

let work: WorkCell | null = null;
afterEach(() => work?.close());

async function open(sections: string): Promise<WorkCell> {
  work = await openWorkCell(head + sections, {});
  await createRecord(await work.request("ticket"), crypto.randomUUID(), new Map([["title", "x"]]));
  await work.settled(20_000);
  return work;
}
const notes = async ({ sql }: WorkCell) =>
  (await sql("SELECT changes->>'note' AS note FROM {schema}.audit_log WHERE operation = 'note'")).map(
    ({ note }) => note,
  );

it("a failed run is an event, and runs about failed runs come to an end", async () => {
  const { sql } = await open(`workflows:
  fails:
    on: ticket.created
    steps: [${failing}]
  tell:
    on: run.failed
    steps:
      - audit.write: { with: { note: "\${{ event.data.workflow }} \${{ event.data.code }}" } }
      - ${failing}
`);
  const told = await notes(work as WorkCell);
  expect(told[0]).toBe("fails not_found");
  expect(new Set(told.slice(1))).toEqual(new Set(["tell not_found"]));
  const [run] = await sql("SELECT id FROM {schema}.workers__runs WHERE workflow = 'fails'");
  const [event] = await sql("SELECT data FROM {schema}.workers__events WHERE name = 'run.failed' ORDER BY seq");
  expect(event?.["data"]).toEqual({ run_id: run?.["id"], workflow: "fails", kind: "workflow", code: "not_found" });
  const [deepest] = await sql("SELECT error->>'code' AS code FROM {schema}.workers__runs ORDER BY depth DESC LIMIT 1");
  expect(deepest).toEqual({ code: "too_deep" });
}, 60_000);

it("a run that could not be undone is an event, too", async () => {
  const cell = await open(`workflows:
  fails:
    on: ticket.created
    steps:
      - { id: first, action: audit.write, compensate: [{ id: undo, action: record.delete, with: { entity: ticket, id: "\${{ event.id }}" } }] }
      - ${failing}
  tell:
    on: [run.failed, run.needs_attention]
    steps: [audit.write: { with: { note: "\${{ event.name }} \${{ event.data.status }}" } }]
`);
  expect((await notes(cell)).filter((note) => note !== null)).toEqual(["run.needs_attention undo_failed"]);
});

it("a project's own event with such a name takes its place", async () => {
  const cell = await open(`events:
  run.failed: { payload: { runner: string } }
workflows:
  fails:
    on: ticket.created
    steps: [${failing}]
  tell:
    on: run.failed
    steps: [audit.write: { with: { note: "\${{ event.data.runner }}" } }]
  race:
    on: ticket.created
    steps: [event.emit: { with: { name: run.failed, payload: { runner: Ana } } }]
`);
  expect(await notes(cell)).toEqual(["Ana"]);
});
