// The matrix shows exactly what the service grants a role: its own permissions and the inherited ones.
import { expect, test } from "vitest";
import { checkBlueprint } from "./check-blueprint.ts";
import { columnsOf, matrixOf } from "./permission-matrix.ts";

const text = `project: desk
modules: [auth, users, roles]
roles:
  clerk: {}
  chief: { inherits: clerk }
entities:
  parcel:
    soft_delete: true
    fields:
      label: string
      state: enum[open, sent] = open
      owner_id: user_ref = current_user.id
    transitions:
      state: { initial: open, send: { from: open, to: sent } }
    permissions:
      user: { read: owner_id == current_user.id, create: true }
      clerk: { read: { allow: true, fields: [id, label] } }
      admin: { all: true }
`;

const { model } = checkBlueprint(text);
if (model === null) throw new Error("the blueprint of this test is wrong");
const rows = matrixOf(model);
const cell = (operation: string, role: string) =>
  rows.find((row) => row.operation === operation)?.cells.find((one) => one.role === role);

test("has a column for each role that a caller can have, and a row for each operation", () => {
  expect(columnsOf(model)).toEqual(["public", "user", "clerk", "chief", "admin"]);
  expect(rows.map(({ operation }) => operation)).toEqual([
    "read",
    "create",
    "update",
    "delete",
    "restore",
    "transition:send",
  ]);
});

test("shows what is always, sometimes and never allowed", () => {
  expect(cell("create", "user")?.outcome).toBe("allowed");
  expect(cell("read", "user")).toMatchObject({
    outcome: "conditional",
    grants: [{ role: "user", rule: "owner_id == current_user.id", fields: null }],
  });
  expect(cell("read", "public")?.outcome).toBe("denied");
  expect(cell("delete", "admin")?.outcome).toBe("allowed");
});

test("names the origin of inherited permissions, and marks a part of the fields", () => {
  expect(cell("read", "chief")).toMatchObject({
    outcome: "conditional",
    grants: [{ role: "clerk", always: true, fields: ["id", "label"] }, { role: "user" }],
  });
  expect(cell("delete", "chief")?.outcome).toBe("denied");
});
