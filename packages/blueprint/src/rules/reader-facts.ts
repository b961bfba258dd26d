// What is true of every reader of a record. In: roles, and the record's organization. Out: conditions over the caller, for
// comparing rules.
import { type Expression, joined } from "@plinth/expression";

const bool = { kind: "bool" } as const;
const text = { kind: "text" } as const;
const uuid = { kind: "uuid" } as const;

export function holdsRole(role: string): Expression {
  const word: Expression = { kind: "literal", type: text, value: role };
  const roles: Expression = { kind: "user", type: { kind: "list", of: text }, name: "roles" };
  return { kind: "operation", type: bool, operator: "in", args: [word, roles] };
}

export function memberOf(field: string): Expression {
  const organization: Expression = { kind: "field", type: uuid, row: "record", path: [field] };
  return { kind: "member", type: bool, organization, role: null };
}

/**
 * An admin who is not a user (a key, an operator) is not limited to an organization, whichever role's rule grants
 * access; people are.
 */
export function withinOrganization(orgField: string): Expression {
  const signedOut: Expression = {
    kind: "operation",
    type: bool,
    operator: "==",
    args: [
      { kind: "user", type: uuid, name: "id" },
      { kind: "literal", type: { kind: "null" }, value: null },
    ],
  };
  return joined("||", [memberOf(orgField), joined("&&", [signedOut, holdsRole("admin")])]);
}
