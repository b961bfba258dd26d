// Computed fields over other records, as callers see them: in every reply and event, with the values at the time of
// reading.
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

test("totals follow the existing lines", async () => {
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

test("a rule over a total allows and refuses", async () => {
  const bill = await make("bills", { title: "Dear" });
  expect(await read(bill["id"], "ana")).toMatchObject({ title: "Dear" });
  await make("lines", { bill_id: bill["id"], quantity: "10.00", price: "10.00" });
  expect(await read(bill["id"], "ana")).toBe(404);
  const listed = await cell.send("ana", "GET", "/v1/resources/bills?title=Dear");
  expect(listed.json.data).toEqual([]);
  const changed = await cell.send("ana", "PATCH", `/v1/resources/bills/${bill["id"]}`, { title: "Cheap" });
  expect(changed.status).toBe(404);
});

test("the reply to a write uses the list that it sends", async () => {
  const [one, two] = [await make("labels", { name: "a", weight: 3 }), await make("labels", { name: "b", weight: 4 })];
  const bill = await make("bills", { title: "Heavy", labels: [one["id"], two["id"]] }, "ana");
  expect(bill["weight"]).toBe(7);
  const lighter = await cell.send("ana", "PATCH", `/v1/resources/bills/${bill["id"]}`, { labels: [two["id"]] });
  expect(lighter.json.data["weight"]).toBe(4);
  expect(await read(bill["id"])).toMatchObject({ weight: 4 });
});

test("lists are filtered, sorted and summed by computed values", async () => {
  const made = await Promise.all(["A", "B", "C"].map((title) => make("bills", { title: `Sorted ${title}` })));
  for (const [i, bill] of made.entries()) {
    await make("lines", {
      bill_id: bill["id"],
      quantity: "1.00",
      price: `${(i + 1) * 7}.50`,
      done_on: `2026-06-0${i + 1}`,
    });
  }
  const sorted = async (query: string, as = "adminkey"): Promise<string[]> => {
    const reply = await cell.send(as, "GET", `/v1/resources/bills?title[starts_with]=Sorted&${query}`);
    expect(reply.status, reply.text).toBe(200);
    return reply.json.data.map((bill: { title: string }) => bill.title.slice(-1));
  };
  expect(await sorted("sort=-total")).toEqual(["C", "B", "A"]);
  expect(await sorted("sort=last_on,title")).toEqual(["A", "B", "C"]);
  expect(await sorted("total[gt]=14.50&sort=total")).toEqual(["C"]);
  expect(await sorted("total[gte]=14.50&sort=total", "ana")).toEqual(["B", "C"]);
  expect(await sorted("open_lines=1&last_on[lt]=2026-06-03&sort=title")).toEqual(["A", "B"]);
  expect(await sorted("average[is_null]=true")).toEqual([]);
  const page = await cell.send("adminkey", "GET", "/v1/resources/bills?title[starts_with]=Sorted&sort=-total&limit=2");
  const next = await cell.send(
    "adminkey",
    "GET",
    `/v1/resources/bills?title[starts_with]=Sorted&sort=-total&limit=2&cursor=${page.json.page.next_cursor}`,
  );
  expect(next.json.data.map((bill: { title: string }) => bill.title)).toEqual(["Sorted A"]);
  const sum = await cell.send(
    "adminkey",
    "GET",
    "/v1/resources/bills/aggregate?select=sum(total),max(last_on),min(total)&title[starts_with]=Sorted",
  );
  expect(sum.json.data).toEqual([{ "sum(total)": "43.5", "max(last_on)": "2026-06-03", "min(total)": "7.5" }]);
  const groups = await cell.send(
    "adminkey",
    "GET",
    "/v1/resources/bills/aggregate?select=count&group_by=open_lines&title[starts_with]=Sorted",
  );
  expect(groups.json.data).toEqual([{ open_lines: 1, count: 3 }]);
  const through = await cell.send("adminkey", "GET", "/v1/resources/lines?bill.total[gt]=20&sort=-bill.total");
  expect(through.status, through.text).toBe(200);
  expect(through.json.data.length).toBeGreaterThan(0);
});
