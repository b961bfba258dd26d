// A request that runs while the account is deleted or its password changes leaves nothing behind: no session, membership or token.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { CONSOLE, codeOf, createWorld, type Somebody, shown, type World } from "../testing/control-plane.ts";
import { type AuthFixture, createAuthFixture, PASSWORD } from "./testing/auth.ts";

const NEW_PASSWORD = "another horse battery";

describe("a sign-in that has the right password", () => {
  let fixture: AuthFixture;

  beforeAll(async () => {
    fixture = await createAuthFixture();
  });
  afterAll(() => fixture?.stop());
  afterEach(() => {
    fixture.afterVerify = async () => {};
  });

  /** Signs in, and runs `meanwhile` after the password was verified and before the session is stored. */
  async function signInWhile(email: string, ip: string, meanwhile: () => Promise<unknown>) {
    fixture.afterVerify = async () => {
      fixture.afterVerify = async () => {};
      await meanwhile();
    };
    return fixture.call("/sign-in/email", { body: { email, password: PASSWORD }, ip });
  }

  it("is refused where the password is changed before the session is there", async () => {
    const email = "changing@example.com";
    const here = await fixture.signUp(email);
    const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    let changed = 0;
    const signedIn = await signInWhile(email, "10.8.0.1", async () => {
      changed = (await fixture.call("/change-password", { body, cookie: here.cookie, ip: "10.8.0.2" })).status;
    });
    expect(changed).toBe(200);
    expect(signedIn.status).toBe(401);
    expect(signedIn.cookies.join()).not.toContain("session_token=ey");
    expect(await fixture.people.sessionOf(new Headers({ cookie: signedIn.cookie }))).toBeNull();
    const again = await fixture.call("/sign-in/email", { body: { email, password: NEW_PASSWORD }, ip: "10.8.0.1" });
    expect(again.status).toBe(200);
    // The session of the change, and the new one.
    expect(await sessionsOf(email)).toBe(2);
  });

  it("is refused, and makes no organization, where the account is deleted before the session is there", async () => {
    const email = "deleting@example.com";
    await fixture.signUp(email);
    const signedIn = await signInWhile(email, "10.8.0.3", () => fixture.remove(email));
    expect(signedIn.status).toBe(401);
    expect(await fixture.people.sessionOf(new Headers({ cookie: signedIn.cookie }))).toBeNull();
    const { rows } = await fixture.pool.query(
      `SELECT s.id FROM control.sessions s JOIN control.people p ON p.id = s.person_id WHERE p.deleted_at IS NOT NULL
       UNION SELECT m.organization_id FROM control.memberships m JOIN control.people p ON p.id = m.person_id WHERE p.deleted_at IS NOT NULL`,
    );
    expect(rows).toEqual([]);
  });

  async function sessionsOf(email: string): Promise<number> {
    const { rows } = await fixture.pool.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM control.sessions s JOIN control.people p ON p.id = s.person_id WHERE p.email = $1",
      [email],
    );
    return rows[0]?.count ?? 0;
  }
});

describe("while an account is deleted", () => {
  let world: World;

  beforeAll(async () => {
    world = await createWorld({ cell: false });
  }, 60_000);
  afterAll(() => world?.stop());

  /** Locks a row, starts `calls` one after the other, until each waits or ends, and unlocks the row. */
  async function holding(row: { sql: string; id: string }, calls: readonly (() => Promise<unknown>)[]): Promise<void> {
    const holder = await world.pool.connect();
    const begun: Promise<unknown>[] = [];
    try {
      await holder.query("BEGIN");
      await holder.query(row.sql, [row.id]);
      for (const call of calls) {
        const done = call();
        begun.push(done);
        await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 1_000))]);
      }
    } finally {
      await holder.query("COMMIT");
      holder.release();
    }
    await Promise.all(begun);
  }

  const remove = (who: Somebody) => () => codeOf(who.client.me.remove.mutate({ password: PASSWORD }));
  const ORGANIZATION = "SELECT 1 FROM control.organizations WHERE id = $1 FOR UPDATE";
  const PERSON = "SELECT 1 FROM control.people WHERE id = $1 FOR UPDATE";

  async function memberships(personId: string): Promise<readonly unknown[]> {
    const sql = "SELECT organization_id FROM control.memberships WHERE person_id = $1";
    return (await world.pool.query(sql, [personId])).rows;
  }

  it("an invitation that is accepted leaves no deleted owner behind", async () => {
    const [owner, leaving] = [await world.signUp("owner"), await world.signUp("leaving")];
    const organizationId = (await owner.client.me.get.query()).organizations[0]?.id ?? "";
    const personId = (await leaving.client.me.get.query()).person.id;
    const invited = { organizationId, email: leaving.email, role: "owner", scope: { kind: "organization" } } as const;
    const { token } = shown(await owner.client.invitations.create.mutate(invited));
    await holding({ sql: ORGANIZATION, id: organizationId }, [
      () => codeOf(leaving.client.invitations.accept.mutate({ token })),
      remove(leaving),
    ]);
    expect(await codeOf(leaving.client.me.get.query())).toBe("UNAUTHORIZED");
    expect(await memberships(personId)).toEqual([]);
  });

  it("nor does an organization that is made", async () => {
    for (const order of ["made first", "deleted first"]) {
      const leaving = await world.signUp("making");
      const personId = (await leaving.client.me.get.query()).person.id;
      const make = () => codeOf(leaving.client.organizations.create.mutate({ name: "Late" }));
      const calls = order === "made first" ? [make, remove(leaving)] : [remove(leaving), make];
      await holding({ sql: PERSON, id: personId }, calls);
      expect(await codeOf(leaving.client.me.get.query()), order).toBe("UNAUTHORIZED");
      expect(await memberships(personId), order).toEqual([]);
    }
  });
});

describe("a program that was approved and has not fetched its token", () => {
  let world: World;

  beforeAll(async () => {
    world = await createWorld({ cell: false });
  }, 60_000);
  afterAll(() => world?.stop());

  const form = async (path: string, fields: Record<string, string>): Promise<Record<string, unknown>> => {
    const body = new URLSearchParams({ client_id: "plinth-cli", ...fields });
    return (await (await fetch(world.url + path, { method: "POST", body })).json()) as Record<string, unknown>;
  };
  const begin = async () => {
    const { device_code, user_code } = await form("/device/code", {});
    return { deviceCode: String(device_code), userCode: String(user_code) };
  };
  const poll = (deviceCode: string) =>
    form("/device/token", { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: deviceCode });
  const endAll = async (path: string, { cookie }: Somebody): Promise<number> => {
    const body = path.endsWith("password") ? { currentPassword: PASSWORD, newPassword: NEW_PASSWORD } : {};
    const headers = { "content-type": "application/json", origin: CONSOLE, cookie };
    return (await fetch(world.url + path, { method: "POST", headers, body: JSON.stringify(body) })).status;
  };

  it("gets none after a new password or after signing out everywhere", async () => {
    for (const path of ["/auth/change-password", "/auth/revoke-sessions"]) {
      const person = await world.signUp("approving");
      const { deviceCode, userCode } = await begin();
      await person.client.devices.approve.mutate({ userCode });
      expect(await endAll(path, person)).toBe(200);
      expect(await poll(deviceCode), path).toMatchObject({ error: "expired_token" });
    }
  });

  it("is not approved by a session that ends at the same moment", async () => {
    const person = await world.signUp("ending");
    const { userCode } = await begin();
    const holder = await world.pool.connect();
    await holder.query("BEGIN");
    await holder.query(
      "DELETE FROM control.sessions s USING control.people p WHERE p.id = s.person_id AND p.email = $1",
      [person.email],
    );
    const approved = codeOf(person.client.devices.approve.mutate({ userCode }));
    await Promise.race([approved, new Promise((resolve) => setTimeout(resolve, 1_000))]);
    await holder.query("COMMIT");
    holder.release();
    expect(await approved).toBe("UNAUTHORIZED");
  });
});
