// Writes checks and generated columns. In: an entity with its fields. Out: named checks and computed fields, if a rule has
// exactly the same meaning. Others are left out with their text.
import type { ForeignCheck, ForeignColumn } from "../foreign-schema.ts";
import type { Inventory } from "../inventory.ts";
import { columnsIn } from "../postgres/sql-expression.ts";
import { type EntityDraft, entityIn, hasField, type LongField, targetIn } from "./draft.ts";
import { createNames, enumNames, snakeCase } from "./names.ts";
import { type ColumnLookup, type RuleColumn, ruleOf, valueRuleOf } from "./rule-text.ts";
import { checkProblem, computedProblem } from "./try-declaration.ts";

export function draftChecks(draft: EntityDraft, inventory: Inventory): void {
  const names = createNames();
  for (const check of draft.table.checks) {
    const rule = check.tree === null ? null : ruleOf(check.tree, columnsOf(draft));
    const problem = rule === null ? null : checkProblem(used(draft, check), rule);
    if (rule === null || problem !== null) {
      inventory.leftOut(check.item, `No rule has the same meaning: ${check.text}. Write it under \`checks:\`.`);
      continue;
    }
    const name = names.give(snakeCase(check.name, "check").slice(0, 50).replace(/_+$/, ""));
    draft.checks.set(name, rule);
    inventory.expressed(
      check.item,
      (model) => entityIn(model, draft.name)?.checks.some((one) => one.name === name) === true,
    );
  }
}

export function draftGenerated(draft: EntityDraft, inventory: Inventory): void {
  for (const column of draft.table.columns) {
    const { generated } = column;
    if (generated === null) continue;
    const rule = generated.tree === null ? null : valueRuleOf(generated.tree, columnsOf(draft));
    const name = createNames([...draft.fields.keys(), "id", "version"]).give(snakeCase(column.name, "field"));
    if (rule === null || computedProblem(used(draft, generated), rule) !== null) {
      inventory.leftOut(column.item, "It is generated, and no rule has the same meaning.");
      inventory.leftOut(generated.item, `No rule has the same meaning: ${generated.text}. Write it as computed(...).`);
    } else {
      draft.fields.set(name, { type: `computed(${rule})` });
      draft.fieldOf.set(column.name, name);
      const holds = hasField(draft.name, name, ({ type }) => type.kind === "computed");
      inventory.expressed(column.item, holds);
      inventory.expressed(generated.item, holds);
    }
    inventory.leftOut(column.required, "A computed field is empty if its expression is.");
    inventory.leftOut(column.comment?.item, "A computed field of an import has no help.");
  }
}

/** The fields that the rule uses. A trial of it needs no others. */
function used(draft: EntityDraft, { tree }: ForeignCheck): ReadonlyMap<string, LongField> {
  const names = new Set(tree === null ? [] : columnsIn(tree).map((column) => draft.fieldOf.get(column)));
  return new Map([...draft.fields].filter(([name]) => names.has(name)));
}

export function columnsOf(draft: EntityDraft): ColumnLookup {
  return (name) => {
    const column = draft.table.columns.find((one) => one.name === name);
    const field = draft.fieldOf.get(name);
    if (column === undefined || field === undefined) return null;
    return ruleColumn(column, field, draft.fields.get(field));
  };
}

function ruleColumn(column: ForeignColumn, field: string, long: LongField | undefined): RuleColumn {
  if (long === undefined) return { field, kind: column.type.kind === "datetime" ? "time" : "other" };
  const target = targetIn(long);
  if (target === "user") return { field, kind: "user" };
  if (target !== null) return { field, kind: "reference", target };
  if (column.list) return { field, kind: "list" };
  switch (column.type.kind) {
    case "text":
    case "as_text":
      return { field, kind: "text" };
    case "enum": {
      const names = enumNames(column.type.enum.values.map((value) => value.name));
      return { field, kind: "enum", nameOfValue: (value) => names.get(value) ?? value };
    }
    case "int":
    case "bigint":
    case "float":
    case "decimal":
      return { field, kind: "number" };
    case "bool":
      return { field, kind: "bool" };
    case "date":
    case "datetime":
      return { field, kind: "time" };
    default:
      return { field, kind: "other" };
  }
}
