// Valid blueprints, and their form in the model.
import { readFileSync } from "node:fs";
import { printExpression } from "@plinth/expression";
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "./check-blueprint.ts";
import type { Entity, Model } from "./model/model.ts";
import { defaultText, fieldText } from "./model/notation.ts";

function modelOf(text: string): Model {
  const { model, diagnostics } = checkBlueprint(text);
  if (model === null) throw new Error(JSON.stringify(diagnostics, null, 1));
  return model;
}

function entityOf(text: string, name = "listing"): Entity {
  const entity = modelOf(text).entities.find((one) => one.name === name);
  if (entity === undefined) throw new Error(`no entity ${name}`);
  return entity;
}

function example(name: string): string {
  return readFileSync(new URL(`../../../docs/examples/${name}.yaml`, import.meta.url), "utf8");
}

const fieldsOf = (entity: Entity): string[] => entity.fields.map((field) => `${field.name}: ${fieldText(field)}`);
const rulesOf = (entity: Entity): string[] =>
  entity.permissions.map((one) => `${one.operation} ${one.role}: ${printExpression(one.rule)}`);
/** Most snippets below are incomplete and have no permissions. */
const codesOf = (text: string): string[] =>
  checkBlueprint(text).diagnostics.flatMap(({ code }) => (code === "entity_unused" ? [] : [code]));

describe("the examples", () => {
  test("market-square", () => {
    expect(codesOf(example("market-square"))).toEqual([]);
    const model = modelOf(example("market-square"));
    expect(model.modules).toEqual(["auth", "users", "roles", "webhooks", "audit_logs"]);
    expect(rulesOf(entityOf(example("market-square")))).toEqual([
      "create admin: true",
      "create owner: true",
      "delete admin: true",
      "delete owner: created_by == current_user.id",
      "read admin: true",
      "read owner: created_by == current_user.id",
      'read public: status == "active"',
      "update admin: true",
      "update owner: old.created_by == current_user.id && new.created_by == current_user.id",
    ]);
    expect(rulesOf(entityOf(example("market-square"), "inquiry"))).toContain(
      "read owner: listing_id.created_by == current_user.id",
    );
    expect(model.entities.map((entity) => entity.plural)).toEqual(["listings", "inquiries"]);
  });

  test("parcel-desk: unavailable parts are warnings, and the file field is left out", () => {
    expect(codesOf(example("parcel-desk"))).toEqual(["module_not_served", "field_not_served"]);
    const { fields } = entityOf(example("parcel-desk"), "shipment");
    expect(fields.filter((field) => field.declared).map((field) => `${field.name}: ${fieldText(field)}`)).toEqual([
      "carrier: enum[ups, usps, fedex, dhl]",
      'status: enum[draft, purchased, in_transit, delivered] = "draft"',
      "tracking_number: string?",
      "user_id: user_ref = current_user.id",
    ]);
    expect(entityOf(example("parcel-desk"), "subscription").uniques).toEqual([["payment_ref"]]);
  });
});

const head = "project: demo\nmodules: [auth, users, roles, audit_logs]\n";

/** A listing with these fields, in the short form of an entity. */
function withFields(...lines: string[]): string {
  return `${head}entities:\n  listing:\n${lines.map((line) => `    ${line}\n`).join("")}`;
}

describe("fields", () => {
  test("of every type, in the short form of an entity", () => {
    const entity = entityOf(
      withFields(
        "a: string",
        "b: string?",
        "c: text",
        "d: int = -4",
        "e: bool = true",
        "f: datetime = now",
        "g: email",
        "h: uuid?",
        "i: ref(listing)?",
        "j: user_ref",
        "k: enum[x, y] = y",
        'l: string = "a b"',
        "m: 'datetime = \"2026-01-31T00:00:00Z\"'",
      ),
    );
    expect(fieldsOf(entity).slice(1, 14)).toEqual([
      "a: string",
      "b: string?",
      "c: text",
      "d: int = -4",
      "e: bool = true",
      "f: datetime = now",
      "g: email",
      "h: uuid?",
      "i: ref(listing)?",
      "j: user_ref",
      'k: enum[x, y] = "y"',
      'l: string = "a b"',
      'm: datetime = "2026-01-31T00:00:00Z"',
    ]);
    expect(entity.fields.every((field) => field.declared === (field.name.length === 1))).toBe(true);
  });

  test("have the same meaning in the long and in the short form", () => {
    const long = withFields(
      "a: { type: string, optional: true, unique: true, default: hello }",
      "b: { type: user_ref, default: current_user.id }",
      "c: { type: int, default: 3, unique: [a, b] }",
      "d: { type: string, max: 1000 }",
    );
    const short = withFields(
      'a: string? unique = "hello"',
      "b: user_ref = current_user.id",
      "c: int unique(a, b) = 3",
      "d: string",
    );
    expect(entityOf(long).uniques).toEqual(entityOf(short).uniques);
    expect(fieldsOf(entityOf(long)).slice(1, 4)).toEqual(fieldsOf(entityOf(short)).slice(1, 4));
    expect(entityOf(long).fields[4]?.limits.max).toBe("1000");
    expect(entityOf(short).fields[4]?.limits.max).toBe("255");
  });

  test("a long form in a field named `fields` differs from an entity whose `fields` is a text", () => {
    expect(fieldsOf(entityOf(`${head}entities:\n  listing:\n    note: string\n    body: text\n`))[2]).toBe(
      "body: text",
    );
    expect(codesOf(`${head}entities:\n  listing:\n    fields: string\n`)).toEqual(["reserved_name"]);
  });

  test("declared times and creator replace the implicit ones", () => {
    const entity = entityOf(withFields("created_by: user_ref? = current_user.id", "created_at: datetime"));
    expect(entity.fields.map((field) => field.name)).toEqual([
      "id",
      "created_by",
      "created_at",
      "updated_at",
      "version",
    ]);
    expect(entity.fields[1]).toMatchObject({ writer: "caller", declared: true, default: { kind: "current_user_id" } });
    expect(entity.fields[3]).toMatchObject({ writer: "service", declared: false });
  });

  test("declared times are only written by the service", () => {
    const own = { writer: "service", optional: false, default: { kind: "now" }, type: { kind: "datetime" } };
    for (const text of ["datetime", "datetime = now", "datetime readonly", "datetime index", "datetime was(made_at)"]) {
      const entity = entityOf(withFields(`created_at: ${text}`, `updated_at: ${text.replace("made_at", "moved_at")}`));
      expect(entity.fields.slice(1, 3), text).toEqual([
        expect.objectContaining({ ...own, name: "created_at", declared: true }),
        expect.objectContaining({ ...own, name: "updated_at", declared: true }),
      ]);
      expect(entity.fields.filter((field) => field.name.endsWith("ted_at"))).toHaveLength(2);
    }
    for (const text of ["date", "string", "datetime?", 'datetime = "2020-01-01T00:00:00Z"', "datetime immutable"]) {
      expect(codesOf(withFields(`updated_at: ${text}`)), text).toEqual(["service_field"]);
    }
  });

  test("unique constraints of fields and of the entity", () => {
    const text = `${head}entities:\n  listing:\n    unique: [[a, b], [c]]\n    fields:\n      a: string unique\n      b: string unique(c)\n      c: int\n`;
    expect(entityOf(text).uniques).toEqual([["a"], ["b", "c"], ["a", "b"], ["c"]]);
    expect(entityOf(text.replace("[[a, b], [c]]", "[a, c]")).uniques).toEqual([["a"], ["b", "c"], ["a", "c"]]);
    expect(codesOf(text.replace("[[a, b], [c]]", "[c, b]"))).toEqual(["duplicate_value"]);
  });

  test.each([
    ["int = 2147483648"],
    ["int = 1.5"],
    ['int = "1"'],
    ["bool = 1"],
    ["string = hello"],
    ["text = current_user.id"],
    ["email = 'nobody'"],
    ["datetime = today"],
    ["datetime = '2026-02-30T00:00:00Z'"],
    ["uuid = 1"],
    ["user_ref = current_user.email"],
    ["ref(listing)? = x"],
    ["enum[a, b] = c"],
  ])("refuse the default of `%s`", (notation) => {
    expect(codesOf(withFields(`a: ${notation}`))).toEqual(["invalid_default"]);
  });

  test.each([
    ["", "wrong_kind"],

    ["enum[a", "invalid_field"],
    ["enum[a b]", "invalid_enum"],
    ["string?? ", "invalid_field"],
    ["string = a b", "invalid_field"],
    ["enum[]", "invalid_enum"],
    ["enum[a-b]", "invalid_name"],
    ["int(4)", "invalid_field"],
    ["ref()", "invalid_field"],
    ["ref(user)", "unknown_entity"],
    ["[string]", "wrong_kind"],
  ])("refuse `%s` as %s", (notation, code) =>
    expect(codesOf(withFields("t: string", `a: ${notation}`))).toEqual([code]),
  );
});

describe("permissions", () => {
  const withPermissions = (inEntity: string, top = "", roles = ""): string =>
    `${head}${roles}entities:\n  listing:\n    fields:\n      title: string\n      open: bool\n      seller_id: user_ref\n${inEntity}${top}`;

  test("mean the same in the entity and at the top level", () => {
    const inside = withPermissions("    permissions:\n      public:\n        read: open\n");
    const outside = withPermissions("", "permissions:\n  listing:\n    public:\n      read: open\n");
    expect(rulesOf(entityOf(inside))).toEqual(["read public: open"]);
    expect(rulesOf(entityOf(outside))).toEqual(["read public: open"]);
  });

  test("can be in both places for different roles of one entity", () => {
    const both = withPermissions(
      "    permissions:\n      public: { read: open }\n",
      "permissions:\n  listing:\n    user: { read: true }\n",
    );
    expect(rulesOf(entityOf(both))).toEqual(["read public: open", "read user: true"]);
  });

  test("`all` covers operations without a rule; `false` denies", () => {
    const text = withPermissions(
      "    permissions:\n      user:\n        all: seller_id == current_user.id\n        delete: false\n        read: true\n",
    );
    expect(rulesOf(entityOf(text))).toEqual([
      "create user: new.seller_id == current_user.id",
      "read user: true",
      "update user: old.seller_id == current_user.id && new.seller_id == current_user.id",
    ]);
  });

  test("a list grants if any of its rules does", () => {
    const text = withPermissions(
      "    permissions:\n      user:\n        read:\n          - open\n          - seller_id == current_user.id\n        update: [false]\n",
    );
    expect(rulesOf(entityOf(text))).toEqual(["read user: open || seller_id == current_user.id"]);
  });

  test("a block scalar can contain text that plain YAML can't", () => {
    const text = withPermissions(
      "    permissions:\n      user:\n        read: |\n          !open\n          && title != 'a: b # c'\n",
    );
    expect(rulesOf(entityOf(text))).toEqual(['read user: !open && title != "a: b # c"']);
  });

  test("problems have their position in blocks, quotes and folded text", () => {
    const at = (rule: string): string => {
      const found = checkBlueprint(
        withPermissions(`    permissions:\n      user:\n        read: ${rule}\n`),
      ).diagnostics;
      return found
        .map(
          (one) =>
            `${one.code} ${one.span.start.line}:${one.span.start.column}-${one.span.end.line}:${one.span.end.column}`,
        )
        .join();
    };
    expect(at("open && opem")).toBe("unknown_name 11:23-11:27");
    expect(at("'open && opem'")).toBe("unknown_name 11:24-11:28");
    expect(at("|\n          open\n          && opem")).toBe("unknown_name 13:14-13:18");
    expect(at("open\n          && opem")).toBe("unknown_name 12:14-12:18");
    expect(at('"open && title == \\"x\\" && opem"')).toBe("unknown_name 11:42-11:46");
  });

  test("owner needs a rule about the user, except for create and deny", () => {
    const owner = (line: string): string[] =>
      codesOf(withPermissions(`    permissions:\n      owner:\n        ${line}\n`));
    expect(owner("create: true")).toEqual([]);
    expect(owner("read: false")).toEqual([]);
    expect(owner("read: seller_id == current_user.id")).toEqual([]);
    expect(owner("read: open")).toEqual(["owner_without_user"]);
    expect(owner("all: true")).toEqual(["owner_without_user"]);
    expect(owner("update: [open, seller_id == current_user.id]")).toEqual([]);
  });

  test("declared roles inherit transitively", () => {
    const roles = "roles:\n  support: { inherits: user }\n  lead: { inherits: [support] }\n  guest:\n";
    const model = modelOf(withPermissions("    permissions:\n      lead: { read: true }\n", "", roles));
    expect(model.roles.map((role) => `${role.name} ${role.inherits.join("+")}`)).toEqual([
      "public ",
      "user ",
      "owner ",
      "admin ",
      "support user",
      "lead support+user",
      "guest ",
    ]);
    expect(codesOf(withPermissions("", "", "roles:\n  a: { inherits: b }\n  b: { inherits: a }\n"))).toEqual([
      "role_cycle",
      "role_cycle",
    ]);
  });

  test("invalid rules", () => {
    const rule = (line: string): string[] =>
      codesOf(withPermissions(`    permissions:\n      user:\n        ${line}\n`));
    expect(rule("restore: true")).toEqual(["restore_without_soft_delete"]);
    expect(rule('"transition:close": true')).toEqual(["unknown_transition"]);
    expect(rule("read: 3")).toEqual(["not_a_condition"]);
    expect(rule("read:")).toEqual(["invalid_rule"]);
  });
});

describe("names", () => {
  const named = (name: string, plural = ""): string[] =>
    codesOf(`${head}entities:\n  ${name}:\n${plural}    fields:\n      title: string\n`);

  test("plurals are derived from the last word, or given", () => {
    const entity = (name: string): string => entityOf(`${head}entities:\n  ${name}:\n    title: string\n`, name).plural;
    expect(entity("shop_category")).toBe("shop_categories");
    expect(entity("person")).toBe("people");
    expect(named("news_item")).toEqual([]);
    expect(named("address")).toEqual([]);
    expect(named("status")).toEqual([]);
    expect(named("teams")).toEqual(["entity_not_singular"]);
    expect(named("teams", "    plural: all_teams\n")).toEqual([]);
  });

  test.each([["user"], ["session"], ["constructor"], ["pg_thing"]])("the entity `%s` is reserved", (name) =>
    expect(named(name)).toEqual(["reserved_name"]),
  );
  test.each([["order"], ["group"], ["team"], ["event"], ["table"]])(
    "the entity `%s` is allowed, whatever SQL says",
    (name) => expect(named(name)).toEqual([]),
  );
  test.each([["id"], ["limit"], ["old"], ["current_user"], ["ctid"], ["constructor"]])(
    "the field `%s` is reserved",
    (name) => expect(codesOf(withFields(`${name}: string`, "t: string"))).toEqual(["reserved_name"]),
  );
  test.each([["on"], ["No"], ["off"]])("`%s` is a misleading name", (name) =>
    expect(codesOf(withFields(`${name}: string`, "t: string"))).toEqual(["yaml_word"]),
  );
  test.each([["package"], ["select"], ["from"], ["order"], ["type"]])("the field `%s` is allowed", (name) =>
    expect(codesOf(withFields(`${name}: string`))).toEqual([]),
  );

  test("an entity can't have the plural of another as its name", () => {
    expect(
      codesOf(`${head}entities:\n  datum:\n    plural: listing\n    fields: { a: string }\n  listing: { a: string }\n`),
    ).toEqual(["plural_collision"]);
  });
});

test("the order of modules and a comment change nothing in the model", () => {
  const text = `${head}entities:\n  listing:\n    title: string\n`;
  expect(modelOf(text.replace("[auth, users, roles, audit_logs]", "[audit_logs, roles, users, auth] # all"))).toEqual(
    modelOf(text),
  );
});

test("the default of a field equals its notation in the model", () => {
  expect(defaultText({ kind: "literal", value: 'a "b"' })).toBe('"a \\"b\\""');
});

test.each([
  ["{ price: decimal(10,2), title: string }", ["yaml_flow_split 4:21"]],
  ["{ a: string, b: string, c: string unique(a, b), d: int }", ["yaml_flow_split 4:39"]],
  ["{ a: string unique(a, b, c), kind: enum[x, y] }", ["yaml_flow_split 4:17", "yaml_flow_split 4:47"]],
  ['{ a: "string unique(b)", b: enum_set }', ["invalid_enum 4:40"]],
])("commas split an unquoted call in braces: %s", (fields, expected) => {
  const { diagnostics } = checkBlueprint(`${head}entities:\n  listing: ${fields}\n`);
  expect(diagnostics.map(({ code, span }) => `${code} ${span.start.line}:${span.start.column}`)).toEqual(expected);
});

test("commas split a list in an unquoted rule in brackets", () => {
  const text = `${head}entities:\n  listing:\n    fields: { a: int }\n    permissions:\n      public:\n        read: [a in [1, 2], a == 3]\n`;
  expect(codesOf(text)).toEqual(["yaml_flow_split"]);
  expect(codesOf(text.replace("a in [1, 2]", '"a in [1, 2]"'))).toEqual([]);
});
