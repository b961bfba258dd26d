// The console and an app's users: another project's users are hidden, and a disabled user loses access immediately.
import { tenantNames } from "@plinth/postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeOf, createWorld, goLive, join, type Somebody, type World } from "../testing/control-plane.ts";

const PASSWORD = "correct horse battery";
const APP = (name: string): string => `project: ${name}
modules: [auth, users, roles, organizations]
roles: { clerk: {} }
entities:
  note:
    fields:
      title: string
    permissions:
      user: { read: true }
      admin: { all: true }
`;

let world: World;
let owner: Somebody;
let viewer: Somebody;
let developer: Somebody;
let projectId: string;
let otherId: string;
let key: string;

beforeAll(async () => {
  world = await createWorld({ cell: true });
  [owner, viewer, developer] = [
    await world.signUp("owner"),
    await world.signUp("viewer"),
    await world.signUp("developer"),
  ];
  const { organizationId } = owner;
  const create = async (slug: string): Promise<string> => {
    const { id } = await owner.client.projects.create.mutate({ organizationId, slug });
    await goLive(owner, id, APP(slug));
    return id;
  };
  [projectId, otherId] = [await create("first"), await create("second")];
  await join(owner, viewer, organizationId, "viewer");
  await join(owner, developer, organizationId, "developer");
  key = (await owner.client.keys.create.mutate({ projectId, name: "app", kind: "publishable" })).key;
}, 90_000);

afterAll(() => world?.stop());

interface Session {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly user: { readonly id: string };
}

async function ask(path: string, body?: object, token?: string): Promise<{ status: number; data: Session }> {
  const headers: Record<string, string> = { authorization: `Bearer ${key}`, "user-agent": "Test browser" };
  if (token !== undefined) headers["plinth-user-token"] = token;
  if (body !== undefined) headers["content-type"] = "application/json";
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(`${world.apiUrl}/v1${path}`, { ...init, headers });
  const text = await response.text();
  return { status: response.status, data: (text === "" ? {} : JSON.parse(text)).data };
}

const enter = (how: "sign-up" | "sign-in", email: string) => ask(`/auth/${how}`, { email, password: PASSWORD });
const me = async (token: string): Promise<number> => (await ask("/users/me", undefined, token)).status;

describe("the users of an app", () => {
  it("are listed in pages, and found by address, name, role and state", async () => {
    const names = ["ana", "ben", "cem"];
    const ids: string[] = [];
    for (const name of names) ids.unshift((await enter("sign-up", `${name}@pages.example`)).data.user.id);
    const list = (wanted: object) => viewer.client.users.list.query({ projectId, ...wanted });
    const first = await list({ limit: 2, search: "PAGES.example" });
    const second = await list({ limit: 2, search: "pages.example", cursor: first?.next ?? "" });
    expect([...(first?.users ?? []), ...(second?.users ?? [])].map(({ id }) => id)).toEqual(ids);
    expect(second?.next).toBeNull();
    expect((await list({ search: "%" }))?.users).toEqual([]);
    await owner.client.users.setRoles.mutate({ projectId, userId: ids[0] ?? "", roles: ["user", "clerk"] });
    expect((await list({ role: "clerk" }))?.users.map(({ id }) => id)).toEqual([ids[0]]);
    await developer.client.users.setDisabled.mutate({ projectId, userId: ids[1] ?? "", disabled: true });
    expect((await list({ disabled: true }))?.users.map(({ id }) => id)).toEqual([ids[1]]);
    expect((await list({ disabled: false, search: "pages.example" }))?.users.map(({ id }) => id)).toEqual([
      ids[0],
      ids[2],
    ]);
    expect(await codeOf(list({ cursor: "x'; drop table users" }))).toBe("BAD_REQUEST");
  });

  it("show their sessions, of which one or all can be ended", async () => {
    const { data } = await enter("sign-up", "sessions@example.com");
    const [phone, laptop] = [
      await enter("sign-in", "sessions@example.com"),
      await enter("sign-in", "sessions@example.com"),
    ];
    const userId = data.user.id;
    const get = () => viewer.client.users.get.query({ projectId, userId });
    const { activeSessions } = await get();
    expect(activeSessions).toHaveLength(3);
    expect(activeSessions[0]).toMatchObject({ userAgent: "Test browser", ip: "127.0.0.1" });
    const refreshed = await ask("/auth/refresh", { refresh_token: phone.data.refresh_token });
    expect((await get()).activeSessions).toHaveLength(3);
    await developer.client.users.endSessions.mutate({
      projectId,
      userId,
      sessionId: (await get()).activeSessions[0]?.id,
    });
    expect(await me(refreshed.data.access_token)).toBe(401);
    expect(await me(laptop.data.access_token)).toBe(200);
    await developer.client.users.endSessions.mutate({ projectId, userId });
    expect(await me(laptop.data.access_token)).toBe(401);
    expect((await get()).activeSessions).toEqual([]);
    expect((await enter("sign-in", "sessions@example.com")).status).toBe(200);
  });

  it("lose access immediately when they are disabled, and get it back when they are enabled", async () => {
    const { data } = await enter("sign-up", "shut-out@example.com");
    const userId = data.user.id;
    const set = (disabled: boolean) => developer.client.users.setDisabled.mutate({ projectId, userId, disabled });
    await set(true);
    expect(await me(data.access_token)).toBe(401);
    expect((await ask("/auth/refresh", { refresh_token: data.refresh_token })).status).toBe(401);
    expect((await enter("sign-in", "shut-out@example.com")).status).toBe(403);
    expect((await ask("/auth/sign-in", { email: "shut-out@example.com", password: "a wrong password" })).status).toBe(
      401,
    );
    expect(await viewer.client.users.get.query({ projectId, userId })).toMatchObject({
      disabledBy: developer.email,
      sessions: 0,
    });
    await set(false);
    expect((await enter("sign-in", "shut-out@example.com")).status).toBe(200);
    const { rows } = await world.cellPool.query(
      `SELECT operation, actor_kind, actor_id FROM ${tenantNames(projectId).schema}.audit_log
       WHERE record_id = $1 AND entity = 'user' AND operation IN ('disable', 'enable') ORDER BY id`,
      [userId],
    );
    expect(rows).toEqual(
      ["disable", "enable"].map((operation) => ({ operation, actor_kind: "operator", actor_id: developer.email })),
    );
  });

  it("lose sessions that begin or are refreshed while they are being disabled", async () => {
    const { data } = await enter("sign-up", "race@example.com");
    const userId = data.user.id;
    let refreshToken = data.refresh_token;
    for (let round = 0; round < 5; round++) {
      const [entered, refreshed] = await Promise.all([
        enter("sign-in", "race@example.com"),
        ask("/auth/refresh", { refresh_token: refreshToken }),
        developer.client.users.setDisabled.mutate({ projectId, userId, disabled: true }),
      ]);
      const won = [entered, refreshed].flatMap(({ status, data: session }) =>
        status === 200 ? [session.access_token] : [],
      );
      expect(await Promise.all(won.map(me))).toEqual(won.map(() => 401));
      expect((await viewer.client.users.get.query({ projectId, userId })).sessions).toBe(0);
      await developer.client.users.setDisabled.mutate({ projectId, userId, disabled: false });
      refreshToken = (await enter("sign-in", "race@example.com")).data.refresh_token;
    }
  });

  it("are created without a password, which they set themselves", async () => {
    const made = await owner.client.users.create.mutate({
      projectId,
      email: "New@Example.com",
      roles: ["user", "clerk"],
    });
    expect(made).toMatchObject({ isMailed: false, link: null });
    expect(await viewer.client.users.get.query({ projectId, userId: made.id })).toMatchObject({
      email: "new@example.com",
      roles: ["clerk", "user"],
      hasPassword: false,
      lastSignInAt: null,
      organizations: [],
      canMail: false,
    });
    expect((await enter("sign-in", "new@example.com")).status).toBe(401);
    const reset = { token: made.token, password: PASSWORD };
    expect((await ask("/auth/reset-password", reset)).status).toBe(204);
    expect((await ask("/auth/reset-password", reset)).status).toBe(401);
    expect((await enter("sign-in", "new@example.com")).status).toBe(200);
    const again = owner.client.users.create.mutate({ projectId, email: "new@example.com", roles: [] });
    expect(await codeOf(again)).toBe("CONFLICT");
    const unknown = owner.client.users.create.mutate({ projectId, email: "x@example.com", roles: ["king"] });
    expect(await codeOf(unknown)).toBe("BAD_REQUEST");
    expect(await codeOf(owner.client.users.mailReset.mutate({ projectId, userId: made.id }))).toBe("CONFLICT");
  });

  it("of another project can't be read, disabled, signed out or given roles", async () => {
    const { data } = await enter("sign-up", "elsewhere@example.com");
    const elsewhere = { projectId: otherId, userId: data.user.id };
    const attempts = [
      owner.client.users.get.query(elsewhere),
      owner.client.users.setDisabled.mutate({ ...elsewhere, disabled: true }),
      owner.client.users.endSessions.mutate(elsewhere),
      owner.client.users.setRoles.mutate({ ...elsewhere, roles: ["admin"] }),
    ];
    expect(await Promise.all(attempts.map(codeOf))).toEqual(attempts.map(() => "NOT_FOUND"));
    expect((await owner.client.users.list.query({ projectId: otherId }))?.users).toEqual([]);
    expect(await me(data.access_token)).toBe(200);
  });
});
