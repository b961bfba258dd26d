// Joining an organization: only with an invitation's token, once, while its creator can still give that role.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ACCEPT,
  invitationsOf,
  membersOf,
  newUuid,
  type OrganizationCell,
  openOrganizationCell,
  type Person,
  type Reply,
  within,
} from "./testing/organization-cell.ts";

let cell: OrganizationCell;
let send: OrganizationCell["send"];
let signUp: OrganizationCell["signUp"];
let organization: OrganizationCell["organization"];
let rows: OrganizationCell["rows"];
let refused: OrganizationCell["refused"];
let invite: OrganizationCell["invite"];
let join: OrganizationCell["join"];

beforeAll(async () => {
  cell = await openOrganizationCell();
  ({ send, signUp, organization, rows, refused, invite, join } = cell);
}, 60_000);
afterAll(() => cell?.close());

const accept = (who: Person, token: string, choose?: boolean): Promise<Reply> =>
  send(who, "POST", ACCEPT, { token, ...(choose === undefined ? {} : { choose }) });
const invited = async (
  by: Person,
  id: string,
  who: Person,
  role = "member",
): Promise<{ id: string; token: string }> => {
  const reply = await invite(by, id, who.email, role);
  expect(reply.status, reply.text).toBe(201);
  return reply.json.data;
};
const membershipsOf = async (who: Person): Promise<unknown> =>
  (await send(who, "GET", "/v1/users/me")).json.data.memberships;

describe("an invitation", () => {
  it("is shown with its token once, stored as a hash, listed without it, and accepted once", async () => {
    const [ana, bob] = [await signUp(), await signUp()];
    const id = await organization(ana);
    const made = await invite(ana, id, bob.email.toUpperCase(), "admin");
    expect(made.status, made.text).toBe(201);
    const { token, ...shown } = made.json.data;
    expect(shown).toMatchObject({ email: bob.email, role: "admin", invited_by: ana.id });
    expect(Date.parse(shown.expires_at) - Date.parse(shown.created_at)).toBe(7 * 86_400_000);
    const everything = await rows(
      `select (select json_agg(i)::text from {schema}.organizations__invitations i) || (select json_agg(a)::text from {schema}.audit_log a) as t`,
    );
    expect(everything[0]?.t).not.toContain(token);
    expect(everything[0]?.t).not.toContain(token.slice(4));
    const list = await send(ana, "GET", invitationsOf(id));
    expect([list.status, list.json.data]).toEqual([200, [shown]]);

    const joined = await accept(bob, token);
    expect([joined.status, joined.json.data], joined.text).toEqual([
      200,
      { organization_id: id, role: "admin", chosen: false },
    ]);
    expect(await membershipsOf(bob)).toEqual([{ organization_id: id, role: "admin", chosen: false }]);
    await refused(404, "not_found", [bob, "POST", ACCEPT, { token }]);
    expect((await send(ana, "GET", invitationsOf(id))).json.data).toEqual([]);
  });

  it("only chooses the organization if its recipient says so", async () => {
    const [ana, bob] = [await signUp(), await signUp()];
    const theirs = await organization(ana);
    const own = await organization(bob);
    await accept(bob, (await invited(ana, theirs, bob)).token);
    const job = await send(bob, "POST", "/api/jobs", { title: "Private" });
    expect(job.json.data.org_id, job.text).toBe(own);
    await refused(404, "not_found", [ana, "GET", `/api/jobs/${job.json.data.id}`]);
    const cat = await signUp();
    await accept(cat, (await invited(ana, theirs, cat)).token);
    await refused(403, "organization_required", [cat, "POST", "/api/jobs", { title: "Mine" }]);
    const dan = await signUp();
    expect((await accept(dan, (await invited(ana, theirs, dan)).token, true)).json.data.chosen).toBe(true);
    expect((await send(dan, "POST", "/api/jobs", { title: "Ours" })).json.data.org_id).toBe(theirs);
  });

  it("is void for a removed member, however many invitations there were", async () => {
    const [ana, bob] = [await signUp(), await signUp()];
    const id = await organization(ana);
    const [first, second] = [await invited(ana, id, bob), await invited(ana, id, bob)];
    expect((await accept(bob, first.token)).status).toBe(200);
    expect((await send(ana, "DELETE", `/v1/organizations/${id}/members/${bob.id}`)).status).toBe(204);
    await refused(404, "not_found", [bob, "POST", ACCEPT, { token: second.token }]);
    expect(await membershipsOf(bob)).toEqual([]);
  });

  it("leaves an audit row for each step, without the address", async () => {
    const [ana, bob] = [await signUp(), await signUp()];
    const id = await organization(ana);
    const revoked = await invited(ana, id, bob);
    await send(ana, "DELETE", `${invitationsOf(id)}/${revoked.id}`);
    const taken = await invited(ana, id, bob);
    await accept(bob, taken.token);
    const audit = await rows(
      "select operation, actor_id, changes from {schema}.audit_log where record_id = $1 and operation <> 'create' order by id",
      [id],
    );
    expect(audit).toEqual([
      { operation: "invite", actor_id: ana.id, changes: { invitation_id: revoked.id, role: "member" } },
      { operation: "revoke_invitation", actor_id: ana.id, changes: { invitation_id: revoked.id, role: "member" } },
      { operation: "invite", actor_id: ana.id, changes: { invitation_id: taken.id, role: "member" } },
      {
        operation: "accept_invitation",
        actor_id: bob.id,
        changes: { invitation_id: taken.id, invited_by: ana.id, user_id: bob.id, role: [null, "member"] },
      },
    ]);
    expect(JSON.stringify(await rows("select changes from {schema}.audit_log"))).not.toContain("@");
  });

  it("gives the same answer for a known address, a member's and an unknown one", async () => {
    const [ana, bob, cat] = [await signUp(), await signUp(), await signUp()];
    const id = await organization(ana);
    await join(ana, id, cat);
    const shapes = new Set<string>();
    for (const email of [bob.email, cat.email, "nobody@example.com"]) {
      const reply = await invite(ana, id, email);
      const { id: _, token, created_at, expires_at, email: told, ...rest } = reply.json.data;
      expect([told, token.length]).toEqual([email, 68]);
      shapes.add(JSON.stringify([reply.status, Object.keys(reply.json.data), rest, [...reply.headers.keys()]]));
    }
    expect(shapes.size).toBe(1);
  });

  it("can only be created, seen and revoked by owners and admins of the organization", async () => {
    const [ana, bob, cat, eve] = [await signUp(), await signUp(), await signUp(), await signUp()];
    const id = await organization(ana);
    await join(ana, id, bob, "admin");
    await join(ana, id, cat);
    const toOwn = await invited(ana, id, eve, "owner");
    const ofAdmin = await invited(bob, id, eve, "admin");
    const body = { email: "x@example.com", role: "member" };
    await refused(403, "forbidden", [bob, "POST", invitationsOf(id), { ...body, role: "owner" }]);
    await refused(403, "forbidden", [bob, "DELETE", `${invitationsOf(id)}/${toOwn.id}`]);
    await refused(403, "forbidden", [cat, "POST", invitationsOf(id), body]);
    await refused(403, "forbidden", [cat, "GET", invitationsOf(id)]);
    await refused(403, "forbidden", [cat, "DELETE", `${invitationsOf(id)}/${ofAdmin.id}`]);
    const elsewhere = await organization(eve);
    await refused(404, "not_found", [eve, "DELETE", `${invitationsOf(elsewhere)}/${ofAdmin.id}`]);
    for (const [method, path, sent] of [
      ["GET", invitationsOf(id), undefined],
      ["POST", invitationsOf(id), body],
      ["DELETE", `${invitationsOf(id)}/${ofAdmin.id}`, undefined],
    ] as const) {
      for (const stranger of [eve, cell.foreign, cell.foreigner, cell.publishable]) {
        await refused(404, "not_found", [stranger, method, path, sent]);
      }
      await refused(401, "unauthenticated", [null, method, path, sent]);
    }
    // The app's own back end adds members; it can list and revoke invitations.
    await refused(403, "forbidden", [cell.admin, "POST", invitationsOf(id), body]);
    expect((await send(cell.admin, "GET", invitationsOf(id))).json.data).toHaveLength(2);
    expect((await send(cell.admin, "DELETE", `${invitationsOf(id)}/${toOwn.id}`)).status).toBe(204);
    expect((await send(bob, "DELETE", `${invitationsOf(id)}/${ofAdmin.id}`)).status).toBe(204);
    await refused(404, "not_found", [bob, "DELETE", `${invitationsOf(id)}/${ofAdmin.id}`]);
  });

  it("accepts an address, a role and nothing else", async () => {
    const ana = await signUp();
    const id = await organization(ana);
    for (const body of [
      {},
      { email: "x@example.com" },
      { email: "x", role: "member" },
      { email: "x@example.com", role: "king" },
      { email: `${"x".repeat(250)}@example.com`, role: "member" },
      { email: "x@example.com", role: "member", user_id: ana.id },
    ]) {
      await refused(422, "validation_failed", [ana, "POST", invitationsOf(id), body]);
    }
    await refused(400, "unknown_parameter", [ana, "GET", `${invitationsOf(id)}?x=1`]);
    await refused(400, "bad_request", [ana, "DELETE", `${invitationsOf(id)}/${newUuid()}`, {}]);
    await refused(404, "not_found", [ana, "DELETE", `${invitationsOf(id)}/x`]);
    await refused(405, "method_not_allowed", [ana, "PUT", invitationsOf(id), {}]);
  });
});

describe("a token", () => {
  it("needs its signed-in recipient, and every wrong one gets the same answer", async () => {
    const [ana, bob, eve] = [await signUp(), await signUp(), await signUp()];
    const id = await organization(ana);
    const { token } = await invited(ana, id, bob);
    const expired = await invited(ana, id, bob);
    await rows("update {schema}.organizations__invitations set expires_at = now() where id = $1", [expired.id]);
    const texts = new Set<string>();
    const same = { "x-request-id": "same" };
    for (const [who, sent] of [
      [eve, token],
      [bob, expired.token],
      [bob, "pli_nothing"],
      [bob, `${token}x`],
    ] as const) {
      texts.add((await refused(404, "not_found", [who, "POST", ACCEPT, { token: sent }, same])).text);
    }
    expect(texts.size).toBe(1);
    for (const key of [cell.admin, cell.publishable, cell.foreign]) {
      await refused(401, "user_required", [key, "POST", ACCEPT, { token }]);
    }
    await refused(404, "not_found", [cell.foreigner, "POST", ACCEPT, { token }]);
    await refused(401, "unauthenticated", [null, "POST", ACCEPT, { token }]);
    for (const body of [
      {},
      { token: "" },
      { token: 5 },
      { token: "x".repeat(201) },
      { token, choose: "yes" },
      { token, role: "owner" },
    ]) {
      await refused(422, "validation_failed", [bob, "POST", ACCEPT, body]);
    }
    await refused(404, "not_found", [bob, "GET", ACCEPT]);
    expect((await send(ana, "GET", invitationsOf(id))).json.data).toHaveLength(1);
    expect((await accept(bob, token)).status).toBe(200);
  });

  it("doesn't change the role of a member", async () => {
    const [ana, bob] = [await signUp(), await signUp()];
    const id = await organization(ana);
    await join(ana, id, bob);
    const { token } = await invited(ana, id, bob, "owner");
    await refused(409, "conflict", [bob, "POST", ACCEPT, { token }]);
  });

  it("is only valid while its inviter can give that role", async () => {
    const [ana, bob] = [await signUp(), await signUp()];
    const id = await organization(ana);
    await join(ana, id, bob, "owner");
    const guests = await Promise.all([1, 2, 3, 4, 5].map(() => signUp()));
    const [owner, admin, member, later, last] = guests as [Person, Person, Person, Person, Person];
    const asOwner = await invited(bob, id, owner, "owner");
    const asAdmin = await invited(bob, id, admin, "admin");
    await send(ana, "PUT", `${membersOf(id)}/${bob.id}`, { role: "admin" });
    await refused(404, "not_found", [owner, "POST", ACCEPT, { token: asOwner.token }]);
    expect((await accept(admin, asAdmin.token)).status).toBe(200);
    const asMember = await invited(bob, id, member);
    await send(ana, "PUT", `${membersOf(id)}/${bob.id}`, { role: "member" });
    await refused(404, "not_found", [member, "POST", ACCEPT, { token: asMember.token }]);
    await send(ana, "PUT", `${membersOf(id)}/${bob.id}`, { role: "owner" });
    const beforeLeaving = await invited(bob, id, later);
    await send(bob, "DELETE", `${membersOf(id)}/${bob.id}`);
    await refused(404, "not_found", [later, "POST", ACCEPT, { token: beforeLeaving.token }]);
    const revoked = await rows(
      "select changes->>'invitation_id' as id from {schema}.audit_log where record_id = $1 and operation = 'revoke_invitation' order by id",
      [id],
    );
    expect(revoked.map((row) => row.id).sort()).toEqual([asOwner.id, asMember.id, beforeLeaving.id].sort());
    // Not even after the inviter is back: a revoked invitation stays revoked.
    await join(ana, id, bob, "owner");
    await refused(404, "not_found", [later, "POST", ACCEPT, { token: beforeLeaving.token }]);

    // The right is checked at acceptance, whatever removed it.
    const unnoticed = await invited(bob, id, last);
    await rows("update {schema}.memberships set role = 'member' where user_id = $1", [bob.id]);
    await refused(404, "not_found", [last, "POST", ACCEPT, { token: unnoticed.token }]);
  });

  it("of an admin of the project is valid while they are one", async () => {
    const [ana, root, bob] = [await signUp(), await signUp(), await signUp()];
    const id = await organization(ana);
    await send(cell.admin, "PUT", `/v1/users/${root.id}/roles`, { roles: ["admin"] });
    const [first, second] = [await invited(root, id, bob, "owner"), await invited(root, id, bob, "owner")];
    await send(cell.admin, "PUT", `/v1/users/${root.id}/roles`, { roles: [] });
    await refused(404, "not_found", [bob, "POST", ACCEPT, { token: first.token }]);
    await send(cell.admin, "PUT", `/v1/users/${root.id}/roles`, { roles: ["admin"] });
    expect((await accept(bob, second.token)).json.data.role).toBe("owner");
  });

  it("works for one of many simultaneous senders", async () => {
    for (let round = 0; round < 5; round++) {
      const [ana, bob] = [await signUp(), await signUp()];
      const id = await organization(ana);
      const { token } = await invited(ana, id, bob);
      const replies = await Promise.all([1, 2, 3, 4].map(() => accept(bob, token)));
      expect(replies.map((reply) => reply.status).sort()).toEqual([200, 404, 404, 404]);
      expect(
        await rows("select 1 from {schema}.audit_log where record_id = $1 and operation = 'accept_invitation'", [id]),
      ).toHaveLength(1);
    }
  });

  it("is either accepted or revoked, and never outlives its inviter's right", async () => {
    for (let round = 0; round < 5; round++) {
      const [ana, bob, cat] = [await signUp(), await signUp(), await signUp()];
      const id = await organization(ana);
      const first = await invited(ana, id, bob);
      const [joined, revoked] = await Promise.all([
        accept(bob, first.token),
        send(ana, "DELETE", `${invitationsOf(id)}/${first.id}`),
      ]);
      expect([joined.status, revoked.status].sort()).toEqual(joined.status === 200 ? [200, 404] : [204, 404]);
      expect(await membershipsOf(bob)).toHaveLength(joined.status === 200 ? 1 : 0);

      const dan = await signUp();
      await join(ana, id, dan, "admin");
      const second = await invited(dan, id, cat);
      const [entered, removed] = await Promise.all([
        accept(cat, second.token),
        send(ana, "DELETE", `${membersOf(id)}/${dan.id}`),
      ]);
      expect([200, 404]).toContain(entered.status);
      expect(removed.status).toBe(204);
      const order = await rows(
        "select operation from {schema}.audit_log where record_id = $1 and changes->>'user_id' in ($2, $3) order by id desc limit 1",
        [id, cat.id, dan.id],
      );
      expect(order[0]?.operation, "whoever joins does so before the inviter goes").toBe("set_member");
    }
  });
});

it("doesn't give access to an organization before it is accepted", async () => {
  const [ana, bob] = [await signUp(), await signUp()];
  const id = await organization(ana);
  await invited(ana, id, bob);
  await refused(403, "organization_forbidden", [bob, "GET", "/api/jobs", undefined, within(id)]);
  await refused(404, "not_found", [bob, "GET", `/v1/organizations/${id}`]);
});
