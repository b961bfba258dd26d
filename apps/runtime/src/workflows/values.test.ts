// Values on their way through steps: from a record into an event, and from it into another record. A named value stays
// unchanged; a computed one takes the JSON form of its field.
import { afterEach, expect, it } from "vitest";
import { createRecord } from "../query/run.ts";
import { openWorkCell, type WorkCell } from "./testing/work-cell.ts";

const fields = "b: bigint, i: int, p: percent, d: 'decimal(20, 4)', m: money(EUR), f: float, t: duration, at: datetime";
const names = ["b", "i", "p", "d", "m", "f", "t", "at"];
const carried = names.map((name) => `${name}: "\${{ event.data.${name} }}"`).join(", ");
const sent = names.map((name) => `${name}: "\${{ record.${name} }}"`).join(", ");

const TEXT = `project: desk
modules: [auth, users, roles, workers, audit_logs]
entities:
  item: { fields: { ${fields} }, permissions: { admin: { all: true } } }
  copy: { fields: { ${fields} }, permissions: { admin: { all: true } } }
  sum: { fields: { b: bigint, p: percent, d: 'decimal(20, 4)', m: money(EUR) }, permissions: { admin: { all: true } } }
events:
  item.sent: { payload: { ${fields} } }
  item.counted: { payload: { b: bigint, p: percent } }
workflows:
  send: { on: item.created, steps: [event.emit: { with: { name: item.sent, payload: { ${sent} } } }] }
  keep: { on: item.sent, steps: [record.create: { with: { entity: copy, ${carried} } }] }
  count:
    on: item.created
    steps:
      - record.create:
          with: { entity: sum, b: "\${{ record.i + 1 }}", p: "\${{ record.p / 2 }}", d: "\${{ record.i }}", m: "\${{ record.d }}" }
      - event.emit: { with: { name: item.counted, payload: { b: "\${{ record.i + 1 }}", p: "\${{ record.p / 2 }}" } } }
  heard: { on: item.counted, steps: [audit.write: { with: { note: heard } }] }
`;

let work: WorkCell | null = null;
afterEach(async () => {
  await work?.close();
  work = null;
});

it("stay unchanged if they are named, and fit their field if they are computed", async () => {
  work = await openWorkCell(TEXT, {});
  const id = "0198c0de-0000-7000-8000-000000000001";
  const written = { b: "5", i: "7", p: "50", d: "1.1000", m: "10.00", f: "0.1", t: "P7D", at: "2026-05-01T10:00:00Z" };
  await createRecord(await work.request("item"), id, new Map(Object.entries(written)));
  await work.settled();
  const data = await work.sql(`SELECT data FROM {schema}.workers__events WHERE name LIKE 'item.%' ORDER BY seq`);
  const [record, counted, item] = [
    (await work.sql(`SELECT record FROM {schema}.workers__events WHERE name = 'item.created'`))[0]?.["record"],
    data.find((row) => Object.keys((row["data"] as object | null) ?? {}).length === 2)?.["data"],
    data.find((row) => Object.keys((row["data"] as object | null) ?? {}).length === names.length)?.["data"],
  ] as readonly Record<string, unknown>[];
  expect(item).toEqual(Object.fromEntries(names.map((name) => [name, record?.[name]])));
  expect(item).toMatchObject({ b: "5", p: 50, d: "1.1000", t: "P7D" });
  expect(counted).toEqual({ b: "8", p: 25 });
  const runs = await work.sql("SELECT workflow, status, error FROM {schema}.workers__runs WHERE status <> 'completed'");
  expect(runs).toEqual([]);
  const columns = "b::text, i, p::text, d::text, m::text, f, t::text, at";
  expect(await work.sql(`SELECT ${columns} FROM {schema}.copies`)).toEqual(
    await work.sql(`SELECT ${columns} FROM {schema}.items`),
  );
  expect(await work.sql(`SELECT b::text, p::text, d::text, m::text FROM {schema}.sums`)).toEqual([
    { b: "8", p: "25.0000", d: "7.0000", m: "1.10" },
  ]);
});
