// HTTP of the control plane: allowed origins, largest sizes, and the content of errors.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CONSOLE, codeOf, createWorld, join, type Somebody, type World } from "./testing/control-plane.ts";

let world: World;
let owner: Somebody;
let organizationId: string;

beforeAll(async () => {
  world = await createWorld({ cell: false });
  owner = await world.signUp("owner");
  organizationId = owner.organizationId;
}, 60_000);

afterAll(() => world?.stop());

describe("a mutation", () => {
  const create = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${world.url}/trpc/projects.create`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ organizationId, slug: "forged" }),
    });
  const projects = () => owner.client.projects.list.query({ organizationId });

  it("with a cookie but from another origin, or from none, is refused and changes nothing", async () => {
    const { cookie } = owner;
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: `${CONSOLE}.evil.example` },
    ]) {
      const response = await create({ cookie, ...headers });
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ code: "forbidden" });
    }
    expect((await create({ cookie })).status).toBe(403);
    expect(await projects()).toEqual([]);
    expect((await create({ cookie, origin: CONSOLE })).status).toBe(200);
    expect(await projects()).toHaveLength(1);
  });

  it("of a page that was loaded for somebody else is refused: another tab has signed in a second person", async () => {
    const second = await world.signUp("second");
    const { id } = (await owner.client.me.get.query()).person;
    const oldTab = world.client(second.cookie, { "plinth-person": id });
    expect(await codeOf(oldTab.organizations.create.mutate({ name: "Theirs" }))).toBe("UNAUTHORIZED");
    expect(await codeOf(oldTab.me.get.query())).toBe("UNAUTHORIZED");
    expect((await second.client.me.get.query()).organizations).toHaveLength(1);
    expect(await codeOf(world.client(owner.cookie, { "plinth-person": id }).me.get.query())).toBe(null);
  });

  it("isn't served by GET, nor as a form", async () => {
    const headers = { cookie: owner.cookie, origin: CONSOLE };
    const input = encodeURIComponent(JSON.stringify({ organizationId, slug: "by-get" }));
    expect((await fetch(`${world.url}/trpc/projects.create?input=${input}`, { headers })).status).toBe(405);
    const form = await fetch(`${world.url}/trpc/projects.create`, {
      method: "POST",
      headers: { ...headers, "content-type": "text/plain" },
      body: JSON.stringify({ organizationId, slug: "by-form" }),
    });
    expect(form.status).toBe(415);
    expect(await projects()).toHaveLength(1);
  });
});

describe("a database that has no space left", () => {
  it("causes a 503 with `Retry-After`, and reads still work", async () => {
    await world.pool.query(`
      CREATE FUNCTION control.full_disk() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER full_disk BEFORE INSERT ON control.projects EXECUTE FUNCTION control.full_disk();`);
    const create = (): Promise<Response> =>
      fetch(`${world.url}/trpc/projects.create`, {
        method: "POST",
        headers: { "content-type": "application/json", cookie: owner.cookie, origin: CONSOLE },
        body: JSON.stringify({ organizationId, slug: "no-room" }),
      });
    const refused = await create();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await refused.text()).toContain("The database has no disk space left.");
    expect(await owner.client.projects.list.query({ organizationId })).toBeInstanceOf(Array);
    await world.pool.query("DROP FUNCTION control.full_disk CASCADE");
    expect((await create()).status).toBe(200);
  });
});

describe("limits", () => {
  it("a batch has at most 10 calls", async () => {
    const batch = (count: number): Promise<Response> =>
      fetch(`${world.url}/trpc/${Array(count).fill("me.get").join(",")}?batch=1&input=%7B%7D`, {
        headers: { cookie: owner.cookie },
      });
    expect((await batch(10)).status).toBe(200);
    expect((await batch(11)).status).toBe(400);
  });

  it("a blueprint has at most 1 MiB, a body 2 MiB", async () => {
    const text = (bytes: number): string => `# ${"x".repeat(bytes)}`;
    expect(await codeOf(owner.client.blueprints.validate.mutate({ text: text(1_000_000) }))).toBeNull();
    expect(await codeOf(owner.client.blueprints.validate.mutate({ text: text(1024 * 1024) }))).toBe("BAD_REQUEST");
    const large = await fetch(`${world.url}/trpc/blueprints.validate`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie: owner.cookie, origin: CONSOLE },
      body: JSON.stringify({ text: text(2 * 1024 * 1024) }),
    });
    expect(large.status).toBe(413);
  });
});

describe("an error", () => {
  it("names the mistakes of the input", async () => {
    const call = owner.client.projects.create.mutate({ organizationId, slug: "Not A Slug" });
    await expect(call).rejects.toThrow(/^slug: must be 2 to 40 lower-case letters/);
    await expect(owner.client.projects.get.query({ projectId: "prj_1" })).rejects.toThrow(/^projectId: must be an id/);
  });

  it("of the server doesn't reveal its cause", async () => {
    await world.pool.query("ALTER TABLE control.memberships RENAME TO away");
    try {
      const response = await fetch(`${world.url}/trpc/me.get`, { headers: { cookie: owner.cookie } });
      expect(response.status).toBe(500);
      const text = await response.text();
      expect(text).toContain("Something went wrong on our side.");
      expect(text).not.toMatch(/memberships|relation|stack|\.ts/);
    } finally {
      await world.pool.query("ALTER TABLE control.away RENAME TO memberships");
    }
  });

  it("for a name that the organization already uses is a conflict; the names of other organizations are free", async () => {
    const create = () => owner.client.projects.create.mutate({ organizationId, slug: "taken" });
    await create();
    await expect(create()).rejects.toThrow('The organization has another project called "taken".');
    expect(await codeOf(create())).toBe("CONFLICT");
    const other = await world.signUp("other");
    const theirs = other.organizationId;
    expect(await codeOf(other.client.projects.create.mutate({ organizationId: theirs, slug: "taken" }))).toBeNull();
  });
});

describe("an organization", () => {
  it("always keeps its last owner, and refuses a removed member", async () => {
    const first = await world.signUp("first");
    const second = await world.signUp("second");
    const me = await first.client.me.get.query();
    const organization = me.organizations[0]?.id ?? "";
    const remove = (by: Somebody, personId: string): Promise<unknown> =>
      by.client.organizations.removeMember.mutate({ organizationId: organization, personId });
    expect(await codeOf(remove(first, me.person.id))).toBe("CONFLICT");
    const self = { organizationId: organization, personId: me.person.id };
    const whole = { kind: "organization" } as const;
    const { changeMember } = first.client.organizations;
    expect(await codeOf(changeMember.mutate({ ...self, role: "viewer", scope: whole }))).toBe("CONFLICT");
    const project = await first.client.projects.create.mutate({ organizationId: organization, slug: "kept" });
    const narrow = { kind: "projects" as const, projectIds: [project.id] };
    expect(await codeOf(changeMember.mutate({ ...self, role: "owner", scope: narrow }))).toBe("CONFLICT");

    await join(first, second, organization, "owner");
    // Two owners remove each other at the same time, again and again: one of them always stays.
    const secondId = (await second.client.me.get.query()).person.id;
    for (let round = 0; round < 15; round++) {
      const outcomes = await Promise.all([codeOf(remove(first, secondId)), codeOf(remove(second, me.person.id))]);
      expect(outcomes.filter((code) => code === null)).toHaveLength(1);
      const [stays, left] = outcomes[0] === null ? [first, second] : [second, first];
      expect(await codeOf(left.client.organizations.members.query({ organizationId: organization }))).toBe("NOT_FOUND");
      await join(stays, left, organization, "owner");
    }
  });
});

describe("a session in use", () => {
  it("is also extended by procedures: a later end, and a new cookie", async () => {
    const { cookie, client } = await world.signUp("prolonged");
    const { person } = await client.me.get.query();
    await world.pool.query("UPDATE control.sessions SET expires_at = now() + interval '2 days' WHERE person_id = $1", [
      person.id,
    ]);
    const answer = await fetch(`${world.url}/trpc/me.get`, { headers: { cookie } });
    expect(answer.headers.getSetCookie().join()).toMatch(/plinth\.session_token=[^;]+;.*Max-Age=604800/);
    const { rows } = await world.pool.query<{ days: number }>(
      "SELECT extract(day FROM expires_at - now())::int AS days FROM control.sessions WHERE person_id = $1",
      [person.id],
    );
    expect(rows).toEqual([{ days: 6 }]);
    expect((await fetch(`${world.url}/trpc/me.get`, { headers: { cookie } })).headers.getSetCookie()).toEqual([]);
  });
});

describe("health", () => {
  it("is shown without a sign-in", async () => {
    expect((await fetch(`${world.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${world.url}/readyz`)).status).toBe(200);
    const missing = await fetch(`${world.url}/nothing`);
    expect(missing.status).toBe(404);
    expect(missing.headers.get("content-type")).toContain("application/problem+json");
  });
});
