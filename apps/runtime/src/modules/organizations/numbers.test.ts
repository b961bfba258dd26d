// Numbers that each organization counts separately, with many records created at once.
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleOf, type OrganizationCell, openOrganizationCell, type Person } from "./testing/organization-cell.ts";

const blueprint = `project: invoices
modules: [auth, users, organizations, audit_logs]
entities:
  invoice:
    org_scoped: true
    fields:
      title: string
      number: sequence(INV-) per(org)
      serial: sequence(S-)
    permissions:
      user: { create: true, read: true }
`;

let cell: OrganizationCell;
let ana: Person;
let ben: Person;

beforeAll(async () => {
  cell = await openOrganizationCell(bundleOf(blueprint));
  [ana, ben] = [await cell.signUp(), await cell.signUp()];
  await cell.organization(ana);
  await cell.organization(ben);
}, 60_000);
afterAll(() => cell?.close());

async function create(who: Person): Promise<{ readonly number: string; readonly serial: string }> {
  const reply = await cell.send(who, "POST", "/api/invoices", { title: "T" });
  expect(reply.status, reply.text).toBe(201);
  return reply.json.data;
}

test("each organization counts from one without gaps, and other sequences count over all", async () => {
  const made = await Promise.all(
    Array.from({ length: 20 }, async (_, at) => {
      const who = at % 2 === 0 ? ana : ben;
      return { who, ...(await create(who)) };
    }),
  );
  const upTo = (last: number, prefix: string) => Array.from({ length: last }, (_, at) => `${prefix}${at + 1}`).sort();
  for (const each of [ana, ben]) {
    const numbers = made.filter(({ who }) => who === each).map(({ number }) => number);
    expect(numbers.sort()).toEqual(upTo(10, "INV-"));
  }
  expect(made.map(({ serial }) => serial).sort()).toEqual(upTo(20, "S-"));
});
