// Who can read other users: the permissions under `users: { permissions }` in a blueprint, over HTTP.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  bundleOf,
  type OrganizationCell,
  openOrganizationCell,
  type Person,
} from "../organizations/testing/organization-cell.ts";

const blueprint = `project: chat
modules: [auth, users, roles, audit_logs]
roles:
  support: {}
users:
  fields:
    nickname: string?
    birthday: date? pii
    mood: string? internal
    listed: bool = true
    verified: bool writable(admin) = false
  permissions:
    user: { read: listed }
    support: { read: { allow: true, fields: [id, name, email, birthday] } }
entities:
  room:
    fields: { title: string, guest_id: user_ref?, owner_id: user_ref = current_user.id }
    permissions:
      user:
        create: true
        read: true
        update: can(read, guest)
`;

let cell: OrganizationCell;
let ana: Person;
let ben: Person;
let hidden: Person;

beforeAll(async () => {
  cell = await openOrganizationCell(bundleOf(blueprint));
  [ana, ben, hidden] = [await cell.signUp(), await cell.signUp(), await cell.signUp()];
  for (const [who, nickname, listed] of [
    [ana, "ana", true],
    [ben, "ben", true],
    [hidden, "hid", false],
  ] as const) {
    const changes = { name: `N ${nickname}`, nickname, listed, birthday: "2000-01-02" };
    expect((await cell.send(who, "PATCH", `/v1/users/${who.id}`, changes)).status).toBe(200);
  }
}, 60_000);

afterAll(() => cell?.close());

describe("a user reads", () => {
  test("others as far as the rule and its fields allow, and themselves completely", async () => {
    const { json } = await cell.send(ana, "GET", "/v1/users?limit=50");
    const byId = new Map(json.data.map((one: { id: string }) => [one.id, one]));
    expect(byId.size).toBe(2);
    expect(byId.get(ben.id)).toEqual({ id: ben.id, name: "N ben", nickname: "ben", listed: true, verified: false });
    expect(byId.get(ana.id)).toMatchObject({ id: ana.id, email: ana.email, birthday: "2000-01-02" });
  });

  test("a hidden user gets the same answer as a missing one", async () => {
    const [one, nobody] = [
      await cell.send(ana, "GET", `/v1/users/${hidden.id}`),
      await cell.send(ana, "GET", `/v1/users/${crypto.randomUUID()}`),
    ];
    expect([one.status, nobody.status, one.json.code]).toEqual([404, 404, nobody.json.code]);
    expect((await cell.send(hidden, "GET", `/v1/users/${hidden.id}`)).json.data.email).toBe(hidden.email);
  });

  test("nothing by a filter or a sort over hidden values", async () => {
    const found = await cell.send(ana, "GET", `/v1/users?email=${encodeURIComponent(ben.email)}`);
    expect(found.json.data).toEqual([]);
    const own = await cell.send(ana, "GET", `/v1/users?email=${encodeURIComponent(ana.email)}`);
    expect(own.json.data.map((one: { id: string }) => one.id)).toEqual([ana.id]);
    const born = await cell.send(ana, "GET", "/v1/users?birthday=2000-01-02");
    expect(born.json.data.map((one: { id: string }) => one.id)).toEqual([ana.id]);
    const sorted = await cell.send(ana, "GET", "/v1/users?sort=email");
    expect(sorted.status).toBe(403);
  });

  test("nothing more with only a key: public has no grant", async () => {
    expect((await cell.send(cell.publishable, "GET", "/v1/users")).status).toBe(403);
    expect((await cell.send(cell.publishable, "GET", `/v1/users/${ben.id}`)).status).toBe(403);
  });

  test("nobody of another project", async () => {
    expect((await cell.send(cell.foreign, "GET", `/v1/users/${ben.id}`)).status).toBe(404);
  });
});

test("only callers who can read a user can refer to them", async () => {
  const create = (who: Person, guest: string) => cell.send(who, "POST", "/api/rooms", { title: "R", guest_id: guest });
  expect((await create(ana, ben.id)).status).toBe(201);
  expect((await create(hidden, hidden.id)).status).toBe(201);
  const [refused, missing] = [await create(ana, hidden.id), await create(ana, crypto.randomUUID())];
  expect([refused.status, refused.json.code]).toEqual([missing.status, missing.json.code]);
  expect(refused.status).toBe(422);
});

test("`can(read, guest)` asks the same rule", async () => {
  const make = async (who: Person, guest: string): Promise<string> =>
    (await cell.send(who, "POST", "/api/rooms", { title: "R", guest_id: guest })).json.data.id;
  const [seen, unseen] = [await make(ana, ben.id), await make(hidden, hidden.id)];
  const rename = (id: string) => cell.send(ana, "PATCH", `/api/rooms/${id}`, { title: "S" });
  expect((await rename(seen)).status).toBe(200);
  expect((await rename(unseen)).status).toBe(403);
});

test("a role with its own fields sees those of everybody, and changes nobody", async () => {
  const given = await cell.send(cell.admin, "PUT", `/v1/users/${ben.id}/roles`, { roles: ["user", "support"] });
  expect(given.status).toBe(200);
  const { json } = await cell.send(ben, "GET", `/v1/users/${hidden.id}`);
  expect(json.data).toEqual({ id: hidden.id, name: "N hid", email: hidden.email, birthday: "2000-01-02" });
  const both = await cell.send(ben, "GET", `/v1/users/${ana.id}`);
  expect(Object.keys(both.json.data).sort()).toEqual([
    "birthday",
    "email",
    "id",
    "listed",
    "name",
    "nickname",
    "verified",
  ]);
  expect((await cell.send(ben, "PATCH", `/v1/users/${ana.id}`, { name: "X" })).status).toBe(403);
});

describe("a profile field that admins write", () => {
  test("can't be changed by its user, who can send back its value", async () => {
    const path = `/v1/users/${ana.id}`;
    const refused = await cell.send(ana, "PATCH", path, { nickname: "queen", verified: true });
    expect([refused.status, refused.json.errors]).toEqual([
      403,
      [{ path: "/verified", code: "admin_only", message: "Only an admin can set this field." }],
    ]);
    const kept = await cell.send(ana, "PATCH", path, { nickname: "ana", verified: false });
    expect([kept.status, kept.json.data.verified]).toEqual([200, false]);
  });

  test("is written by an admin", async () => {
    const given = await cell.send(cell.admin, "PATCH", `/v1/users/${ana.id}`, { verified: true });
    expect([given.status, given.json.data.verified]).toEqual([200, true]);
  });
});
