// The client with a real HTTP server that answers like the API: its requests, and its handling of replies.
import { createServer, type IncomingMessage, type Server } from "node:http";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Client, type ClientOptions, createClient } from "./client.ts";
import {
  Conflict,
  ConnectionFailed,
  Forbidden,
  NotFound,
  PlinthError,
  RateLimited,
  Unauthenticated,
  ValidationFailed,
} from "./errors.ts";

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: unknown;
}

interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

interface ParcelDesk {
  entities: {
    shipment: {
      record: { id: string; carrier: "ups" | "dhl"; status: string };
      create: { carrier: "ups" | "dhl" };
      update: { status?: string };
      where: { status?: string; carrier?: "ups" | "dhl" };
      transitions: "ship" | "deliver";
    };
  };
}

let server: Server;
let seen: Seen[];
let answer: (request: Seen) => Answer | Promise<Answer>;

beforeEach(async () => {
  seen = [];
  answer = () => ({ status: 200, body: { data: {} } });
  server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { method = "", url = "", headers } = request;
    const entry: Seen = { method, url, headers, body: text === "" ? undefined : JSON.parse(text) };
    seen.push(entry);
    const { status, body, headers: more } = await answer(entry);
    const type = status < 400 ? "application/json" : "application/problem+json";
    response.writeHead(status, { "content-type": type, ...more });
    response.end(body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

function client(options: Partial<ClientOptions> = {}): Client<ParcelDesk> {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const baseUrl = `http://127.0.0.1:${port}/`;
  return createClient<ParcelDesk>({ project: "parcel-desk", apiKey: "plk_pub_x", baseUrl, ...options });
}

function problem(status: number, code: string, more: object = {}): Answer {
  return {
    status,
    body: {
      type: `https://plinth.dev/problems/${code}`,
      title: code,
      status,
      code,
      request_id: "r1",
      errors: [],
      ...more,
    },
  };
}

function sessionReply(number: number, expiresIn = 900): Answer {
  const data = {
    user: { id: "u1", email: "a@b.c" },
    access_token: `a${number}`,
    refresh_token: `r${number}`,
    expires_in: expiresIn,
  };
  return { status: 200, body: { data } };
}

describe("entities", () => {
  test("findMany sends the filter and returns the records", async () => {
    answer = () => ({ status: 200, body: { data: [{ id: "1" }], page: { next_cursor: null, has_more: false } } });
    const found = await client()
      .entity("shipment")
      .findMany({ where: { status: "in transit" }, sort: ["-status", "carrier"], limit: 5 });
    expect(found).toEqual([{ id: "1" }]);
    expect(seen[0]).toMatchObject({
      method: "GET",
      url: "/v1/resources/shipment?status=in+transit&limit=5&sort=-status%2Ccarrier",
    });
    expect(seen[0]?.headers).toMatchObject({ authorization: "Bearer plk_pub_x", "plinth-project": "parcel-desk" });
    expect(seen[0]?.headers).not.toHaveProperty("plinth-user-token");
  });

  test("iterate reads page after page", async () => {
    answer = ({ url }) => {
      const second = url.includes("cursor=c1");
      return {
        status: 200,
        body: { data: [{ id: second ? "2" : "1" }], page: { next_cursor: second ? null : "c1", has_more: !second } },
      };
    };
    const ids: string[] = [];
    for await (const shipment of client()
      .entity("shipment")
      .iterate({ where: { carrier: "ups" } }))
      ids.push(shipment.id);
    expect(ids).toEqual(["1", "2"]);
    expect(seen.map(({ url }) => url)).toEqual([
      "/v1/resources/shipment?carrier=ups",
      "/v1/resources/shipment?carrier=ups&cursor=c1",
    ]);
    expect(await client().entity("shipment").findPage()).toMatchObject({ nextCursor: "c1", hasMore: true });
  });

  test("findOne, create, update and delete name the record in the path", async () => {
    answer = ({ method }) => (method === "DELETE" ? { status: 204 } : { status: 200, body: { data: { id: "a/b" } } });
    const shipments = client().entity("shipment");
    expect(await shipments.findOne("a/b")).toEqual({ id: "a/b" });
    await shipments.create({ carrier: "ups" });
    await shipments.update("a/b", { status: "delivered" });
    expect(await shipments.delete("a/b")).toBeUndefined();
    expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
      ["GET", "/v1/resources/shipment/a%2Fb", undefined],
      ["POST", "/v1/resources/shipment", { carrier: "ups" }],
      ["PATCH", "/v1/resources/shipment/a%2Fb", { status: "delivered" }],
      ["DELETE", "/v1/resources/shipment/a%2Fb", undefined],
    ]);
  });

  test("an undefined filter or an empty id is refused before anything is sent", async () => {
    const shipments = client().entity("shipment");
    // @ts-expect-error: the types refuse it as well
    await expect(shipments.findMany({ where: { status: undefined } })).rejects.toThrow(TypeError);
    await expect(shipments.delete("")).rejects.toThrow(TypeError);
    expect(seen).toEqual([]);
  });

  test("types follow the generated interface", () => {
    const db = client();
    // @ts-expect-error: no such entity
    db.entity("parcel");
    const create = db.entity("shipment").create;
    // @ts-expect-error: not one of the values
    const wrong: Parameters<typeof create>[0] = { carrier: "fedex" };
    expect(wrong).toBeDefined();
  });
});

describe("failures", () => {
  test.for([
    [401, "unauthenticated", Unauthenticated],
    [403, "forbidden", Forbidden],
    [404, "not_found", NotFound],
    [409, "unique_violation", Conflict],
    [422, "validation_failed", ValidationFailed],
    [500, "internal", PlinthError],
  ] as const)("%i %s", async ([status, code, ErrorClass]) => {
    const errors = [{ path: "carrier", code: "enum", message: "one of ups, dhl" }];
    answer = () => problem(status, code, { detail: "why", errors });
    const error = await client()
      .entity("shipment")
      .create({ carrier: "ups" })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ErrorClass);
    expect(error).toBeInstanceOf(PlinthError);
    expect(error).toMatchObject({ code, status, detail: "why", errors, requestId: "r1", message: "why" });
    expect(seen).toHaveLength(1);
  });

  test("an HTML answer from a proxy is an error, too", async () => {
    answer = () => ({ status: 502, body: "<html>", headers: { "content-type": "text/html" } });
    await expect(client().entity("shipment").findMany()).rejects.toMatchObject({
      code: "unexpected_response",
      status: 502,
    });
  });

  test("a read is repeated after 503 and 429, at the requested time", async () => {
    answer = () => {
      if (seen.length === 1) return { ...problem(429, "rate_limited"), headers: { "retry-after": "1" } };
      if (seen.length === 2) return problem(503, "unavailable");
      return { status: 200, body: { data: { id: "1" } } };
    };
    const started = Date.now();
    expect(await client().entity("shipment").findOne("1")).toEqual({ id: "1" });
    expect(Date.now() - started).toBeGreaterThanOrEqual(1000);
    expect(seen).toHaveLength(3);
  });

  test("a wait that is too long is thrown instead", async () => {
    answer = () => ({ ...problem(429, "rate_limited"), headers: { "retry-after": "3600" } });
    await expect(client().entity("shipment").findOne("1")).rejects.toThrow(RateLimited);
    expect(seen).toHaveLength(1);
  });

  test("a write is never repeated", async () => {
    answer = () => problem(503, "unavailable");
    await expect(client().entity("shipment").create({ carrier: "ups" })).rejects.toMatchObject({ status: 503 });
    expect(seen).toHaveLength(1);
  });

  test("a missing reply is a ConnectionFailed, after a repetition of a read", async () => {
    const fails = vi.fn(() => Promise.reject(new TypeError("fetch failed")));
    const db = client({ fetch: fails });
    await expect(db.entity("shipment").findMany()).rejects.toThrow(ConnectionFailed);
    expect(fails).toHaveBeenCalledTimes(3);
    await expect(db.entity("shipment").delete("1")).rejects.toThrow(ConnectionFailed);
    expect(fails).toHaveBeenCalledTimes(4);
  });
});

describe("sign-in", () => {
  const credentials = { email: "a@b.c", password: "correct horse" };

  test("the user's token is sent together with the key until sign-out", async () => {
    const changes: (string | null)[] = [];
    const db = client({ onSessionChange: (session) => changes.push(session?.accessToken ?? null) });
    answer = ({ url }) => (url.startsWith("/v1/auth/sign-in") ? sessionReply(1) : { status: 200, body: { data: {} } });
    const session = await db.auth.signIn(credentials);
    expect(session.user.id).toBe("u1");
    await db.entity("shipment").findOne("1");
    expect(seen[1]?.headers).toMatchObject({ "plinth-user-token": "a1", authorization: "Bearer plk_pub_x" });
    answer = () => ({ status: 204 });
    await db.auth.signOut();
    expect(seen[2]).toMatchObject({ method: "POST", url: "/v1/auth/sign-out", body: { refresh_token: "r1" } });
    expect(db.auth.session()).toBeNull();
    expect(changes).toEqual(["a1", null]);
  });

  test("many calls at the end of a token share one refresh", async () => {
    let refreshes = 0;
    answer = async ({ url }) => {
      if (url === "/v1/auth/sign-up") return sessionReply(1, 1);
      if (url !== "/v1/auth/refresh") return { status: 200, body: { data: {} } };
      refreshes++;
      await new Promise((done) => setTimeout(done, 30));
      return sessionReply(2);
    };
    const db = client();
    await db.auth.signUp(credentials);
    await Promise.all(Array.from({ length: 8 }, (_, i) => db.entity("shipment").findOne(String(i))));
    expect(refreshes).toBe(1);
    expect(
      seen
        .filter(({ url }) => url.startsWith("/v1/resources"))
        .every(({ headers }) => headers["plinth-user-token"] === "a2"),
    ).toBe(true);
  });

  test("a token that is refused early is refreshed, and the call repeated once", async () => {
    answer = ({ url, headers }) => {
      if (url === "/v1/auth/sign-in") return sessionReply(1);
      if (url === "/v1/auth/refresh") return sessionReply(2);
      return headers["plinth-user-token"] === "a2"
        ? { status: 201, body: { data: { id: "9" } } }
        : problem(401, "unauthenticated");
    };
    const db = client();
    await db.auth.signIn(credentials);
    expect(await db.entity("shipment").create({ carrier: "ups" })).toEqual({ id: "9" });
    expect(seen.map(({ url }) => url)).toEqual([
      "/v1/auth/sign-in",
      "/v1/resources/shipment",
      "/v1/auth/refresh",
      "/v1/resources/shipment",
    ]);
  });

  test("a refused refresh ends the session; a lost connection does not", async () => {
    answer = ({ url }) => (url === "/v1/auth/sign-in" ? sessionReply(1) : problem(503, "unavailable"));
    const db = client();
    await db.auth.signIn(credentials);
    await expect(db.auth.refresh()).rejects.toMatchObject({ status: 503 });
    expect(db.auth.session()?.refreshToken).toBe("r1");
    answer = () => problem(401, "unauthenticated");
    await expect(db.auth.refresh()).rejects.toThrow(Unauthenticated);
    expect(db.auth.session()).toBeNull();
  });

  test("a token from elsewhere has priority", async () => {
    await client({ userToken: () => Promise.resolve("t1") })
      .entity("shipment")
      .findOne("1");
    await client({ userToken: "t2" }).entity("shipment").findOne("1");
    expect(seen.map(({ headers }) => headers["plinth-user-token"])).toEqual(["t1", "t2"]);
  });
});

test("a secret key is refused in a browser", () => {
  vi.stubGlobal("window", {});
  vi.stubGlobal("document", {});
  try {
    expect(() => client({ apiKey: "plk_sec_x" })).toThrow(/browser/);
    expect(() => client({ apiKey: "plk_pub_x" })).not.toThrow();
  } finally {
    vi.unstubAllGlobals();
  }
});

describe("state changes", () => {
  test("a transition and a restore are POST requests to their own routes", async () => {
    const shipments = client().entity("shipment");
    await shipments.transition("s/1", "ship");
    await shipments.transition("2", "deliver", { status: "delivered" });
    await shipments.restore("3");
    // @ts-expect-error There is no such edge.
    await shipments.transition("4", "lose");
    expect(seen.slice(0, 3)).toMatchObject([
      { method: "POST", url: "/v1/resources/shipment/s%2F1/transitions/ship", body: undefined },
      { method: "POST", url: "/v1/resources/shipment/2/transitions/deliver", body: { status: "delivered" } },
      { method: "POST", url: "/v1/resources/shipment/3/restore", body: undefined },
    ]);
    answer = () => problem(409, "transition_not_allowed");
    await expect(shipments.transition("5", "ship")).rejects.toThrow(Conflict);
  });
});

describe("organizations", () => {
  test("are named in every call, and a client for one shares the session", async () => {
    const db = client({ organization: "o1" });
    await db.entity("shipment").findOne("1");
    await db.inOrganization("o2").entity("shipment").findOne("1");
    await db.inOrganization(null).entity("shipment").findOne("1");
    expect(seen.map(({ headers }) => headers["plinth-organization"])).toEqual(["o1", "o2", undefined]);
  });

  test("and their members have their own calls", async () => {
    const { organizations } = client();
    answer = ({ method, url }) => {
      if (method === "DELETE") return { status: 204 };
      const list =
        url.endsWith("/members") && method === "GET" ? [{ user_id: "u1", role: "owner" }] : { id: "o1", name: "Acme" };
      return { status: 200, body: { data: list } };
    };
    expect((await organizations.create({ name: "Acme" })).name).toBe("Acme");
    expect((await organizations.members("o1"))[0]?.role).toBe("owner");
    await organizations.setMember("o1", { email: "b@example.com", role: "member" });
    await organizations.removeMember("o1", "u2");
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "POST /v1/organizations",
      "GET /v1/organizations/o1/members",
      "PUT /v1/organizations/o1/members",
      "DELETE /v1/organizations/o1/members/u2",
    ]);
    expect(seen[2]?.body).toEqual({ email: "b@example.com", role: "member" });
    await expect(organizations.members("")).rejects.toThrow(TypeError);
  });

  test("are joined by invitation, and chosen", async () => {
    const { organizations } = client();
    answer = ({ method, url }) => {
      if (method === "DELETE") return { status: 204 };
      const made = { id: "i1", email: "b@example.com", role: "admin", token: "pli_x" };
      return { status: 200, body: { data: method === "GET" ? [made] : url.endsWith("invitations") ? made : {} } };
    };
    const { token } = await organizations.invite("o1", { email: "b@example.com", role: "admin" });
    expect(await organizations.invitations("o1")).toHaveLength(1);
    await organizations.acceptInvitation(token, { choose: true });
    await organizations.revokeInvitation("o1", "i1");
    await organizations.choose(null);
    expect(seen.map(({ method, url, body }) => [`${method} ${url}`, body])).toEqual([
      ["POST /v1/organizations/o1/invitations", { email: "b@example.com", role: "admin" }],
      ["GET /v1/organizations/o1/invitations", undefined],
      ["POST /v1/organizations/accept-invitation", { token: "pli_x", choose: true }],
      ["DELETE /v1/organizations/o1/invitations/i1", undefined],
      ["PUT /v1/users/me/organization", { organization_id: null }],
    ]);
    await expect(organizations.revokeInvitation("o1", "")).rejects.toThrow(TypeError);
  });
});

test("permissions are requested in one call", async () => {
  const questions = [{ resource: "shipment", op: "update", id: "1" }] as const;
  answer = ({ body }) => ({
    status: 200,
    body: { data: (body as object[]).map((each) => ({ ...each, allowed: true })) },
  });
  expect(await client().can(questions)).toEqual([{ ...questions[0], allowed: true }]);
  expect(seen).toMatchObject([{ method: "POST", url: "/v1/can", body: questions }]);
});
