// The page for app developers: its blueprint is published, and each of its requests gets the reply that is printed below it.
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { resolve } from "node:path";
import { checkBlueprint } from "@plinth/blueprint";
import { createClient, PreconditionFailed } from "@plinth/sdk";
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Caller, call, callerOf, signUp } from "./api.ts";
import { type PublishedCell, startPublishedCell } from "./published-cell.ts";

const page = readFileSync(resolve(import.meta.dirname, "../docs/api.md"), "utf8");
const blueprint = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
const reading = /\n## Reading\n([\s\S]*?)(?=\n## |$)/.exec(page)?.[1] ?? "";
const examples = [...reading.matchAll(/```http\n(.*?)\n```\s+```json\n([\s\S]*?)```/g)].map(
  ([, request = "", reply = ""]) => [request, reply] as const,
);

const signing = /\n## Signing in\n([\s\S]*?)(?=\n## |$)/.exec(page)?.[1] ?? "";
const writing = ["Writing one record", "Several operations at once", "What the caller may do"]
  .map((title) => new RegExp(`\\n## ${title}\\n([\\s\\S]*?)(?=\\n## |$)`).exec(page)?.[1] ?? "")
  .join("\n");
const writes = [...writing.matchAll(/```http\n([^`]*?)```\s+```json\n([\s\S]*?)```/g)].map(
  ([, request = "", reply = ""]) => [request, reply] as const,
);

let database: TestDatabase;
let cell: PublishedCell;
let visitor: Caller;
let key: string;
let secret: string;
let author: string;

beforeAll(async () => {
  database = await createTestDatabase();
  cell = await startPublishedCell(database.url, "press");
  await cell.publish(blueprint);
  key = await cell.makeKey("publishable");
  secret = await cell.makeKey("secret");
  visitor = callerOf(cell.origin, key);
  const admin = callerOf(cell.origin, secret);
  const make = async (path: string, fields: object): Promise<string> => {
    const reply = await admin.post(path, fields);
    expect(reply.status, reply.text).toBe(201);
    return reply.body.data.id;
  };
  const [ana, ben] = [
    await signUp(cell.origin, key, "ana@example.com"),
    await signUp(cell.origin, key, "ben@example.com"),
  ];
  for (const [who, username] of [
    [ana, "ana"],
    [ben, "ben"],
  ] as const) {
    expect((await admin.patch(`/v1/users/${who.id}`, { username })).status).toBe(200);
  }
  author = ana.id;
  const sea = await make("/api/tags", { name: "sea" });
  const shared = { status: "published" };
  await make("/api/articles", {
    ...shared,
    title: "Old man",
    body: "A fisherman and a fish.",
    author_id: ben.id,
    tags: [sea],
  });
  await make("/api/articles", {
    ...shared,
    title: "The sea, the sea",
    body: "A director.",
    price: "12.50",
    author_id: ben.id,
  });
  const whale = await make("/api/articles", {
    ...shared,
    title: "The whale",
    body: "A captain looks for a whale.",
    price: "20.00",
    tags: [sea],
    source: { language: "en" },
    author_id: ana.id,
  });
  await make("/api/articles", { title: "A draft about the sea", body: "", price: "15.00", author_id: ana.id });
  await make("/api/comments", { article_id: whale, body: "Nice", likes: 1, author_id: ben.id });
  await make("/api/comments", { article_id: whale, body: "Long", likes: 5, author_id: ben.id });
}, 120_000);

afterAll(async () => {
  cell?.process.kill("SIGTERM");
  await database?.drop();
});

test("its blueprint is valid, without a warning", () => {
  expect(checkBlueprint(blueprint).diagnostics).toEqual([]);
});

test("each section about reading has a request that this test sends", () => {
  expect(examples.length).toBe([...reading.matchAll(/```http\n/g)].length);
  expect(writes.length).toBe([...writing.matchAll(/```http\n/g)].length);
  expect(examples.length).toBeGreaterThan(8);
});

test.each(examples)("%s", async (request, expected) => {
  const [method, target = ""] = [request.slice(0, request.indexOf(" ")), request.slice(request.indexOf(" ") + 1)];
  expect(method).toBe("GET");
  const reply = await visitor.get(encodeURI(target));
  expect(reply.status, reply.text).toBe(200);
  const wanted = JSON.parse(expected, (_, value) => (value === "..." ? expect.any(String) : value));
  expect(reply.body).toMatchObject(wanted);
});

test("the sign-in section works as written", async () => {
  const requests = [...signing.matchAll(/```http\nPOST (\S+)\n\n([^`]*?)```\s+```json\n([\s\S]*?)```/g)];
  expect(requests).toHaveLength(2);
  let refreshToken = "";
  for (const [, path = "", body = "", expected = ""] of requests) {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const sent = { method: "POST", headers, body: body.replace("<refresh token>", refreshToken) };
    const reply = await call(cell.origin + path, sent);
    expect(reply.status, reply.text).toBeLessThan(300);
    const wanted = JSON.parse(expected, (_, value) => (value === "..." ? expect.any(String) : value));
    expect(reply.body).toMatchObject(wanted);
    refreshToken = reply.body.data.refresh_token;
    const token = { authorization: `Bearer ${key}`, "plinth-user-token": reply.body.data.access_token };
    const me = await call(`${cell.origin}/v1/users/me`, { method: "GET", headers: token });
    expect(me.body.data).toMatchObject({ name: "Cleo", username: "cleo" });
  }
  const routes = [...signing.matchAll(/`POST (\/v1\/auth\/[a-z-]+)`/g)].map(([, path]) => path);
  const document = await call(`${cell.origin}/v1/openapi.json`, { headers: { authorization: `Bearer ${key}` } });
  const told = Object.keys(document.body.paths).filter((path) => path.startsWith("/v1/auth/"));
  expect([...new Set(routes)].sort()).toEqual(told.sort());
});

test("each request about writing gets the reply below it, and a repetition with its key gets the same", async () => {
  let id = "";
  for (const [request, expected] of writes) {
    const [head = "", body = ""] = request.replaceAll("<author>", author).replace("<id>", id).split("\n\n");
    const [first = "", ...lines] = head.split("\n");
    const [method = "", target = ""] = first.split(" ");
    const named = lines.map((line) => line.split(": ") as [string, string]);
    const headers = {
      authorization: `Bearer ${secret}`,
      "content-type": "application/json",
      ...Object.fromEntries(named),
    };
    const reply = await call(cell.origin + target, { method, headers, body });
    expect([200, 201], reply.text).toContain(reply.status);
    expect(reply.body).toMatchObject(JSON.parse(expected));
    if (named.length > 0) {
      const again = await call(cell.origin + target, { method, headers, body });
      expect([again.text, again.headers.get("idempotency-replayed")]).toEqual([reply.text, "true"]);
    }
    id ||= reply.body.data.id;
  }
  expect(writes.length).toBeGreaterThan(2);
});

test("the SDK sends the same requests and gets the same results", async () => {
  const press = createClient({ project: "press", apiKey: key, baseUrl: cell.origin });
  const articles = press.entity("article");
  const [whale] = await articles.findMany({
    where: { title: { icontains: "WHALE" }, comments: { likes: { gte: 3 } } },
    fields: ["title"],
    expand: {
      author: { fields: ["username"] },
      comments: { fields: ["body"], limit: 1, sort: "-likes" },
    },
  });
  expect(whale).toEqual({ title: "The whale", author: { username: "ana" }, comments: [{ body: "Long" }] });
  const page = await articles.findPage({ limit: 1, count: "exact", sort: "title" });
  expect(page).toMatchObject({ count: 3, hasMore: true, previousCursor: null });
  const next = await articles.findPage({ limit: 1, sort: "title", cursor: page.nextCursor ?? "" });
  const back = await articles.findPage({ limit: 1, sort: "title", cursor: next.previousCursor ?? "" });
  expect(back.data).toEqual(page.data);
  expect(await articles.findFirst({ search: "captain", fields: ["title"] })).toEqual({ title: "The whale" });
  expect(await articles.count({ price: { ne: null } })).toBe(2);
  expect(await articles.aggregate({ select: ["count"], groupBy: ["author.username"], sort: "-count" })).toEqual([
    { "author.username": "ben", count: 2 },
    { "author.username": "ana", count: 1 },
  ]);
  const aborted = AbortSignal.abort();
  await expect(articles.findMany({ signal: aborted })).rejects.toMatchObject({ name: "AbortError" });

  const mine = createClient({ project: "press", apiKey: secret, baseUrl: cell.origin }).entity("article");
  const draft = await mine.create({ title: "Draft", body: "", author_id: author }, { idempotencyKey: "once" });
  expect((await mine.create({ title: "Draft", body: "", author_id: author }, { idempotencyKey: "once" })).id).toBe(
    draft.id,
  );
  expect(await mine.update(draft.id, { title: "Second" }, { version: 1 })).toMatchObject({ version: 2 });
  await expect(mine.update(draft.id, { title: "Lost" }, { version: 1 })).rejects.toBeInstanceOf(PreconditionFailed);
  await mine.delete(draft.id, { version: 2 });
});

test("the Plinth snippets in docs/compared.md run as printed", async () => {
  const compared = readFileSync(resolve(import.meta.dirname, "../docs/compared.md"), "utf8");
  const tasks = [...compared.matchAll(/```ts plinth\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
  expect(tasks).toHaveLength(10);
  for (const other of ["supabase", "prisma"]) expect(compared.split(`\`\`\`ts ${other}\n`)).toHaveLength(11);
  const names =
    "expensive, withComments, aboutTheSea, page, next, byStatus, voices, tag, liked, sail, article, changed";
  const code = stripTypeScriptTypes(`async function run(db, author) {${tasks.join("\n")}\nreturn { ${names} };}`);
  const run = new Function(`${code}\nreturn run;`)() as (
    db: unknown,
    author: string,
  ) => // biome-ignore lint/suspicious/noExplicitAny: what the page names
  Promise<any>;
  const done = await run(createClient({ project: "press", apiKey: secret, baseUrl: cell.origin }), author);
  expect(done).toMatchObject({
    expensive: [
      { title: "The whale", price: "20.00" },
      { title: "The sea, the sea", price: "12.50" },
    ],
    page: { data: [{}, {}], hasMore: true },
    next: { data: [{}, {}] },
    voices: { title: "Two voices", comments: [{ body: "First" }, { body: "Second" }] },
    tag: { name: "whales" },
    liked: { likes: 1 },
    article: { title: "Wind", tags: [done.sail.id] },
    changed: { title: "Three voices", version: 2 },
  });
  expect(done.page.count).toBeGreaterThanOrEqual(4);
  expect(done.withComments.map(({ author: by }: { author: { username: string } }) => by.username)).toContain("ana");
  expect(done.aboutTheSea.map(({ title }: { title: string }) => title)).toEqual(
    expect.arrayContaining(["Old man", "The whale"]),
  );
  expect(done.byStatus).toEqual(expect.arrayContaining([expect.objectContaining({ status: "draft" })]));
});
