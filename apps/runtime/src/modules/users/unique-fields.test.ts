// Unique profile fields: nobody can take another user's value, in any notation, and a user is found by them like a
// record by its key. For a user whom the caller can't see, the reply only says that the value is taken.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  bundleOf,
  type OrganizationCell,
  openOrganizationCell,
  type Person,
  type Reply,
} from "../organizations/testing/organization-cell.ts";

const blueprint = `project: chat
modules: [auth, users, roles]
roles: { clerk: {} }
users:
  fields:
    username: string(2,40)? unique searchable(fuzzy)
    listed: bool = true
    team: enum[north, south] = north
    desk: int? unique(team)
    badge: string? unique pii
    bio: text? searchable
  permissions:
    user: { read: listed }
    clerk: { read: { allow: true, fields: [id, username, desk, team] } }
`;

let cell: OrganizationCell;
let ana: Person;
let ben: Person;
let hidden: Person;

const patch = (who: Person, body: object, of = who): Promise<Reply> =>
  cell.send(who, "PATCH", `/v1/users/${of.id}`, body);
const by = (who: Person | string | null, key: string, query = ""): Promise<Reply> =>
  cell.send(who, "GET", `/v1/users/by/${key}${query}`);
const taken = ({ json }: Reply): unknown => json.errors.map(({ path, code }: Record<string, unknown>) => [path, code]);

beforeAll(async () => {
  cell = await openOrganizationCell(bundleOf(blueprint));
  [ana, ben, hidden] = [await cell.signUp(), await cell.signUp(), await cell.signUp()];
  for (const [who, changes] of [
    [ana, { username: "ana", desk: 1, badge: "A1", bio: "Paints whales" }],
    [ben, { username: "ben", team: "south", desk: 1 }],
    [hidden, { username: "hid", listed: false, badge: "H1", bio: "Paints in the dark" }],
  ] as const) {
    const reply = await patch(who, changes);
    expect(reply.status, reply.text).toBe(200);
  }
}, 60_000);

afterAll(() => cell?.close());

describe("a value that another user has", () => {
  test("is refused in a change, which changes nothing", async () => {
    for (const username of ["ana", "hid"]) {
      const refused = await cell.refused(409, "unique_violation", [
        ben,
        "PATCH",
        `/v1/users/${ben.id}`,
        { username, name: "Ben" },
      ]);
      expect(taken(refused)).toEqual([["/username", "taken"]]);
      expect(refused.text).not.toContain(hidden.id);
    }
    expect(taken(await patch(ben, { team: "north" }))).toEqual([
      ["/team", "taken"],
      ["/desk", "taken"],
    ]);
    expect((await patch(ben, { username: "ben" })).status).toBe(200);
  });

  test("is refused in a sign-up, which creates nobody", async () => {
    const request = (profile: object, email: string): Parameters<OrganizationCell["send"]> => {
      const body = { email, password: "correct horse battery", profile };
      return [cell.publishable, "POST", "/v1/auth/sign-up", body];
    };
    const signUp = (profile: object, email: string): Promise<Reply> => cell.send(...request(profile, email));
    const refusals = [];
    for (const username of ["ana", "hid"]) {
      const refused = await cell.refused(409, "unique_violation", request({ username }, "new@example.com"));
      expect(taken(refused)).toEqual([["/profile/username", "taken"]]);
      refusals.push(refused.text.replace(/"request_id":"[^"]*"/, ""));
    }
    // A user whom everybody sees and one whom nobody sees.
    expect(refusals[0]).toBe(refusals[1]);
    expect((await signUp({ username: "new" }, "new@example.com")).json.data.user.username).toBe("new");
    expect((await signUp({}, "none@example.com")).json.data.user.username).toBeNull();
    expect((await signUp({}, "neither@example.com")).status).toBe(201);
  });

  test("is given to one of several simultaneous callers", async () => {
    const people = await Promise.all(Array.from({ length: 4 }, () => cell.signUp()));
    const replies = await Promise.all(people.map((who) => patch(who, { username: "wanted" })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });

  test("is free again once its user has another value", async () => {
    expect((await patch(ben, { badge: "B1" })).status).toBe(200);
    expect((await patch(ben, { badge: null })).status).toBe(200);
    const other = await cell.signUp();
    expect((await patch(other, { badge: "B1" })).status).toBe(200);
  });
});

describe("a user is found by a key", () => {
  test("as far as the caller can see them", async () => {
    const found = await by(ben, "username/ana");
    expect([found.status, found.json.data.id, found.json.data.email]).toEqual([200, ana.id, undefined]);
    expect((await by(ana, "username/ana")).json.data.email).toBe(ana.email);
    expect((await by(cell.admin, `email/${encodeURIComponent(ana.email)}`)).json.data.id).toBe(ana.id);
    expect((await by(ben, "desk,team/1,north", "?fields=id")).json.data).toEqual({ id: ana.id });
    expect((await by(ana, "username/ana")).headers.get("etag")).toMatch(/^"\d+-/);
  });

  test("and a hidden one gets the same answer as a missing one", async () => {
    const replies = [
      await by(ben, "username/hid"),
      await by(ben, "username/nobody"),
      // They only see their own badge.
      await by(ben, "badge/A1"),
      await by(ben, `email/${encodeURIComponent(ana.email)}`),
    ];
    const texts = replies.map(({ text }) => text.replace(/"request_id":"[^"]*"/, ""));
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(new Set(texts).size).toBe(1);
    expect((await by(hidden, "username/hid")).json.data.id).toBe(hidden.id);
    expect((await by(ana, "badge/A1")).json.data.id).toBe(ana.id);
  });

  test("and not by a field that the caller can't read", async () => {
    await cell.send(cell.admin, "PUT", `/v1/users/${ben.id}/roles`, { roles: ["clerk"] });
    expect((await by(ben, "username/hid")).json.data.id).toBe(hidden.id);
    expect((await by(ben, "badge/H1")).status).toBe(404);
    await cell.send(cell.admin, "PUT", `/v1/users/${ben.id}/roles`, { roles: ["user"] });
  });

  test("with a credential of the project that can read users", async () => {
    expect((await by(null, "username/ana")).status).toBe(401);
    expect((await by(cell.publishable, "username/ana")).status).toBe(403);
    expect((await by(cell.foreign, "username/ana")).status).toBe(404);
    expect((await by(cell.admin, "username/%zz")).status).toBe(400);
    expect((await by(cell.admin, "listed/true")).status).toBe(404);
  });

  test("and changed, by themselves and by an admin", async () => {
    const change = (who: Person | string, username: string, body: object): Promise<Reply> =>
      cell.send(who, "PATCH", `/v1/users/by/username/${username}`, body);
    expect((await change(ana, "ana", { name: "Ana" })).json.data.name).toBe("Ana");
    expect((await change(cell.admin, "hid", { name: "Hid" })).json.data.name).toBe("Hid");
    const path = "/v1/users/by/username";
    await cell.refused(403, "forbidden", [ben, "PATCH", `${path}/ana`, { name: "X" }]);
    await cell.refused(404, "not_found", [ben, "PATCH", `${path}/hid`, { name: "X" }]);
    await cell.refused(409, "unique_violation", [ana, "PATCH", `${path}/ana`, { username: "ben" }]);
    for (const method of ["PUT", "DELETE"]) {
      const refused = await cell.refused(405, "method_not_allowed", [cell.admin, method, `${path}/ana`]);
      expect(refused.headers.get("allow")).toBe("GET, HEAD, PATCH, OPTIONS");
    }
  });
});

describe("`q` looks in profile fields", () => {
  const search = async (who: Person, words: string): Promise<readonly string[]> => {
    const { status, json, text } = await cell.send(who, "GET", `/v1/users?q=${encodeURIComponent(words)}`);
    expect(status, text).toBe(200);
    return json.data.map(({ id }: Person) => id);
  };

  test("of the users whom the caller can see", async () => {
    expect(await search(ben, "paint")).toEqual([ana.id]);
    expect(await search(hidden, "paints dark")).toEqual([hidden.id]);
    expect(await search(ben, "whale")).toEqual([ana.id]);
  });

  test("and not for a key that can't read users", async () => {
    expect((await cell.send(cell.publishable, "GET", "/v1/users?q=paint")).status).toBe(403);
  });
});
