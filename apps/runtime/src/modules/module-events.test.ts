// Listeners get the changes that modules make to users and organizations, with the described data and nothing secret.
// Changes without listeners, and refused changes, create no event.
import { checkBlueprint } from "@plinth/blueprint";
import { compileModel } from "@plinth/compiler";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { callModule, makeKey } from "../modes/testing/cell.ts";
import { openWorkCell } from "../workflows/testing/work-cell.ts";
import {
  ACCEPT,
  bundleOf,
  CHOICE,
  invitationsOf,
  membersOf,
  newUuid,
  type OrganizationCell,
  openOrganizationCell,
  type Person,
} from "./organizations/testing/organization-cell.ts";

const head = `project: desk
modules: [auth, users, roles, organizations, workers, audit_logs]
users:
  fields:
    phone: string? pii
roles:
  support: { inherits: user }
entities:
  note:
    fields:
      text: string
      about: string?
    permissions:
      admin: { all: true }
`;
const events = [...compileModel(checkBlueprint(head).model!).background.events.map(({ name }) => name)].filter(
  (name) => name.startsWith("user.") || name.startsWith("organization."),
);
const listening = `${head}workflows:
  hear:
    on: [${events.join(", ")}]
    steps:
      - audit.write: { with: { note: heard } }
`;

let cell: OrganizationCell;
beforeAll(async () => {
  cell = await openOrganizationCell(bundleOf(listening));
});
afterAll(() => cell?.close());
beforeEach(async () => {
  await cell.rows("delete from plinth.outbox");
});

/** The events that wait to be handed on, in their order. */
const heard = (): Promise<Record<string, unknown>[]> =>
  cell.rows(
    "select name, entity, record_id, organization_id, actor_kind, actor_id, record, old, data from plinth.outbox order by id",
  );
const names = async (): Promise<unknown[]> => (await heard()).map(({ name }) => name);

test("each described event occurs", () => {
  expect(events).toHaveLength(12);
});

describe("users", () => {
  test("sign up", async () => {
    const ana = await cell.signUp();
    const [event, ...others] = await heard();
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      name: "user.created",
      entity: "user",
      record_id: ana.id,
      organization_id: null,
      actor_kind: "user",
      actor_id: ana.id,
      old: null,
      data: null,
    });
    const members = "created_at email id name phone roles updated_at version".split(" ");
    expect(Object.keys(event?.record as object).toSorted()).toEqual(members);
    expect(event?.record).toMatchObject({ id: ana.id, email: ana.email, roles: [], version: 1 });
    const account = { email: ana.email, password: "correct horse battery" };
    expect((await cell.send(cell.publishable, "POST", "/v1/auth/sign-up", account)).status).toBe(409);
    expect((await cell.send(cell.publishable, "POST", "/v1/auth/sign-in", account)).status).toBe(200);
    expect(await names()).toEqual(["user.created"]);
  });

  test("get other roles, and change themselves", async () => {
    const ana = await cell.signUp();
    await cell.rows("delete from plinth.outbox");
    const path = `/v1/users/${ana.id}/roles`;
    expect((await cell.send(ana, "PUT", path, { roles: ["admin"] })).status).toBe(403);
    expect((await cell.send(cell.admin, "PUT", path, { roles: ["nobody"] })).status).toBe(422);
    expect((await cell.send(cell.admin, "PUT", `/v1/users/${newUuid()}/roles`, { roles: [] })).status).toBe(404);
    expect(await heard()).toEqual([]);
    expect((await cell.send(cell.admin, "PUT", path, { roles: ["support"] })).status).toBe(200);
    expect((await cell.send(cell.admin, "PUT", path, { roles: ["support"] })).status).toBe(200);
    expect((await cell.send(ana, "PATCH", `/v1/users/${ana.id}`, { phone: "1" })).status).toBe(200);
    expect(await heard()).toMatchObject([
      {
        name: "user.roles_changed",
        actor_kind: "key",
        record: { roles: ["support"], version: 2 },
        old: { roles: [] },
        data: { roles: ["support"], roles_before: [] },
      },
      { name: "user.updated", actor_id: ana.id, record: { phone: "1" }, old: { phone: null }, data: null },
    ]);
    const audited = await cell.rows(
      "select operation, changes from {schema}.audit_log where record_id = $1 and entity = 'user' order by id",
      [ana.id],
    );
    expect(audited).toMatchObject([
      { operation: "create", changes: { email: "[masked]", name: null } },
      { operation: "set_roles", changes: { roles: [[], ["support"]] } },
      { operation: "set_roles", changes: { roles: [["support"], ["support"]] } },
      { operation: "update", changes: { phone: [null, "[masked]"] } },
    ]);
  });
});

describe("organizations", () => {
  let owner: Person;
  let ana: Person;
  let id: string;
  beforeEach(async () => {
    [owner, ana] = [await cell.signUp(), await cell.signUp()];
    id = await cell.organization(owner, "Acme");
    await cell.rows("delete from plinth.outbox where name not like 'organization.%'");
  });

  test("are created, renamed and deleted", async () => {
    expect((await cell.send(owner, "PATCH", `/v1/organizations/${id}`, { name: "Acme Two" })).status).toBe(200);
    expect((await cell.send(ana, "DELETE", `/v1/organizations/${id}`)).status).toBe(404);
    expect((await cell.send(owner, "DELETE", `/v1/organizations/${id}`)).status).toBe(204);
    const about = { entity: "organization", record_id: id, organization_id: id, actor_id: owner.id };
    expect(await heard()).toMatchObject([
      { ...about, name: "organization.created", record: { id, name: "Acme" }, data: { owner_id: owner.id } },
      { ...about, name: "organization.updated", record: { name: "Acme Two" }, old: { name: "Acme" } },
      { ...about, name: "organization.deleted", record: { name: "Acme Two" }, old: null },
    ]);
  });

  test("invite users, who join", async () => {
    await cell.rows("delete from plinth.outbox");
    const invited = await cell.invite(owner, id, ana.email, "admin");
    const { token, id: invitation } = invited.json.data;
    expect((await cell.send(owner, "POST", ACCEPT, { token })).status).toBe(404);
    expect((await cell.send(ana, "POST", ACCEPT, { token, choose: true })).status).toBe(200);
    expect((await cell.send(ana, "PUT", CHOICE, { organization_id: null })).status).toBe(200);
    const about = { record: { id, name: "Acme" }, record_id: id, organization_id: id };
    const data = { invitation_id: invitation, email: ana.email, role: "admin" };
    const all = await heard();
    expect(all).toMatchObject([
      { ...about, name: "organization.invitation_created", actor_id: owner.id, data },
      { ...about, name: "organization.invitation_accepted", actor_id: ana.id, data: { ...data, user_id: ana.id } },
      { ...about, name: "organization.member_added", actor_id: ana.id, data: { user_id: ana.id, role: "admin" } },
    ]);
    expect(JSON.stringify(all)).not.toContain(token);
    expect(JSON.stringify(all)).not.toContain("token");
  });

  test("change members, and revoke invitations", async () => {
    await cell.join(owner, id, ana, "admin");
    const [other, third] = [newUuid(), newUuid()].map((name) => `${name}@example.com`) as [string, string];
    await cell.invite(ana, id, other);
    await cell.invite(ana, id, third);
    const byOwner = (await cell.invite(owner, id, `${newUuid()}@example.com`)).json.data.id;
    await cell.rows("delete from plinth.outbox");
    const member = `${membersOf(id)}/${ana.id}`;
    expect((await cell.send(owner, "PUT", member, { role: "admin" })).status).toBe(200);
    expect(await heard()).toEqual([]);
    expect((await cell.send(ana, "PUT", `${membersOf(id)}/${owner.id}`, { role: "member" })).status).toBe(403);
    expect((await cell.send(owner, "PUT", member, { role: "owner" })).status).toBe(200);
    expect((await cell.send(owner, "PUT", member, { role: "member" })).status).toBe(200);
    expect((await cell.send(owner, "DELETE", `${invitationsOf(id)}/${byOwner}`)).status).toBe(204);
    expect((await cell.send(ana, "DELETE", member)).status).toBe(204);
    const role = (after: string, before: string) => ({ user_id: ana.id, role: after, role_before: before });
    const all = await heard();
    expect(all.map(({ name, data }) => [name, data])).toEqual([
      ["organization.member_role_changed", role("owner", "admin")],
      ["organization.member_role_changed", role("member", "owner")],
      ["organization.invitation_revoked", expect.objectContaining({ role: "member" })],
      ["organization.invitation_revoked", expect.objectContaining({ role: "member" })],
      ["organization.invitation_revoked", expect.objectContaining({ invitation_id: byOwner })],
      ["organization.member_removed", { user_id: ana.id, role: "member" }],
    ]);
    expect(
      all
        .slice(2, 4)
        .map(({ data }) => (data as { email: string }).email)
        .toSorted(),
    ).toEqual([other, third].toSorted());
    const audited = await cell.rows(
      "select operation, count(*)::int from {schema}.audit_log where record_id = $1 group by operation order by operation",
      [id],
    );
    expect(audited).toEqual([
      { operation: "accept_invitation", count: 1 },
      { operation: "create", count: 1 },
      { operation: "invite", count: 4 },
      { operation: "revoke_invitation", count: 3 },
      { operation: "set_member", count: 3 },
    ]);
  });
});

test("without listeners, nothing is stored", async () => {
  const silent = await openOrganizationCell(bundleOf(head));
  try {
    const [owner, ana] = [await silent.signUp(), await silent.signUp()];
    const id = await silent.organization(owner);
    await silent.join(owner, id, ana);
    expect((await silent.send(silent.admin, "PUT", `/v1/users/${ana.id}/roles`, { roles: ["support"] })).status).toBe(
      200,
    );
    expect(await silent.rows("select name from plinth.outbox")).toEqual([]);
  } finally {
    await silent.close();
  }
});

test("a workflow runs for a sign-up, and people see its values with masks", async () => {
  const text = `${head}workflows:
  welcome:
    on: user.created
    steps:
      - record.create: { with: { entity: note, values: { text: "\${{ record.email }}", about: "for \${{ event.record_id }}" } } }
`;
  const work = await openWorkCell(text, bundleOf(text).background);
  try {
    const key = (await makeKey(work.cell, work.projectId, { kind: "publishable" })).key;
    const admin = (await makeKey(work.cell, work.projectId, { role: "admin" })).key;
    const body = { email: "ana@example.com", password: "correct horse battery" };
    await callModule(work.cell, { path: "/v1/auth/sign-up", key, body });
    await work.settled();
    const [user] = await work.sql("SELECT id::text FROM {schema}.users");
    expect(await work.sql("SELECT text, about FROM {schema}.notes")).toEqual([
      { text: body.email, about: `for ${user?.["id"]}` },
    ]);
    const [event] = await work.sql("SELECT id::text FROM {schema}.workers__events");
    const shown = await callModule(work.cell, { method: "GET", path: `/v1/events/${event?.["id"]}`, key: admin });
    expect(shown.body).toContain('"email":"[masked]"');
    expect(shown.body).not.toContain(body.email);
  } finally {
    await work.close();
  }
});
