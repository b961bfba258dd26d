// Entities in the model: each option, relation, constraint and seed row appears in it.
import { printExpression } from "@plinth/expression";
import { describe, expect, test } from "vitest";
import { moduleNames } from "../modules.ts";
import { type Checked, check, entities, entity, listing } from "../testing/sample-entities.ts";

const of = (options: string, field = "it: string?"): Checked => entity(listing(field, options), "listing");
const codesOf = (options: string, field = "it: string?"): readonly string[] => check(listing(field, options)).codes;
const names = (one: Checked): string[] => one.fields.map((field) => field.name);

describe("options", () => {
  test("no options", () => {
    expect(of("")).toMatchObject({
      plural: "listings",
      was: null,
      uniques: [],
      indexes: [],
      checks: [],
      relations: [],
      orgField: null,
      softDelete: false,
      retentionDays: null,
      seed: [],
      audit: "writes",
      realtime: false,
      label: null,
      help: null,
    });
    expect(names(of(""))).toEqual("id title price sold_at it created_by created_at updated_at version".split(" "));
  });

  test.each([
    ["    plural: all_listings\n", { plural: "all_listings" }],
    ["    was: offer\n", { was: "offer" }],
    ["    unique: [title, price]\n", { uniques: [["title", "price"]] }],
    ["    index: [price, title]\n", { indexes: [["price", "title"]] }],
    ["    index: [[price], [title, price]]\n", { indexes: [["price"], ["title", "price"]] }],
    ["    retention: 90d\n", { retentionDays: 90 }],
    ["    retention: 2w\n", { retentionDays: 14 }],
    ["    audit: all\n", { audit: "all" }],
    ["    audit: writes\n", { audit: "writes" }],
    ["    label: Listing\n", { label: "Listing" }],
    ["    help: Something for sale.\n", { help: "Something for sale." }],
    ["    soft_delete: true\n", { softDelete: true }],
    ["    org_scoped: true\n", { orgField: "org_id" }],
  ])("%s", (option, shows) => expect(of(option)).toMatchObject(shows));

  test("realtime is parsed", () => {
    const { entities: all, codes } = check(listing("it: string?", "    realtime: true\n"));
    expect([all[0]?.realtime, codes]).toEqual([true, []]);
  });

  test("index and unique of a field", () => {
    expect(of("", "it: string? index").indexes).toEqual([["it"]]);
    expect(of("", "it: string? unique").uniques).toEqual([["it"]]);
    expect(of("", "it: string? unique(title) unique(price)").uniques).toEqual([
      ["it", "title"],
      ["it", "price"],
    ]);
    expect(of("", "it: { type: string?, index: true, unique: [[title], [price]] }")).toMatchObject({
      uniques: [
        ["it", "title"],
        ["it", "price"],
      ],
      indexes: [["it"]],
    });
  });

  test("soft delete adds the time of deletion", () => {
    const { fields } = of("    soft_delete: true\n");
    expect(fields.at(-2)).toMatchObject({
      name: "deleted_at",
      type: { kind: "datetime" },
      optional: true,
      writer: "service",
      declared: false,
    });
    expect(codesOf("    soft_delete: true\n", "deleted_at: datetime?")).toEqual(["reserved_name"]);
    expect(codesOf("", "deleted_at: datetime?")).toEqual([]);
  });

  test("org_scoped adds the organization's id", () => {
    const { fields } = of("    org_scoped: true\n");
    expect(fields[1]).toMatchObject({
      name: "org_id",
      type: { kind: "org_ref", onDelete: "restrict" },
      default: { kind: "current_org" },
      immutable: true,
      writer: "caller",
      declared: false,
    });
    const own = of("    org_scoped: true\n", "org_id: org_ref = current_org");
    expect(names(own).filter((name) => name === "org_id")).toHaveLength(1);
    expect(own.fields.find((field) => field.name === "org_id")).toMatchObject({ declared: true, immutable: true });
    expect(codesOf("    org_scoped: true\n", "org_id: uuid")).toEqual(["invalid_field"]);
    expect(codesOf("    org_scoped: true\n", "org_id: org_ref?")).toEqual(["invalid_field"]);
    expect(codesOf("    org_scoped: true\n", "org: string")).toEqual(["relation_collision"]);
    const listed = moduleNames.filter((one) => one !== "organizations");
    expect(check(listing("it: int", "    org_scoped: true\n"), listed).codes).toEqual(["module_missing"]);
  });

  test("unique within an organization", () => {
    expect(of("    org_scoped: true\n", "it: string unique(org)").uniques).toEqual([["it", "org_id"]]);
    expect(of("    unique: [title, org]\n", "it: org_ref").uniques).toEqual([["title", "it"]]);
  });

  test("checks over a record", () => {
    const { checks } = of("    checks:\n      paid: price > 0\n      sold: sold_at == null || sold_at > created_at\n");
    expect(checks.map((one) => `${one.name}: ${printExpression(one.condition)}`)).toEqual([
      "paid: price > 0",
      "sold: sold_at == null || sold_at > created_at",
    ]);
  });

  test.each([
    ["    plural: Listings\n", "invalid_name"],
    ["    plural: users\n", "reserved_name"],
    ["    was: listing\n", "misplaced_modifier"],
    ["    was: seller\n", "misplaced_modifier"],
    ["    was: Offer\n", "invalid_name"],
    ["    unique: [title, titel]\n", "unknown_field"],
    ["    unique: [title, title]\n", "duplicate_value"],
    ["    unique: title\n", "wrong_kind"],
    ["    unique: [[title], [title]]\n", "duplicate_value"],
    ["    unique: [[title, price], [price, title]]\n", "duplicate_value"],
    ["    index: [[title], [title]]\n", "duplicate_value"],
    ["    index: [title, org]\n", "misplaced_modifier"],
    ["    retention: 90\n", "invalid_option"],
    ["    retention: 0d\n", "invalid_option"],
    ["    retention: 3 months\n", "invalid_option"],
    ["    audit: none\n", "invalid_option"],
    ['    label: "a\\0"\n', "invalid_option"],
    [`    help: ${"a".repeat(2_001)}\n`, "invalid_option"],
    ["    soft_delete: yes\n", "wrong_kind"],
    ["    org_scoped: 1\n", "wrong_kind"],
    ["    softdelete: true\n", "unknown_key"],
    ["    checks: [price > 0]\n", "wrong_kind"],
    ["    checks: { Paid: price > 0 }\n", "invalid_name"],
    ["    checks: { paid: true }\n", "invalid_rule"],
    ["    checks: { paid: price }\n", "not_a_condition"],
    ["    checks: { paid: prize > 0 }\n", "unknown_name"],
    ["    checks: { paid: 1 > 0 }\n", "constant_check"],
    ["    checks:\n      paid: price > 0 # and more\n", "yaml_comment_in_rule"],
    ["    checks: { mine: created_by == current_user.id }\n", "name_not_available"],
    ["    checks: { past: sold_at < now }\n", "name_not_available"],
  ])("refuses %s as %s", (option, code) => expect(codesOf(option)).toEqual([code]));
});

describe("relations", () => {
  const relations = (lines: string, name: string): string[] =>
    entity(lines, name).relations.map((one) => `${one.name}: ${one.entity} ${one.by.kind} ${one.by.field}`);

  test("a reference has a back relation", () => {
    const lines = "shop:\n  name: string\nitem:\n  shop_id: ref(shop)\n";
    expect(relations(lines, "shop")).toEqual(["items: item referrer shop_id"]);
    expect(relations(lines, "item")).toEqual([]);
  });

  test.each([["shop_id: ref(shop) as(goods)"], ["shop_id: { type: ref(shop), as: goods }"]])(
    "%s names the back relation",
    (field) => {
      expect(relations(`shop:\n  name: string\nitem:\n  ${field}\n`, "shop")).toEqual(["goods: item referrer shop_id"]);
    },
  );

  test("many to many, in both directions", () => {
    const lines = "tag:\n  name: string\npost:\n  tags: refs(tag)\n  hidden: refs(tag) as(hiding_posts)\n";
    expect(relations(lines, "post")).toEqual(["hidden: tag refs hidden", "tags: tag refs tags"]);
    expect(relations(lines, "tag")).toEqual([
      "hiding_posts: post refs_inverse hidden",
      "posts: post refs_inverse tags",
    ]);
  });

  test("to itself", () => {
    const lines = "page:\n  parent_id: ref(page)? as(children)\n  related: refs(page)\n";
    expect(relations(lines, "page")).toEqual([
      "children: page referrer parent_id",
      "pages: page refs_inverse related",
      "related: page refs related",
    ]);
  });

  test.each([
    [
      "account:\n  name: string\nletter:\n  from_id: ref(account)\n  to_id: ref(account)\n",
      /`letter\.to_id`.*`letters`.*`letter\.from_id`/,
    ],
    [
      "account:\n  letters: int\nletter:\n  from_id: ref(account)\n",
      /`letter\.from_id`.*`letters`.*the field `letters`/,
    ],
    [
      "account:\n  letters_id: ref(account)? as(others)\nletter:\n  from_id: ref(account)\n",
      /the relation behind `letters_id`/,
    ],
    ["tag:\n  posts: refs(tag) as(x)\npost:\n  tags: refs(tag)\n", /the field `posts`/],
    ["a:\n  x: ref(b) as(c_list)\nb:\n  y: int\nc:\n  z: ref(b) as(c_list)\n", /`c\.z`.*`a\.x`/],
  ])("a collision names both relations: %s", (lines, message) => {
    const { codes, found } = check(lines);
    expect(codes).toEqual(["relation_collision"]);
    expect(found[0]).toMatch(message);
  });

  test("a name that rules reserve", () => {
    expect(check("a:\n  b_id: ref(a)? as(record)\n").codes).toEqual(["reserved_name"]);
    expect(check("a:\n  b_id: ref(a)? as(Record)\n").codes).toEqual(["invalid_name"]);
  });

  test("a join table's name has a maximum length", () => {
    const long = `a${"b".repeat(40)}`;
    expect(check(`${long}:\n  ${"c".repeat(30)}: refs(${long})\n`).codes).toEqual(["invalid_name"]);
  });
});

describe("seed", () => {
  const rows = (lines: string): readonly unknown[] => entities(lines)[0]?.seed ?? [];

  test("rows as they are in JSON", () => {
    const fields = "name: string, size: decimal(4,1)?, day: date?, on_sale: bool = false";
    const lines = `a:\n  fields: { ${fields.replace("decimal(4,1)?", '"decimal(4,1)?"')} }\n  seed:\n    - { name: One, size: 1.5 }\n    - { name: "2", size: null, day: 2026-01-31, on_sale: true }\n`;
    expect(rows(lines)).toEqual([
      { name: "One", size: "1.5" },
      { name: "2", size: null, day: "2026-01-31", on_sale: true },
    ]);
  });

  const tree = "a:\n  fields: { name: string, parent_id: ref(a)? as(children) }\n  seed:\n";
  test("rows refer to each other by name", () => {
    const [root, leaf] = rows(`${tree}    root: { name: Root }\n    leaf: { name: Leaf, parent_id: root }\n`) as Record<
      string,
      unknown
    >[];
    expect(root?.["id"]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(leaf).toEqual({ id: leaf?.["id"], name: "Leaf", parent_id: root?.["id"] });
    expect(leaf?.["id"]).not.toBe(root?.["id"]);
  });

  test("references to rows of another entity work in any order", () => {
    const lines =
      "a:\n  fields: { b_id: ref(b) }\n  seed: [{ b_id: first }]\nb:\n  fields: { name: string }\n  seed: { first: { name: x } }\n";
    const [a, b] = entities(lines);
    expect(a?.seed[0]?.["b_id"]).toBe(b?.seed[0]?.["id"]);
  });

  const one = (fields: string, row: string): readonly string[] =>
    check(`a:\n  fields:\n    name: string\n${fields.replace(/^(?=.)/gm, "    ")}\n  seed:\n    - ${row}\n`).codes;

  test.each([
    ["", "{}", "invalid_seed"],
    ["", "{ name: 5 }", "invalid_seed"],
    ["", "{ name: null }", "invalid_seed"],
    ["", "{ nam: x, name: y }", "unknown_field"],
    ["", "{ name: x, id: 1 }", "invalid_seed"],
    ["", "{ name: x, created_at: now }", "invalid_seed"],
    ["", "x", "wrong_kind"],
    ["n: int", "{ name: x, n: many }", "invalid_seed"],
    ["s: secret?", "{ name: x, s: y }", "invalid_seed"],
    ["n: sequence", "{ name: x }", "not_supported_yet"],
    ["s: slug(name)", "{ name: x }", "invalid_seed"],
    ["c: computed(name)", "{ name: x, c: y }", "invalid_seed"],
    ["t: refs(a)", "{ name: x, t: [] }", "not_supported_yet"],
    ["u: user_ref", "{ name: x }", "invalid_seed"],
    ["r: ref(a)? as(rs)", "{ name: x, r: nobody }", "invalid_seed"],
    ["n: int was(n)", "{ name: x, n: many }", "misplaced_modifier"],
  ])("refuses with %s: %s as %s", (fields, row, code) => expect(one(fields, row)).toEqual([code]));

  test.each([
    [`${tree}    leaf: { name: Leaf, parent_id: root }\n    root: { name: Root }\n`],
    ["a:\n  fields: { name: string unique }\n  seed: [{ name: x }, { name: x }]\n"],
    ["a:\n  fields: { n: int }\n  checks: { big: n > 3 }\n  seed: [{ n: 3 }]\n"],
    ["a:\n  fields: { name: string }\n  org_scoped: true\n  seed: [{ name: x }]\n"],
  ])("refuses %s", (lines) => expect(check(lines).codes).toEqual(["invalid_seed"]));

  test("circular references between entities", () => {
    const lines =
      "a:\n  fields: { b_id: ref(b)? }\n  seed: { x: { b_id: y } }\nb:\n  fields: { a_id: ref(a) }\n  seed: { y: { a_id: x } }\n";
    expect(check(lines).codes).toEqual(["invalid_seed", "invalid_seed"]);
  });
});

describe("names", () => {
  const named = (name: string): readonly string[] => check(`${name}:\n  fields:\n    title: string\n`).codes;
  const fieldNamed = (name: string): readonly string[] => check(`a:\n  ${name}: string\n  t: string\n`).codes;

  test.each([["__proto__"], ["toString"], ["hasOwnProperty"], ["constructor"], ["valueOf"]])(
    "%s has no target",
    (name) => {
      expect([named(name), fieldNamed(name)]).toEqual([["reserved_name"], ["reserved_name"]]);
    },
  );
  test.each([["user"], ["organization"], ["membership"], ["pg_class"]])("%s is reserved", (name) =>
    expect(named(name)).toEqual(["reserved_name"]),
  );
  test.each([["pr\u0456ce"], ["n\u0430me"], ["\uff4eame"], ["na\u200dme"], ["na\u00adme"]])(
    "%s is misleading",
    (name) => {
      expect([named(name), fieldNamed(name)]).toEqual([["lookalike_name"], ["lookalike_name"]]);
    },
  );
  test.each([["größe"], ["名"], ["Name"], ["a__b"], ["_a"], ["a_"], ["1a"], ["a-b"]])(
    "%s is not a valid name",
    (name) => expect(fieldNamed(name)).toEqual(["invalid_name"]),
  );
  test("maximum lengths", () => {
    expect(named("a".repeat(48))).toEqual([]);
    expect(named("a".repeat(49))).toEqual(["invalid_name"]);
    expect(fieldNamed("a".repeat(58))).toEqual([]);
    expect(fieldNamed("a".repeat(59))).toEqual(["invalid_name"]);
  });
  test("equal plurals", () => {
    expect(check("person:\n  a: int\nhuman:\n  plural: people\n  fields: { a: int }\n").codes).toEqual([
      "plural_collision",
    ]);
    expect(check("person:\n  a: int\npeople:\n  plural: crowd\n  fields: { a: int }\n").codes).toEqual([
      "plural_collision",
    ]);
  });
  test("`was` can't name an existing entity, or the same one twice", () => {
    expect(check("a:\n  fields: { x: int }\n  was: c\nb:\n  fields: { x: int }\n  was: c\n").codes).toEqual([
      "misplaced_modifier",
    ]);
  });
});
