// Resolves `can(operation, relation)`. In: the permissions of one operation. Out: for each role an expression over the
// related `record`. The service has its own rules for the built-in records.
import { type Expression, substitute } from "@plinth/expression";
import type { Permission } from "../../model/model.ts";
import { withinOrganization } from "../../rules/reader-facts.ts";
import type { PlaceTable } from "../../text/places.ts";
import { allOf } from "./all-of.ts";

const bool = { kind: "bool" } as const;
const uuid = { kind: "uuid" } as const;
const always: Expression = { kind: "literal", type: bool, value: true };
/** The update rule is applied to the current record, so both of its rows are that record. */
export function grantsOver(
  permissions: readonly Permission[],
  orgField: string | null,
  places: PlaceTable,
): ReadonlyMap<string, Expression> {
  const record = { row: "record", path: [] };
  return new Map(
    permissions.map(({ role, rule }) => {
      const own = withoutRepeats(substitute(rule, { old: record, new: record }, places.move));
      return [role, orgField === null ? own : allOf([own, withinOrganization(orgField)])];
    }),
  );
}

function withoutRepeats(rule: Expression): Expression {
  if (rule.kind !== "operation" || rule.operator !== "&&") return rule;
  const seen = new Map(rule.args.map((one) => [JSON.stringify(one), one]));
  return seen.size === rule.args.length ? rule : allOf([...seen.values()]);
}

/** The union of both: a role in both has either rule. */
export function eitherOf(
  some: ReadonlyMap<string, Expression>,
  others: ReadonlyMap<string, Expression>,
): ReadonlyMap<string, Expression> {
  const both = [...some].map(([role, rule]): [string, Expression] => {
    const other = others.get(role);
    return [role, other === undefined ? rule : { kind: "operation", type: bool, operator: "||", args: [rule, other] }];
  });
  return new Map([...others, ...both]);
}

/** Users see themselves, members see their organization, an admin sees everything. Null for a declared entity. */
export function builtinGrants(record: string, operation: string): ReadonlyMap<string, Expression> | null {
  if (record !== "user" && record !== "organization") return null;
  if (operation !== "read") return new Map([["admin", always]]);
  const id: Expression = { kind: "field", type: uuid, row: "record", path: ["id"] };
  const own: Expression =
    record === "user"
      ? { kind: "operation", type: bool, operator: "==", args: [id, { kind: "user", type: uuid, name: "id" }] }
      : { kind: "member", type: bool, organization: id, role: null };
  return new Map([
    ["admin", always],
    ["user", own],
  ]);
}
