// Permissions in every form: their form in the model, and their mistakes.
import { printExpression } from "@plinth/expression";
import { describe, expect, test } from "vitest";
import { type CheckedBlueprint, checkBlueprint } from "../../check-blueprint.ts";
import type { Entity, Model, Permission } from "../../model/model.ts";

const head = "project: demo\nmodules: [auth, users, roles, organizations, audit_logs]\n";

function blueprint(permissions: string, { options = "", top = "" } = {}): string {
  const fields = [
    "title: string",
    "price: int?",
    "status: enum[draft, active] = draft",
    "locked: bool = false",
    "code: string? immutable",
    "secret_note: text? internal",
    "shop_id: ref(shop)?",
  ];
  const lines = (text: string, by: number): string => text.replace(/^(?=.)/gm, " ".repeat(by));
  return [
    `${head}entities:\n  listing:\n    fields:\n${lines(fields.join("\n"), 6)}\n`,
    options === "" ? "" : `${lines(options, 4)}\n`,
    `    permissions:\n${lines(permissions, 6)}\n`,
    "  shop:\n    fields:\n      name: string\n    permissions:\n      user: { read: created_by == current_user.id }\n",
    top,
  ].join("");
}

const codes = ({ diagnostics }: CheckedBlueprint): string[] => diagnostics.map((one) => one.code);
const codesOf = (text: string): string[] => codes(checkBlueprint(text));

function modelOf(text: string): Model {
  const { model, diagnostics } = checkBlueprint(text);
  if (model === null) throw new Error(JSON.stringify(diagnostics, null, 1));
  return model;
}

function listingOf(text: string): Entity {
  const entity = modelOf(text).entities.find((one) => one.name === "listing");
  if (entity === undefined) throw new Error("no listing");
  return entity;
}

function permissionOf(text: string, operation: string, role = "user"): Permission {
  const found = listingOf(text).permissions.find((one) => one.operation === operation && one.role === role);
  if (found === undefined) throw new Error(`no ${operation} of ${role}`);
  return found;
}

const ruleOf = (text: string, operation = "read", role = "user"): string =>
  printExpression(permissionOf(text, operation, role).rule);

describe("the long form", () => {
  test("`deny` removes records that `allow` grants", () => {
    expect(ruleOf(blueprint("user:\n  read: { allow: status == active, deny: locked }"))).toBe(
      'status == "active" && !locked',
    );
    expect(ruleOf(blueprint("user:\n  read: { allow: true, deny: locked }"))).toBe("!locked");
  });

  test("in an update, `deny` of the old or of the new row is enough", () => {
    const rule = ruleOf(blueprint("user:\n  update: { allow: true, deny: locked }"), "update");
    expect(rule).toBe("!old.locked && !new.locked");
  });

  test("`fields`, `set` and `limit` are in the model", () => {
    const text = blueprint(
      [
        "user:",
        "  read: { allow: true, fields: [title, price], limit: 20 }",
        "  create: { allow: true, fields: [title], set: { status: draft, price: 5, created_by: current_user.id } }",
        "  update: { allow: true, set: { title: old.title } }",
      ].join("\n"),
    );
    expect(permissionOf(text, "read")).toMatchObject({ fields: ["title", "price"], set: [], limit: 20 });
    const create = permissionOf(text, "create");
    expect(create.fields).toEqual(["title"]);
    expect(create.limit).toBeNull();
    expect(create.set.map(({ field, value }) => `${field} = ${printExpression(value)}`)).toEqual([
      'status = "draft"',
      "price = 5",
      "created_by = current_user.id",
    ]);
    expect(permissionOf(text, "update").set.map(({ value }) => printExpression(value))).toEqual(["old.title"]);
  });

  test("each option of `all` applies to the operations that support it", () => {
    const text = blueprint("user:\n  all: { allow: true, fields: [id, title, created_at], limit: 5 }");
    expect(permissionOf(text, "read")).toMatchObject({ fields: ["id", "title", "created_at"], limit: 5 });
    expect(permissionOf(text, "create")).toMatchObject({ fields: ["title"], limit: null });
    expect(permissionOf(text, "delete")).toMatchObject({ fields: null, limit: null });
  });

  test.each([
    ["read: { deny: locked }", ["missing_key"]],
    ["read: { allow: true, deny: [] }", ["invalid_rule"]],
    ["read: { allow: true, fields: [titel] }", ["unknown_field"]],
    ["read: { allow: true, fields: [title, title] }", ["duplicate_value"]],
    ["read: { allow: true, fields: [] }", ["invalid_rule"]],
    ["read: { allow: true, fields: [secret_note] }", ["field_not_readable"]],
    ["read: { allow: true, set: { price: 1 } }", ["option_not_applicable"]],
    ["read: { allow: true, limit: 0 }", ["invalid_limit"]],
    ["read: { allow: true, limit: 500 }", ["invalid_limit"]],
    ["read: { allow: true, only: [title] }", ["unknown_key"]],
    ["create: { allow: true, limit: 5 }", ["option_not_applicable"]],
    ["update: { allow: true, fields: [code] }", ["field_not_writable"]],
    ["delete: { allow: true, fields: [title] }", ["option_not_applicable"]],
    ["create: { allow: true, set: { version: 3 } }", ["field_not_writable"]],
    ["create: { allow: true, set: { titel: null } }", ["unknown_field"]],
    ["create: { allow: true, set: { title: null } }", ["type_mismatch"]],
    ["create: { allow: true, set: { price: null } }", []],
    ["create: { allow: true, set: { price: title } }", ["row_not_available", "type_mismatch"]],
    ["create: { allow: true, set: { price: input.price } }", []],
    ["update: { allow: true, set: { code: old.code } }", ["field_not_writable"]],
    ["update: { allow: true, set: { price: new.price } }", ["row_not_available"]],
    ["update: { allow: true, set: { status: sold } }", ["unknown_enum_value"]],
  ])("`%s`", (line, expected) => {
    const found = codesOf(blueprint(`user:\n  ${line}`));
    // A value of a wrong type and row can have both diagnostics.
    if (expected.length > 1) expect(expected).toContain(found[0]);
    else expect(found).toEqual(expected);
  });
});

describe("operations", () => {
  const soft = {
    options: "soft_delete: true\ntransitions:\n  status:\n    initial: draft\n    publish: { from: draft, to: active }",
  };

  test("`all` includes restores and transitions if the entity has them", () => {
    const operations = (text: string): string[] => listingOf(text).permissions.map((one) => one.operation);
    expect(operations(blueprint("admin: { all: true }"))).toEqual(["create", "delete", "read", "update"]);
    expect(operations(blueprint("admin: { all: true }", soft))).toEqual([
      "create",
      "delete",
      "read",
      "restore",
      "transition:publish",
      "update",
    ]);
  });

  test("a rule for restore sees the record; a rule for a transition sees both rows", () => {
    const text = blueprint("user:\n  restore: created_by == current_user.id\n  'transition:publish': price > 1", soft);
    expect(ruleOf(text, "restore")).toBe("created_by == current_user.id");
    expect(ruleOf(text, "transition:publish")).toBe("old.price > 1 && new.price > 1");
  });

  test("`restore` for `owner` needs a rule about the user", () => {
    expect(codesOf(blueprint("owner: { restore: true }", soft))).toEqual(["owner_without_user"]);
  });
});

describe("rules that are never true", () => {
  test.each([
    ["read: status == active && status == draft"],
    ["read: locked && !locked"],
    ["read: { allow: true, deny: true }"],
    ["read: { allow: false, deny: locked }"],
    ["update: old.price == 1 && old.price == 2"],
  ])("`%s` gets a warning", (line) => expect(codesOf(blueprint(`user:\n  ${line}`))).toEqual(["rule_never_true"]));

  test.each([
    ["read: false"],
    ["read: [false]"],
    ["read: status == active || locked"],
    ["update: old.status == draft && new.status == active"],
  ])("`%s` gets no warning", (line) => expect(codesOf(blueprint(`user:\n  ${line}`))).toEqual([]));
});

describe("named rules", () => {
  const rules = (text: string): { top: string } => ({ top: `rules:\n${text.replace(/^(?=.)/gm, "  ")}\n` });

  test("are used like a bare name, with the scope of their use", () => {
    const text = blueprint(
      "user:\n  read: mine || open\n  update: mine",
      rules("mine: created_by == current_user.id\nopen: status == active"),
    );
    expect(codesOf(text)).toEqual([]);
    expect(ruleOf(text)).toBe('created_by == current_user.id || status == "active"');
    expect(ruleOf(text, "update")).toBe("old.created_by == current_user.id && new.created_by == current_user.id");
  });

  test("can use each other; circles and unused rules are found", () => {
    expect(codesOf(blueprint("user: { read: a }", rules("a: b && price > 1\nb: locked")))).toEqual([]);
    expect(codesOf(blueprint("user: { read: a }", rules("a: b\nb: a")))).toEqual(["rule_circle"]);
    expect(codesOf(blueprint("user: { read: locked }", rules("a: b\nb: locked")))).toEqual([
      "named_rule_unused",
      "named_rule_unused",
    ]);
  });

  test("are checked for syntax and names", () => {
    expect(codesOf(blueprint("user: { read: a }", rules("a: price >")))).toContain("expression_syntax");
    expect(codesOf(blueprint("user: { read: true }", rules("current_user: true")))).toContain("reserved_name");
    expect(codesOf(blueprint("user: { read: true }", rules("isMine: true")))).toContain("invalid_name");
    expect(codesOf(blueprint("user: { read: a }", rules("a: [true]")))).toContain("invalid_rule");
  });
});

describe("can", () => {
  test("means the rules of the other record", () => {
    const text = blueprint("user: { read: 'can(read, shop)' }");
    expect(codesOf(text)).toEqual([]);
    expect(ruleOf(text)).toContain("shop_id.created_by == current_user.id");
    expect(ruleOf(text)).toContain('"user" in current_user.roles');
  });

  test("for a reference to a user means the rules about users", () => {
    expect(ruleOf(blueprint("user: { read: 'can(read, created_by)' }"))).toContain("created_by == current_user.id");
  });

  test("in an organization also requires membership, except for an admin key", () => {
    const text = `${head}entities:\n  project:\n    org_scoped: true\n    fields: { name: string }\n    permissions:\n      user: { read: true }\n      admin: { read: true }\n  listing:\n    fields: { project_id: ref(project) }\n    permissions:\n      user: { read: 'can(read, project)' }\n`;
    expect(ruleOf(text)).toContain("member(project_id.org_id)");
    expect(ruleOf(text)).toContain("current_user.id == null");
  });

  test("reports a circle over two records", () => {
    const text = `${head}entities:\n  a:\n    fields: { b_id: ref(b)? }\n    permissions:\n      user: { read: 'can(read, b)' }\n  b:\n    fields: { a_id: ref(a)? }\n    permissions:\n      user: { read: 'can(read, a)' }\n`;
    expect(codesOf(text)).toContain("rule_circle");
  });
});

test("a rule about organizations needs their module", () => {
  const text = blueprint("user: { read: member(current_org) }");
  expect(codesOf(text)).toEqual([]);
  expect(codesOf(text.replace(" organizations,", ""))).toEqual(["module_missing"]);
});

test("a node of the model has a position in the text", () => {
  const text = blueprint("user:\n  read: status == active && locked\n  update: { allow: true, deny: price > 5 }");
  const checked = checkBlueprint(text);
  const at = (rule: Permission["rule"] | undefined): string => {
    const place = rule === undefined ? null : checked.places.get(rule);
    return place === null ? "nowhere" : text.slice(place.start.offset, place.end.offset);
  };
  const permissions = checked.model?.entities[0]?.permissions ?? [];
  const read = permissions.find((one) => one.operation === "read")?.rule;
  const [status, locked] = read?.kind === "operation" ? read.args : [];
  expect([at(status), at(locked)]).toEqual(["status == active", "locked"]);
  expect(status === undefined ? null : checked.places.get(status)?.start.line).toBe(15);
  const update = permissions.find((one) => one.operation === "update")?.rule;
  const parts =
    update?.kind === "operation" ? update.args.flatMap((one) => (one.kind === "operation" ? one.args : [])) : [];
  expect(parts.map(at)).toEqual(["price > 5", "price > 5"]);
});
