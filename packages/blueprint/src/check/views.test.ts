// Views: valid declarations, their form in the model, and the effects of changes.
import { printExpression } from "@plinth/expression";
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import { diffModels } from "../diff/diff.ts";
import type { Model } from "../model/model.ts";

interface Parts {
  readonly own?: string;
  readonly top?: string;
  readonly read?: string;
}

function blueprint({ own = "", top = "", read = "true" }: Parts): string {
  return (
    `project: demo\nmodules: [auth, users, roles]\nentities:\n  person:\n    fields:\n      name: string\n      account_id: user_ref\n      followers: refs(person) as(followed)\n` +
    `    permissions:\n      user: { read: true }\n  article:\n    fields:\n      title: string\n      rank: int = 0\n      tags: list<string>?\n      note: string? internal\n      author_id: ref(person)\n` +
    `${own === "" ? "" : `    views: ${own}\n`}    permissions:\n      user: { read: ${read} }\n${top === "" ? "" : `views: ${top}\n`}`
  );
}

const found = (parts: Parts): readonly string[] =>
  checkBlueprint(blueprint(parts)).diagnostics.map(({ code, message }) => `${code}: ${message}`);

function modelOf(parts: Parts): Model {
  const { model, diagnostics } = checkBlueprint(blueprint(parts));
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  return model;
}

const feed = "author.followers.exists(f, f.account_id == current_user.id)";

test("views of the entity and of the top level are sorted by name", () => {
  const own = `{ newest: { sort: [-rank, created_at], limit: 50 } }`;
  const model = modelOf({ own, top: `{ feed: { of: article, where: "${feed}", sort: -created_at } }` });
  const views = model.entities.find(({ name }) => name === "article")?.views;
  expect(views?.map((view) => ({ ...view, where: printExpression(view.where) }))).toEqual([
    {
      name: "feed",
      where: "author_id.followers.exists(f, f.account_id == current_user.id)",
      sort: [{ field: "created_at", descending: true }],
      limit: null,
    },
    {
      name: "newest",
      where: "true",
      sort: [
        { field: "rank", descending: true },
        { field: "created_at", descending: false },
      ],
      limit: 50,
    },
  ]);
  expect(Object.hasOwn(modelOf({}).entities[0] ?? {}, "views")).toBe(false);
});

describe("refuses", () => {
  test.each<[string, Parts, string]>([
    ["a taken name", { own: "{ by: { sort: rank } }" }, "reserved_name: `by` is a reserved name."],
    ["another taken name", { own: "{ aggregate: {} }" }, "reserved_name: `aggregate` is a reserved name."],
    ["no name", { own: "{ New-ones: {} }" }, "invalid_name"],
    [
      "two of one name",
      { own: "{ hot: { sort: rank } }", top: "{ hot: { of: article } }" },
      "duplicate_value: There is already a view at `/api/articles/hot`.",
    ],
    ["no entity", { top: "{ hot: { of: artikel } }" }, "unknown_entity: There is no entity `artikel`."],
    ["none at all", { top: "{ hot: { sort: rank } }" }, "missing_key: The view `hot` has no `of`."],
    ["`of` within an entity", { own: "{ hot: { of: article } }" }, "unknown_key"],
    ["an unknown field", { own: "{ hot: { sort: -rnk } }" }, "unknown_field: `article` has no field `rnk`."],
    ["what has no order", { own: "{ hot: { sort: tags } }" }, "invalid_option"],
    ["what never leaves", { own: "{ hot: { sort: note } }" }, "invalid_option"],
    ["a field twice", { own: "{ hot: { sort: [rank, -rank] } }" }, "duplicate_value"],
    ["many fields", { own: "{ hot: { sort: [rank, title, created_at, id] } }" }, "too_many"],
    ["too large a page", { own: "{ hot: { limit: 101 } }" }, "invalid_limit: A page can have at most 100 records."],
    ["no rule", { own: "{ hot: { where: rank } }" }, "not_a_condition"],
    ["an unknown name", { own: "{ hot: { where: rnk > 1 } }" }, "unknown_name: `article` has no field `rnk`."],
  ])("%s", (_, parts, expected) => {
    const problems = found(parts);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${expected.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`));
  });
});

describe("a change", () => {
  const changes = (before: Parts, after: Parts): readonly string[] =>
    diffModels(modelOf(before), modelOf(after)).map(({ kind, path, classes }) => `${kind} ${path} ${classes.join()}`);
  const hot = { own: "{ hot: { where: rank > 1 } }" };

  test.each<[string, Parts, Parts, readonly string[]]>([
    ["a new one", {}, hot, ["view_added article.views.hot safe"]],
    ["one that goes", hot, {}, ["view_removed article.views.hot breaking"]],
    ["none", hot, { ...hot }, []],
    [
      "another order",
      hot,
      { own: "{ hot: { where: rank > 1, sort: rank } }" },
      ["view_changed article.views.hot safe"],
    ],
    [
      "over others that readers read",
      {},
      { top: `{ feed: { of: article, where: "${feed}" } }` },
      ["view_added article.views.feed safe"],
    ],
    [
      "of what never leaves",
      {},
      { own: "{ hot: { where: note != null } }" },
      ["view_added article.views.hot loosens_access"],
    ],
    [
      "of what a grant leaves out",
      { read: "{ allow: true, fields: [title] }" },
      { ...hot, read: "{ allow: true, fields: [title] }" },
      ["view_added article.views.hot loosens_access"],
    ],
  ])("%s", (_, before, after, expected) => expect(changes(before, after)).toEqual(expected));
});
