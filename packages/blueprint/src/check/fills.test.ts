// `fill`: values for existing records, with the type of the field, over the record and its references.
import { printExpression } from "@plinth/expression";
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import { formatBlueprint } from "../format/format.ts";

const blueprint = (field: string, more = ""): string => `project: fills
modules: [auth, users]
entities:
  seller:
    fields:
      name: string
      plan: enum[free, paid] = free
    permissions:
      admin: { all: true }
  offer:
    fields:
      seller_id: ref(seller)
      title: string
      price: int
      made: ${field}
${more}    permissions:
      admin: { all: true }
`;

const filled = (field: string): string => {
  const { model, diagnostics } = checkBlueprint(blueprint(field));
  const fill = model?.entities[1]?.fields.find(({ name }) => name === "made")?.fill;
  return fill === undefined ? diagnostics.map(({ code }) => code).join() : printExpression(fill);
};

describe("an expression of the field's type", () => {
  test.each([
    ["string fill(title)", "title"],
    ["\"string? fill(title + '!')\"", 'title + "!"'],
    ["{ type: string, fill: title }", "title"],
    ["int fill(price * 2) = 0", "price * 2"],
    ['"string(1, 80) fill(seller.name)"', "seller_id.name"],
    ['"enum[a, b] fill(price > 1 ? a : b)"', 'price > 1 ? "a" : "b"'],
    ['"ref(seller) as(made_offers) fill(seller_id)"', "seller_id"],
    ['"bool fill(seller.plan == paid)"', 'seller_id.plan == "paid"'],
    ["\"user_ref fill('01980000-0000-7000-8000-000000000000')\"", '"01980000-0000-7000-8000-000000000000"'],
    ["\"string fill('one')\"", '"one"'],
  ])("%s", (field, wanted) => expect(filled(field)).toBe(wanted));

  test.each([
    ["int fill(title)", "type_mismatch"],
    ["string fill(nothing)", "unknown_name"],
    ["string fill()", "invalid_field"],
    ["string fill", "invalid_field"],
    ["string fill(title) fill(title)", "duplicate_value"],
    ["datetime fill(now)", "name_not_available"],
    ["uuid fill(current_user.id)", "name_not_available"],
    ['"bool fill(member(seller_id))"', "name_not_available"],
    ["string fill(made)", "rule_circle"],
    ["json fill(title)", "misplaced_modifier"],
    ["secret fill(title)", "misplaced_modifier"],
    ["sequence fill(title)", "misplaced_modifier"],
    ["refs(seller) fill(seller_id)", "misplaced_modifier"],
    ["string fill(title", "invalid_field"],
  ])("%s is refused: %s", (field, code) => expect(filled(field)).toBe(code));
});

test("a circular fill through another record is refused for both fields", () => {
  const text = `project: fills
modules: [auth]
entities:
  node:
    fields:
      parent_id: ref(node)?
      depth: int fill(parent.depth)
    permissions:
      admin: { all: true }
`;
  expect(checkBlueprint(text).diagnostics.map(({ code }) => code)).toEqual(["rule_circle"]);
});

test("fields of users, and the times of a record, can't be filled", () => {
  const profile = "project: fills\nmodules: [auth, users]\nusers:\n  fields:\n    nick: string? fill(nick)\n";
  expect(checkBlueprint(profile).diagnostics.map(({ code }) => code)).toEqual(["not_supported_yet"]);
  const times = blueprint("string", "      created_at: datetime fill(updated_at)\n");
  expect(checkBlueprint(times).diagnostics.map(({ code }) => code)).toContain("misplaced_modifier");
});

test("a fill that names a removed field is reported as no longer needed", () => {
  const [problem] = checkBlueprint(blueprint("string fill(zzz)")).diagnostics;
  expect(problem?.hint).toBe(
    "After this has been deployed, `fill` has no further effect: remove it. Until then, keep the fields that it reads.",
  );
});

test("a name that is not a reference is not reported as removed", () => {
  const [problem] = checkBlueprint(blueprint("string fill(title.plan)")).diagnostics;
  expect(problem?.message).toContain("is not a reference");
  expect(problem?.hint).not.toContain("remove");
});

test("a value of an enum with the name of a field must be quoted", () => {
  const text = blueprint('"enum[done, open] fill(done ? done : open)"', "      done: bool = false\n");
  const [problem] = checkBlueprint(text).diagnostics;
  expect(problem?.message).toContain("no field `open`");
  expect(problem?.hint).toBe(
    '`open` is a value of `made`. In an expression with fields, write such values in quotes: `"open"`.',
  );
});

test("both forms print the same", () => {
  const formatted = formatBlueprint(blueprint("{ type: string, fill: title }"));
  expect(JSON.stringify(formatted)).toContain("made: string fill(title)");
});

test("reusing a name for another field takes two changes, and the second fills it", () => {
  const text = blueprint("bool fill(has(made_at)) = false", "      made_at: datetime? was(made)\n");
  const [problem] = checkBlueprint(text).diagnostics;
  expect(problem?.message).toContain("`made` still exists");
  expect(problem?.hint).toBe("Rename it in one change, and declare the new `made` in the next one.");
});
