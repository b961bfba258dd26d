// The operators of a value, and their operands. In: a subject, an operator's name and the caller's value. Out: a test,
// or an error. It never converts a value: a value of another type is refused.
import type { BundleField } from "@plinth/bundle";
import type { Fault } from "@plinth/service";
import type { EntityView } from "../entity-view.ts";
import { arrayLiteral } from "../parameters.ts";
import { didYouMean } from "../suggest.ts";
import type { Filter, Operator, Subject } from "./filter.ts";
import { habitOfOperator } from "./habits.ts";
import { bad } from "./refusals.ts";
import { canonical, formProblem } from "./value-forms.ts";

/** Values of one `in`. */
const VALUES_MAX = 100;

/** A value as it was sent: text of a query string, or JSON. */
export type Sent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "json"; readonly value: unknown };

const equality: readonly Operator[] = ["eq", "ne", "in", "nin", "is_null"];
const order: readonly Operator[] = ["gt", "gte", "lt", "lte"];
const texts: readonly Operator[] = [
  "ieq",
  "contains",
  "icontains",
  "starts_with",
  "istarts_with",
  "ends_with",
  "iends_with",
];
const lists: readonly Operator[] = ["has", "has_any", "has_all", "is_null"];

const all: readonly string[] = [...equality, ...order, ...texts, ...lists];

export function isOperator(name: string): boolean {
  return all.includes(name);
}

/** The pattern for a text. */
const patterns: Readonly<Partial<Record<Operator, (escaped: string) => string>>> = {
  ieq: (text) => text,
  contains: (text) => `%${text}%`,
  icontains: (text) => `%${text}%`,
  starts_with: (text) => `${text}%`,
  istarts_with: (text) => `${text}%`,
  ends_with: (text) => `%${text}`,
  iends_with: (text) => `%${text}`,
};

/** None if the field can't be filtered by. */
export function operatorsOf(subject: Subject, view: EntityView): readonly Operator[] {
  const { field, path, type } = subject;
  if ((field.column === null && field.value === undefined) || field.secret || field.hidden) return [];
  if (type === "json") return [...equality, ...order, ...texts, "has", "has_any", "has_all"];
  if (type.endsWith("[]")) return lists;
  if (path.length === 0 && !field.filterable) return [];
  if (type === "boolean") return equality;
  if (type !== "text") return [...equality, ...order];
  return choicesOf(subject, view) === null ? [...equality, ...order, ...texts] : equality;
}

/** @param parameter The parameter as the caller wrote it. @throws Fault `bad_request`. */
export function testOf(view: EntityView, subject: Subject, name: string, sent: Sent, parameter: string): Filter {
  const known = operatorsOf(subject, view);
  if (known.length === 0) throw unfiltered(subject.field, parameter);
  const operator = known.find((each) => each === name);
  if (operator === undefined) {
    const hint = habitOfOperator(name, known) || didYouMean(name, known);
    throw bad(parameter, "unknown_operator", `It takes ${known.join(", ")}.${hint}`);
  }
  if (operator === "is_null") {
    const isNull = flagOf(sent, parameter);
    return { kind: "test", subject, operator: isNull ? "is_null" : "is_set", value: null };
  }
  return { kind: "test", subject, operator, value: operandOf(view, subject, operator, sent, parameter) };
}

function unfiltered(field: BundleField, parameter: string): Fault {
  const instead = field.join === null ? "" : ` Name a field of theirs: ${field.name}.id.`;
  return bad(parameter, "not_allowed", `Records can't be filtered by it: ${whyUnordered(field)}${instead}`);
}

/** Why records can't be compared or sorted by a field, and what to use instead. */
export function whyUnordered({ join, column, sqlType }: BundleField): string {
  if (join !== null) return "it is a list of other records.";
  if (column === null) return "it is calculated when a record is read. Use the fields that it is calculated from.";
  if (sqlType === "jsonb") return "it is JSON. Store the part that you need in a separate field.";
  if (sqlType.endsWith("[]")) return "it is a list.";
  if (sqlType === "point") return "it is a place. Store latitude and longitude in separate fields.";
  return "its values have no order.";
}

function operandOf(view: EntityView, subject: Subject, operator: Operator, sent: Sent, parameter: string): string {
  const pattern = patterns[operator];
  if (pattern !== undefined) return pattern(textOf(sent, parameter).replaceAll(/[\\%_]/g, "\\$&"));
  const item = (one: Sent): string => itemOf(view, subject, one, parameter);
  switch (operator) {
    case "in":
    case "nin":
    case "has_any":
    case "has_all":
      return arrayLiteral(severalOf(sent, parameter).map(item));
    case "has":
      return arrayLiteral([item(sent)]);
    default:
      return item(sent);
  }
}

function itemOf(view: EntityView, subject: Subject, sent: Sent, parameter: string): string {
  if (subject.type === "json") return jsonOf(sent, parameter);
  const type = subject.type.endsWith("[]") ? subject.type.slice(0, -2) : subject.type;
  const text = sent.kind === "text" ? sent.text : scalarOf(sent.value, type, parameter);
  const problem = formProblem(type, text);
  if (problem !== null) {
    // `2024-12-31T12:00:00+01:00`, as it arrives if the client didn't encode it.
    const plus =
      sent.kind === "text" && / \d{2}:\d{2}$/.test(text) ? " In an address, + means a space: write %2B." : "";
    throw bad(parameter, "invalid_format", `${problem}${plus}`);
  }
  const choices = choicesOf(subject, view);
  if (choices !== null && !choices.includes(text)) {
    const message = `It must be one of ${choices.join(", ")}.${didYouMean(text, choices)}`;
    throw bad(parameter, "not_allowed", message);
  }
  return canonical(type, text);
}

const numbers: ReadonlySet<string> = new Set(["integer", "bigint", "numeric", "double precision"]);

function scalarOf(value: unknown, type: string, parameter: string): string {
  if (typeof value === "string" && type !== "boolean" && type !== "integer" && type !== "double precision")
    return value;
  if (typeof value === "boolean" && type === "boolean") return String(value);
  if (typeof value === "number" && numbers.has(type.replace(/\(.*\)/, ""))) return String(value);
  const wanted = type === "boolean" ? "true or false" : numbers.has(type) ? "a number" : "a string";
  throw bad(parameter, "invalid_type", `It must be ${wanted}.`);
}

/**
 * In a URL, numbers, true and false are recognized by their form, and everything else is a string. `where`
 * distinguishes them.
 */
function jsonOf(sent: Sent, parameter: string): string {
  if (sent.kind === "json") {
    const { value } = sent;
    if (typeof value === "object" && value !== null) {
      throw bad(parameter, "invalid_type", "It must be a string, a number, true or false.");
    }
    return JSON.stringify(value);
  }
  const { text } = sent;
  const isScalar = text === "true" || text === "false" || /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/.test(text);
  return isScalar ? text : JSON.stringify(text);
}

function textOf(sent: Sent, parameter: string): string {
  if (sent.kind === "text") return sent.text;
  if (typeof sent.value === "string") return sent.value;
  throw bad(parameter, "invalid_type", "It must be a string.");
}

function flagOf(sent: Sent, parameter: string): boolean {
  const value = sent.kind === "json" ? sent.value : sent.text === "true" ? true : sent.text === "false" ? false : null;
  if (typeof value === "boolean") return value;
  throw bad(parameter, "invalid_format", "It must be true or false.");
}

function severalOf(sent: Sent, parameter: string): readonly Sent[] {
  const values: readonly Sent[] =
    sent.kind === "text"
      ? commaSeparated(sent.text, parameter).map((text) => ({ kind: "text", text }))
      : listOf(sent.value, parameter).map((value) => ({ kind: "json", value }));
  if (values.length <= VALUES_MAX) return values;
  throw bad(parameter, "too_many", `At most ${VALUES_MAX} values can be given.`);
}

/** A value that contains a comma, or begins with a quote, is in quotes: `"Hebdon, John",Ana`. */
function commaSeparated(text: string, parameter: string): readonly string[] {
  if (!text.includes('"')) return text.split(",", VALUES_MAX + 2);
  const values: string[] = [];
  for (let at = 0; at <= text.length && values.length <= VALUES_MAX; ) {
    const [whole, quoted, plain] = /^(?:"((?:[^"\\]|\\.)*)"|([^,"][^,]*)?)(?:,|$)/s.exec(text.slice(at)) ?? [];
    if (whole === undefined) {
      throw bad(parameter, "invalid_format", 'A value in quotes ends with a quote: "Hebdon, John",Ana.');
    }
    values.push(quoted?.replaceAll(/\\(.)/gs, "$1") ?? plain ?? "");
    at += whole.length;
    if (!whole.endsWith(",")) break;
  }
  return values;
}

function listOf(value: unknown, parameter: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw bad(parameter, "invalid_type", "It must be a list.");
}

/** The values of a choice, in the order of their declaration; null for all other fields. */
export function choicesOf({ field, path }: Subject, view: EntityView): readonly string[] | null {
  if (path.length > 0) return null;
  for (const { columns, rule } of view.table?.checks ?? []) {
    const isOwn = columns.length === 1 && columns[0] === field.column;
    if (isOwn && (rule.kind === "one_of" || rule.kind === "subset_of")) return rule.values;
  }
  return null;
}
