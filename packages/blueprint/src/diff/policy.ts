// Builds a policy. In: the permissions of an entity and the holders of each role. Out: one expression for who can do an
// operation to which row, through any role. `compareRules` compares it; it decides nothing itself.
import { countNodes, type Expression, partsOf, someNode, withParts } from "@plinth/expression";
import type { Entity, Operation, Permission, Role } from "../model/model.ts";

const bool = { kind: "bool" } as const;
const text = { kind: "text" } as const;
const roleList: Expression = { kind: "user", type: { kind: "list", of: text }, name: "roles" };
const never: Expression = { kind: "literal", type: bool, value: false };

/** Role > the assigned roles that include it. */
export type Givers = ReadonlyMap<string, readonly string[]>;

export function giversOf(roles: readonly Role[]): Givers {
  const givers = new Map<string, string[]>();
  for (const role of roles) {
    for (const name of new Set([role.name, ...role.inherits])) {
      const bringing = givers.get(name) ?? [];
      givers.set(name, bringing);
      bringing.push(role.name);
    }
  }
  return givers;
}

/** A caller with at least one of the permissions' roles whose rule is true. */
export function policyOf(entity: Entity, permissions: readonly Permission[], givers: Givers): Expression {
  const [first] = permissions;
  if (first === undefined) return never;
  const grants = permissions.map(({ role, rule }) => all([holds(role, givers), inGivenRoles(rule, givers)]));
  const policy = any(grants);
  const scope = scopeOf(entity, first.operation, givers);
  return sameRecord(scope === null ? policy : all([scope, policy]), first.operation);
}

/** About how many parts the policy has, which is the cost of building it. */
export function sizeOfPolicy(permissions: readonly Permission[], givers: Givers): number {
  return permissions.reduce(
    (sum, { role, rule }) =>
      sum + sizeOfRule(rule) * (asksForRoles(rule) ? givers.size : 1) + (givers.get(role)?.length ?? 0) + 1,
    1,
  );
}

/** A diff looks at one rule many times, together with different others. */
const sizes = new WeakMap<Expression, number>();
const askers = new WeakMap<Expression, boolean>();

export function sizeOfRule(rule: Expression): number {
  const size = sizes.get(rule) ?? countNodes(rule);
  sizes.set(rule, size);
  return size;
}

export function asksForRoles(rule: Expression): boolean {
  const asks = askers.get(rule) ?? someNode(rule, (node) => node.kind === "user" && node.name === "roles");
  askers.set(rule, asks);
  return asks;
}

/** `current_user.roles` in the result are the assigned roles, not the inherited ones. */
function holds(role: string, givers: Givers): Expression {
  return any((givers.get(role) ?? []).map(wasGiven));
}

function wasGiven(role: string): Expression {
  return {
    kind: "operation",
    type: bool,
    operator: "in",
    args: [{ kind: "literal", type: text, value: role }, roleList],
  };
}

function inGivenRoles(rule: Expression, givers: Givers): Expression {
  switch (rule.kind) {
    case "operation": {
      const [subject, list] = rule.args;
      if (rule.operator === "in" && list?.kind === "user" && list.name === "roles" && subject !== undefined) {
        if (subject.kind === "literal") return holds(String(subject.value), givers);
        return anyRoleEqual(subject, givers);
      }
      return { ...rule, args: rule.args.map((one) => inGivenRoles(one, givers)) };
    }
    case "each":
      return withParts(
        rule,
        partsOf(rule).map((one) => inGivenRoles(one, givers)),
      );
    case "list":
      return { ...rule, items: rule.items.map((one) => inGivenRoles(one, givers)) };
    case "user":
      // What else a rule asks about roles depends on the inheritance: it is equal only if that is.
      return rule.name === "roles" ? { ...rule, name: `roles ${JSON.stringify([...givers])}` } : rule;
    default:
      return rule;
  }
}

/**
 * `field in current_user.roles`, role by role; it is unknown if the field is null, which is the purpose of the last
 * part.
 */
function anyRoleEqual(subject: Expression, givers: Givers): Expression {
  const equals = (operator: "==" | "!=", other: Expression): Expression => ({
    kind: "operation",
    type: bool,
    operator,
    args: [subject, other],
  });
  const literal = (value: string): Expression => ({ kind: "literal", type: subject.type, value });
  const alternatives = [...givers.keys()].map((role) => all([equals("==", literal(role)), holds(role, givers)]));
  return any([...alternatives, equals("!=", subject)]);
}

/** Rows of the caller's organizations; an admin's key sees all. */
function scopeOf({ orgField }: Entity, operation: Operation, givers: Givers): Expression | null {
  if (orgField === null) return null;
  const signedOut: Expression = {
    kind: "operation",
    type: bool,
    operator: "==",
    args: [
      { kind: "user", type: { kind: "uuid" }, name: "id" },
      { kind: "literal", type: { kind: "null" }, value: null },
    ],
  };
  const memberOf = rowsOf(operation).map(
    (row): Expression => ({
      kind: "member",
      type: bool,
      organization: { kind: "field", type: { kind: "uuid" }, row, path: [orgField] },
      role: null,
    }),
  );
  return any([all([holds("admin", givers), signedOut]), all(memberOf)]);
}

export function rowsOf(operation: Operation): readonly ("record" | "old" | "new")[] {
  if (operation === "create") return ["new"];
  return operation === "update" || operation.startsWith("transition:") ? ["old", "new"] : ["record"];
}

/** A change never modifies the id: the row after has the id of the row before. */
function sameRecord(rule: Expression, operation: Operation): Expression {
  if (rowsOf(operation).length === 1) return rule;
  if (rule.kind === "operation") return { ...rule, args: rule.args.map((one) => sameRecord(one, operation)) };
  if (rule.kind === "list") return { ...rule, items: rule.items.map((one) => sameRecord(one, operation)) };
  const isId = rule.kind === "field" && rule.row === "new" && rule.path.length === 1 && rule.path[0] === "id";
  return isId ? { ...rule, row: "old" } : rule;
}

function all(args: readonly Expression[]): Expression {
  return { kind: "operation", type: bool, operator: "&&", args };
}

function any(args: readonly Expression[]): Expression {
  const [first] = args;
  if (first === undefined) return never;
  return args.length === 1 ? first : { kind: "operation", type: bool, operator: "||", args };
}
