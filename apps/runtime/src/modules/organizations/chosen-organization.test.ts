// The organization of a request: named, or chosen by its sender, and never by anybody else. The request only sees that
// one.
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { CHOICE, newUuid, type OrganizationCell, openOrganizationCell, within } from "./testing/organization-cell.ts";

let cell: OrganizationCell;
let publishable: string;
let admin: string;
let foreign: string;
let send: OrganizationCell["send"];
let signUp: OrganizationCell["signUp"];
let organization: OrganizationCell["organization"];
let rows: OrganizationCell["rows"];
let refused: OrganizationCell["refused"];

beforeAll(async () => {
  cell = await openOrganizationCell();
  ({ publishable, admin, foreign, send, signUp, organization, rows, refused } = cell);
}, 60_000);
afterAll(() => cell?.close());

describe("the organization of a request", () => {
  it("is the one that the request names, or else the one that its sender has chosen: their first own one, or none", async () => {
    const ana = await signUp();
    await refused(403, "organization_required", [ana, "POST", "/api/jobs", { title: "Saw" }]);
    const [one, two] = [await organization(ana, "One"), await organization(ana, "Two")];
    expect((await send(ana, "POST", "/api/jobs", { title: "Saw" })).json.data.org_id).toBe(one);
    const made = await send(ana, "POST", "/api/jobs", { title: "Saw" }, within(two.toUpperCase()));
    expect(made.json.data.org_id, made.text).toBe(two);
    expect((await send(ana, "POST", "/api/jobs", { title: "Axe", org_id: one }, within(one))).status).toBe(201);
    await refused(403, "forbidden", [ana, "POST", "/api/jobs", { title: "Hoe", org_id: two }, within(one)]);

    const chosen = await send(ana, "PUT", CHOICE, { organization_id: two });
    expect([chosen.status, chosen.json.data], chosen.text).toEqual([200, { organization_id: two }]);
    expect((await send(ana, "POST", "/api/jobs", { title: "Rake" })).json.data.org_id).toBe(two);
    expect((await send(ana, "PUT", CHOICE, { organization_id: null })).status).toBe(200);
    await refused(403, "organization_required", [ana, "POST", "/api/jobs", { title: "Fork" }]);
    const audit = await rows(
      "select changes->'organization_id' as c from {schema}.audit_log where record_id = $1 and operation = 'choose_organization' order by id",
      [ana.id],
    );
    expect(audit.map((row) => row.c)).toEqual([
      [null, one],
      [one, two],
      [two, null],
    ]);
  });

  it("is known to every replica within a second", async () => {
    const ana = await signUp();
    const [one, two] = [await organization(ana, "One"), await organization(ana, "Two")];
    const replica = await cell.openReplica();
    const landsIn = async (): Promise<string> =>
      (await send(ana, "POST", "/api/jobs", { title: newUuid() }, {}, replica)).json.data?.org_id ?? "none";
    expect(await landsIn()).toBe(one);
    await send(ana, "PUT", CHOICE, { organization_id: two });
    await vi.waitFor(async () => expect(await landsIn()).toBe(two), { timeout: 1_000, interval: 20 });
    await send(ana, "PUT", CHOICE, { organization_id: null });
    await vi.waitFor(async () => expect(await landsIn()).toBe("none"), { timeout: 1_000, interval: 20 });
    const gone = await organization(ana, "Gone");
    await send(ana, "PUT", CHOICE, { organization_id: gone });
    await vi.waitFor(
      async () => expect((await send(ana, "GET", "/api/jobs", undefined, within(gone), replica)).status).toBe(200),
      { timeout: 1_000, interval: 20 },
    );
    await send(ana, "DELETE", `/v1/organizations/${gone}`);
    await vi.waitFor(
      async () => expect((await send(ana, "GET", "/api/jobs", undefined, within(gone), replica)).status).toBe(403),
      { timeout: 1_000, interval: 20 },
    );
  });

  it("isn't chosen by others, strangers or keys", async () => {
    const [ana, eve] = [await signUp(), await signUp()];
    const id = await organization(ana);
    await refused(403, "organization_forbidden", [eve, "PUT", CHOICE, { organization_id: id }]);
    await refused(403, "organization_forbidden", [eve, "PUT", CHOICE, { organization_id: newUuid() }]);
    await refused(403, "organization_forbidden", [cell.foreigner, "PUT", CHOICE, { organization_id: id }]);
    for (const key of [admin, publishable, foreign]) {
      await refused(401, "user_required", [key, "PUT", CHOICE, { organization_id: id }]);
    }
    await refused(401, "unauthenticated", [null, "PUT", CHOICE, { organization_id: id }]);
    for (const body of [{}, { organization_id: "x" }, { organization_id: id, more: 1 }, { organization_id: 5 }]) {
      await refused(422, "validation_failed", [ana, "PUT", CHOICE, body]);
    }
    await refused(405, "method_not_allowed", [ana, "POST", CHOICE, {}]);
  });

  it("is one at most, even after simultaneous choices", async () => {
    const ana = await signUp();
    const all = [await organization(ana, "1"), await organization(ana, "2"), await organization(ana, "3")];
    const replies = await Promise.all([...all, ...all].map((id) => send(ana, "PUT", CHOICE, { organization_id: id })));
    expect(replies.map((reply) => reply.status)).toEqual(Array(6).fill(200));
    const { memberships } = (await send(ana, "GET", "/v1/users/me")).json.data;
    expect(memberships.filter((each: { chosen: boolean }) => each.chosen)).toHaveLength(1);
  });

  it("is the only one that a request sees and changes", async () => {
    const ana = await signUp();
    const [one, two] = [await organization(ana, "One"), await organization(ana, "Two")];
    const mine = (await send(ana, "POST", "/api/jobs", { title: "In one" })).json.data.id;
    const other = (await send(ana, "POST", "/api/jobs", { title: "In two" }, within(two))).json.data.id;
    const titles = async (...request: Parameters<typeof send>): Promise<string[]> =>
      (await send(...request)).json.data.map((each: { title: string }) => each.title).sort();
    for (const headers of [undefined, within(one)]) {
      expect(await titles(ana, "GET", "/api/jobs", undefined, headers)).toEqual(["In one"]);
      await refused(404, "not_found", [ana, "GET", `/api/jobs/${other}`, undefined, headers]);
      await refused(404, "not_found", [ana, "PATCH", `/api/jobs/${other}`, { title: "x" }, headers]);
      await refused(404, "not_found", [ana, "DELETE", `/api/jobs/${other}`, undefined, headers]);
      const can = [mine, other].map((id) => ({ resource: "job", op: "read", id }));
      const answers = (await send(ana, "POST", "/v1/can", can, headers)).json.data;
      expect(answers.map((each: { allowed: boolean }) => each.allowed)).toEqual([true, false]);
    }
    expect(await titles(ana, "GET", "/api/jobs", undefined, within(two))).toEqual(["In two"]);
    await send(ana, "PUT", CHOICE, { organization_id: null });
    expect(await titles(ana, "GET", "/api/jobs")).toEqual([]);
    await refused(404, "not_found", [ana, "GET", `/api/jobs/${mine}`]);

    expect(await titles(admin, "GET", "/api/jobs", undefined, within(one))).toEqual(["In one"]);
    expect(await titles(admin, "GET", "/api/jobs", undefined, within(two))).toEqual(["In two"]);
    await refused(404, "not_found", [admin, "GET", `/api/jobs/${other}`, undefined, within(one)]);
    await refused(404, "not_found", [admin, "PATCH", `/api/jobs/${other}`, { title: "x" }, within(one)]);
    await refused(403, "forbidden", [admin, "POST", "/api/jobs", { title: "x", org_id: two }, within(one)]);
    expect((await send(admin, "GET", `/api/jobs/${other}`)).status).toBe(200);
  });
});
