// Compares types. In: a field's type before and after, in the same words. Out: the effects of the change, or null if
// there is none. It says what a migration must do, never how; whether existing rows fit is measured before a migration
// runs.

import type { FieldType } from "../model/model.ts";
import { typeText } from "../model/notation.ts";
import type { ChangeClass } from "./change.ts";
import { named, type Part, same } from "./make-change.ts";

/** For an amount, including decimal places. */
const MONEY_DIGITS = 20;

type Kind = FieldType["kind"];
type Of<K extends Kind> = Extract<FieldType, { kind: K }>;

/** Types that share one kind of column, or convert in the same way. */
const families: Readonly<Record<Kind, "text" | "number" | "moment" | "id" | "bool" | "json" | "alone">> = {
  string: "text",
  text: "text",
  markdown: "text",
  slug: "text",
  email: "text",
  url: "text",
  phone: "text",
  color: "text",
  timezone: "text",
  country: "text",
  currency: "text",
  locale: "text",
  enum: "text",
  sequence: "text",
  int: "number",
  bigint: "number",
  float: "number",
  decimal: "number",
  money: "number",
  percent: "number",
  date: "moment",
  time: "moment",
  datetime: "moment",
  duration: "moment",
  uuid: "id",
  user_ref: "id",
  org_ref: "id",
  ref: "id",
  bool: "bool",
  json: "json",
  object: "json",
  i18n: "json",
  list: "alone",
  enum_set: "alone",
  point: "alone",
  vector: "alone",
  file: "alone",
  image: "alone",
  refs: "alone",
  secret: "alone",
  computed: "alone",
};

export function typeChange(before: FieldType, after: FieldType): Part | null {
  const text = `changes from ${typeText(before)} to ${typeText(after)}${ofLinks(before, after)}${ofAmounts(before, after)}`;
  if (before.kind !== after.kind) return partOf(text, conversion(before, after));
  if (same(withoutTarget(before), withoutTarget(after))) return null;
  if (before.kind === "enum" || before.kind === "enum_set") return valuesChange(before.values, valuesOf(after));
  return partOf(text, sameKind(before, after));
}

function ofLinks(before: FieldType, after: FieldType): string {
  if (before.kind === "ref" && after.kind === "refs" && before.entity === after.entity)
    return ": each record keeps its reference as its only link";
  if (before.kind === "refs" && after.kind === "ref" && before.entity === after.entity)
    return ": each record keeps its link, and no record may have more than one";
  return "";
}

/** Nobody knows the rate, so no migration converts amounts. */
function ofAmounts(before: FieldType, after: FieldType): string {
  const [was, is] = [currencyOf(before), currencyOf(after)];
  if (was === null || is === null || was === is) return "";
  return `: existing amounts keep their numbers, so 100 ${was} becomes 100 ${is}`;
}

function currencyOf(type: FieldType): string | null {
  if (type.kind === "list") return currencyOf(type.of);
  return type.kind === "money" ? type.currency : null;
}

/** Whether existing values may not fit the new type. */
export function mayNotFit(before: FieldType, after: FieldType): boolean {
  return typeChange(before, after)?.classes.includes("data_dependent") === true;
}

function partOf(text: string, classes: readonly ChangeClass[]): Part {
  if (!classes.includes("unsupported")) return { text, classes };
  return { text: `${text}. No migration can convert the existing values: add a new field instead`, classes };
}

/** The effect on referring records is reported separately; the name of the back relation changes no value. */
function withoutTarget(type: FieldType): unknown {
  return "onDelete" in type ? { ...type, onDelete: null, as: null } : type;
}

function valuesOf(type: FieldType): readonly string[] {
  return type.kind === "enum" || type.kind === "enum_set" ? type.values : [];
}

function valuesChange(before: readonly string[], after: readonly string[]): Part {
  const added = after.filter((value) => !before.includes(value));
  const removed = before.filter((value) => !after.includes(value));
  if (removed.length > 0) {
    const also = added.length > 0 ? ` and can now be ${named(added)}` : "";
    return {
      text: `can no longer be ${named(removed, "or")}${also}`,
      classes: ["breaking", "data_dependent", "online"],
    };
  }
  if (added.length > 0) return { text: `can now also be ${named(added, "or")}`, classes: ["safe"] };
  return { text: "lists its values in another order", classes: ["safe"] };
}

/** The same kind with other arguments. */
function sameKind(before: FieldType, after: FieldType): readonly ChangeClass[] {
  switch (before.kind) {
    case "decimal":
      return decimalChange(before, after as Of<"decimal">);
    case "money":
      return before.scale === (after as Of<"money">).scale ? ["breaking"] : ["breaking", "data_dependent", "rewrite"];
    case "ref":
      return ["breaking", "data_dependent", "online"];
    case "object":
      return objectChange(before, after as Of<"object">);
    case "list":
      return memberChange(before.of, (after as Of<"list">).of);
    case "i18n":
      return typeChange(before.of, (after as Of<"i18n">).of)?.classes ?? ["safe"];
    case "file":
    case "image":
      return fileNarrows(before, after as Of<"file" | "image">) ? ["breaking"] : ["safe"];
    case "computed":
      return same(before.expression.type, (after as Of<"computed">).expression.type) ? ["safe"] : ["breaking"];
    // Counting continues from the existing numbers.
    case "sequence":
      return before.per === (after as Of<"sequence">).per ? ["safe"] : ["unsupported"];
    // Existing links stay as they are, as numbers do.
    case "slug":
      return ["safe"];
    default:
      return ["unsupported"];
  }
}

type Digits = Pick<Of<"decimal">, "precision" | "scale">;

function decimalChange(before: Digits, after: Digits): readonly ChangeClass[] {
  const wider = after.scale >= before.scale && after.precision - after.scale >= before.precision - before.scale;
  if (!wider) return ["breaking", "data_dependent", "rewrite"];
  return after.scale === before.scale ? ["safe"] : ["breaking", "rewrite"];
}

/** An additional optional member breaks nothing. */
function objectChange(before: Of<"object">, after: Of<"object">): readonly ChangeClass[] {
  const kept = before.fields.every((member) => after.fields.some((one) => same(one, member)));
  const added = after.fields.filter((member) => !before.fields.some((one) => one.name === member.name));
  const fits = kept && after.fields.length === before.fields.length + added.length;
  return fits && added.every((member) => member.optional) ? ["safe"] : ["breaking", "data_dependent"];
}

function fileNarrows(before: Of<"file" | "image">, after: Of<"file" | "image">): boolean {
  const fewer =
    after.mime.length > 0 && (before.mime.length === 0 || before.mime.some((one) => !after.mime.includes(one)));
  return fewer || (after.maxBytes !== null && (before.maxBytes === null || after.maxBytes < before.maxBytes));
}

/** From one kind to another. */
function conversion(before: FieldType, after: FieldType): readonly ChangeClass[] {
  const [from, to] = [families[before.kind], families[after.kind]];
  // A computed value has no column: there is nothing to convert, or nothing to keep.
  if (after.kind === "computed") return ["destructive", "breaking"];
  if (before.kind === "computed") return ["breaking", "data_dependent"];
  if (before.kind === "ref" && after.kind === "refs" && before.entity === after.entity) return ["breaking", "rewrite"];
  if (before.kind === "refs" && after.kind === "ref" && before.entity === after.entity)
    return ["breaking", "data_dependent", "rewrite"];
  if (before.kind === "file" && after.kind === "image") return ["breaking"];
  if (before.kind === "image" && after.kind === "file") return ["safe"];
  if (from === "text" && to === "text") return textConversion(before.kind, after.kind);
  if (from === "id" && to === "id")
    return after.kind === "uuid" ? ["breaking"] : ["breaking", "data_dependent", "online"];
  if (from === "json" && to === "json") return after.kind === "json" ? ["safe"] : ["breaking", "data_dependent"];
  if (isSeveral(before) || isSeveral(after)) return severalConversion(before, after);
  if (from === "number" && to === "number") return numberConversion(before, after);
  if (from === "text" && to !== "json" && to !== "alone") return ["breaking", "data_dependent", "rewrite"];
  if (to === "text" && (from === "number" || from === "moment" || from === "id" || from === "bool")) {
    if (after.kind === "sequence" || before.kind === "duration") return ["unsupported"];
    const takesAll = after.kind === "text" || after.kind === "markdown" || after.kind === "string";
    return takesAll ? ["breaking", "rewrite"] : ["breaking", "data_dependent", "rewrite"];
  }
  if (before.kind === "bool" && after.kind === "int") return ["breaking", "rewrite"];
  if (before.kind === "int" && after.kind === "bool") return ["breaking", "data_dependent", "rewrite"];
  if (from === "moment" && to === "moment") return momentConversion(before.kind, after.kind);
  return ["unsupported"];
}

function isSeveral(type: FieldType): type is Of<"list" | "enum_set"> {
  return type.kind === "list" || type.kind === "enum_set";
}

/** From one or several values to several, and back if there is exactly one. */
function severalConversion(before: FieldType, after: FieldType): readonly ChangeClass[] {
  const [from, to] = [memberOf(before), memberOf(after)];
  if (isSeveral(before) && after.kind === "json") return keptAsJson(from) ? ["safe"] : ["breaking", "rewrite"];
  if (isSeveral(before) && isSeveral(after)) {
    const classes = memberChange(from, to);
    return classes.length === 1 && classes[0] === "safe" ? ["breaking"] : classes;
  }
  if (keptAsJson(from) || keptAsJson(to)) return ["unsupported"];
  const change = typeChange(from, to);
  if (change?.classes.some((one) => one === "unsupported" || one === "rewrite") === true) return ["unsupported"];
  const fits = isSeveral(after) && change?.classes.includes("data_dependent") !== true;
  return fits ? ["breaking", "rewrite"] : ["breaking", "data_dependent", "rewrite"];
}

function memberOf(type: FieldType): FieldType {
  if (type.kind === "list") return type.of;
  return type.kind === "enum_set" ? { kind: "enum", values: type.values } : type;
}

function keptAsJson({ kind }: FieldType): boolean {
  return families[kind] === "json";
}

/** For each member of a list: only if each of them certainly has a new value. */
function memberChange(before: FieldType, after: FieldType): readonly ChangeClass[] {
  const classes = typeChange(before, after)?.classes ?? ["safe"];
  const [from, to] = [families[before.kind], families[after.kind]];
  const surely =
    (before.kind === "int" && (after.kind === "bigint" || after.kind === "float")) ||
    (to === "text" && (from === "number" || from === "id" || from === "bool"));
  return classes.includes("rewrite") && !surely ? ["unsupported"] : classes;
}

function textConversion(before: Kind, after: Kind): readonly ChangeClass[] {
  if (after === "sequence") return ["unsupported"];
  const shorts: readonly Kind[] = [
    "enum",
    "country",
    "currency",
    "locale",
    "color",
    "timezone",
    "phone",
    "slug",
    "string",
  ];
  if (after === "text" || after === "markdown") return ["safe"];
  return after === "string" && shorts.includes(before) ? ["safe"] : ["breaking", "data_dependent", "online"];
}

/** A float, or a decimal with enough digits, can hold every whole number; anything else depends on the rows. */
function numberConversion(before: FieldType, after: FieldType): readonly ChangeClass[] {
  const digits = before.kind === "int" ? 10 : before.kind === "bigint" ? 19 : null;
  const widens =
    (before.kind === "int" && (after.kind === "bigint" || after.kind === "float")) ||
    (before.kind === "percent" && after.kind === "float") ||
    (digits !== null && roomOf(after) >= digits);
  const [exactBefore, exactAfter] = [exactOf(before), exactOf(after)];
  if (exactBefore !== null && exactAfter !== null)
    return [
      "breaking",
      ...decimalChange(exactBefore, exactAfter).filter((one) => one !== "safe" && one !== "breaking"),
    ];
  return widens ? ["breaking", "rewrite"] : ["breaking", "data_dependent", "rewrite"];
}

/** Digits before the decimal point. */
function roomOf(type: FieldType): number {
  const exact = exactOf(type);
  return exact === null ? 0 : exact.precision - exact.scale;
}

function exactOf(type: FieldType): Digits | null {
  if (type.kind === "decimal") return type;
  return type.kind === "money" ? { precision: MONEY_DIGITS, scale: type.scale } : null;
}

/** A datetime contains a date; removing the time loses it. */
function momentConversion(before: Kind, after: Kind): readonly ChangeClass[] {
  if (before === "date" && after === "datetime") return ["breaking", "rewrite"];
  if (before === "datetime" && (after === "date" || after === "time")) return ["destructive", "breaking", "rewrite"];
  return ["unsupported"];
}
