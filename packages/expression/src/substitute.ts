// Moves a rule to another row. In: a tree over one row, and the row or record to use instead. Out: the same rule over
// that one. `can(...)` and rules over two rows are made with it. Variables never capture names of the other tree.

import type { Expression } from "./tree.ts";
import { joined, type Moved, rewrite, someNode } from "./walk.ts";

/** A record: a row (or the variable of an `each`) and the references from it. */
export interface Anchor {
  readonly row: string;
  readonly path: readonly string[];
}

/** Replaces rows: `rows` maps a row's name to the record that replaces it. */
export function substitute(expression: Expression, rows: Readonly<Record<string, Anchor>>, moved?: Moved): Expression {
  const taken = new Set(Object.values(rows).map(({ row }) => row));
  const apart = withFreshVariables(expression, taken, moved);
  return rewrite(apart, (node) => onAnchor(node, rows), moved);
}

function onAnchor(node: Expression, rows: Readonly<Record<string, Anchor>>): Expression {
  if (node.kind !== "field" && node.kind !== "each") return node;
  const anchor = Object.hasOwn(rows, node.row) ? rows[node.row] : undefined;
  if (anchor === undefined) return node;
  const path = [...anchor.path, ...node.path];
  // The id of a record is the value of the reference to it: no look-up is needed.
  const isReference = node.kind === "field" && anchor.path.length > 0 && path.length > 1 && path.at(-1) === "id";
  return { ...node, row: anchor.row, path: isReference ? path.slice(0, -1) : path };
}

/** A rule whose bare names must satisfy it in the row before and in the row after. */
export function overBothRows(rule: Expression, moved?: Moved): Expression {
  const readsRecord = someNode(
    rule,
    (node) => (node.kind === "field" || node.kind === "each") && node.row === "record",
  );
  if (!readsRecord) return rule;
  const on = (row: "old" | "new"): Expression => substitute(rule, { record: { row, path: [] } }, moved);
  return joined("&&", [on("old"), on("new")]);
}

/** Gives every `each` its own variable, and none from `taken`: `c`, then `c_2`, `c_3` and so on. */
export function withFreshVariables(expression: Expression, taken: ReadonlySet<string>, moved?: Moved): Expression {
  return rename(expression, new Map(), new Set(taken), moved);
}

function rename(
  expression: Expression,
  names: ReadonlyMap<string, string>,
  used: Set<string>,
  moved: Moved | undefined,
): Expression {
  let result: Expression;
  switch (expression.kind) {
    case "field":
      result = { ...expression, row: names.get(expression.row) ?? expression.row };
      break;
    case "each": {
      const variable = freshName(expression.variable, used);
      used.add(variable);
      const row = names.get(expression.row) ?? expression.row;
      const inner = new Map(names).set(expression.variable, variable);
      const condition = rename(expression.condition, inner, used, moved);
      const value = expression.value && rename(expression.value, inner, used, moved);
      result = { ...expression, row, variable, condition, ...(value && { value }) };
      break;
    }
    case "operation":
      result = { ...expression, args: expression.args.map((one) => rename(one, names, used, moved)) };
      break;
    case "list":
      result = { ...expression, items: expression.items.map((one) => rename(one, names, used, moved)) };
      break;
    case "member":
      result = { ...expression, organization: rename(expression.organization, names, used, moved) };
      break;
    case "literal":
    case "sent":
    case "value":
    case "user":
    case "context":
      result = { ...expression };
  }
  moved?.(expression, result);
  return result;
}

function freshName(name: string, used: ReadonlySet<string>): string {
  if (!used.has(name)) return name;
  const under = name.lastIndexOf("_");
  const number = under === -1 ? Number.NaN : Number(name.slice(under + 1));
  const stem = Number.isInteger(number) && under > 0 && under < name.length - 1 ? name.slice(0, under) : name;
  for (let count = 2; ; count++) if (!used.has(`${stem}_${count}`)) return `${stem}_${count}`;
}
