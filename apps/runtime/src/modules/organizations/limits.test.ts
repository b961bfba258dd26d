// The limits on invitations for one user, one network and one organization, even for simultaneous requests.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ACCEPT,
  CHOICE,
  invitationsOf,
  newUuid,
  type OrganizationCell,
  openOrganizationCell,
  type Person,
  type Reply,
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

describe("limits", () => {
  it("limit the changes by one user, because each causes all credentials to be looked up again", async () => {
    const ana = await signUp();
    const change = (): Promise<Reply> => send(ana, "PUT", CHOICE, { organization_id: null });
    const statuses: number[] = [];
    // Fifty at a time: more at once would wait for the database and be refused because of that.
    while (!statuses.includes(429) && statuses.length < 1_000) {
      const replies = await Promise.all(Array.from({ length: 50 }, change));
      statuses.push(...replies.map((reply) => reply.status));
    }
    const made = statuses.filter((status) => status === 200).length;
    expect(made).toBeGreaterThanOrEqual(120);
    expect(statuses.filter((status) => status === 429)).toHaveLength(statuses.length - made);
    await refused(429, "rate_limited", [ana, "POST", "/v1/organizations", { name: "One more" }]);
    expect((await send(await signUp(), "PUT", CHOICE, { organization_id: null })).status).toBe(200);
  });

  it("limit the open invitations of an organization, whoever creates them at once", async () => {
    const [ana, bob, cat] = [await signUp(), await signUp(), await signUp()];
    const id = await organization(ana);
    await join(ana, id, bob, "admin");
    await join(ana, id, cat, "admin");
    await rows(
      `insert into {schema}.organizations__invitations (id, organization_id, email, role, token_hash, invited_by, expires_at)
       select gen_random_uuid(), $1, 'x@example.com', 'member', gen_random_uuid()::text, $2, now() + interval '1 day'
       from generate_series(1, 97)`,
      [id, ana.id],
    );
    const replies = await Promise.all(
      Array.from({ length: 9 }, (_, i) => invite([ana, bob, cat][i % 3] as Person, id, `${i}@example.com`)),
    );
    expect(replies.map((reply) => reply.status).sort()).toEqual([...Array(3).fill(201), ...Array(6).fill(409)]);
    await rows("update {schema}.organizations__invitations set expires_at = now() where email = 'x@example.com'");
    expect((await invite(ana, id, "y@example.com")).status).toBe(201);
    expect(
      await rows("select 1 from {schema}.organizations__invitations where organization_id = $1", [id]),
    ).toHaveLength(4);
  });

  it("limit the invitations by one user, over all organizations, even if they come at once", async () => {
    const ana = await signUp();
    const ids = [await organization(ana), await organization(ana)];
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, i) => invite(ana, ids[i % 2] as string, `${i}@example.com`)),
    );
    expect(replies.filter((reply) => reply.status === 201)).toHaveLength(50);
    const late = replies.filter((reply) => reply.status !== 201);
    for (const reply of late) expect([reply.status, reply.json.code]).toEqual([429, "rate_limited"]);
    expect(late[0]?.headers.get("retry-after")).toMatch(/^\d+$/);
    await refused(429, "rate_limited", [
      ana,
      "POST",
      invitationsOf(ids[0] as string),
      { email: "z@example.com", role: "member" },
    ]);
  });

  it("limit the wrong tokens of one user, even if they come at once, but not the right ones", async () => {
    const [ana, bob, eve] = [await signUp(), await signUp(), await signUp()];
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, i) => send(eve, "POST", ACCEPT, { token: `pli_${i}` })),
    );
    expect(replies.filter((reply) => reply.status === 404)).toHaveLength(20);
    expect(replies.filter((reply) => reply.status === 429)).toHaveLength(10);
    const { token } = (await invite(ana, await organization(ana), eve.email)).json.data;
    await refused(429, "rate_limited", [eve, "POST", ACCEPT, { token }]);
    for (let i = 0; i < 25; i++) {
      const id = await organization(ana);
      await join(ana, id, bob);
    }
  });

  it("accept a valid token while somebody else at the same address tries wrong ones", async () => {
    const guess = async (who: Person, i: number, token = `pli_${i}`): Promise<number> =>
      (await send(who, "POST", ACCEPT, { token })).status;
    const [ana, bob] = [await signUp(), await signUp()];
    const good = (await invite(ana, await organization(ana), bob.email)).json.data.token;
    const guessers = await Promise.all(Array.from({ length: 6 }, () => signUp()));
    const statuses: number[] = [];
    for (const who of guessers) {
      statuses.push(...(await Promise.all(Array.from({ length: 20 }, (_, i) => guess(who, i)))));
    }
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(20);
    // A text that is almost a token of ours is a guess like any other.
    expect(await guess(await signUp(), 0, `${good.slice(0, -2)}AA`)).toBe(429);
    expect(await guess(bob, 0, good)).toBe(200);
  });
});

it("answers 429 on each of its routes to a caller who sends too much", async () => {
  const busy = await openOrganizationCell(undefined, { perSecond: 0.001, burst: 3 });
  try {
    for (const [key, method, path, body] of [
      [busy.publishable, "GET", invitationsOf(newUuid()), undefined],
      [busy.publishable, "POST", invitationsOf(newUuid()), { email: "x@example.com", role: "member" }],
      [busy.publishable, "DELETE", `${invitationsOf(newUuid())}/${newUuid()}`, undefined],
      [busy.admin, "POST", ACCEPT, { token: "pli_x" }],
      [busy.admin, "PUT", CHOICE, { organization_id: null }],
    ] as const) {
      const who = await busy.signUp(key);
      for (let i = 0; i < 3; i++) expect((await busy.send(who, method, path, body)).status).not.toBe(429);
      await busy.refused(429, "rate_limited", [who, method, path, body]);
    }
  } finally {
    await busy.close();
  }
}, 60_000);
