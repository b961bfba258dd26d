// The reason why a rule refused: the part of it and its line.
import { expect, test } from "vitest";
import { checkBlueprint } from "./check-blueprint.ts";
import { type AccessQuestion, explainAccess, type GivenTests } from "./explain-access.ts";

const text = `project: shop
modules: [auth, users, roles]
entities:
  bike:
    fields:
      name: string
      price: int?
      status: enum[draft, on_sale] = draft
      seller_id: user_ref = current_user.id
    permissions:
      public:
        read: status == on_sale
      owner:
        update: |
          seller_id == current_user.id &&
          price > 0
tests:
  users:
    ana: { roles: [user] }
    bob: { roles: [user] }
  rows:
    bike:
      shown: { name: A, status: on_sale, seller_id: ana, price: 3 }
      hidden: { name: B, seller_id: ana }
  expect:
    - { as: public, list: bike, sees: [shown] }
`;

function explained(question: Partial<AccessQuestion>, given?: GivenTests) {
  const checked = checkBlueprint(text);
  if (checked.model === null) throw new Error(JSON.stringify(checked.diagnostics));
  const whole = { as: "public", operation: "read", entity: "bike", row: "hidden", input: {}, ...question } as const;
  return explainAccess({ model: checked.model, places: checked.places }, whole, given);
}

test("shows the deciding part of the rule, and its line", () => {
  const { allowed, grants } = explained({});
  expect(allowed).toBe(false);
  expect(grants).toMatchObject([
    { role: "public", allowed: false, culprit: { text: 'status == "on_sale"', place: { start: { line: 12 } } } },
  ]);
});

test("shows another part for another person; an empty field is unknown", () => {
  const bob = explained({ as: "bob", operation: "update", row: "shown" });
  expect(bob.grants[0]?.culprit?.place?.start.line).toBe(15);
  const ana = explained({ as: "ana", operation: "update" });
  expect(ana.grants[0]).toMatchObject({ allowed: false, unknown: true, culprit: { place: { start: { line: 16 } } } });
});

test("has no culprit if access is granted", () => {
  expect(explained({ row: "shown" })).toMatchObject({ allowed: true, grants: [{ allowed: true, culprit: null }] });
});

test("suggests the right name for an unknown one", () => {
  expect(() => explained({ entity: "bik" })).toThrow("There is no entity bik. Did you mean bike?");
  expect(() => explained({ row: null })).toThrow(
    "Which bike do you mean? Name a row of the tests, bike.<row>, or give a record.",
  );
  const { allowed, reason } = explained({ as: "ana", operation: "update", row: "shown", input: { nmae: "B" } });
  expect([allowed, reason]).toEqual([false, "`bike` has no field `nmae`"]);
});

test("accepts a given user and a given record", () => {
  const given = {
    user: { roles: ["user"], email: "eve@example.com", profile: {} },
    record: { entity: "bike", values: { name: "C", status: "on_sale" } },
  };
  expect(explained({ as: "given", row: "given" }, given).allowed).toBe(true);
});

test("says that nobody has the operation, or that a name is unknown", () => {
  expect(explained({ operation: "delete" })).toEqual({ allowed: false, reason: null, grants: [] });
  expect(() => explained({ as: "eve" })).toThrow("There is no user eve. Known users: public, ana, bob.");
  expect(() => explained({ row: "gone" })).toThrow("The tests have no row bike.gone.");
});
