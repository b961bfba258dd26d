// The query string of a list, and the types of its result.
import { describe, expect, expectTypeOf, test } from "vitest";
import type { Client } from "./client.ts";
import { queryOf } from "./reading.ts";

interface Press {
  entities: {
    article: {
      record: { id: string; title: string; price: string | null; labels: string[]; author_id: string; tags: string[] };
      create: { title: string };
      update: { title?: string };
      where: { id?: string; title?: string; price?: string; labels?: string[]; likes?: number; limit?: number };
      relations: {
        author: { to: "user"; many: false };
        comments: { to: "comment"; many: true };
        tags: { to: "tag"; many: true };
      };
    };
    comment: {
      record: { id: string; body: string; article_id: string };
      create: { body: string };
      update: { body?: string };
      where: { id?: string; body?: string };
      relations: { article: { to: "article"; many: false } };
    };
    tag: { record: { id: string; name: string }; create: { name: string }; update: object; where: { name?: string } };
  };
  user: { id: string; username: string | null };
}

declare const db: Client<Press>;

const text = (options: Parameters<typeof queryOf>[0]): string => decodeURIComponent(String(queryOf(options)));

describe("a query", () => {
  test("has plain equalities as parameters, and all other conditions as JSON", () => {
    expect(text({ where: { title: "a b", likes: 3 } })).toBe("title=a+b&likes=3");
    expect(text({ where: { title: "a", price: { gte: "10" } } })).toBe('where={"title":"a","price":{"gte":"10"}}');
    expect(text({ where: { or: [{ price: null }, { comments: { body: "x" } }] } })).toBe(
      'where={"or":[{"price":null},{"comments":{"body":"x"}}]}',
    );
    // A text that looks like a number is a number in a parameter, so it is sent as JSON.
    expect(text({ where: { "meta.code": "12" } })).toBe('where={"meta.code":"12"}');
    expect(text({ where: { "meta.code": 12, "meta.is_new": true } })).toBe("meta.code=12&meta.is_new=true");
    expect(text({ where: { "meta.code": "true" } })).toBe('where={"meta.code":"true"}');
    // A field with the name of a parameter of the list.
    expect(text({ where: { limit: 3 } })).toBe('where={"limit":3}');
    expect(() => queryOf({ where: { title: undefined } })).toThrow("where.title");
  });

  test("names fields and related records by their paths", () => {
    expect(
      text({
        fields: ["title"],
        expand: {
          author: { fields: ["username"] },
          comments: { limit: 2, sort: "-body", where: { body: { ne: "x" } }, expand: { article: true } },
        },
        search: "whale",
        sort: ["-price", "title"],
      }),
    ).toBe(
      "q=whale&sort=-price,title" +
        '&expand[comments][limit]=2&expand[comments][sort]=-body&expand[comments][where]={"body":{"ne":"x"}}' +
        "&fields=title,author.username&expand=author,comments,comments.article",
    );
  });
});

test("the type of a result depends on the request", () => {
  const read = async (): Promise<void> => {
    const articles = db.entity("article");
    const [whole] = await articles.findMany();
    expectTypeOf(whole!.tags).toEqualTypeOf<string[]>();
    const [some] = await articles.findMany({
      fields: ["title"],
      expand: { author: { fields: ["username"] }, comments: { limit: 1 }, tags: true },
    });
    expectTypeOf(some!).toEqualTypeOf<{
      title: string;
      readonly author: { username: string | null } | null;
      readonly comments: readonly { id: string; body: string; article_id: string }[];
      readonly tags: readonly { id: string; name: string }[];
    }>();
    // @ts-expect-error: it was not asked for.
    some!.price;
    const one = await articles.findOne("1", { expand: { comments: { expand: { article: { fields: ["id"] } } } } });
    expectTypeOf(one.comments[0]!.article).toEqualTypeOf<{ id: string } | null>();
    const first = await articles.findFirst({ fields: ["id"] });
    expectTypeOf(first).toEqualTypeOf<{ id: string } | null>();
    const rows = await articles.aggregate({ select: ["count", "max(price)"], groupBy: ["author.username"] });
    expectTypeOf<keyof (typeof rows)[number]>().toEqualTypeOf<"count" | "max(price)" | "author.username">();

    await articles.findMany({ where: { price: { gte: "1" }, labels: { has: "a" }, author: { username: "ana" } } });
    await articles.findMany({ where: { not: { comments: { body: { icontains: "x" } } }, or: [{ price: null }] } });
    await articles.findMany({ sort: "-title" });
    await articles.update("1", { title: "x" }, { version: 3 });
    // @ts-expect-error: a number is no title.
    await articles.findMany({ where: { title: 3 } });
    // @ts-expect-error: texts have no such operator.
    await articles.findMany({ where: { title: { has: "x" } } });
    // @ts-expect-error: numbers have no such operator.
    await articles.findMany({ where: { likes: { contains: "3" } } });
    // @ts-expect-error: there is no such field.
    await articles.findMany({ fields: ["titel"] });
    // @ts-expect-error: there is no such relation.
    await articles.findMany({ expand: { writer: true } });
    // @ts-expect-error: there is no such order.
    await articles.findMany({ sort: "titel" });
    // @ts-expect-error: there is no such function.
    await articles.aggregate({ select: ["median(price)"] });
  };
  expect(read).toBeTypeOf("function");
});
