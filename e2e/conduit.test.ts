// RealWorld's Conduit with docs/examples/conduit.yaml: each request of its API is one request here, with other paths.
// https://docs.realworld.build/specifications/backend/endpoints
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Caller, callerOf, type Reply } from "./api.ts";
import { type PublishedCell, startPublishedCell } from "./published-cell.ts";

interface Person {
  readonly id: string;
  readonly as: Caller;
}

let database: TestDatabase;
let cell: PublishedCell;
let key: string;
let visitor: Caller;

beforeAll(async () => {
  database = await createTestDatabase();
  cell = await startPublishedCell(database.url, "conduit");
  await cell.publish(readFileSync(resolve(import.meta.dirname, "../docs/examples/conduit.yaml"), "utf8"));
  key = await cell.makeKey("publishable");
  visitor = callerOf(cell.origin, key);
}, 120_000);

afterAll(async () => {
  cell?.process.kill("SIGTERM");
  await database?.drop();
});

/** Returns the data of a reply that must be a success. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
function done(reply: Reply): any {
  expect(reply.status, reply.text).toBeLessThan(300);
  return reply.body?.data ?? null;
}

/** Register. */
async function register(name: string): Promise<Person> {
  const account = { email: `${name}@example.com`, password: `${name}'s long password`, name };
  const { user, access_token: token } = done(await visitor.post("/v1/auth/sign-up", account));
  expect(user.name).toBe(name);
  return { id: user.id, as: callerOf(cell.origin, key, token) };
}

const where = (filter: object): string => encodeURIComponent(JSON.stringify(filter));

/** What Conduit shows of articles: the author, whether the reader follows them, tags, favorites. */
const shown = (reader: Person | null): string =>
  reader === null
    ? "expand=author,tags"
    : `expand=author.followers,tags,favorites&expand[favorites][where]=${where({ user_id: reader.id })}` +
      `&expand[author.followers][where]=${where({ follower_id: reader.id })}`;

test("one request to Plinth answers each request of Conduit's API", async () => {
  const [ana, ben] = [await register("ana"), await register("ben")];

  // Login, and the current user.
  const login = { email: "ana@example.com", password: "ana's long password" };
  expect(done(await visitor.post("/v1/auth/sign-in", login)).user.id).toBe(ana.id);
  expect(done(await ana.as.get("/v1/users/me"))).toMatchObject({ name: "ana" });
  // Update the user.
  const profile = { bio: "I write", image: "https://example.com/ana.png" };
  expect(done(await ana.as.patch(`/v1/users/${ana.id}`, profile))).toMatchObject(profile);

  // A profile by its name, for a visitor and for a signed-in reader.
  expect(done(await visitor.get("/v1/users?name=ana"))).toEqual([{ id: ana.id, name: "ana", ...profile }]);
  const seen = `/v1/users?name=ana&expand=followers&expand[followers][where]=${where({ follower_id: ben.id })}`;
  expect(done(await ben.as.get(seen))).toMatchObject([{ name: "ana", followers: [] }]);
  // Follow.
  const follow = done(await ben.as.post("/api/follows", { followed_id: ana.id }));
  expect(done(await ben.as.get(seen))).toMatchObject([{ followers: [{ id: follow.id }] }]);

  // Create an article with its tags, whether or not they already exist.
  const text = { title: "How to train", description: "Ever wonder?", body: "Very carefully." };
  const operations = [
    { method: "PUT", path: "/api/tags/by/name/web", as: "web" },
    { method: "POST", path: "/api/articles", body: { ...text, tags: [{ $ref: "web.id" }] } },
  ];
  const [, { data: article }] = done(await ana.as.post("/v1/batch", { operations }));
  // Read it by its slug, and update it.
  const bySlug = `/api/articles/by/slug/how-to-train?${shown(ben)}`;
  expect(done(await ben.as.get(bySlug))).toMatchObject({
    ...text,
    tags: [{ name: "web" }],
    author: { name: "ana", followers: [{ id: follow.id }] },
    favorites: [],
    favorites_count: 0,
  });
  expect(done(await ana.as.patch(`/api/articles/${article.id}`, { body: "With care." }))).toMatchObject({
    slug: "how-to-train",
    body: "With care.",
  });

  // Favorite and unfavorite.
  const mine = `/api/favorites/by/article_id,user_id/${article.id},${ben.id}`;
  const favorite = done(await ben.as.put(mine, {}));
  expect(done(await ben.as.get(bySlug))).toMatchObject({ favorites: [{ id: favorite.id }], favorites_count: 1 });

  // Lists: all, by author, by tag, by a person who favorited, and the feed; each with its total number.
  for (const filter of ["author.name=ana", "tags.name=web", "favorites.user.name=ben"]) {
    const listed = await ben.as.get(`/api/articles?${filter}&count=exact&limit=20&${shown(ben)}`);
    expect([filter, listed.body.page.count, done(listed)[0]?.author.name]).toEqual([filter, 1, "ana"]);
  }
  expect(done(await ben.as.get("/api/articles?author.name=nobody"))).toEqual([]);
  const feed = await ben.as.get(`/api/articles/feed?count=exact&${shown(ben)}`);
  expect([feed.body.page.count, done(feed)[0].slug]).toEqual([1, "how-to-train"]);
  expect(done(await ana.as.get("/api/articles/feed"))).toEqual([]);

  // Comments: write, list, delete.
  const comment = done(await ben.as.post("/api/comments", { article_id: article.id, body: "Thank you" }));
  expect(done(await visitor.get("/api/comments?article.slug=how-to-train&expand=author"))).toMatchObject([
    { id: comment.id, author: { name: "ben" } },
  ]);
  expect((await ben.as.delete(`/api/comments/${comment.id}`)).status).toBe(204);

  // Unfavorite, unfollow.
  expect((await ben.as.delete(mine)).status).toBe(204);
  expect((await ben.as.delete(`/api/follows/${follow.id}`)).status).toBe(204);
  expect(done(await ben.as.get("/api/articles/feed"))).toEqual([]);
  // Tags.
  expect(done(await visitor.get("/api/tags?fields=name&sort=name"))).toEqual([{ name: "web" }]);
  // Delete the article.
  expect((await ana.as.delete(`/api/articles/${article.id}`)).status).toBe(204);
  expect((await visitor.get("/api/articles/by/slug/how-to-train")).status).toBe(404);
});
