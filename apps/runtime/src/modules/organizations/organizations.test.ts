// Organizations, their members and their records, end to end: sign-up, membership, scope, and what outsiders learn.
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  invitationsOf,
  membersOf,
  newUuid,
  type OrganizationCell,
  openOrganizationCell,
  within,
} from "./testing/organization-cell.ts";

let cell: OrganizationCell;
let publishable: string;
let admin: string;
let foreign: string;
let send: OrganizationCell["send"];
let signUp: OrganizationCell["signUp"];
let organization: OrganizationCell["organization"];
let rows: OrganizationCell["rows"];
let refused: OrganizationCell["refused"];
let join: OrganizationCell["join"];

beforeAll(async () => {
  cell = await openOrganizationCell();
  ({ publishable, admin, foreign, send, signUp, organization, rows, refused, join } = cell);
}, 60_000);
afterAll(() => cell?.close());

describe("an organization", () => {
  it("belongs to its creator, who reads, changes, lists and deletes it", async () => {
    const ana = await signUp();
    const created = await send(ana, "POST", "/v1/organizations", { name: "Acme" });
    expect(created.status, created.text).toBe(201);
    const { id } = created.json.data;
    expect(created.headers.get("location")).toBe(`/v1/organizations/${id}`);
    expect((await send(ana, "GET", `/v1/organizations/${id}`)).json.data).toEqual(created.json.data);
    expect((await send(ana, "GET", "/v1/organizations")).json.data).toEqual([created.json.data]);
    const renamed = await send(ana, "PATCH", `/v1/organizations/${id}`, { name: "Acme Ltd" });
    expect(renamed.json.data, renamed.text).toMatchObject({ name: "Acme Ltd", version: 2 });
    const me = await send(ana, "GET", "/v1/users/me");
    expect(me.json.data.memberships).toEqual([{ organization_id: id, role: "owner", chosen: true }]);
    expect((await send(ana, "DELETE", `/v1/organizations/${id}`)).status).toBe(204);
    expect((await send(ana, "GET", "/v1/users/me")).json.data.memberships).toEqual([]);
  });

  it("is hidden from strangers, in the same way as a missing one", async () => {
    const [ana, eve] = [await signUp(), await signUp()];
    const id = await organization(ana);
    const same = { "x-request-id": "same" };
    for (const [method, rest, body] of [
      ["GET", "", undefined],
      ["PATCH", "", { name: "x" }],
      ["DELETE", "", undefined],
      ["GET", "/members", undefined],
      ["PUT", "/members", { email: eve.email, role: "owner" }],
      ["PUT", `/members/${eve.id}`, { role: "owner" }],
      ["DELETE", `/members/${ana.id}`, undefined],
      ["GET", "/invitations", undefined],
      ["POST", "/invitations", { email: eve.email, role: "owner" }],
      ["DELETE", `/invitations/${newUuid()}`, undefined],
    ] as const) {
      const texts = new Set<string>();
      for (const each of [id, newUuid()]) {
        const path = `/v1/organizations/${each}${rest}`;
        texts.add((await refused(404, "not_found", [eve, method, path, body, same])).text);
        await refused(404, "not_found", [foreign, method, path, body]);
      }
      expect(texts.size).toBe(1);
      await refused(401, "unauthenticated", [null, method, `/v1/organizations/${id}${rest}`, body]);
    }
    expect((await send(eve, "GET", "/v1/organizations")).json.data).toEqual([]);
  });

  it("needs a name, and a signed-in user or an admin key", async () => {
    const ana = await signUp();
    for (const body of [{}, { name: "" }, { name: 5 }, { name: "x".repeat(256) }, { name: "a", id: "x" }]) {
      await refused(422, "validation_failed", [ana, "POST", "/v1/organizations", body]);
    }
    await refused(403, "forbidden", [publishable, "POST", "/v1/organizations", { name: "x" }]);
    await refused(401, "unauthenticated", [null, "POST", "/v1/organizations", { name: "x" }]);
    const made = await send(admin, "POST", "/v1/organizations", { name: "By key" });
    expect(made.status, made.text).toBe(201);
    expect((await send(admin, "GET", membersOf(made.json.data.id))).json.data).toEqual([]);
  });
});

describe("members", () => {
  it("get another role by e-mail or id, are listed and removed, with an audit row each", async () => {
    const [ana, bob, cat] = [await signUp(), await signUp(), await signUp()];
    const id = await organization(ana);
    await join(ana, id, bob);
    await join(ana, id, cat, "admin");
    const raised = await send(ana, "PUT", membersOf(id), { email: bob.email.toUpperCase(), role: "admin" });
    expect(raised.status, raised.text).toBe(200);
    expect(raised.json.data).toMatchObject({ user_id: bob.id, role: "admin", email: bob.email });
    const again = await send(ana, "PUT", membersOf(id), { user_id: bob.id, role: "member" });
    expect([again.status, again.json.data.role]).toEqual([200, "member"]);
    expect((await send(ana, "PUT", `${membersOf(id)}/${bob.id}`, { role: "admin" })).status).toBe(200);
    const list = await send(ana, "GET", membersOf(id));
    expect(list.json.data.map((each: { user_id: string }) => each.user_id)).toEqual([ana.id, bob.id, cat.id]);
    expect((await send(ana, "DELETE", `${membersOf(id)}/${cat.id}`)).status).toBe(204);
    await refused(404, "not_found", [ana, "DELETE", `${membersOf(id)}/${cat.id}`]);
    const audit = await rows(
      "select changes->'role' as role from {schema}.audit_log where record_id = $1 and operation = 'set_member' order by id",
      [id],
    );
    expect(audit.map((row) => row.role)).toEqual([
      ["member", "admin"],
      ["admin", "member"],
      ["member", "admin"],
      ["admin", null],
    ]);
  });

  it("only join by invitation, and a known account gets the same answer as an unknown one", async () => {
    const [ana, bob] = [await signUp(), await signUp()];
    const id = await organization(ana);
    const same = { "x-request-id": "same" };
    const byEmail = new Set<string>();
    for (const email of [bob.email, "nobody@example.com"]) {
      byEmail.add((await refused(404, "not_found", [ana, "PUT", membersOf(id), { email, role: "member" }, same])).text);
    }
    expect(byEmail.size).toBe(1);
    const byId = new Set<string>();
    for (const userId of [bob.id, newUuid()]) {
      const body = { user_id: userId, role: "member" };
      byId.add((await refused(404, "not_found", [ana, "PUT", membersOf(id), body, same])).text);
      const path = `${membersOf(id)}/${userId}`;
      byId.add((await refused(404, "not_found", [ana, "PUT", path, { role: "member" }, same])).text);
    }
    expect(byId.size).toBe(1);
    expect((await send(bob, "GET", "/v1/users/me")).json.data.memberships).toEqual([]);
  });

  it("are added by an admin key without choosing an organization for them", async () => {
    const bob = await signUp();
    const { id } = (await send(admin, "POST", "/v1/organizations", { name: "By key" })).json.data;
    expect((await send(admin, "PUT", membersOf(id), { email: bob.email, role: "owner" })).status).toBe(201);
    expect((await send(bob, "GET", "/v1/users/me")).json.data.memberships).toEqual([
      { organization_id: id, role: "owner", chosen: false },
    ]);
    await refused(403, "organization_required", [bob, "POST", "/api/jobs", { title: "Mine" }]);
    await refused(422, "validation_failed", [admin, "PUT", membersOf(id), { email: "x@example.com", role: "owner" }]);
    await refused(422, "validation_failed", [admin, "PUT", `${membersOf(id)}/${newUuid()}`, { role: "owner" }]);
    await refused(403, "forbidden", [admin, "POST", invitationsOf(id), { email: bob.email, role: "member" }]);
  });

  it("see each other without addresses, manage nobody, and can leave", async () => {
    const [ana, bob] = [await signUp(), await signUp()];
    const id = await organization(ana);
    await join(ana, id, bob);
    const list = await send(bob, "GET", membersOf(id));
    expect(list.json.data).toHaveLength(2);
    expect(list.text).not.toContain("@");
    await refused(403, "forbidden", [bob, "PUT", `${membersOf(id)}/${bob.id}`, { role: "owner" }]);
    await refused(403, "forbidden", [bob, "DELETE", `${membersOf(id)}/${ana.id}`]);
    await refused(403, "forbidden", [bob, "PATCH", `/v1/organizations/${id}`, { name: "x" }]);
    await refused(403, "forbidden", [bob, "DELETE", `/v1/organizations/${id}`]);
    expect((await send(bob, "DELETE", `${membersOf(id)}/${bob.id}`)).status).toBe(204);
    await refused(404, "not_found", [bob, "GET", membersOf(id)]);
  });

  it("who are admins manage all but the owners", async () => {
    const [ana, bob, cat] = [await signUp(), await signUp(), await signUp()];
    const id = await organization(ana);
    await join(ana, id, bob, "admin");
    await join(ana, id, cat);
    expect((await send(bob, "PUT", membersOf(id), { user_id: cat.id, role: "admin" })).status).toBe(200);
    await refused(403, "forbidden", [bob, "PUT", membersOf(id), { user_id: cat.id, role: "owner" }]);
    await refused(403, "forbidden", [bob, "PUT", membersOf(id), { user_id: ana.id, role: "member" }]);
    await refused(403, "forbidden", [bob, "DELETE", `${membersOf(id)}/${ana.id}`]);
  });

  it("keep a last owner, even if several leave at the same time", async () => {
    const [ana, bob] = [await signUp(), await signUp()];
    const id = await organization(ana);
    await refused(409, "conflict", [ana, "DELETE", `${membersOf(id)}/${ana.id}`]);
    await refused(409, "conflict", [ana, "PUT", `${membersOf(id)}/${ana.id}`, { role: "member" }]);
    await join(ana, id, bob, "owner");
    const leaving = await Promise.all([ana, bob].map((each) => send(each, "DELETE", `${membersOf(id)}/${each.id}`)));
    expect(leaving.map((reply) => reply.status).sort()).toEqual([204, 409]);
  });

  it("are existing users, each named once", async () => {
    const ana = await signUp();
    const id = await organization(ana);
    for (const body of [
      { role: "member" },
      { role: "king", user_id: ana.id },
      { role: "member", user_id: ana.id, email: ana.email },
      { role: "member", user_id: "x" },
      { role: "member", user_id: ana.id, more: 1 },
    ]) {
      await refused(422, "validation_failed", [ana, "PUT", membersOf(id), body]);
    }
    await refused(400, "unknown_parameter", [ana, "GET", `${membersOf(id)}?x=1`]);
    await refused(405, "method_not_allowed", [ana, "PATCH", membersOf(id), {}]);
  });
});

describe("a record of an organization", () => {
  it("is only visible and writable for its members, in the organization of the request", async () => {
    const [ana, bob] = [await signUp(), await signUp()];
    const [one, two] = [await organization(ana, "One"), await organization(bob, "Two")];
    const job = await send(ana, "POST", "/api/jobs", { title: "Weld" });
    expect(job.status, job.text).toBe(201);
    expect(job.json.data.org_id).toBe(one);
    const { id } = job.json.data;
    expect((await send(bob, "GET", "/api/jobs")).json.data).toEqual([]);
    await refused(404, "not_found", [bob, "GET", `/api/jobs/${id}`]);
    await refused(404, "not_found", [bob, "PATCH", `/api/jobs/${id}`, { title: "x" }]);
    await refused(404, "not_found", [bob, "DELETE", `/api/jobs/${id}`]);
    await refused(403, "forbidden", [bob, "POST", "/api/jobs", { title: "x", org_id: one }]);
    // The same title in another organization is no conflict; in the same one it is.
    expect((await send(bob, "POST", "/api/jobs", { title: "Weld" })).json.data.org_id).toBe(two);
    await refused(409, "unique_violation", [ana, "POST", "/api/jobs", { title: "Weld" }]);
    expect((await send(ana, "PATCH", `/api/jobs/${id}`, { title: "Weld 2" })).status).toBe(200);
    await refused(422, "validation_failed", [ana, "PATCH", `/api/jobs/${id}`, { org_id: two }]);
    expect((await send(ana, "DELETE", `/api/jobs/${id}`)).status).toBe(204);
  });

  it("can't be in an organization that the caller doesn't belong to", async () => {
    const [ana, eve] = [await signUp(), await signUp()];
    const id = await organization(ana);
    await organization(eve);
    for (const who of [eve, publishable]) {
      await refused(403, "organization_forbidden", [who, "GET", "/api/jobs", undefined, within(id)]);
      await refused(403, "organization_forbidden", [who, "GET", "/api/jobs", undefined, within(newUuid())]);
    }
    for (const value of ["x", `${id},${id}`, ""]) {
      await refused(400, "bad_request", [ana, "GET", "/api/jobs", undefined, within(value)]);
    }
  });

  it("is open to an admin key, which names the organization of new records", async () => {
    const ana = await signUp();
    const id = await organization(ana);
    await send(ana, "POST", "/api/jobs", { title: "Key" });
    expect((await send(admin, "GET", `/api/jobs?title=Key&org_id=${id}`)).json.data).toHaveLength(1);
    await refused(403, "organization_required", [admin, "POST", "/api/jobs", { title: "K2" }]);
    expect((await send(admin, "POST", "/api/jobs", { title: "K2", org_id: id })).status).toBe(201);
    expect((await send(admin, "POST", "/api/jobs", { title: "K3" }, within(id))).json.data.org_id).toBe(id);
    await refused(422, "validation_failed", [admin, "POST", "/api/jobs", { title: "K4", org_id: newUuid() }]);
  });

  it("is hidden within a second after the membership ends", async () => {
    const [ana, bob] = [await signUp(), await signUp()];
    const id = await organization(ana);
    await join(ana, id, bob, "member", true);
    const job = (await send(ana, "POST", "/api/jobs", { title: "Gone" })).json.data;
    await vi.waitFor(async () => expect((await send(bob, "GET", `/api/jobs/${job.id}`)).status).toBe(200), 1_000);
    await refused(403, "forbidden", [bob, "DELETE", `/api/jobs/${job.id}`]);
    expect((await send(bob, "GET", "/api/jobs", undefined, within(id))).status).toBe(200);
    await send(ana, "DELETE", `${membersOf(id)}/${bob.id}`);
    await refused(404, "not_found", [bob, "GET", `/api/jobs/${job.id}`]);
    await refused(403, "organization_forbidden", [bob, "GET", "/api/jobs", undefined, within(id)]);
  });
});

it("is hidden at once when its organization is deleted", async () => {
  const ana = await signUp();
  const id = await organization(ana);
  expect((await send(ana, "GET", "/api/jobs", undefined, within(id))).status).toBe(200);
  expect((await send(ana, "DELETE", `/v1/organizations/${id}`)).status).toBe(204);
  await refused(403, "organization_forbidden", [ana, "GET", "/api/jobs", undefined, within(id)]);
  await refused(403, "organization_required", [ana, "POST", "/api/jobs", { title: "Late" }]);
  await refused(404, "not_found", [ana, "DELETE", `/v1/organizations/${id}`]);
  const kept = await organization(ana);
  expect((await send(ana, "POST", "/api/jobs", { title: "There" })).json.data.org_id).toBe(kept);
  // Its jobs refer to it, and would be lost.
  await refused(409, "reference_restricted", [ana, "DELETE", `/v1/organizations/${kept}`]);
});

describe("profile fields", () => {
  it("can be written by the user and an admin", async () => {
    const [ana, eve] = [await signUp(), await signUp()];
    const path = `/v1/users/${ana.id}`;
    const mine = await send(ana, "PATCH", path, { nickname: "Ana", phone: "+49301234567" });
    expect(mine.status, mine.text).toBe(200);
    expect((await send(ana, "GET", "/v1/users/me")).json.data).toMatchObject({
      nickname: "Ana",
      phone: "+49301234567",
    });
    expect((await send(ana, "GET", "/v1/users/me")).json.data).not.toHaveProperty("hidden_note");
    await refused(404, "not_found", [eve, "PATCH", path, { nickname: "x" }]);
    await refused(422, "validation_failed", [ana, "PATCH", path, { hidden_note: "x" }]);
    await refused(422, "validation_failed", [ana, "PATCH", path, { email: "x@example.com" }]);
    expect((await send(admin, "PATCH", path, { nickname: "A." })).status).toBe(200);
    const [row] = await rows(
      "select changes from {schema}.audit_log where record_id = $1 and operation = 'update' order by id limit 1",
      [ana.id],
    );
    expect(row?.changes).toMatchObject({ nickname: [null, "Ana"], phone: [null, "[masked]"] });
  });
});
