// Records of one organization only refer to each other, whoever writes them: a user who belongs to both, or an admin
// key.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  bundleOf,
  type OrganizationCell,
  openOrganizationCell,
  type Person,
  within,
} from "./testing/organization-cell.ts";

const blueprint = `
project: teams
modules: [auth, users, roles, organizations, audit_logs]
roles:
  clerk: { inherits: user }
entities:
  team:
    org_scoped: true
    fields: { name: string, parent_id: ref(team)? }
    permissions:
      user: { all: true }
      admin: { all: true }
  label:
    org_scoped: true
    soft_delete: true
    fields: { name: string }
    permissions:
      user: { all: true }
      admin: { all: true }
  task:
    org_scoped: true
    fields:
      org_id: org_ref = current_org
      title: string
      team_id: ref(team)?
      labels: refs(label)
    permissions:
      user: { all: true }
      admin: { all: true }
  board:
    org_scoped: true
    fields: { title: string, wish: uuid?, team_id: ref(team)? }
    permissions:
      user:
        read: true
        create: { allow: true, set: { team_id: input.wish } }
        update: { allow: true, set: { team_id: input.wish } }
      admin: { all: true }
`;

let cell: OrganizationCell;
let send: OrganizationCell["send"];
let refused: OrganizationCell["refused"];
let ana: Person;
let one: string;
let two: string;
let teamOne: string;
let teamTwo: string;
let labelOne: string;
let labelTwo: string;

beforeAll(async () => {
  cell = await openOrganizationCell(bundleOf(blueprint));
  ({ send, refused } = cell);
  ana = await cell.signUp();
  [one, two] = [await cell.organization(ana, "One"), await cell.organization(ana, "Two")];
  [teamOne, teamTwo] = [await make("teams", one), await make("teams", two)];
  [labelOne, labelTwo] = [await make("labels", one), await make("labels", two)];
}, 60_000);
afterAll(() => cell?.close());

async function make(plural: string, organization: string): Promise<string> {
  const reply = await send(ana, "POST", `/api/${plural}`, { name: "x" }, within(organization));
  expect([reply.status, reply.json.data?.org_id], reply.text).toEqual([201, organization]);
  return reply.json.data.id;
}

/** The writers, and how they name the organization. */
const writers = (): readonly [string, Person | string, Record<string, string>, object][] => [
  ["a user who belongs to both", ana, within(one), {}],
  ["a user who has chosen", ana, {}, {}],
  ["an admin key", cell.admin, {}, { org_id: one }],
  ["an admin key within one", cell.admin, within(one), {}],
];

describe("a reference", () => {
  it("leads to a record of the same organization, at create and update", async () => {
    for (const [who, by, headers, more] of writers()) {
      const task = { title: "t", ...more };
      const other = "/api/tasks";
      for (const body of [
        { ...task, team_id: teamTwo },
        { ...task, labels: [labelTwo] },
        { ...task, labels: [labelOne, labelTwo] },
      ]) {
        const reply = await refused(422, "validation_failed", [by, "POST", other, body, headers]);
        expect(reply.json.errors[0].code, who).toBe("unknown_reference");
      }
      const made = await send(by, "POST", other, { ...task, team_id: teamOne, labels: [labelOne] }, headers);
      expect(made.status, `${who} ${made.text}`).toBe(201);
      const path = `${other}/${made.json.data.id}`;
      for (const body of [{ team_id: teamTwo }, { labels: [labelTwo] }, { labels: [labelOne, labelTwo] }]) {
        await refused(422, "validation_failed", [by, "PATCH", path, body, headers]);
      }
      expect((await send(by, "PATCH", path, { team_id: teamOne, labels: [] }, headers)).status).toBe(200);
      const child = { name: "c", parent_id: teamTwo, ...more };
      await refused(422, "validation_failed", [by, "POST", "/api/teams", child, headers]);
    }
  });

  it("that a grant sets leads there, too", async () => {
    const board = await send(ana, "POST", "/api/boards", { title: "b", wish: teamOne });
    expect([board.status, board.json.data?.team_id], board.text).toEqual([201, teamOne]);
    await refused(422, "validation_failed", [ana, "POST", "/api/boards", { title: "b", wish: teamTwo }]);
    const path = `/api/boards/${board.json.data.id}`;
    await refused(422, "validation_failed", [ana, "PATCH", path, { wish: teamTwo }]);
    expect((await send(ana, "PATCH", path, { wish: teamOne })).status).toBe(200);
  });

  it("gets the same answer for a record of another organization and a missing one", async () => {
    const same = { "x-request-id": "same" };
    const texts = new Set<string>();
    for (const team of [teamTwo, crypto.randomUUID()]) {
      const body = { title: "t", team_id: team };
      texts.add((await refused(422, "validation_failed", [ana, "POST", "/api/tasks", body, same])).text);
    }
    expect(texts.size).toBe(1);
  });
});

it("stays in its organization, whoever tries to move it", async () => {
  const made = await send(ana, "POST", "/api/tasks", { title: "t", team_id: teamOne });
  const path = `/api/tasks/${made.json.data.id}`;
  await refused(422, "validation_failed", [ana, "PATCH", path, { org_id: two }]);
  await refused(422, "validation_failed", [cell.admin, "PATCH", path, { org_id: two }]);
  await refused(422, "validation_failed", [cell.admin, "PATCH", path, { org_id: two, team_id: null }]);
});
