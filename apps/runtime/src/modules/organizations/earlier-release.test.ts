// A project that was deployed before invitations and chosen organizations existed: it is served without them, and has
// them after its next deployment. It never answers 500, and never picks an organization that nobody has chosen.
import type { Bundle } from "@plinth/bundle";
import { afterAll, beforeAll, expect, it } from "vitest";
import { wholeBlueprint } from "../../http/testing/whole-blueprint.ts";
import { deploy, publicationOf } from "../../modes/testing/cell.ts";
import {
  ACCEPT,
  bundleOf,
  CHOICE,
  invitationsOf,
  membersOf,
  newUuid,
  type OrganizationCell,
  openOrganizationCell,
  within,
} from "./testing/organization-cell.ts";

const now = bundleOf(wholeBlueprint);
/** The tables of that release. */
const earlier: Bundle = {
  ...now,
  tables: now.tables
    .filter(({ name }) => name !== "organizations__invitations")
    .map((table) =>
      table.name === "memberships"
        ? { ...table, columns: table.columns.filter(({ name }) => name !== "chosen"), uniques: [] }
        : table,
    ),
};

let cell: OrganizationCell;
beforeAll(async () => {
  cell = await openOrganizationCell(earlier);
}, 60_000);
afterAll(() => cell?.close());

it("continues to work, says what needs another deployment, and has it afterwards", async () => {
  const { send, refused, admin } = cell;
  const [ana, bob] = [await cell.signUp(), await cell.signUp()];
  const id = await cell.organization(ana);
  expect((await send(ana, "GET", "/v1/users/me")).json.data.memberships).toEqual([
    { organization_id: id, role: "owner", chosen: false },
  ]);
  expect((await send(admin, "PUT", membersOf(id), { user_id: bob.id, role: "member" })).status).toBe(201);
  expect((await send(ana, "PUT", `${membersOf(id)}/${bob.id}`, { role: "admin" })).status).toBe(200);
  expect((await send(ana, "GET", membersOf(id))).json.data).toHaveLength(2);
  await refused(403, "organization_required", [bob, "POST", "/api/jobs", { title: "Caught" }]);
  expect((await send(bob, "POST", "/api/jobs", { title: "Named" }, within(id))).status).toBe(201);
  for (const [method, path, body] of [
    ["GET", invitationsOf(id), undefined],
    ["POST", invitationsOf(id), { email: "x@example.com", role: "member" }],
    ["DELETE", `${invitationsOf(id)}/${newUuid()}`, undefined],
    ["POST", ACCEPT, { token: "pli_x" }],
    ["PUT", CHOICE, { organization_id: id }],
  ] as const) {
    const reply = await refused(409, "deployment_required", [ana, method, path, body]);
    expect(reply.json.detail).toContain("Deploy");
  }
  const spare = await cell.organization(ana, "Spare");
  expect((await send(ana, "DELETE", `/v1/organizations/${spare}`)).status).toBe(204);
  expect((await send(ana, "DELETE", `${membersOf(id)}/${bob.id}`)).status).toBe(204);

  const status = await deploy(cell.cell, publicationOf(cell.projectId, now, earlier));
  expect(status).toMatchObject({ status: "active", error: null });
  await refused(403, "organization_required", [ana, "POST", "/api/jobs", { title: "Late" }]);
  expect((await send(ana, "PUT", CHOICE, { organization_id: id })).status).toBe(200);
  expect((await send(ana, "POST", "/api/jobs", { title: "Chosen" })).json.data.org_id).toBe(id);
  await cell.join(ana, id, bob, "member", true);
  expect((await send(bob, "GET", "/api/jobs")).json.data).toHaveLength(2);
});
