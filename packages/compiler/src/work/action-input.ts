// Treats an action's input as a row that is never stored. In: a checked action. Out: its columns with their checks, and
// predicates over that row for who can call it. So the input has the same validation as the values of records.
import type { Action, Field } from "@plinth/blueprint";
import type { BundleAction, BundleInput, Check } from "@plinth/bundle";
import { bundleFieldOf } from "../requests/queries.ts";
import { writableFields } from "../requests/schemas.ts";
import { isConstant, predicateOf } from "../rules/access.ts";
import type { Catalog } from "../sql/catalog.ts";
import { checkExpression } from "../sql/check-sql.ts";
import { isServed, sqlTypeOf } from "../sql/column-type.ts";
import { quoteIdentifier as q } from "../sql/sql-text.ts";
import { entering } from "../sql/wire-sql.ts";
import { fieldChecksOf } from "../tables/checks.ts";
import { columnOf } from "../tables/columns.ts";

/** The name of the row in rules, as in the language. */
const INPUT = "input";

export function inputOf(
  { input, access }: Pick<Action, "input" | "access">,
  catalog: Catalog,
): Pick<BundleAction, "input" | "access"> {
  const fields = writableFields(input.filter(isServed));
  const row = { name: INPUT, table: INPUT, relations: new Map(), softDelete: null };
  const types = new Map(fields.map((field) => [field.name, field.type]));
  const known = new Map([...catalog, [INPUT, { ...row, fields: types }]]);
  const granted = Object.entries(access).filter(([, rule]) => !isConstant(rule, false));
  return {
    input: fields.map(columnOfInput),
    access: Object.fromEntries(granted.map(([role, rule]) => [role, predicateOf(rule, INPUT, known)])),
  };
}

function columnOfInput(field: Field): BundleInput {
  const { name, type } = field;
  const read = `{row}.${q(name)}`;
  const column = { ...bundleFieldOf(field, { name: INPUT, table: INPUT }), column: name, slugFrom: null, join: null };
  if (type.kind === "refs") {
    const write = entering({ kind: "list", of: { kind: "uuid" } }, "{value}");
    const select = `to_json(${read})`;
    return { ...column, sqlType: "uuid[]", references: type.entity, select, write, checks: [] };
  }
  const rules = fieldChecksOf(INPUT, field);
  const checks = rules.map((check) => checkExpression(check, [columnOf(field)]));
  const refusals = rules.map(({ rule }) => refusalOf(rule, field));
  // A step can use a secret of the input, although a record never returns one.
  return { ...column, ...(type.kind === "secret" ? { select: read } : {}), checks, refusals };
}

/** As for a field of a record. */
function refusalOf(rule: Check["rule"], { limits, type }: Field): NonNullable<BundleInput["refusals"]>[number] {
  switch (rule.kind) {
    case "range":
      return { code: "out_of_range", message: `It must be ${boundsText(rule)}.` };
    case "length": {
      const unit = sqlTypeOf(type) === "text" ? "characters" : "members";
      return { code: "out_of_range", message: `It must have ${boundsText(rule)} ${unit}.` };
    }
    case "one_of":
      return { code: "not_allowed", message: `It must be one of ${rule.values.join(", ")}.` };
    case "subset_of":
      return { code: "not_allowed", message: `Allowed values: ${rule.values.join(", ")}.` };
    case "sql":
      return limits.pattern === null
        ? { code: "not_allowed", message: "The value is not allowed here." }
        : { code: "invalid_format", message: `It must match ${limits.pattern}` };
  }
}

function boundsText({ min, max }: Pick<Extract<Check["rule"], { kind: "range" | "length" }>, "min" | "max">): string {
  const parts = [...(min === null ? [] : [`at least ${min}`]), ...(max === null ? [] : [`at most ${max}`])];
  return parts.join(" and ");
}
