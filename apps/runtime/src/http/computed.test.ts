// Computed fields over other records, as callers see them: in every reply and event, by what stands when they are read.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestCell, keyPrincipal, type TestCell, type TestProject } from "./testing/test-cell.ts";

const blueprint = `
project: billing
modules: [auth, users, roles, audit_logs]

entities:
  label:
    fields: { name: string, weight: int }
    permissions:
      admin: { all: true }
      user: { read: true }

  bill:
    fields:
      title: string
      total: computed(lines.sum(l, l.net))
      average: computed(lines.avg(l, l.quantity))
      last_on: computed(lines.max(l, l.done_on))
      paid: computed(lines.filter(l, l.paid).sum(l, l.net))
      weight: computed(labels.sum(x, x.weight))
      open_lines: computed(lines.count(l, !l.paid))
      labels: refs(label)
    permissions:
      admin: { all: true }
      user: { read: total < 100, create: true, update: total < 100 }

  line:
    soft_delete: true
    fields:
      bill_id: ref(bill)
      quantity: decimal(8,2)
      price: money(EUR)
      done_on: date?
      paid: bool = false
      net: computed(quantity * price)
    permissions:
      admin: { all: true }
      user: { all: true }
`;

let cell: TestCell;
let project: TestProject;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(blueprint);
  await cell.addUser("ana", project, ["user"]);
  cell.addCaller("adminkey", project, keyPrincipal("key_admin", ["admin"]));
});
afterAll(() => cell?.close());

async function make(plural: string, values: object, as = "adminkey"): Promise<Record<string, unknown>> {
  const reply = await cell.send(as, "POST", `/v1/resources/${plural}`, values);
  expect(reply.status, reply.text).toBe(201);
  return reply.json.data;
}

async function read(id: unknown, as = "adminkey"): Promise<Record<string, unknown> | number> {
  const reply = await cell.send(as, "GET", `/v1/resources/bills/${id}`);
  return reply.status === 200 ? reply.json.data : reply.status;
}

test("totals follow the lines that stand", async () => {
  const bill = await make("bills", { title: "May" });
  expect(bill).toMatchObject({ total: "0", average: null, last_on: null, paid: "0", open_lines: 0 });
  const line = (values: object): Promise<Record<string, unknown>> =>
    make("lines", { bill_id: bill["id"], quantity: "1.50", price: "10.01", ...values });
  await line({ done_on: "2026-05-03" });
  const second = await line({ done_on: "2026-05-09", paid: true, quantity: "2.00" });
  expect(await read(bill["id"])).toMatchObject({
    total: "35.035",
    average: "1.75",
    last_on: "2026-05-09",
    paid: "20.02",
    open_lines: 1,
  });
  const renamed = await cell.send("ana", "PATCH", `/v1/resources/bills/${bill["id"]}`, { title: "June" });
  expect(renamed.json.data).toMatchObject({ title: "June", total: "35.035" });
  await cell.send("adminkey", "DELETE", `/v1/resources/lines/${second["id"]}`);
  expect(await read(bill["id"])).toMatchObject({ total: "15.015", last_on: "2026-05-03", paid: "0" });
});

test("a rule over a total lets in and keeps out", async () => {
  const bill = await make("bills", { title: "Dear" });
  expect(await read(bill["id"], "ana")).toMatchObject({ title: "Dear" });
  await make("lines", { bill_id: bill["id"], quantity: "10.00", price: "10.00" });
  expect(await read(bill["id"], "ana")).toBe(404);
  const listed = await cell.send("ana", "GET", "/v1/resources/bills?title=Dear");
  expect(listed.json.data).toEqual([]);
  const changed = await cell.send("ana", "PATCH", `/v1/resources/bills/${bill["id"]}`, { title: "Cheap" });
  expect(changed.status).toBe(404);
});

test("a write is answered by the list that it sends itself", async () => {
  const [one, two] = [await make("labels", { name: "a", weight: 3 }), await make("labels", { name: "b", weight: 4 })];
  const bill = await make("bills", { title: "Heavy", labels: [one["id"], two["id"]] }, "ana");
  expect(bill["weight"]).toBe(7);
  const lighter = await cell.send("ana", "PATCH", `/v1/resources/bills/${bill["id"]}`, { labels: [two["id"]] });
  expect(lighter.json.data["weight"]).toBe(4);
  expect(await read(bill["id"])).toMatchObject({ weight: 4 });
});
