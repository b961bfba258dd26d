// Numbers that a record gets with a transition: by its own route, by an update of the state, many at once. A refusal
// loses none, none is given twice, and a record keeps its number.
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleOf, type OrganizationCell, openOrganizationCell, type Person } from "./testing/organization-cell.ts";

const blueprint = `project: invoices
modules: [auth, users, organizations, audit_logs, workers]
entities:
  invoice:
    org_scoped: true
    soft_delete: true
    fields:
      title: string
      status: enum[draft, issued] = draft
      number: sequence(INV-) per(org) at(transition:issue)
      serial: sequence(S-) at(transition:issue)
      made: sequence(M-)
    transitions:
      status:
        initial: draft
        issue: { from: draft, to: issued, require: [title] }
        withdraw: { from: issued, to: draft }
    permissions:
      user: { create: true, read: true, update: true, "transition:issue": title != "never", "transition:withdraw": true }
actions:
  issue-one:
    input: { id: "ref(invoice)" }
    permissions: { user: true }
    steps:
      - record.transition: { with: { entity: invoice, id: "$\{{ input.id }}", edge: issue } }
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

interface Invoice {
  readonly id: string;
  readonly number: string | null;
  readonly serial: string | null;
  readonly made: string;
  readonly status: string;
}

async function create(who: Person, title = "T"): Promise<Invoice> {
  const reply = await cell.send(who, "POST", "/api/invoices", { title });
  expect(reply.status, reply.text).toBe(201);
  return reply.json.data;
}

const issue = (who: Person, id: string) => cell.send(who, "POST", `/api/invoices/${id}/transitions/issue`, {});
const upTo = (last: number, prefix: string) => Array.from({ length: last }, (_, at) => `${prefix}${at + 1}`).sort();

test("a record has no number before, gets it with the transition, and keeps it", async () => {
  const made = await create(ana);
  expect(made).toMatchObject({ number: null, serial: null, made: "M-1" });
  const issued = (await issue(ana, made.id)).json.data;
  expect(issued).toMatchObject({ number: "INV-1", serial: "S-1", made: "M-1", status: "issued" });
  expect((await cell.send(ana, "POST", `/api/invoices/${made.id}/transitions/withdraw`, {})).status).toBe(200);
  expect((await issue(ana, made.id)).json.data).toMatchObject({ number: "INV-1", serial: "S-1" });
  // On whichever route the state changes. The other values of an update make no difference.
  const other = await create(ana);
  const renamed = await cell.send(ana, "PATCH", `/api/invoices/${other.id}`, { title: "U" });
  expect(renamed.json.data).toMatchObject({ number: null, title: "U" });
  const moved = await cell.send(ana, "PATCH", `/api/invoices/${other.id}`, { status: "issued" });
  expect(moved.json.data).toMatchObject({ number: "INV-2", serial: "S-2", status: "issued" });
  const again = await cell.send(ana, "PATCH", `/api/invoices/${other.id}`, { status: "draft" });
  expect(again.json.data).toMatchObject({ number: "INV-2", status: "draft" });
});

test("nobody writes it", async () => {
  const { id } = await create(ana);
  for (const [method, path, body] of [
    ["POST", "/api/invoices", { title: "T", number: "INV-99" }],
    ["PATCH", `/api/invoices/${id}`, { number: "INV-99" }],
    ["POST", `/api/invoices/${id}/transitions/issue`, { number: "INV-99" }],
  ] as const)
    expect((await cell.send(ana, method, path, body)).status).toBe(422);
});

test("many at once, including refused ones, leave no gap, in each organization and in total", async () => {
  const before = { ana: 2, ben: 0 };
  const made = await Promise.all(
    Array.from({ length: 30 }, async (_, at) => {
      const who = at % 3 === 0 ? ben : ana;
      return { who, refused: at % 5 === 0, id: (await create(who, at % 5 === 0 ? "never" : "T")).id };
    }),
  );
  // Each is issued twice: one of the two comes too late.
  const replies = await Promise.all(
    [...made, ...made].map(async (one) => ({ ...one, reply: await issue(one.who, one.id) })),
  );
  const issued = replies
    .filter(({ reply }) => reply.status === 200)
    .map(({ reply, who }) => ({ who, ...reply.json.data }));
  expect(issued).toHaveLength(24);
  expect(replies.filter(({ refused, reply }) => refused && reply.status === 200)).toEqual([]);
  const count = (who: Person): number => issued.filter((one) => one.who === who).length;
  const numbers = (who: Person): string[] =>
    issued
      .filter((one) => one.who === who)
      .map(({ number }) => number)
      .sort();
  expect(numbers(ben)).toEqual(upTo(before.ben + count(ben), "INV-"));
  expect(["INV-1", "INV-2", ...numbers(ana)].sort()).toEqual(upTo(before.ana + count(ana), "INV-"));
  expect(["S-1", "S-2", ...issued.map(({ serial }) => serial)].sort()).toEqual(upTo(26, "S-"));
});

test("an action also numbers records", async () => {
  const { id } = await create(ben);
  const reply = await cell.send(ben, "POST", "/v1/actions/issue-one", { id });
  expect(reply.status, reply.text).toBeLessThan(300);
  const found = (await cell.send(ben, "GET", `/api/invoices/${id}`)).json.data;
  expect(found.number).toMatch(/^INV-\d+$/);
});
