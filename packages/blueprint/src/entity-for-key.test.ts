import { expect, test } from "vitest";
import { checkBlueprint } from "./check-blueprint.ts";
import { entityForKey } from "./entity-for-key.ts";

const { model } = checkBlueprint(`project: rental
modules: [auth, users, roles]
roles:
  clerk: { inherits: user }
  boss: { inherits: clerk }
entities:
  customer:
    fields: { name: string }
    permissions:
      user: { read: created_by == current_user.id }
  invoice:
    fields: { paid: bool = false }
    permissions:
      clerk: { read: true }
      public: { read: false }
  bike:
    fields: { name: string, hidden: bool = false }
    permissions:
      public: { read: "!hidden" }
      admin: { all: true }
`);

test.each([
  ["public", "bike"],
  ["admin", "bike"],
  ["clerk", "customer"],
  ["boss", "customer"],
])("a key of the role %s reads %s first", (role, entity) => {
  expect(model && entityForKey(model, role)?.name).toBe(entity);
});

test("a key that can read nothing has none", () => {
  const closed = model?.entities.slice(0, 2) ?? [];
  expect(model && entityForKey({ ...model, entities: closed }, "admin")).toBeNull();
  expect(model && entityForKey({ ...model, entities: closed }, "public")).toBeNull();
});
