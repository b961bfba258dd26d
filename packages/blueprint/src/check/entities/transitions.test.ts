// State machines: their form in the model, the callers of transitions, and mistakes.
import { printExpression } from "@plinth/expression";
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../../check-blueprint.ts";
import type { Entity } from "../../model/model.ts";

function blueprint(
  edges: readonly string[],
  { permissions = "", fields = "", initial = "initial: draft" } = {},
): string {
  const indented = (lines: string, by: number): string => lines.replace(/^(?=.)/gm, " ".repeat(by));
  return [
    "project: demo\nmodules: [auth, users, roles, audit_logs]\nentities:\n  shipment:\n    fields:\n",
    "      status: enum[draft, purchased, delivered]\n      carrier: string?\n      label: string? immutable\n      user_id: user_ref = current_user.id\n",
    fields === "" ? "" : `${indented(fields, 6)}\n`,
    `    transitions:\n      status:\n${indented([initial, ...edges].join("\n"), 8)}\n`,
    permissions === "" ? "" : `    permissions:\n${indented(permissions, 6)}\n`,
  ].join("");
}

const buy = "purchase: { from: draft, to: purchased }";
const deliver = "deliver: { from: purchased, to: delivered }";
const codesOf = (text: string): string[] =>
  checkBlueprint(text).diagnostics.flatMap(({ code }) => (code === "entity_unused" ? [] : [code]));

function shipmentOf(text: string): Entity {
  const { model, diagnostics } = checkBlueprint(text);
  const entity = model?.entities[0];
  if (entity === undefined) throw new Error(JSON.stringify(diagnostics, null, 1));
  return entity;
}

const grants = (text: string): string[] =>
  shipmentOf(text).permissions.map((one) => `${one.operation} ${one.role}: ${printExpression(one.rule)}`);

describe("the model", () => {
  test("contains the state machine, and each transition with its states, fields and event", () => {
    const text = blueprint([
      "purchase: { from: draft, to: purchased, require: [carrier] }",
      "deliver: { from: [draft, purchased], to: delivered, emit: shipment.arrived }",
    ]);
    expect(shipmentOf(text).stateMachine).toEqual({
      field: "status",
      initial: "draft",
      edges: [
        { name: "purchase", from: ["draft"], to: "purchased", require: ["carrier"], emit: "shipment.purchase" },
        { name: "deliver", from: ["draft", "purchased"], to: "delivered", require: [], emit: "shipment.arrived" },
      ],
    });
  });

  test("starts new records in the initial state", () => {
    const field = shipmentOf(blueprint([buy, deliver])).fields.find((one) => one.name === "status");
    expect(field?.default).toEqual({ kind: "literal", value: "draft" });
  });
});

describe("callers of a transition", () => {
  test("need one of its roles, and its condition must be true for the old row", () => {
    const text = blueprint([
      "purchase: { from: draft, to: purchased, roles: [user, admin], when: user_id == current_user.id }",
      deliver,
    ]);
    expect(grants(text)).toEqual([
      "transition:purchase admin: old.user_id == current_user.id",
      "transition:purchase user: old.user_id == current_user.id",
    ]);
  });

  test("can be limited with `when`, which can be a list", () => {
    const text = blueprint([
      'purchase: { from: draft, to: purchased, roles: user, when: ["carrier == null && new.carrier != null", "old.label != null"] }',
      deliver,
    ]);
    expect(grants(text)).toEqual([
      "transition:purchase user: old.carrier == null && new.carrier != null || old.label != null",
    ]);
  });

  test("need the permission if it names no roles, and then the permission's condition also applies", () => {
    const text = blueprint(["purchase: { from: draft, to: purchased, when: carrier != null }", deliver], {
      permissions: "admin: { all: true }\nuser: { 'transition:purchase': user_id == current_user.id }",
    });
    expect(grants(text).filter((one) => one.startsWith("transition"))).toEqual([
      "transition:deliver admin: true",
      "transition:purchase admin: old.carrier != null",
      "transition:purchase user: old.carrier != null && old.user_id == current_user.id && new.user_id == current_user.id",
    ]);
  });

  test("get its roles instead of `all`, and can't get an additional permission for it", () => {
    const edge = "purchase: { from: draft, to: purchased, roles: [user] }";
    expect(grants(blueprint([edge, deliver], { permissions: "user: { all: false, delete: true }" }))).toEqual([
      "delete user: true",
      "transition:purchase user: true",
    ]);
    const twice = blueprint([edge, deliver], { permissions: "user: { 'transition:purchase': true }" });
    expect(codesOf(twice)).toEqual(["permission_twice"]);
  });

  test("need a rule about the user for `owner`", () => {
    expect(codesOf(blueprint(["purchase: { from: draft, to: purchased, roles: owner }", deliver]))).toEqual([
      "owner_without_user",
    ]);
    const mine = "purchase: { from: draft, to: purchased, roles: owner, when: user_id == current_user.id }";
    expect(codesOf(blueprint([mine, deliver]))).toEqual([]);
  });
});

describe("invalid state machines", () => {
  test.each([
    ["an unknown state", [buy, "deliver: { from: purchased, to: arrived }"], ["unknown_enum_value"]],
    ["an unknown role", ["purchase: { from: draft, to: purchased, roles: [usr] }", deliver], ["unknown_role"]],
    ["a role twice", ["purchase: { from: draft, to: purchased, roles: [user, user] }", deliver], ["duplicate_value"]],
    ["an edge without `to`", [buy, "deliver: { from: purchased }"], ["missing_key"]],
    ["an edge without `from`", [buy, "deliver: { to: delivered }"], ["missing_key"]],
    ["an edge that stays", [buy, "deliver: { from: [purchased, delivered], to: delivered }"], ["invalid_transition"]],
    [
      "an edge called as an event of every entity",
      [buy, deliver, "deleted: { from: delivered, to: draft }"],
      ["reserved_name"],
    ],
    ["an edge's name", [buy, deliver, "Reopen: { from: delivered, to: draft }"], ["invalid_name"]],
    ["an unknown field", ["purchase: { from: draft, to: purchased, require: [carier] }", deliver], ["unknown_field"]],
    [
      "the state itself required",
      ["purchase: { from: draft, to: purchased, require: [status] }", deliver],
      ["field_not_writable"],
    ],
    [
      "a field of the service",
      ["purchase: { from: draft, to: purchased, require: [created_at] }", deliver],
      ["field_not_writable"],
    ],
    [
      "a field that is set at create",
      ["purchase: { from: draft, to: purchased, require: [label] }", deliver],
      ["field_not_writable"],
    ],
    ["an event's name", ["purchase: { from: draft, to: purchased, emit: Purchased }", deliver], ["invalid_event_name"]],
    [
      "an entity's own event",
      ["purchase: { from: draft, to: purchased, emit: shipment.updated }", deliver],
      ["invalid_event_name"],
    ],
    ["a state that none reaches", [buy], ["unreachable_state"]],
    ["an unknown key", ["purchase: { from: draft, to: purchased, guard: true }", deliver], ["unknown_key"]],
    [
      "a wrong condition",
      ["purchase: { from: draft, to: purchased, roles: user, when: carier == null }", deliver],
      ["unknown_name"],
    ],
    ["an edge that is no map", [buy, "deliver: delivered"], ["wrong_kind"]],
  ])("%s", (_, edges, expected) => expect(codesOf(blueprint(edges))).toEqual(expected));

  test("without an initial state, without transitions, not on an enum, or on an optional one", () => {
    expect(codesOf(blueprint([buy, deliver], { initial: "" }))).toEqual(["missing_key"]);
    expect(codesOf(blueprint([buy, deliver], { initial: "initial: gone" }))).toEqual(["unknown_enum_value"]);
    expect(codesOf(blueprint([]))).toEqual(["invalid_transition"]);
    const other = (field: string): string => blueprint([buy, deliver]).replace("      status:\n", `      ${field}:\n`);
    expect(codesOf(other("carrier"))).toEqual(["invalid_transition"]);
    expect(codesOf(other("staus"))).toEqual(["unknown_field"]);
    expect(codesOf(blueprint([buy, deliver]).replace("delivered]\n", "delivered]?\n"))).toEqual(["invalid_transition"]);
  });

  test("with a default other than the initial state; two for one field", () => {
    expect(codesOf(blueprint([buy, deliver]).replace("delivered]\n", "delivered] = purchased\n"))).toEqual([
      "invalid_transition",
    ]);
    const two = blueprint([buy, deliver], { fields: "phase: enum[a, b] = a" }).concat(
      "      phase:\n        initial: a\n        go: { from: a, to: b }\n",
    );
    expect(codesOf(two)).toEqual(["invalid_transition"]);
  });

  test("with a grant that sets the state without a transition", () => {
    const text = blueprint([buy, deliver], {
      permissions: "user: { update: { allow: true, set: { status: delivered } } }",
    });
    expect(codesOf(text)).toEqual(["field_not_writable"]);
  });
});

describe("numbers that a transition assigns", () => {
  const numbered = (field: string, options: string, more = ""): string => `project: demo
modules: [auth, users]
entities:
  order:
    fields: { name: string }
    permissions: { admin: { all: true } }
  bill:
${options}    fields:
      status: enum[draft, issued] = draft
      number: ${field}
${more}    transitions:
      status: { initial: draft, issue: { from: draft, to: issued } }
    permissions: { admin: { all: true } }
`;
  const keeps = "    soft_delete: true\n";

  test("need an optional field, in both forms", () => {
    for (const field of [
      "sequence(B-) at(transition:issue)",
      "sequence(B-)? at(transition:issue)",
      "{ type: sequence(B-), at: transition:issue }",
    ]) {
      const { model, diagnostics } = checkBlueprint(numbered(field, keeps));
      expect(diagnostics).toEqual([]);
      const found = model?.entities[1]?.fields.find(({ name }) => name === "number");
      expect(found).toMatchObject({ optional: true, type: { kind: "sequence", prefix: "B-", at: "issue" } });
    }
  });

  test.each([
    ["sequence(B-) at(transition:isue)", keeps, "", "unknown_transition"],
    ["sequence(B-) at(issue)", keeps, "", "invalid_field"],
    ["string at(transition:issue)", keeps, "", "misplaced_modifier"],
    ["sequence(B-) at(transition:issue)", "", "", "misplaced_modifier"],
    ["sequence(B-) at(transition:issue)", `${keeps}    retention: 30d\n`, "", "misplaced_modifier"],
    [
      "sequence(B-) at(transition:issue)",
      keeps,
      "      order_id: ref(order) on_delete(cascade)\n",
      "misplaced_modifier",
    ],
    ["sequence(B-) at(transition:issue)", keeps, "      by: user_ref on_delete(cascade)\n", "misplaced_modifier"],
  ])("%s with `%s%s` is refused", (field, options, more, code) =>
    expect(checkBlueprint(numbered(field, options, more)).diagnostics.map((one) => one.code)).toEqual([code]),
  );

  test.each([
    ["soft_delete: true", "{ name: string }", []],
    ["soft_delete: true", "{ region_id: ref(region) on_delete(restrict) }", []],
    ["soft_delete: true", "{ region_id: ref(region) on_delete(cascade) }", ["misplaced_modifier"]],
    ["{ soft_delete: true, retention: 30d }", "{ name: string }", ["misplaced_modifier"]],
  ])("can't refer to a record that can be permanently deleted: %s, %s", (options, fields, codes) => {
    const cascading = "      order_id: ref(order) on_delete(cascade)\n";
    const lines = options
      .replace(/[{}]/g, "")
      .split(",")
      .map((line) => `    ${line.trim()}\n`);
    const text = numbered("sequence(B-) at(transition:issue)", keeps, cascading)
      .replace("    fields: { name: string }\n", `${lines.join("")}    fields: ${fields}\n`)
      .replace(
        "  bill:\n",
        "  region:\n    fields: { name: string }\n    permissions: { admin: { all: true } }\n  bill:\n",
      );
    expect(checkBlueprint(text).diagnostics.map((one) => one.code)).toEqual(codes);
  });
});
