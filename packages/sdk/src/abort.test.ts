// Every call ends when its signal is aborted, no matter whether it waits for a reply, for the next attempt or for a token.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Client, createClient } from "./client.ts";
import { createInbound, type Inbound } from "./inbound.ts";
import type { Session } from "./session.ts";
import { type AnsweringServer, startAnsweringServer } from "./testing/answering-server.ts";
import type { CallOptions } from "./writing.ts";

let server: AnsweringServer;
beforeEach(async () => {
  server = await startAnsweringServer();
});
afterEach(() => server.close());

const session: Session = {
  user: { id: "u", email: "ana@example.com" },
  accessToken: "a",
  refreshToken: "r",
  expiresAt: Date.now() + 900_000,
};
const client = (): Client => createClient({ project: "desk", apiKey: "plk_pub_x", baseUrl: server.baseUrl, session });
const inbound = (): Inbound => createInbound({ project: "desk", apiKey: "plk_sec_x", baseUrl: server.baseUrl });

type Calls = Readonly<Record<string, (options: CallOptions) => Promise<unknown>>>;

const who = { email: "ana@example.com", password: "correct horse" };
const tasks = () => client().entity("task");
const parts: Readonly<Record<string, { readonly of: () => object; readonly calls: Calls }>> = {
  client: {
    of: client,
    calls: {
      action: (options) => client().action("x", {}, options),
      batch: (options) => client().batch((plan) => [plan.entity("task").create({})], options),
      can: (options) => client().can([], options),
      run: (options) => client().run("1", options),
    },
  },
  auth: {
    of: () => client().auth,
    calls: {
      forgotPassword: (options) => client().auth.forgotPassword("ana@example.com", options),
      refresh: (options) => client().auth.refresh(options),
      resetPassword: (options) => client().auth.resetPassword("t", "p", options),
      signIn: (options) => client().auth.signIn(who, options),
      signOut: (options) => client().auth.signOut(options),
      signUp: (options) => client().auth.signUp(who, options),
      verifyEmail: (options) => client().auth.verifyEmail("t", "p", options),
    },
  },
  entity: {
    of: tasks,
    calls: {
      aggregate: (options) => tasks().aggregate({ select: ["count"], ...options }),
      count: (options) => tasks().count({}, options),
      create: (options) => tasks().create({}, options),
      createMany: (options) => tasks().createMany([{}], options),
      delete: (options) => tasks().delete("1", options),
      deleteMany: (options) => tasks().deleteMany(["1"], options),
      findFirst: (options) => tasks().findFirst(options),
      findMany: (options) => tasks().findMany(options),
      findOne: (options) => tasks().findOne("1", options),
      findPage: (options) => tasks().findPage(options),
      iterate: (options) => tasks().iterate(options).next(),
      restore: (options) => tasks().restore("1", options),
      transition: (options) => tasks().transition("1", "x", {}, options),
      update: (options) => tasks().update("1", {}, options),
      updateMany: (options) => tasks().updateMany([{ id: "1" }], options),
      upsert: (options) => tasks().upsert({ name: "x" }, {}, options),
      view: (options) => tasks().view("x").findMany(options),
    },
  },
  organizations: {
    of: () => client().organizations,
    calls: {
      acceptInvitation: (options) => client().organizations.acceptInvitation("t", options),
      choose: (options) => client().organizations.choose(null, options),
      invitations: (options) => client().organizations.invitations("1", options),
      invite: (options) => client().organizations.invite("1", { email: "b@example.com", role: "member" }, options),
      members: (options) => client().organizations.members("1", options),
      removeMember: (options) => client().organizations.removeMember("1", "2", options),
      revokeInvitation: (options) => client().organizations.revokeInvitation("1", "2", options),
      setMember: (options) => client().organizations.setMember("1", { user_id: "2", role: "member" }, options),
    },
  },
  users: {
    of: () => client().users,
    calls: {
      aggregate: (options) => client().users.aggregate({ select: ["count"], ...options }),
      count: (options) => client().users.count({}, options),
      findFirst: (options) => client().users.findFirst(options),
      findMany: (options) => client().users.findMany(options),
      findOne: (options) => client().users.findOne("1", options),
      findPage: (options) => client().users.findPage(options),
      iterate: (options) => client().users.iterate(options).next(),
      me: (options) => client().users.me(options),
      setRoles: (options) => client().users.setRoles("1", [], options),
      update: (options) => client().users.update("1", {}, options),
    },
  },
  approvals: {
    of: () => client().approvals,
    calls: {
      approve: (options) => client().approvals.approve("1", { step: "s" }, options),
      list: (options) => client().approvals.list(options),
      reject: (options) => client().approvals.reject("1", { step: "s" }, options),
    },
  },
  inbound: {
    of: inbound,
    calls: {
      addSecret: (options) => inbound().addSecret("s", "x", undefined, options),
      removeSecret: (options) => inbound().removeSecret("1", options),
      replay: (options) => inbound().replay("1", options),
      replayUnmapped: (options) => inbound().replayUnmapped("s", undefined, options),
      request: (options) => inbound().request("1", options),
      requests: (options) => inbound().requests(options),
      sources: (options) => inbound().sources(options),
    },
  },
};
const all = Object.entries(parts).flatMap(([part, { calls }]) =>
  Object.entries(calls).map(([name, call]) => [`${part}.${name}`, call] as const),
);

async function endOf(call: Promise<unknown>): Promise<unknown> {
  const late = new Promise((done) => setTimeout(done, 3000, "it went on"));
  return Promise.race([
    call.then(
      () => "it was answered",
      (error: unknown) => error,
    ),
    late,
  ]);
}

test.each(all)("%s ends while it waits for a reply", async (name, call) => {
  const abort = new AbortController();
  const ended = endOf(call({ signal: abort.signal }));
  await expect.poll(() => server.open()).toBe(1);
  const reason = new Error("the page was left");
  abort.abort(reason);
  expect(await ended).toBe(reason);
  // Other calls may wait for the same token.
  await expect.poll(() => server.open()).toBe(name === "auth.refresh" ? 1 : 0);
  expect(server.sent).toHaveLength(1);
});

test.each(all)("%s sends nothing if its signal is already aborted", async (_, call) => {
  const ended = await endOf(call({ signal: AbortSignal.abort() }));
  expect(ended).toMatchObject({ name: "AbortError" });
  expect(server.sent).toEqual([]);
});

test("these are all calls of the client", () => {
  // These return a client or a part of one, or answer without a request.
  const others = ["approvals", "auth", "entity", "inOrganization", "organizations", "session", "subscribe", "users"];
  const ofRecords = Object.keys(parts["entity"]?.calls ?? {});
  for (const [part, { of, calls }] of Object.entries(parts)) {
    const known = part === "organizations" ? [...others, ...ofRecords] : others;
    const found = Object.keys(of()).filter((name) => !known.includes(name));
    expect(found.toSorted(), part).toEqual(Object.keys(calls));
  }
});

describe("a call ends", () => {
  test("between two attempts", async () => {
    server.answer = () => ({
      status: 503,
      body: { code: "unavailable", status: 503 },
      headers: { "retry-after": "9" },
    });
    const abort = new AbortController();
    const ended = endOf(tasks().findMany({ signal: abort.signal }));
    await expect.poll(() => server.sent.length).toBe(1);
    await new Promise((done) => setTimeout(done, 100));
    abort.abort();
    expect(await ended).toMatchObject({ name: "AbortError" });
  });

  test("while a token is refreshed, for which others continue to wait", async () => {
    const renewed = { user: session.user, access_token: "b", refresh_token: "s", expires_in: 900 };
    let release = (): void => {};
    const released = new Promise<void>((done) => {
      release = done;
    });
    const db = createClient({
      project: "desk",
      apiKey: "plk_pub_x",
      baseUrl: server.baseUrl,
      session: { ...session, expiresAt: Date.now() },
      fetch: async (input, init) => {
        if (String(input).includes("/auth/")) await released;
        return fetch(input, init);
      },
    });
    server.answer = ({ call }) => ({
      status: 200,
      body: call.includes("/auth/") ? { data: renewed } : { data: { id: "1" } },
    });
    const abort = new AbortController();
    const left = endOf(db.entity("task").findOne("1", { signal: abort.signal }));
    const other = db.entity("task").findOne("2");
    abort.abort();
    expect(await left).toMatchObject({ name: "AbortError" });
    release();
    expect(await other).toEqual({ id: "1" });
    expect(server.sent.map(({ call }) => call)).toEqual(["POST /v1/auth/refresh", "GET /v1/resources/task/2"]);
  });

  test("between two pages", async () => {
    const abort = new AbortController();
    server.answer = () =>
      server.sent.length > 1
        ? null
        : { status: 200, body: { data: [{ id: "1" }], page: { next_cursor: "c", has_more: true } } };
    const ids: unknown[] = [];
    const all = (async () => {
      for await (const { id } of tasks().iterate({ signal: abort.signal })) ids.push(id);
    })();
    const ended = endOf(all);
    await expect.poll(() => server.open()).toBe(1);
    abort.abort();
    expect(await ended).toMatchObject({ name: "AbortError" });
    expect(ids).toEqual(["1"]);
  });

  test("a subscription ends without an error, and closes its connection", async () => {
    const abort = new AbortController();
    const changes = tasks().subscribe({ signal: abort.signal });
    const all = (async () => {
      for await (const change of changes) throw new Error(`there is none: ${change.type}`);
      return "ended";
    })();
    await expect.poll(() => server.open()).toBe(1);
    abort.abort();
    expect(await all).toBe("ended");
    await expect.poll(() => server.open()).toBe(0);
    const never = tasks().subscribe({ signal: AbortSignal.abort() });
    for await (const change of never) throw new Error(`there is none: ${change.type}`);
    expect(server.sent).toHaveLength(1);
  });
});
