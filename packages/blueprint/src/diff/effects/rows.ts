// Moves rules of permissions to the rows of a run. In: a rule, and what its rows are there. Out: the same rule over the
// run's `record` and `old`, over an action's input, or over another record.
import { type Anchor, type Expression, keyOfRule, rewrite, type Template, type Values } from "@plinth/expression";

/** The rule by which a caller caused a run, over the run's own rows: `record` is the record after the write. */
export function inWordsOfRun(rule: Expression, isAction: boolean): Expression {
  return onRows(rule, isAction ? { input: { row: "new", path: [] } } : { new: { row: "record", path: [] } });
}

export function onRows(rule: Expression, rows: Readonly<Record<string, Anchor>>): Expression {
  return rewrite(rule, (node) => {
    if (node.kind !== "field" && node.kind !== "each") return node;
    const anchor = Object.hasOwn(rows, node.row) ? rows[node.row] : undefined;
    return anchor === undefined ? node : anchored(node, anchor);
  });
}

/** A rule of a write, if the run writes these values to this record. */
export function ruleOfWrite(rule: Expression, target: Anchor, values: Values): Expression {
  return rewrite(rule, (node) => {
    if ((node.kind !== "field" && node.kind !== "each") || !["record", "old", "new"].includes(node.row)) return node;
    const [name = "", ...rest] = node.path;
    const value = node.row === "new" && Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) return anchored(node, target);
    if (node.kind === "field" && rest.length === 0) {
      if (value.kind === "value") return value.expression;
      if (value.kind === "literal" && isPlain(value.value))
        return { kind: "literal", type: node.type, value: value.value };
    }
    const reference = value.kind === "value" && value.expression.kind === "field" ? value.expression : null;
    return reference === null ? anchored(node, ANOTHER) : anchored({ ...node, path: rest }, reference);
  });
}

/** The record that a step writes: the run's own, one behind a reference of it, or another. */
export function anchorOf(target: Template): Anchor {
  const expression = target.kind === "value" ? target.expression : null;
  if (expression?.kind !== "field" || expression.row !== "record") return ANOTHER;
  return { row: "record", path: expression.path[0] === "id" ? [] : expression.path };
}

/** A record of which nothing is known: its fields are free values. */
export const ANOTHER: Anchor = { row: "another", path: [] };

type Read = Extract<Expression, { readonly kind: "field" | "each" }>;

function anchored(node: Read, anchor: Anchor): Expression {
  if (anchor.row === ANOTHER.row) return { kind: "value", type: node.type, root: ANOTHER.row, path: [keyOfRule(node)] };
  const path = [...anchor.path, ...node.path];
  // The id of a record and the value of the reference to it are the same.
  const isReference = node.kind === "field" && anchor.path.length > 0 && path.at(-1) === "id";
  return { ...node, row: anchor.row, path: isReference ? path.slice(0, -1) : path };
}

function isPlain(value: unknown): value is string | number | boolean | null {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}
