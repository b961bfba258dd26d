// Types of users, on types that the compiler generates: relations to users and from them, and profile fields at sign-up. The type check
// fails if a line with @ts-expect-error becomes valid.
import { expect, expectTypeOf, test } from "vitest";
import type { UserRelations } from "../../compiler/src/testdata/user-relations/sdk.d.ts";
import type { Client } from "./client.ts";
import { createHooks } from "./react.ts";

declare const db: Client<UserRelations>;

/** The program is type-checked, and never called. */
const typed = (program: () => unknown): void => expect(program).toBeTypeOf("function");

test("an expanded user has the fields that others see", () => {
  typed(async () => {
    const articles = db.entity("article");
    const [article] = await articles.findMany({ fields: ["title"], expand: { author: true } });
    expectTypeOf(article!.author!.nickname).toEqualTypeOf<string | null>();
    // Only users themselves and admins can see it.
    expectTypeOf(article!.author!.email).toEqualTypeOf<string | undefined>();
    const [shown] = await articles.findMany({ fields: ["id"], expand: { author: { fields: ["nickname"] } } });
    expectTypeOf(shown!).toEqualTypeOf<{ id: string; readonly author: { nickname: string | null } | null }>();
    // The field and its relation have the same name.
    const made = await articles.findOne("1", { fields: ["title"], expand: { created_by: { fields: ["id"] } } });
    expectTypeOf(made).toEqualTypeOf<{ title: string; readonly created_by: { id: string } | null }>();
    // @ts-expect-error: the field was not requested.
    shown!.author!.id;
    // @ts-expect-error: users have no such field.
    await articles.findMany({ expand: { author: { fields: ["nickname", "nick"] } } });
    // @ts-expect-error: a single record has no limit.
    await articles.findMany({ expand: { author: { limit: 3 } } });
  });
});

test("users are read like records, and their own profile is updated", () => {
  typed(async () => {
    const me = await db.users.me();
    expectTypeOf(me.email).toEqualTypeOf<string>();
    const [other] = await db.users.findMany({ where: { nickname: "ben" }, sort: "-created_at", limit: 5 });
    expectTypeOf(other!.nickname).toEqualTypeOf<string | null>();
    expectTypeOf(other!.email).toEqualTypeOf<string | undefined>();
    const shown = await db.users.findOne("1", { fields: ["nickname"], expand: { articles: { fields: ["title"] } } });
    expectTypeOf(shown).toEqualTypeOf<{ nickname: string | null; readonly articles: readonly { title: string }[] }>();
    await db.users.update(me.id, { name: "Ana", nickname: "ana" });
    // An admin can.
    await db.users.update(me.id, { verified: true });
    // @ts-expect-error: the service writes this field.
    await db.users.update(me.id, { version: 2 });
    // @ts-expect-error: users sign up.
    await db.users.create({ nickname: "ana" });
    // @ts-expect-error: users have no such field.
    await db.users.findMany({ where: { nick: "ben" } });
  });
});

test("relations from users work if the blueprint names them", () => {
  typed(async () => {
    const articles = db.entity("article");
    const one = await articles.findOne("1", {
      fields: ["title"],
      expand: {
        author: {
          fields: ["nickname"],
          expand: {
            followers: { where: { follower: { nickname: "ben" } }, sort: "-follower.nickname", limit: 5 },
            articles: { fields: ["title"], expand: { reviewer: { fields: ["id"] } } },
          },
        },
      },
    });
    expectTypeOf(one.author!.followers[0]!.followed_id).toEqualTypeOf<string>();
    expectTypeOf(one.author!.articles).toEqualTypeOf<
      readonly { title: string; readonly reviewer: { id: string } | null }[]
    >();
    const written = await articles.create({ title: "x" }, { fields: ["id"], expand: { author: { fields: ["id"] } } });
    expectTypeOf(written).toEqualTypeOf<{ id: string; readonly author: { id: string } | null }>();
    // @ts-expect-error: `reviewer_id` names no relation from users.
    await articles.findMany({ expand: { author: { expand: { reviews: true } } } });
    // @ts-expect-error: neither does a similar name.
    await articles.findMany({ expand: { author: { expand: { articles: true, article: true } } } });
    // @ts-expect-error: followers have no such field.
    await articles.findMany({ expand: { author: { expand: { followers: { sort: "title" } } } } });
    // @ts-expect-error: a condition on followers has no such field.
    await articles.findMany({ expand: { author: { expand: { followers: { where: { id: "1", titel: "x" } } } } } });
  });
});

test("conditions and orders can follow references to users", () => {
  typed(async () => {
    const articles = db.entity("article");
    await articles.findMany({
      where: { author: { nickname: { istarts_with: "a" }, followers: { follower_id: "1" } } },
    });
    await articles.findMany({ where: { author: { followers: { follower: { articles: { title: "x" } } } } } });
    await articles.findMany({ where: { or: [{ created_by: "1" }, { created_by: { email: "a@example.com" } }] } });
    await articles.findMany({ where: { created_by: { in: ["1", "2"] }, author: { "address.city": "Rome" } } });
    await articles.findMany({ sort: ["author.nickname", "-created_by.created_at", "-title"] });
    await db.entity("follow").findMany({ sort: "-followed.nickname" });
    await articles.count({ author: { articles: { title: { contains: "x" } } } });
    // @ts-expect-error: users have no such field.
    await articles.findMany({ where: { author: { nickname: "a", nick: "b" } } });
    // @ts-expect-error: a nickname is a text.
    await articles.findMany({ where: { author: { nickname: 3 } } });
    // @ts-expect-error: a user is identified by an id.
    await articles.findMany({ where: { created_by: { in: [1] } } });
    // @ts-expect-error: a truth value has no text operators.
    await articles.findMany({ where: { author: { verified: { contains: "t" } } } });
    // @ts-expect-error: users have no such relation.
    await articles.findMany({ where: { author: { fans: { follower_id: "1" } } } });
    // @ts-expect-error: the records of that relation have no such field.
    await articles.findMany({ where: { author: { followers: { title: "x" } } } });
    // @ts-expect-error: users have no such field.
    await articles.findMany({ sort: "author.nick" });
    // @ts-expect-error: followers are many, so they give no order.
    await articles.findMany({ sort: "author.followers.id" });
    // @ts-expect-error: a member of an object has no order.
    await articles.findMany({ sort: "author.address.city" });
  });
});

test("values can be grouped by fields of users", () => {
  typed(async () => {
    const rows = await db.entity("article").aggregate({
      select: ["count", "max(created_at)"],
      groupBy: ["author.nickname", "author.verified", "created_by.created_at.month"],
      sort: ["-count", "author.nickname"],
    });
    expectTypeOf(rows[0]!).toEqualTypeOf<{
      readonly count: number;
      readonly "max(created_at)": string | null;
      readonly "author.nickname": string | null;
      readonly "author.verified": boolean | null;
      readonly "created_by.created_at.month": string | null;
    }>();
    // @ts-expect-error: users have no such field.
    await db.entity("article").aggregate({ groupBy: ["author.nick"] });
    // @ts-expect-error: a nickname is no time.
    await db.entity("article").aggregate({ groupBy: ["author.nickname.month"] });
  });
});

test("a sign-up accepts the fields that users write, and returns a user with all their fields", () => {
  typed(async () => {
    const who = { email: "ana@example.com", password: "correct horse battery" };
    const session = await db.auth.signUp({ ...who, profile: { nickname: "Ana", address: { city: "Rome" } } });
    expectTypeOf(session!.user.nickname).toEqualTypeOf<string | null>();
    expectTypeOf(session!.user.roles).toEqualTypeOf<("user" | "owner" | "admin")[]>();
    expectTypeOf(db.auth.session()!.user.verified).toEqualTypeOf<boolean>();
    // @ts-expect-error: only admins can write it.
    await db.auth.signUp({ ...who, profile: { nickname: "Ana", verified: true } });
    // @ts-expect-error: there is no such field.
    await db.auth.signUp({ ...who, profile: { nick: "Ana" } });
    // @ts-expect-error: a nickname is a text.
    await db.auth.signUp({ ...who, profile: { nickname: 7 } });
    // @ts-expect-error: users have no such field.
    session!.user.nick;
  });
});

test("hooks have the same types", () => {
  typed(() => {
    const { useFindMany, useInfiniteFindMany } = createHooks(db);
    const { data } = useFindMany("article", { fields: ["title"], expand: { author: { fields: ["nickname"] } } });
    expectTypeOf(data).toEqualTypeOf<
      readonly { title: string; readonly author: { nickname: string | null } | null }[] | undefined
    >();
    const { data: pages } = useInfiniteFindMany("follow", { fields: ["id"], sort: "-follower.nickname" });
    expectTypeOf(pages!.pages[0]!.data).toEqualTypeOf<readonly { id: string }[]>();
    // @ts-expect-error: users have no such field.
    useFindMany("article", { where: { author: { nickname: "a", nick: "b" } } });
    // @ts-expect-error: users have no such relation.
    useFindMany("article", { expand: { author: { expand: { fans: true } } } });
  });
});
