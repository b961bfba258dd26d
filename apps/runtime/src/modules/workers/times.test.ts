// Times of background work have one form in all replies: UTC with milliseconds. On Postgres, with a worker, over the
// API's handlers.
import { checkBlueprint } from "@plinth/blueprint";
import { compileModel } from "@plinth/compiler";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { callModule, makeKey } from "../../modes/testing/cell.ts";
import { openWorkCell, type WorkCell } from "../../workflows/testing/work-cell.ts";

const TEXT = `project: desk
modules: [auth, users, roles, workers, audit_logs]
entities:
  note:
    fields: { text: string }
    permissions: { admin: { all: true } }
  mark:
    fields: { text: string unique }
    permissions: { admin: { all: true } }
workflows:
  ask:
    on: note.created
    steps:
      - audit.write: { with: { note: "first" } }
      - approval: { roles: [admin], by_self: true, timeout: 2d }
  fail:
    on: note.created
    steps:
      - { id: one, action: record.create, with: { entity: mark, text: same } }
      - { id: two, action: record.create, with: { entity: mark, text: same } }
workers:
  tidy: { on: schedule, steps: [audit.write: { with: { note: tidy } }] }
schedules:
  nightly: { cron: "0 2 * * *", run: tidy }
actions:
  begin:
    permissions: { admin: true }
    steps: [record.create: { with: { entity: note, text: one } }]
`;

let work: WorkCell;
let admin: string;

beforeAll(async () => {
  const { model, diagnostics } = checkBlueprint(TEXT);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  work = await openWorkCell(TEXT, compileModel(model).background);
  admin = (await makeKey(work.cell, work.projectId)).key;
  await callModule(work.cell, { path: "/v1/actions/begin", key: admin });
  const ended = "SELECT status FROM {schema}.workers__runs ORDER BY status";
  const done = [{ status: "failed" }, { status: "waiting" }];
  await vi.waitFor(async () => expect(await work.sql(ended)).toEqual(done), { timeout: 10_000, interval: 50 });
  await work.sql("UPDATE plinth.schedules SET last_at = now(), paused_at = now()");
});
afterAll(() => work?.close());

const own = [
  "at",
  "created_at",
  "started_at",
  "ended_at",
  "next_at",
  "until",
  "since",
  "oldest_at",
  "last_at",
  "paused_at",
];

/** Members with the name of one of our times, at any depth. Records have times of their own. */
function timesIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    if (name === "record" || name === "output" || name === "old") return [];
    return own.includes(name) && typeof member === "string" ? [member] : timesIn(member);
  });
}

test.each([
  ["/v1/runs", 5],
  ["/v1/runs/{ask}", 8],
  ["/v1/runs/{fail}", 7],
  ["/v1/runs/approvals", 2],
  ["/v1/events", 1],
  ["/v1/events/{event}", 1],
  ["/v1/queues", 3],
  ["/v1/schedules", 2],
])("%s", async (template, least) => {
  const [event] = await work.sql("SELECT id FROM {schema}.workers__events");
  const ids = new Map([["{event}", String(event?.["id"])]]);
  for (const { id, workflow } of await work.sql("SELECT id, workflow FROM {schema}.workers__runs"))
    ids.set(`{${workflow}}`, String(id));
  const path = template.replace(/\{\w+\}/, (name) => ids.get(name) ?? "");
  const { body } = await callModule(work.cell, { method: "GET", path, key: admin });
  const times = timesIn(JSON.parse(String(body)));
  expect(times.length).toBeGreaterThanOrEqual(least);
  for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});
