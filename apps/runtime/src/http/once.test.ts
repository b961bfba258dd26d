// `Idempotency-Key` on the routes of records: a repeated write has its effect once, and gets the same answer.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { batchHandlers } from "../modules/batch/routes.ts";
import { createModuleRoutes } from "../modules/module-routes.ts";
import { ReplyRoom } from "../query/reply-room.ts";
import { createTestCell, keyPrincipal, type TestCell, type TestProject, type TestReply } from "./testing/test-cell.ts";

const blueprint = `
project: once
modules: [auth, users, roles, audit_logs]

entities:
  note:
    soft_delete: true
    fields:
      title: string(1,80)
      code: string? unique
      number: sequence(N-)
      owner_id: user_ref = current_user.id
      state: enum[draft, sent] = draft
    transitions:
      state:
        initial: draft
        send: { from: draft, to: sent, roles: [user] }
    permissions:
      user: { read: owner_id == current_user.id, create: true, update: owner_id == current_user.id, delete: true, restore: true }
      admin: { all: true }
  tag:
    fields:
      name: string unique
    permissions:
      user: { all: true }
  long:
    fields:
      text: text
    permissions:
      user: { all: true }
  plain:
    fields:
      title: string
    permissions:
      user: { create: true, delete: true }
      admin: { all: true }
`;

let cell: TestCell;
let project: TestProject;
beforeAll(async () => {
  const scopeOf = (projectId: TestProject["projectId"]) => cell.tenants.forProject({ projectId });
  cell = await createTestCell({ modules: createModuleRoutes(batchHandlers({ scopeOf })) });
  project = await cell.addProject(blueprint);
  await cell.addUser("ana", project, ["user"]);
  await cell.addUser("ben", project, ["user"]);
  await cell.addUser("eve", project, ["user"]);
  cell.addCaller("admin", project, keyPrincipal("key_admin", ["admin"]));
});
afterAll(() => cell?.close());

const rows = (sql: string, values?: readonly unknown[]) => cell.rows(project, sql, values);

function send(key: string | null, method: string, path: string, body?: unknown, caller = "ana"): Promise<TestReply> {
  return cell.send(caller, method, path, body, key === null ? {} : { "idempotency-key": key });
}

async function note(title: string): Promise<string> {
  const reply = await send(null, "POST", "/api/notes", { title });
  expect(reply.status, reply.text).toBe(201);
  return reply.json.data.id;
}

async function count(title: string): Promise<unknown> {
  return (await rows("select count(*)::int as n from {schema}.notes where title = $1", [title]))[0]?.["n"];
}

async function someoneWaits(): Promise<void> {
  for (let i = 0; i < 200; i++) {
    const waiting = await rows(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    if (waiting.length > 0) return;
    await sleep(5);
  }
  throw new Error("nobody waits for a lock");
}

/** Expects that the second reply equals the first, and that it has changed nothing. */
async function expectOnce(key: string, method: string, path: string, body?: unknown): Promise<TestReply> {
  const first = await send(key, method, path, body);
  expect(first.status, first.text).toBeLessThan(300);
  expect(first.headers.get("idempotency-replayed")).toBeNull();
  const before = await cell.fingerprint(project);
  const again = await send(key, method, path, body);
  expect(again.headers.get("idempotency-replayed"), again.text).toBe("true");
  for (const name of ["location", "etag", "content-type"]) {
    expect(again.headers.get(name), name).toBe(first.headers.get(name));
  }
  expect([again.status, again.text]).toEqual([first.status, first.text]);
  expect(await cell.fingerprint(project)).toBe(before);
  return again;
}

describe("a write that is repeated with its Idempotency-Key", () => {
  test("creates one record", async () => {
    const again = await expectOnce("create", "POST", "/api/notes", { title: "create" });
    expect(again.headers.get("location")).toBe(`/api/notes/${again.json.data.id}`);
    expect(await count("create")).toBe(1);
  });

  test("updates once, even with an empty body", async () => {
    const path = `/api/notes/${await note("update")}`;
    const again = await expectOnce("update", "PATCH", path, { title: "updated" });
    expect(again.json.data.version).toBe(2);
    await send(null, "PATCH", path, { title: "later" });
    expect((await send("update", "PATCH", path, { title: "updated" })).text).toBe(again.text);
    await expectOnce("update-nothing", "PATCH", path, {});
  });

  test("gets the same answer, even if its version is gone now", async () => {
    const path = `/api/notes/${await note("version")}`;
    const { headers } = await send(null, "GET", path);
    const ifMatch = { "if-match": headers.get("etag") ?? "" };
    for (const [key, sent] of [
      ["version", { title: "second" }],
      ["version-empty", {}],
    ] as const) {
      const stale = await cell.send("ana", "PATCH", path, sent, { "if-match": '"9-a"', "idempotency-key": key });
      expect(stale.status, stale.text).toBe(412);
    }
    const head = { ...ifMatch, "idempotency-key": "version" };
    const first = await cell.send("ana", "PATCH", path, { title: "second" }, head);
    expect(first.status, first.text).toBe(200);
    const again = await cell.send("ana", "PATCH", path, { title: "second" }, head);
    expect([again.status, again.text, again.headers.get("etag")]).toEqual([200, first.text, first.headers.get("etag")]);
  });

  test("takes a transition once", async () => {
    const path = `/api/notes/${await note("transition")}/transitions/send`;
    expect((await expectOnce("transition", "POST", path)).json.data.state).toBe("sent");
  });

  test("deletes and restores once", async () => {
    const path = `/api/notes/${await note("delete")}`;
    expect((await expectOnce("delete", "DELETE", path)).status).toBe(204);
    expect((await expectOnce("restore", "POST", `${path}/restore`)).status).toBe(200);
    expect((await send("delete", "DELETE", path)).status).toBe(204);
    expect((await send(null, "GET", path)).status).toBe(200);
  });

  test("only shows the id, and deletes for good", async () => {
    const made = await expectOnce("plain", "POST", "/api/plains", { title: "mine" });
    expect(Object.keys(made.json.data)).toEqual(["id"]);
    await expectOnce("plain-delete", "DELETE", `/api/plains/${made.json.data.id}`);
  });
});

describe("an upsert that is repeated with its Idempotency-Key", () => {
  test("gets the same answer, whatever it did", async () => {
    const path = "/api/notes/by/code/u1";
    const make = { title: "upserted" };
    const head = (key: string, more: object = {}) => ({ "idempotency-key": key, ...more });
    for (const [key, sent, more] of [
      ["up-new", make, { "if-none-match": "*" }],
      ["up-plain", make, {}],
    ] as const) {
      const first = await cell.send("ana", "PUT", path.replace("u1", key), sent, head(key, more));
      expect(first.status, first.text).toBe(201);
      const again = await cell.send("ana", "PUT", path.replace("u1", key), sent, head(key, more));
      expect([again.status, again.text], again.text).toEqual([201, first.text]);
      for (const name of ["location", "etag"]) expect(again.headers.get(name)).toBe(first.headers.get(name));
      expect(again.headers.get("idempotency-replayed")).toBe("true");
    }
    const other = await cell.send("ana", "PUT", path.replace("u1", "up-plain"), { title: "else" }, head("up-plain"));
    expect(other.json.code).toBe("idempotency_key_reused");
  });

  test("with only a key, and with a selection of fields", async () => {
    for (const [key, query] of [
      ["bare", ""],
      ["shown", "?fields=id,title"],
    ]) {
      const path = `/api/tags/by/name/${key}${query}`.replace("title", "name");
      const first = await send(key as string, "PUT", path, {});
      expect(first.status, first.text).toBe(201);
      const again = await send(key as string, "PUT", path, {});
      expect([again.status, again.headers.get("idempotency-replayed")], again.text).toEqual([201, "true"]);
      expect(again.text).toBe(first.text);
    }
  });

  test("has one effect for any number of simultaneous requests", async () => {
    const head = { "idempotency-key": "crowd", "if-none-match": "*" };
    const put = () => cell.send("ana", "PUT", "/api/tags/by/name/crowd", {}, head);
    const replies = await Promise.all(Array.from({ length: 8 }, put));
    expect(replies.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
    expect((await put()).status).toBe(201);
  });
});
describe("a saved reply", () => {
  const large = "A line of a long note. ".repeat(5_000);

  test("of a large record is its id, and a repeated request reads it again", async () => {
    const made = await send("large", "POST", "/api/longs", { text: large });
    expect(made.status, made.text.slice(0, 300)).toBe(201);
    const { id } = made.json.data;
    const kept = await rows("select body from {schema}.idempotency__replies where key = 'large'");
    expect(kept).toEqual([{ body: `{"id":"${id}"}` }]);
    const again = await send("large", "POST", "/api/longs", { text: large });
    expect([again.status, again.headers.get("idempotency-replayed"), again.text]).toEqual([201, "true", made.text]);
    await send(null, "PATCH", `/api/longs/${id}`, { text: "short" });
    expect((await send("large", "POST", "/api/longs", { text: large })).json.data.text).toBe("short");
    await send(null, "DELETE", `/api/longs/${id}`);
    expect((await send("large", "POST", "/api/longs", { text: large })).json).toEqual({ data: { id } });
  });

  test("of an update that changes nothing is only the id", async () => {
    const id = await note("small");
    await send("nothing", "PATCH", `/api/notes/${id}`, {});
    const kept = await rows("select body from {schema}.idempotency__replies where key = 'nothing'");
    expect(kept).toEqual([{ body: `{"id":"${id}"}` }]);
  });

  test("of one caller, by any kind of write, never takes the others' room", async () => {
    const { own } = project.release;
    const usual = own.items.get("kept replies");
    own.items.set("kept replies", { underWay: new Set(), room: new ReplyRoom(200_000) });
    try {
      await rows("truncate {schema}.idempotency__replies");
      await rows(
        `insert into {schema}.idempotency__replies (principal, key, fingerprint, status, body)
         select 'user ' || u.id, 'full' || n, 'f', 200, '' from {schema}.users u, generate_series(1, 300) n where u.name = 'eve'`,
      );
      const id = (await send(null, "POST", "/api/notes", { title: "eve's" }, "eve")).json.data.id;
      const writes = [
        ["POST", "/api/notes", { title: "one" }],
        ["POST", "/api/notes", [{ title: "a list" }]],
        ["POST", "/api/notes?fields=id", { title: "shown" }],
        ["PATCH", `/api/notes/${id}`, {}],
        ["PUT", "/api/tags/by/name/full", {}],
        ["POST", "/v1/batch", { operations: [{ method: "POST", path: "/api/notes", body: { title: "batch" } }] }],
      ] as const;
      const before = await count("eve's");
      for (const [at, [method, path, body]] of writes.entries()) {
        const refused = await send(`r${at}`, method, path, body, "eve");
        expect([refused.status, refused.json.code], path).toEqual([429, "rate_limited"]);
        if (method === "PATCH") continue;
        const served = await send(`s${at}`, method, path, body);
        expect(served.status, served.text).toBeLessThan(300);
      }
      expect(await count("eve's")).toBe(before);
      expect((await send(null, "POST", "/api/notes", { title: "no key" }, "eve")).status).toBe(201);
    } finally {
      own.items.set("kept replies", usual);
    }
  });

  test("is returned even if there is no room for another", async () => {
    const { own } = project.release;
    const usual = own.items.get("kept replies");
    const first = await send("before", "POST", "/api/notes", { title: "before" });
    const list = await send("before-list", "POST", "/api/notes", [{ title: "before" }]);
    own.items.set("kept replies", { underWay: new Set(), room: new ReplyRoom(100) });
    try {
      expect((await send("before", "POST", "/api/notes", { title: "before" })).text).toBe(first.text);
      expect((await send("before-list", "POST", "/api/notes", [{ title: "before" }])).text).toBe(list.text);
      expect((await send("after", "POST", "/api/notes", { title: "before" })).status).toBe(429);
    } finally {
      own.items.set("kept replies", usual);
    }
  });
});

describe("an Idempotency-Key", () => {
  test("refuses another request, and belongs to one caller", async () => {
    await send("own", "POST", "/api/notes", { title: "own" });
    for (const other of [
      await send("own", "POST", "/api/notes", { title: "another" }),
      await send("own", "POST", "/v1/resources/notes", { title: "own" }),
      await send("own", "DELETE", `/api/notes/${await note("stays")}`),
      await send("own", "DELETE", "/api/notes/0190b3c2-6a7e-7d51-8f0e-3a5b9c1d2e4f"),
    ]) {
      expect([other.status, other.json.code], other.text).toEqual([422, "idempotency_key_reused"]);
      expect(other.json.detail).toContain("another method, path or body");
    }
    expect((await send("own", "POST", "/api/notes", { title: "another" }, "ben")).status).toBe(201);
    expect(await count("another")).toBe(1);
  });

  test("saves no refusal", async () => {
    await send(null, "POST", "/api/notes", { title: "taken", code: "c" }, "ben");
    const refused = await send("refused", "POST", "/api/notes", { title: "taken", code: "c" });
    expect([refused.status, refused.json.code]).toEqual([409, "unique_violation"]);
    await rows("update {schema}.notes set code = null where code = 'c'");
    const allowed = await send("refused", "POST", "/api/notes", { title: "taken", code: "c" });
    expect([allowed.status, allowed.headers.get("idempotency-replayed")], allowed.text).toEqual([201, null]);
    expect((await rows("select key from {schema}.idempotency__replies where key = 'refused'")).length).toBe(1);
  });

  test("shows no more than the first reply, and to nobody else", async () => {
    const made = await send("seen", "POST", "/api/notes", { title: "seen" });
    const other = await send("seen", "POST", "/api/notes", { title: "seen" }, "ben");
    expect([other.status, other.headers.get("idempotency-replayed")]).toEqual([201, null]);
    expect(other.json.data.id).not.toBe(made.json.data.id);
  });

  test("is free again after a day, and has a fixed form", async () => {
    await send("day", "POST", "/api/notes", { title: "yesterday" });
    await rows("update {schema}.idempotency__replies set created_at = now() - interval '25 hours' where key = 'day'");
    expect((await send("day", "POST", "/api/notes", { title: "today" })).status).toBe(201);
    expect((await send("day", "POST", "/api/notes", { title: "yesterday" })).status).toBe(422);
    for (const bad of ["", "a b", "x".repeat(256)]) {
      const reply = await send(bad, "POST", "/api/notes", { title: "never" });
      expect([reply.status, reply.json.code], bad).toEqual([400, "bad_request"]);
    }
    expect(await count("never")).toBe(0);
  });

  test("lets one of thirty simultaneous requests through", async () => {
    const sent = Array.from({ length: 30 }, () => send("thirty", "POST", "/api/notes", { title: "thirty" }));
    const replies = await Promise.all(sent);
    const made = replies.filter(({ status, headers }) => status === 201 && !headers.has("idempotency-replayed"));
    expect(made).toHaveLength(1);
    for (const { status, headers, text } of replies) {
      expect([201, 409], text).toContain(status);
      if (status === 409)
        expect([JSON.parse(text).code, headers.get("retry-after")]).toEqual(["idempotency_in_flight", "1"]);
      else expect(text).toBe(made[0]?.text);
    }
    expect(await count("thirty")).toBe(1);
  });

  test("that another replica is using only has its effect there", async () => {
    const made = await send("replica", "POST", "/api/notes", { title: "replica" });
    const [kept] = await rows("delete from {schema}.idempotency__replies where key = 'replica' returning *");
    const names = Object.keys(kept ?? {});
    const holder = await cell.pool.connect();
    try {
      await holder.query("begin");
      await holder.query(
        `insert into "${project.names.schema}".idempotency__replies (${names.join(", ")}) values (${names.map((_, i) => `$${i + 1}`).join(", ")})`,
        Object.values(kept ?? {}),
      );
      const waiting = send("replica", "POST", "/api/notes", { title: "replica" });
      await someoneWaits();
      await holder.query("commit");
      const again = await waiting;
      expect([again.headers.get("idempotency-replayed"), again.text]).toEqual(["true", made.text]);
    } finally {
      holder.release();
    }
    expect(await count("replica")).toBe(1);
  });

  test("uses up no number and no line of the audit log", async () => {
    const { json } = await send("number", "POST", "/api/notes", { title: "first" });
    for (let i = 0; i < 3; i++) await send("number", "POST", "/api/notes", { title: "first" });
    const next = await send("number-2", "POST", "/api/notes", { title: "second" });
    const numberOf = (text: string): number => Number(text.split("-")[1]);
    expect(numberOf(next.json.data.number)).toBe(numberOf(json.data.number) + 1);
    const audit = await rows("select operation from {schema}.audit_log where record_id = $1", [json.data.id]);
    expect(audit).toEqual([{ operation: "create" }]);
  });

  test("is refused once the project keeps twice as many replies as it has room for", async () => {
    const big = `insert into {schema}.idempotency__replies (principal, key, fingerprint, status, location, body)
      select 'nobody', 'big ' || i, '', 200, null, repeat('x', 1048576) from generate_series(1, 2060) i`;
    const crowded = await cell.addProject(blueprint);
    await cell.addUser("cleo", crowded, ["user"]);
    await cell.rows(crowded, big);
    const refused = await send("crowded", "POST", "/api/notes", { title: "x" }, "cleo");
    expect([refused.status, refused.json?.code], refused.text).toEqual([429, "rate_limited"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await send(null, "POST", "/api/notes", { title: "x" }, "cleo")).status).toBe(201);
  }, 60_000);
});

test("a backend that is killed again and again loses no write and repeats none", async () => {
  const killing = (async () => {
    for (let kills = 0; kills < 25; kills++) {
      await cell.pool.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'server under test' and datname = current_database() order by random() limit 1",
      );
      await sleep(40);
    }
  })();
  const until = async (key: string): Promise<void> => {
    for (let tries = 0; tries < 1_000; tries++) {
      const { status } = await send(key, "POST", "/api/notes", { title: "killed", code: key });
      if (status === 201) return;
      expect([409, 503]).toContain(status);
      await sleep(10);
    }
    throw new Error(`${key} was never made`);
  };
  const keys = Array.from({ length: 40 }, (_, i) => `killed-${i}`);
  await Promise.all(keys.flatMap((key) => [until(key), until(key)]));
  await killing;
  const made = await rows("select code from {schema}.notes where title = 'killed'");
  expect(made.map(({ code }) => code).sort()).toEqual([...keys].sort());
}, 60_000);
