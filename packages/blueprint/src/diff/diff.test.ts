// The meaning of a change of the text: its kind, its risk, and one sentence.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import type { Model } from "../model/model.ts";
import { diffModels } from "./diff.ts";

function modelOf(text: string): Model {
  const { model, diagnostics } = checkBlueprint(text);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  return model;
}

const base = `project: demo
modules: [auth, roles]
roles:
  support: { inherits: user }
entities:
  shop:
    name: string
  listing:
    fields:
      title: string
      code: string unique
      note: text?
      price: int = 1
      status: enum[draft, active] = draft
      seller_id: user_ref = current_user.id
      shop_id: ref(shop)?
    permissions:
      public:
        read: status == active
      owner:
        update: seller_id == current_user.id
`;

/** The changes from replacing a part of the base, as `kind path risk`. */
function changes(from: string, to: string): string[] {
  expect(base).toContain(from);
  return diffModels(modelOf(base), modelOf(base.replace(from, to))).map(
    (one) => `${one.kind} ${one.path} ${one.classes.join("+")}`,
  );
}

function summary(from: string, to: string): string | undefined {
  return diffModels(modelOf(base), modelOf(base.replace(from, to)))[0]?.summary;
}

const field = (line: string): string => `      title: string\n      ${line}\n`;

describe("risks", () => {
  test.each([
    ["an optional field", "      title: string\n", field("brand: text?"), ["field_added listing.brand safe"]],
    [
      "a required field with a default",
      "      title: string\n",
      field("brand: int = 3"),
      ["field_added listing.brand safe"],
    ],
    [
      "a required field without one",
      "      title: string\n",
      field("brand: text"),
      ["field_added listing.brand breaking+data_dependent"],
    ],
    [
      "a required field that only a user fills",
      "      title: string\n",
      field("maker: user_ref = current_user.id"),
      ["field_added listing.maker breaking+data_dependent"],
    ],
    ["a field less", "      note: text?\n", "", ["field_removed listing.note destructive+breaking"]],
    [
      "a field becomes required",
      "note: text?",
      "note: text",
      ["field_changed listing.note breaking+data_dependent+online"],
    ],
    ["a field becomes optional", "title: string", "title: string?", ["field_changed listing.title breaking"]],
    ["a longer type", "title: string", "title: text", ["field_changed listing.title safe"]],
    ["a longer string", "title: string", "title: { type: string, max: 300 }", ["field_changed listing.title safe"]],
    [
      "a shorter string",
      "title: string",
      "title: { type: string, max: 30 }",
      ["field_changed listing.title breaking+data_dependent+online"],
    ],
    [
      "another type",
      "price: int = 1",
      'price: string = "1"',
      ["field_changed listing.price breaking+data_dependent+rewrite+online", "default_changed listing.price safe"],
    ],
    ["another target", "ref(shop)?", "ref(listing)?", ["field_changed listing.shop_id breaking+data_dependent+online"]],
    [
      "an enum value more: no rule changes by it",
      "enum[draft, active]",
      "enum[draft, active, sold]",
      ["field_changed listing.status safe"],
    ],
    ["an enum value less", "enum[draft, active]", "enum[active, draft2]", "invalid"],
    ["another default", "price: int = 1", "price: int = 2", ["default_changed listing.price safe"]],
    ["no default any more", "price: int = 1", "price: int", ["default_changed listing.price breaking"]],
    [
      "a user that can be forged",
      "user_ref = current_user.id",
      "user_ref",
      ["default_changed listing.seller_id loosens_access"],
    ],
    [
      "an implicit creator that callers may write",
      "      title: string\n",
      field("created_by: user_ref? on_delete(set_null)"),
      ["field_changed listing.created_by loosens_access", "default_changed listing.created_by loosens_access"],
    ],
    [
      "unique over what stands",
      "title: string",
      "title: string unique",
      ["unique_added listing.unique(title) breaking+data_dependent+online"],
    ],
    [
      "unique over a new field",
      "      title: string\n",
      field("isbn: string? unique"),
      ["field_added listing.isbn safe", "unique_added listing.unique(isbn) online"],
    ],
    ["no longer unique", "string unique", "string", ["unique_removed listing.unique(code) safe"]],
    [
      "a new rule",
      "      owner:\n",
      "      user:\n        create: true\n      owner:\n",
      ["permission_added listing.permissions.user.create loosens_access"],
    ],
    [
      "another rule",
      "read: status == active",
      "read: status != draft || status == null || price > 3",
      ["permission_changed listing.permissions.public.read loosens_access"],
    ],
    [
      "another rule of the same meaning",
      "read: status == active",
      "read: status != draft",
      ["permission_changed listing.permissions.public.read safe"],
    ],
    [
      "a tighter rule",
      "read: status == active",
      "read: status == active && price > 3",
      ["permission_changed listing.permissions.public.read breaking"],
    ],
    [
      "a rule less",
      "      public:\n        read: status == active\n",
      "",
      ["permission_removed listing.permissions.public.read breaking"],
    ],
    [
      "a new entity, whatever it grants",
      "  shop:\n",
      "  bin:\n    fields:\n      a: string\n    permissions: { public: { all: true } }\n  shop:\n",
      ["entity_added bin safe"],
    ],
    ["an entity less", "      shop_id: ref(shop)?\n", "", ["field_removed listing.shop_id destructive+breaking"]],
    [
      "another plural",
      "    fields:\n",
      "    plural: offers\n    fields:\n",
      ["entity_changed shop.relations.offers breaking", "entity_changed listing.plural breaking"],
    ],
    ["a role more", "  support:", "  seller:\n  support:", ["role_added roles.seller safe"]],
    [
      "a role inherits more",
      "inherits: user",
      "inherits: [user, admin]",
      ["role_changed roles.support loosens_access"],
    ],
    ["a role inherits less", "{ inherits: user }", "{}", ["role_changed roles.support breaking"]],
    ["a role less", "roles:\n  support: { inherits: user }\n", "", ["role_removed roles.support breaking"]],
    ["a module more", "[auth, roles]", "[auth, roles, audit_logs]", ["module_added modules.audit_logs safe"]],
    ["another project", "project: demo", "project: other", ["project_changed project breaking"]],
  ])("%s", (_, from, to, expected) => {
    if (expected === "invalid") expect(() => changes(from, to)).toThrow("draft");
    else expect(changes(from, to)).toEqual(expected);
  });

  test("a removed entity, and a removed module", () => {
    const less = base.replace("  shop:\n    name: string\n", "").replace("      shop_id: ref(shop)?\n", "");
    const found = diffModels(modelOf(base), modelOf(less)).map(
      (one) => `${one.kind} ${one.path} ${one.classes.join("+")}`,
    );
    expect(found).toEqual([
      "field_removed listing.shop_id destructive+breaking",
      "entity_removed shop destructive+breaking",
    ]);
    expect(diffModels(modelOf("project: a\nmodules: [auth]\n"), modelOf("project: a\n"))).toMatchObject([
      { kind: "module_removed", classes: ["breaking"] },
    ]);
  });
});

test("a first blueprint only has additions, without risks", () => {
  const found = diffModels(null, modelOf(base));
  expect(found.map((one) => `${one.kind} ${one.path}`)).toEqual([
    "module_added modules.auth",
    "module_added modules.roles",
    "role_added roles.support",
    "entity_added shop",
    "entity_added listing",
  ]);
  expect(found.every((one) => one.classes.join() === "safe")).toBe(true);
  expect(found[4]?.summary).toBe(
    "Add the entity `listing` with 7 fields: `public` can read where the rule allows; an `owner` can update where the rule allows.",
  );
});

test("a new entity lists its operations in order, and its transitions by name", () => {
  const text = `project: demo
modules: [auth, roles]
entities:
  post:
    fields:
      title: string
      state: enum[draft, live, gone] = draft
    transitions:
      state:
        initial: draft
        publish: { from: draft, to: live }
        retire: { from: [draft, live], to: gone }
    permissions:
      admin:
        "transition:retire": true
        read: true
        "transition:publish": true
        update: true
      user:
        "transition:publish": title == "a"
        read: true
`;
  const added = diffModels(null, modelOf(text)).find((one) => one.kind === "entity_added");
  expect(added?.summary).toContain(
    "an `admin` can read, update and take `publish` or `retire`; a `user` can read, and take `publish` where the rule allows.",
  );
});

test("summaries are readable sentences", () => {
  expect(summary("      title: string\n", field("brand: text?"))).toBe(
    "Add the optional field `brand` (text) to `listing`.",
  );
  expect(summary("read: status == active", "read: true")).toBe(
    'Let `public` read every `listing`, instead of a `listing` where `status == "active"`.',
  );
  expect(
    summary("update: seller_id == current_user.id", "update: seller_id == current_user.id && price > 1"),
  ).toContain(
    "Let `owner` update a `listing` where `seller_id == current_user.id && price > 1` before and after, instead of a `listing` where `seller_id == current_user.id` before and after",
  );
  expect(
    summary("update: seller_id == current_user.id", "update: seller_id == current_user.id && old.price > 1"),
  ).toContain(
    "where `old.seller_id == current_user.id && old.price > 1 && new.seller_id == current_user.id && old.price > 1`",
  );
  expect(summary("price: int = 1", "price: int = 2")).toBe(
    "`price` of `listing` now has the default `2`, instead of `1`.",
  );
  expect(summary("enum[draft, active]", "enum[draft, active, sold]")).toBe(
    "`status` of `listing` can now also be `sold`.",
  );
  expect(summary("inherits: user", "inherits: [user, admin]")).toBe("Holders of `support` now also hold `admin`.");
});

/** Variants of the base, to test laws on pairs of them. */
const variants: readonly (readonly [string, string])[] = [
  ["title: string", "title: text?"],
  ["price: int = 1", "price: int = 2"],
  ["      note: text?\n", ""],
  ["read: status == active", "read: true"],
  ["string unique", "string"],
  ["[auth, roles]", "[auth, roles, users]"],
  ["{ inherits: user }", "{ inherits: admin }"],
];
const variant = fc
  .subarray([...variants])
  .map((edits) => modelOf(edits.reduce((text, [from, to]) => text.replace(from, to), base)));

test("property: equal models have no change, and different ones have each change once", () => {
  fc.assert(
    fc.property(variant, variant, (before, after) => {
      expect(diffModels(before, before)).toEqual([]);
      const found = diffModels(before, after);
      expect(found.length === 0).toBe(JSON.stringify(before) === JSON.stringify(after));
      expect(new Set(found.map((one) => `${one.kind} ${one.path}`)).size).toBe(found.length);
      expect(diffModels(after, before).length === 0).toBe(found.length === 0);
    }),
    { numRuns: 50 },
  );
});

test("a rename to an existing name is reported as a drop", () => {
  const before = modelOf(base.replace("      title: string\n", "      title: string\n      heading: string?\n"));
  const onto = modelOf(base.replace("      title: string\n", "      title: string was(heading)\n"));
  const [field] = diffModels(before, onto);
  expect([field?.kind, field?.path]).toEqual(["field_removed", "listing.heading"]);
  expect(field?.summary).toContain(
    "`was(heading)` on `title` has no effect, because `title` already exists. To replace it by `heading`, remove `title` in an earlier change.",
  );
  const two = modelOf(base.replace("  listing:\n", "  offer:\n    name: string\n  listing:\n"));
  const [entity] = diffModels(two, modelOf(base.replace("  listing:\n", "  listing:\n    was: offer\n")));
  expect([entity?.kind, entity?.path]).toEqual(["entity_removed", "offer"]);
  expect(entity?.summary).toContain("`was: offer` on `listing` has no effect, because `listing` already exists");
});

test("a required new field names the ways to give records a value", () => {
  const added = modelOf(base.replace("      title: string\n", "      title: string\n      size: int\n"));
  expect(diffModels(modelOf(base), added)[0]?.summary).toContain("no value for it: add `fill`");
  const needed = modelOf(base.replace("note: text?", 'note: text = ""'));
  expect(diffModels(modelOf(base), needed)[0]?.summary).toContain("without a value, unless `fill` gives them one");
});
