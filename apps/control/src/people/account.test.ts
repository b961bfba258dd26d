// A person's own account: only their own sessions, no change of credentials without the password, and no organization without an
// owner.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeOf, createWorld, join, type Somebody, type World } from "../testing/control-plane.ts";

const PASSWORD = "correct horse battery";

let world: World;

beforeAll(async () => {
  world = await createWorld({ cell: false });
}, 60_000);

afterAll(() => world?.stop());

async function signIn(email: string): Promise<Pick<Somebody, "email" | "cookie" | "client">> {
  const response = await fetch(`${world.url}/auth/sign-in/email`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: "http://localhost:3000", "user-agent": "Second device" },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  return { email, cookie, client: world.client(cookie) };
}

describe("sessions", () => {
  it("are shown to their person, who can end a single one", async () => {
    const here = await world.signUp("sessions");
    const there = await signIn(here.email);
    const sessions = await here.client.me.sessions.query();
    expect(sessions.map(({ isCurrent }) => isCurrent).sort()).toEqual([false, true]);
    const other = sessions.find(({ isCurrent }) => !isCurrent);
    expect(other).toMatchObject({ userAgent: "Second device", address: "127.0.0.1" });
    const stranger = await world.signUp("stranger");
    const end = (by: Somebody) => codeOf(by.client.me.endSession.mutate({ sessionId: other?.id ?? "" }));
    expect(await end(stranger)).toBe("NOT_FOUND");
    expect(await codeOf(there.client.me.get.query())).toBe(null);
    expect(await end(here)).toBe(null);
    expect(await codeOf(there.client.me.get.query())).toBe("UNAUTHORIZED");
    expect(await codeOf(here.client.me.get.query())).toBe(null);
  });
});

describe("an account", () => {
  it("keeps its name and theme", async () => {
    const { client } = await world.signUp("named");
    expect((await client.me.get.query()).person).toMatchObject({ theme: "system", twoFactor: false });
    await client.me.rename.mutate({ name: " Ana " });
    await client.me.setTheme.mutate({ theme: "dark" });
    expect((await client.me.get.query()).person).toMatchObject({ name: "Ana", theme: "dark" });
    expect(await codeOf(client.me.rename.mutate({ name: " " }))).toBe("BAD_REQUEST");
  });

  it("changes its address only with the password, and not to another account's", async () => {
    const [one, other] = [await world.signUp("one"), await world.signUp("other")];
    const change = (email: string, password: string) => codeOf(one.client.me.changeEmail.mutate({ email, password }));
    expect(await change("new-one@example.com", "wrong horse battery")).toBe("BAD_REQUEST");
    expect(await change(other.email.toUpperCase(), PASSWORD)).toBe("CONFLICT");
    expect(await change("New-One@example.com", PASSWORD)).toBe(null);
    expect((await (await signIn("new-one@example.com")).client.me.get.query()).person.email).toBe(
      "new-one@example.com",
    );
  });

  it("can't be changed with an access token, and its tokens end with it", async () => {
    const one = await world.signUp("tokened");
    const { token } = await one.client.tokens.create.mutate({ name: "script", days: 30 });
    const program = world.client(null, { authorization: `Bearer ${token}` });
    const calls = [
      program.me.sessions.query(),
      program.me.changeEmail.mutate({ email: "taken-over@example.com", password: PASSWORD }),
      program.me.remove.mutate({ password: PASSWORD }),
    ];
    expect(await Promise.all(calls.map(codeOf))).toEqual(calls.map(() => "FORBIDDEN"));
    expect(await codeOf(program.me.get.query())).toBe(null);
    await one.client.me.remove.mutate({ password: PASSWORD });
    expect(await codeOf(program.me.get.query())).toBe("UNAUTHORIZED");
  });

  it("limits guesses at its password over all sessions", async () => {
    const one = await world.signUp("guessed");
    const again = await signIn(one.email);
    const guess = (by: Pick<Somebody, "client">) =>
      codeOf(by.client.me.remove.mutate({ password: "wrong horse battery" }));
    for (let i = 0; i < 10; i++) expect(await guess(i % 2 ? one : again)).toBe("BAD_REQUEST");
    expect(await codeOf(one.client.me.remove.mutate({ password: PASSWORD }))).toBe("TOO_MANY_REQUESTS");
    expect(await codeOf(one.client.me.get.query())).toBe(null);
  });

  it("can't be deleted while an organization would lose its last owner", async () => {
    const [owner, member] = [await world.signUp("owner"), await world.signUp("member")];
    const { organizationId } = owner;
    await join(owner, member, organizationId, "viewer");
    const remove = (by: Somebody) => codeOf(by.client.me.remove.mutate({ password: PASSWORD }));
    expect(await remove(owner)).toBe("CONFLICT");
    const personId = (await member.client.me.get.query()).person.id;
    const whole = { kind: "organization" } as const;
    await owner.client.organizations.changeMember.mutate({ organizationId, personId, role: "owner", scope: whole });
    expect(await remove(owner)).toBe(null);
    expect(await codeOf(owner.client.me.get.query())).toBe("UNAUTHORIZED");
    expect(await codeOf((await signIn(owner.email)).client.me.get.query())).toBe("UNAUTHORIZED");
    const members = await member.client.organizations.members.query({ organizationId });
    expect(members.map(({ email }) => email)).toEqual([member.email]);
    const { rows } = await world.pool.query<{ row: string }>("SELECT p::text AS row FROM control.people p");
    expect(rows.map(({ row }) => row).join("\n")).not.toContain(owner.email);
  });
});
