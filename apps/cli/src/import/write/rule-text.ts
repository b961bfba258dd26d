// Writes an expression of Postgres as a rule. In: its tree, and the names and types of its columns. Out: the rule's text, or null
// if no rule has exactly the same meaning. Unknown values have the same effect in both: a check accepts them, a permission
// doesn't.
import type { SqlNode } from "../postgres/sql-expression.ts";

export interface RuleColumn {
  readonly field: string;
  readonly kind: "text" | "enum" | "number" | "bool" | "time" | "list" | "user" | "reference" | "other";
  /** The entity of a reference. */
  readonly target?: string;
  /** The blueprint's name for a value of an enum. */
  readonly nameOfValue?: (value: string) => string;
}

export type ColumnLookup = (column: string) => RuleColumn | null;

export function ruleOf(node: SqlNode, columns: ColumnLookup): string | null {
  try {
    return stripped(condition(node, columns));
  } catch (error) {
    if (error instanceof Unsupported) return null;
    throw error;
  }
}

/** The value of a generated column, instead of a condition. */
export function valueRuleOf(node: SqlNode, columns: ColumnLookup): string | null {
  try {
    return stripped(number(node, columns));
  } catch (error) {
    if (error instanceof Unsupported) return null;
    throw error;
  }
}

class Unsupported extends Error {}

function unsupported(): never {
  throw new Unsupported();
}

/** Without the outer brackets, if they are a pair. */
function stripped(text: string): string {
  if (!text.startsWith("(") || !text.endsWith(")")) return text;
  let depth = 0;
  const plain = text.replace(/"(?:[^"\\]|\\.)*"/g, (quoted) => "_".repeat(quoted.length));
  for (let at = 0; at < plain.length; at++) {
    if (plain[at] === "(") depth++;
    if (plain[at] === ")" && --depth === 0 && at < plain.length - 1) return text;
  }
  return text.slice(1, -1);
}

function condition(node: SqlNode, columns: ColumnLookup): string {
  switch (node.kind) {
    case "bool":
      return String(node.value);
    case "not":
      return `!(${stripped(condition(node.of, columns))})`;
    case "is_null": {
      const column = columnOf(node.of, columns) ?? unsupported();
      return `(${column.field} ${node.negated ? "!=" : "=="} null)`;
    }
    case "column": {
      const column = columns(node.name);
      return column?.kind === "bool" ? column.field : unsupported();
    }
    case "any":
    case "all":
      return membership(node, columns);
    case "binary":
      if (node.operator === "and" || node.operator === "or") {
        const sign = node.operator === "and" ? "&&" : "||";
        return `(${condition(node.left, columns)} ${sign} ${condition(node.right, columns)})`;
      }
      return comparison(node, columns);
    default:
      return unsupported();
  }
}

/** `a = ANY (ARRAY[...])` and `a <> ALL (ARRAY[...])`. */
function membership(node: SqlNode & { kind: "any" | "all" }, columns: ColumnLookup): string {
  const { kind, operator, left } = node;
  const items = itemsOf(node.right);
  const negated = kind === "all" && operator === "<>";
  if (!negated && !(kind === "any" && operator === "=")) return unsupported();
  const folded = foldedCall(left, columns);
  if (folded !== null) {
    const parts = items.map((item) => folded(constantText(item) ?? unsupported()));
    return negated ? `!(${parts.join(" || ")})` : `(${parts.join(" || ")})`;
  }
  const column = columnOf(left, columns) ?? unsupported();
  const rule = `${column.field} in [${items.map((item) => constant(item, column)).join(", ")}]`;
  return negated ? `!(${rule})` : `(${rule})`;
}

function itemsOf(node: SqlNode): readonly SqlNode[] {
  if (node.kind === "cast") return itemsOf(node.of);
  return node.kind === "array" ? node.items : unsupported();
}

const signs: Readonly<Record<string, string>> = { "=": "==", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=" };
const mirrored: Readonly<Record<string, string>> = { "=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<=" };

function comparison(node: SqlNode & { kind: "binary" }, columns: ColumnLookup): string {
  const { operator, left, right } = node;
  if (isCondition(left) && isCondition(right)) return agreement(operator, left, right, columns);
  const text = constantText(right);
  if (["~~", "!~~", "~", "!~"].includes(operator)) {
    const column = columnOf(left, columns);
    if (column?.kind !== "text" || text === null) return unsupported();
    const matched = operator.endsWith("~~") ? like(column.field, text) : regular(column.field, text);
    return operator.startsWith("!") ? `!(${matched})` : `(${matched})`;
  }
  const sign = signs[operator] ?? unsupported();
  const folded = foldedCall(left, columns);
  if (folded !== null && text !== null && (operator === "=" || operator === "<>"))
    return operator === "=" ? folded(text) : `!(${folded(text)})`;
  const column = columnOf(left, columns);
  const other = columnOf(right, columns);
  if (column === null && other !== null && isConstant(left))
    return comparison(
      { kind: "binary", operator: mirrored[operator] ?? unsupported(), left: right, right: left },
      columns,
    );
  if (isCaller(right) && column !== null)
    return column.kind === "user" ? `(${column.field} ${sign} current_user.id)` : unsupported();
  if (isCaller(left) && other !== null)
    return other.kind === "user" ? `(${other.field} ${sign} current_user.id)` : unsupported();
  if (column !== null && (isConstant(right) || isCurrentTime(right))) {
    // The order of texts depends on the database's collation.
    if (["text", "enum"].includes(column.kind) && !["==", "!="].includes(sign)) return unsupported();
    if (isCurrentTime(right))
      return column.kind === "time" ? `(${column.field} ${sign} ${currentTime(right)})` : unsupported();
    return `(${column.field} ${sign} ${constant(right, column)})`;
  }
  if (column !== null && other !== null) {
    const alike = column.kind === other.kind && ["number", "time", "bool", "user"].includes(column.kind);
    const comparable = column.kind === "text" || column.kind === "reference";
    const equal =
      comparable && column.kind === other.kind && column.target === other.target && ["==", "!="].includes(sign);
    return alike || equal ? `(${column.field} ${sign} ${other.field})` : unsupported();
  }
  return `(${number(left, columns)} ${sign} ${number(right, columns)})`;
}

function isCondition({ kind, ...node }: SqlNode): boolean {
  return kind === "is_null" || kind === "not" || ("operator" in node && ["and", "or"].includes(node.operator));
}

/** Whether two conditions are both true or both false, as `(a IS NULL) = (b IS NULL)`. It is unknown if one of them is. */
function agreement(operator: string, left: SqlNode, right: SqlNode, columns: ColumnLookup): string {
  if (operator !== "=" && operator !== "<>") return unsupported();
  const [one, other] = [condition(left, columns), condition(right, columns)];
  const no = (text: string): string => `!(${stripped(text)})`;
  return operator === "="
    ? `((${one} && ${other}) || (${no(one)} && ${no(other)}))`
    : `((${one} && ${no(other)}) || (${no(one)} && ${other}))`;
}

/** `upper(a) = 'B'` as a regular expression for both cases. Null if it isn't such a call. */
function foldedCall(node: SqlNode, columns: ColumnLookup): ((text: string) => string) | null {
  if (node.kind === "cast" && isTextType(node.type)) return foldedCall(node.of, columns);
  if (node.kind !== "call" || !/^(?:upper|lower)$/.test(node.name) || node.args[0] === undefined) return null;
  const column = columnOf(node.args[0], columns);
  if (column?.kind !== "text") return null;
  const fold = (text: string): string => (node.name === "upper" ? text.toUpperCase() : text.toLowerCase());
  return (text) => {
    if (!/^[\x20-\x7e]*$/.test(text) || fold(text) !== text) return unsupported();
    const letters = [...text].map((letter) =>
      /[a-z]/i.test(letter) ? `[${letter.toUpperCase()}${letter.toLowerCase()}]` : escaped(letter),
    );
    return `${column.field}.matches(${JSON.stringify(`^${letters.join("")}$`)})`;
  };
}

function escaped(letter: string): string {
  return /[\w ]/.test(letter) ? letter : `\\${letter}`;
}

function like(field: string, pattern: string): string {
  const [, before = "", inner = "", after = ""] = /^(%?)([^%_\\]*)(%?)$/.exec(pattern) ?? unsupported();
  const text = JSON.stringify(inner);
  if (before !== "" && after !== "") return `${field}.contains(${text})`;
  if (after !== "") return `${field}.startsWith(${text})`;
  return before === "" ? `${field} == ${text}` : `${field}.endsWith(${text})`;
}

/** Syntax that Postgres and RE2 read alike. The check of the blueprint decides whether it is in the subset. */
function regular(field: string, pattern: string): string {
  if (/\\[^.dDwWsS\\/()[\]{}+*?^$|-]|\[\[|\(\?|^\*\*\*/.test(pattern)) return unsupported();
  return `${field}.matches(${JSON.stringify(pattern)})`;
}

function number(node: SqlNode, columns: ColumnLookup): string {
  switch (node.kind) {
    case "number":
      return node.text;
    case "negative":
      return `-${number(node.of, columns)}`;
    case "cast":
      // A cast to a whole number would round.
      return isWideNumber(node.type)
        ? number(node.of, columns)
        : node.of.kind === "number"
          ? node.of.text
          : unsupported();
    case "column": {
      const column = columns(node.name);
      return column?.kind === "number" ? column.field : unsupported();
    }
    case "call":
      return node.name === "round" ? rounded(node.args, columns) : counted(node, columns);
    case "binary":
      if (node.operator === "/") return `(${number(node.left, columns)} / ${fraction(node.right)})`;
      if (!["+", "-", "*"].includes(node.operator)) return unsupported();
      return `(${number(node.left, columns)} ${node.operator} ${number(node.right, columns)})`;
    default:
      return unsupported();
  }
}

function counted(node: SqlNode & { kind: "call" }, columns: ColumnLookup): string {
  const column = node.args[0] === undefined ? null : columnOf(node.args[0], columns);
  const counts = column?.kind === "text" ? /^(?:char_length|character_length|length)$/ : /^cardinality$/;
  if (column === null || !["text", "list"].includes(column.kind) || !counts.test(node.name)) return unsupported();
  return `size(${column.field})`;
}

function rounded([value, places]: readonly SqlNode[], columns: ColumnLookup): string {
  if (value === undefined || places?.kind !== "number") return unsupported();
  return `round(${stripped(number(value, columns))}, ${places.text})`;
}

/** Whole numbers divide without a remainder in SQL, but exactly in rules. Therefore only a fractional constant is allowed. */
function fraction(node: SqlNode): string {
  return node.kind === "number" && /^\d+\.\d+$/.test(node.text) && Number(node.text) !== 0 ? node.text : unsupported();
}

/** A column, inside casts without an effect. */
function columnOf(node: SqlNode, columns: ColumnLookup): RuleColumn | null {
  if (node.kind === "column") return columns(node.name);
  if (node.kind !== "cast") return null;
  const inner = columnOf(node.of, columns);
  if (inner === null) return null;
  const keeps =
    (["text", "enum"].includes(inner.kind) && isTextType(node.type)) ||
    (inner.kind === "number" && isWideNumber(node.type)) ||
    (inner.kind === "user" && /^(?:text|uuid)$/.test(node.type));
  return keeps ? inner : null;
}

function isTextType(type: string): boolean {
  return /^(?:text|character varying|varchar|bpchar|character)$/.test(type);
}

function isWideNumber(type: string): boolean {
  return /^(?:numeric|double precision|bigint|real)$/.test(type);
}

function isConstant(node: SqlNode): boolean {
  if (node.kind === "cast" || node.kind === "negative") return isConstant(node.of);
  return node.kind === "text" || node.kind === "number" || node.kind === "bool";
}

function constantText(node: SqlNode): string | null {
  if (node.kind === "cast") return isTextType(node.type) ? constantText(node.of) : null;
  return node.kind === "text" ? node.value : null;
}

function constant(node: SqlNode, column: RuleColumn): string {
  if (node.kind === "cast") return constant(node.of, column);
  if (node.kind === "negative") return `-${constant(node.of, column)}`;
  switch (node.kind) {
    case "bool":
      return column.kind === "bool" ? String(node.value) : unsupported();
    case "number":
      return column.kind === "number" ? node.text : unsupported();
    case "text":
      if (column.kind === "text") return JSON.stringify(node.value);
      if (column.kind === "enum") return JSON.stringify(column.nameOfValue?.(node.value) ?? node.value);
      if (column.kind === "number" && /^-?\d+(?:\.\d+)?$/.test(node.value)) return node.value;
      return column.kind === "time" && /^\d{4}-\d\d-\d\d$/.test(node.value)
        ? JSON.stringify(node.value)
        : unsupported();
    default:
      return unsupported();
  }
}

/** How hosted databases name the user of a request. */
export function isCaller(node: SqlNode): boolean {
  if (node.kind === "cast") return isCaller(node.of);
  if (node.kind !== "call") return false;
  if (["auth.uid", "auth.user_id"].includes(node.name)) return true;
  if (node.name === "nullif" && node.args[0] !== undefined) return isCaller(node.args[0]);
  const [setting] = node.args;
  return (
    /^(?:pg_catalog\.)?current_setting$/.test(node.name) &&
    setting !== undefined &&
    /user_?id|\.sub$|claim\.sub/i.test(constantText(setting) ?? "")
  );
}

function isCurrentTime(node: SqlNode): boolean {
  return node.kind === "call" && ["now", "current_date", "current_timestamp"].includes(node.name);
}

function currentTime(node: SqlNode): string {
  return node.kind === "call" && node.name === "current_date" ? "today" : "now";
}
