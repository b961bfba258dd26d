// Checks values. In: a value of the blueprint (a default, a value in a seed row) and its type. Out: the value as JSON
// in its canonical form, or the problem. The caller resolves references.

import { compilePattern, didYouMean } from "@plinth/expression";
import { canonicalScalar, compareScalars, INT_MAX, INT_MIN } from "../../field-types/scalars.ts";
import { typeTraits } from "../../field-types/type-traits.ts";
import type { FieldType, JsonValue, Limits, ObjectMember } from "../../model/model.ts";
import type { MapNode, Node, Range, ScalarNode } from "../../text/syntax.ts";
import { isUnstorable } from "../writing.ts";

interface ValueProblem {
  readonly problem: string;
  readonly range: Range;
}

type CheckedValue = { readonly value: JsonValue } | ValueProblem;

interface ValueContext {
  /** A plain text is a word of the language, as in the short notation, in which texts have quotes. */
  readonly words: boolean;
  /** The id for a reference; null if the name is unknown. Without this function, no reference has a value. */
  readonly idOf?: (type: FieldType, text: string) => string | null;
}

const VALUE_NESTING_MAX = 12;

export function checkValue(type: FieldType, limits: Limits, node: Node, context: ValueContext): CheckedValue {
  switch (type.kind) {
    case "json":
      return jsonValue(node, 0);
    case "object":
      return objectValue(type.fields, node, context);
    case "list":
    case "enum_set":
      return listValue(type, limits, node, context);
    case "i18n":
      return translations(type.of, node, context);
    case "point":
      return pointValue(node);
    case "ref":
    case "user_ref":
    case "org_ref": {
      const text = node.kind === "scalar" && typeof node.value === "string" ? node.text : null;
      const id = text === null ? null : (canonicalScalar({ kind: "uuid" }, text) ?? context.idOf?.(type, text) ?? null);
      return typeof id === "string" ? { value: id } : wrong(node, "There is no record with this name.");
    }
    case "refs":
    case "vector":
    case "file":
    case "image":
    case "secret":
    case "sequence":
    case "computed":
      return wrong(node, `The type \`${type.kind}\` can't have a value here.`);
    default:
      return scalarValue(type, limits, node, context);
  }
}

function wrong(at: { readonly range: Range }, problem: string): ValueProblem {
  return { problem, range: at.range };
}

function scalarValue(type: FieldType, limits: Limits, node: Node, { words }: ValueContext): CheckedValue {
  if (node.kind !== "scalar" || node.value === null) return wrong(node, hintFor(type));
  const quoted = node.style !== "plain";
  const isText = quoted || (!words && typeof node.value === "string");
  const writing = typeTraits[type.kind].limits === "characters" || type.kind === "phone" || type.kind === "color";
  if (writing && !isText) return wrong(node, `Write a text in quotes: \`"${cut(node.text)}"\`.`);
  const isNumber = ["int", "float", "percent", "bool"].includes(type.kind);
  if (isNumber && quoted) return wrong(node, hintFor(type));
  if (isUnstorable(node.text)) return wrong(node, "It contains a NUL character or half of a surrogate pair.");
  const value = canonicalScalar(type, node.text);
  if (value === null) return wrong(node, hintFor(type, node.text));
  const beyond = limitProblem(type, limits, value);
  return beyond === null ? { value } : wrong(node, beyond);
}

function limitProblem(type: FieldType, limits: Limits, value: string | number | boolean): string | null {
  const counts = typeTraits[type.kind].limits;
  const { min, max, pattern } = limits;
  if (counts === "characters" && typeof value === "string") {
    const length = [...value].length;
    if (max !== null && length > Number(max)) return `It is longer than the maximum of ${max} characters.`;
    if (min !== null && length < Number(min)) return `It is shorter than the minimum of ${min} characters.`;
  }
  if (counts === "value") {
    if (max !== null && compareScalars(type, String(value), max) > 0) return `It is larger than \`max\`, ${max}.`;
    if (min !== null && compareScalars(type, String(value), min) < 0) return `It is smaller than \`min\`, ${min}.`;
  }
  if (pattern !== null && !compilePattern(pattern).test(String(value))) return "It does not match the pattern.";
  return null;
}

const hints: Readonly<Partial<Record<FieldType["kind"], string>>> = {
  int: `Write a whole number from ${INT_MIN} to ${INT_MAX}.`,
  bigint: "Write a whole number with at most 64 bits.",
  float: "A number.",
  percent: "Write a number with at most four decimal places.",
  bool: "Write `true` or `false`.",
  email: "It is not a valid e-mail address.",
  url: "Write an address that starts with `https://` or `http://`.",
  phone: "Write it in the E.164 format: `+4930123456`.",
  color: "Write it as `#1a2b3c`, in quotes.",
  slug: "Use lower-case words and digits joined by hyphens.",
  date: "Write `today` or a date: `2026-01-31`.",
  time: 'Write a time in quotes: `"09:30"`.',
  datetime: 'Write `now` or a time in quotes: `"2026-01-31T12:00:00Z"`.',
  duration: "Write it as ISO 8601 without years and months: `PT1H30M`, `P7D`.",
  timezone: "Write a name from the IANA time zone database: `Europe/Berlin`.",
  country: "Write the two-letter code of ISO 3166: `DE`.",
  currency: "Write the three-letter code of ISO 4217: `EUR`.",
  locale: "Write a language tag: `en`, `de-AT`.",
  uuid: "Write a UUID.",
};

function hintFor(type: FieldType, text = ""): string {
  switch (type.kind) {
    case "enum":
      return didYouMean(text, type.values) ?? `Use one of: ${type.values.slice(0, 12).join(", ")}.`;
    case "decimal":
      return `Write a number with at most ${type.precision} digits, ${type.scale} of them after the decimal point.`;
    case "money":
      return `Write an amount with at most ${type.scale} decimal places.`;
    default:
      return hints[type.kind] ?? "Write a text.";
  }
}

function listValue(
  type: Extract<FieldType, { kind: "list" | "enum_set" }>,
  limits: Limits,
  node: Node,
  context: ValueContext,
): CheckedValue {
  if (node.kind !== "list") return wrong(node, "Write a list: `[a, b]`.");
  const item: FieldType = type.kind === "list" ? type.of : { kind: "enum", values: type.values };
  // Inside brackets, YAML itself has distinguished texts from numbers.
  const inside = { ...context, words: false };
  const values: JsonValue[] = [];
  for (const one of node.items) {
    const checked = checkValue(item, itemLimits(item), one, inside);
    if ("problem" in checked) return checked;
    values.push(checked.value);
  }
  if (type.kind === "enum_set" && new Set(values).size < values.length)
    return wrong(node, "It contains the same value twice.");
  if (limits.max !== null && values.length > Number(limits.max))
    return wrong(node, `It has more than ${limits.max} members.`);
  if (limits.min !== null && values.length < Number(limits.min))
    return wrong(node, `It has fewer than ${limits.min} members.`);
  if (type.kind === "list") return { value: values };
  return { value: type.values.filter((value) => values.includes(value)) };
}

/** Without limits of its own, the value has the usual limits. */
function itemLimits(type: FieldType): Limits {
  if (type.kind === "string") return { min: null, max: "255", pattern: null };
  if (type.kind === "percent") return { min: "0", max: "100", pattern: null };
  return { min: null, max: null, pattern: null };
}

function objectValue(members: readonly ObjectMember[], node: Node, context: ValueContext): CheckedValue {
  if (node.kind !== "map") return wrong(node, "Write a map: `{street: Main}`.");
  const values = new Map<string, JsonValue>();
  for (const { key, value } of node.entries) {
    const member = members.find((one) => one.name === key.text);
    if (member === undefined) {
      const known = members.map((one) => one.name);
      return wrong(key, `It has no member \`${cut(key.text)}\`. ${didYouMean(key.text, known) ?? ""}`.trimEnd());
    }
    const checked = checkValue(member.type, member.limits, value, { ...context, words: false });
    if ("problem" in checked) return checked;
    values.set(member.name, checked.value);
  }
  const missing = members.find((one) => !one.optional && !values.has(one.name));
  if (missing !== undefined) return wrong(node, `The member \`${missing.name}\` is missing.`);
  const ordered = members.filter((one) => values.has(one.name)).map((one) => [one.name, values.get(one.name) ?? null]);
  return { value: Object.fromEntries(ordered) };
}

function translations(of: FieldType, node: Node, context: ValueContext): CheckedValue {
  if (node.kind !== "map" || node.entries.length === 0)
    return wrong(node, "Write one text a language: `{en: Hello, de: Hallo}`.");
  const values: [string, JsonValue][] = [];
  for (const { key, value } of node.entries) {
    const locale = canonicalScalar({ kind: "locale" }, key.text);
    if (locale === null) return wrong(key, `\`${cut(key.text)}\` is not a language tag: \`en\`, \`de-AT\`.`);
    const checked = checkValue(of, itemLimits(of), value, { ...context, words: false });
    if ("problem" in checked) return checked;
    values.push([String(locale), checked.value]);
  }
  return { value: Object.fromEntries(values) };
}

function pointValue(node: Node): CheckedValue {
  const hint = "Write degrees: `{lat: 52.5, lng: 13.4}`.";
  if (node.kind !== "map" || node.entries.length !== 2) return wrong(node, hint);
  const lat = degrees(node, "lat", 90);
  const lng = degrees(node, "lng", 180);
  return lat === null || lng === null ? wrong(node, hint) : { value: { lat, lng } };
}

function degrees(map: MapNode, name: string, most: number): number | null {
  const value = map.entries.find((one) => one.key.text === name)?.value;
  const number = value?.kind === "scalar" && typeof value.value === "number" ? value.value : Number.NaN;
  return Math.abs(number) <= most ? number + 0 : null;
}

/** Any JSON. Keys with a special meaning in JavaScript are refused. */
function jsonValue(node: Node, depth: number): CheckedValue {
  if (depth > VALUE_NESTING_MAX) return wrong(node, `It is nested more than ${VALUE_NESTING_MAX} levels deep.`);
  if (node.kind === "scalar") return jsonScalar(node);
  const values: [string, JsonValue][] = [];
  const parts = node.kind === "list" ? node.items.map((value) => ({ key: null, value })) : node.entries;
  for (const { key, value } of parts) {
    if (key?.text === "__proto__") return wrong(key, "`__proto__` is not allowed as a key.");
    if (key !== null && isUnstorable(key.text))
      return wrong(key, "One of its keys contains a NUL character or half of a surrogate pair.");
    const checked = jsonValue(value, depth + 1);
    if ("problem" in checked) return checked;
    values.push([key?.text ?? "", checked.value]);
  }
  return { value: node.kind === "list" ? values.map(([, value]) => value) : Object.fromEntries(values) };
}

function jsonScalar(node: ScalarNode): CheckedValue {
  if (typeof node.value === "number" && !Number.isFinite(node.value))
    return wrong(node, "JSON can't represent this number.");
  if (typeof node.value === "string" && isUnstorable(node.value))
    return wrong(node, "It contains a NUL character or half of a surrogate pair.");
  return { value: typeof node.value === "number" ? node.value + 0 : node.value };
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
