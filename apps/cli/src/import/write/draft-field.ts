// Writes one column that isn't a reference as a field. In: the column and a name for it. Out: the field in its long form, or null
// if it can't be imported. The inventory gets the outcome of the column, its default and its comment.
import type { FieldType } from "@plinth/blueprint";
import type { ForeignColumn, ForeignDefault, ForeignEnum, ForeignType, Literal } from "../foreign-schema.ts";
import type { Inventory } from "../inventory.ts";
import { hasField, type LongField } from "./draft.ts";
import { enumNames } from "./names.ts";
import { fieldProblem } from "./try-declaration.ts";

export interface FieldPlace {
  readonly entity: string;
  readonly field: string;
  readonly at: "entity" | "profile";
}

export function draftField(column: ForeignColumn, place: FieldPlace, inventory: Inventory): LongField | null {
  const typed = typeOf(column, place, inventory);
  if (typeof typed === "string") {
    leaveColumn(column, typed, inventory);
    return null;
  }
  const base: LongField = { ...typed, ...(column.optional && { optional: true }) };
  const problem = fieldProblem(place.field, base, "entity");
  if (problem !== null) {
    leaveColumn(column, problem, inventory);
    return null;
  }
  const fallback = defaultOf(column, base, place, inventory);
  const help = helpOf(column.comment, place, inventory);
  inventory.expressed(column.item, hasField(place.entity, place.field));
  inventory.expressed(
    column.required,
    hasField(place.entity, place.field, (field) => !field.optional),
  );
  return { ...base, ...(fallback !== undefined && { default: fallback }), ...(help !== null && { help }) };
}

/** Leaves out a column with all its items. */
export function leaveColumn(column: ForeignColumn, text: string, inventory: Inventory): void {
  inventory.leftOut(column.item, text);
  const behind = "Its field wasn't imported.";
  for (const item of [column.required, column.default?.item, column.comment?.item, column.generated?.item])
    if (item !== column.item) inventory.leftOut(item, behind);
}

const HELP_LENGTH_MAX = 2_000;

function helpOf(comment: ForeignColumn["comment"], place: FieldPlace, inventory: Inventory): string | null {
  const help = helpText(comment);
  if (comment === null) return null;
  if (help === null) inventory.leftOut(comment.item, "It is empty.");
  else
    inventory.expressed(
      comment.item,
      hasField(place.entity, place.field, (field) => field.help === help),
    );
  return help;
}

/** One line, cut to the largest length of a help. */
export function helpText(comment: { readonly text: string } | null): string | null {
  const text = (comment?.text ?? "").replace(/[\s\p{Cc}]+/gu, " ").trim();
  return text === "" ? null : text.slice(0, HELP_LENGTH_MAX).toWellFormed();
}

const TEXT_LENGTH_MAX = 65_535;
const STRING_LENGTH_USUAL = 255;
const ENUM_VALUES_MAX = 200;

/** The type, or the reason why there is none. */
function typeOf(column: ForeignColumn, place: FieldPlace, inventory: Inventory): LongField | string {
  const { type, list, item } = column;
  const changed = (text: string): void => inventory.changed(item, text);
  const plain = scalarOf(type, changed);
  if (typeof plain === "string") return plain;
  if (type.kind === "enum") settleEnum(type.enum, place, inventory);
  if (list) {
    if (plain.max !== undefined) changed("The largest length of each text is not kept.");
    if (plain.values !== undefined) return { type: "list", of: { type: "enum", values: plain.values } };
    return { type: "list", of: plain.type === "string" ? "text" : plain.type };
  }
  return column.bounds === null ? plain : { ...plain, min: Number(column.bounds.min), max: Number(column.bounds.max) };
}

function scalarOf(type: ForeignType, changed: (text: string) => void): LongField | string {
  switch (type.kind) {
    case "text":
      if (type.max === null || type.max > TEXT_LENGTH_MAX) return { type: "text" };
      return type.max === STRING_LENGTH_USUAL ? { type: "string" } : { type: "string", max: type.max };
    case "decimal":
      return { type: decimalOf(type, changed) };
    case "datetime":
      if (!type.zoned) changed("The source stores no time zone; the times are read as UTC.");
      return { type: "datetime" };
    case "duration":
      changed("Durations consist of weeks to seconds; months and years have no fixed length.");
      return { type: "duration" };
    case "enum": {
      const values = type.enum.values.map((value) => value.name);
      if (values.length === 0) return `Its enum ${type.enum.name} has no values.`;
      if (values.length <= ENUM_VALUES_MAX) return { type: "enum", values: [...enumNames(values).values()] };
      changed(
        `An enum has at most ${ENUM_VALUES_MAX} values, ${type.enum.name} has ${values.length}. It becomes text.`,
      );
      return { type: "text" };
    }
    case "as_text":
      changed(`${type.name} becomes text; add a pattern if its form matters.`);
      return { type: "text" };
    case "vector":
      return type.dimensions === null
        ? "A vector needs a number of dimensions."
        : { type: `vector(${type.dimensions})` };
    case "unsupported":
      return `The type ${type.name} has no counterpart.`;
    default:
      return { type: type.kind };
  }
}

const DIGITS_MAX = 100;

function decimalOf(type: { precision: number | null; scale: number }, changed: (text: string) => void): string {
  const precision = Math.min(type.precision ?? DIGITS_MAX, DIGITS_MAX);
  const scale = type.precision === null ? 30 : Math.max(0, Math.min(type.scale, precision - 1));
  if (precision !== type.precision || scale !== type.scale)
    changed(`Its numbers have ${precision} digits, ${scale} of them after the point.`);
  return `decimal(${precision}, ${scale})`;
}

function settleEnum(found: ForeignEnum, place: FieldPlace, inventory: Inventory): void {
  const names = enumNames(found.values.map((value) => value.name));
  const tooMany = found.values.length > ENUM_VALUES_MAX;
  const whole = `It has more than ${ENUM_VALUES_MAX} values; its fields are text.`;
  if (tooMany) inventory.changed(found.item, whole);
  else
    inventory.expressed(
      found.item,
      hasField(place.entity, place.field, ({ type }) => valuesOf(type).length === names.size),
    );
  inventory.leftOut(found.comment?.item, "An enum has no help of its own; write it at its fields.");
  for (const { name, item } of found.values) {
    const written = names.get(name) ?? name;
    if (tooMany) inventory.changed(item, whole);
    else if (written !== name) inventory.changed(item, `It becomes \`${written}\`, because values are words.`);
    else
      inventory.expressed(
        item,
        hasField(place.entity, place.field, ({ type }) => valuesOf(type).includes(written)),
      );
  }
}

function valuesOf(type: FieldType): readonly string[] {
  const inner = type.kind === "list" ? type.of : type;
  return inner.kind === "enum" ? inner.values : [];
}

function defaultOf(column: ForeignColumn, field: LongField, place: FieldPlace, inventory: Inventory): unknown {
  if (column.default === null) return undefined;
  const { value, item } = column.default;
  const written = defaultValue(value, column, field);
  if (written.value !== undefined) {
    const problem = fieldProblem(place.field, { ...field, default: written.value }, place.at);
    if (problem === null) {
      if (item !== column.item) {
        const holds = hasField(place.entity, place.field, (one) => one.default !== null);
        if (written.note === null) inventory.expressed(item, holds);
        else inventory.changed(item, written.note);
      }
      return written.value;
    }
    if (item !== column.item) inventory.leftOut(item, `${problem} The caller gives a value.`);
    return undefined;
  }
  if (item !== column.item)
    inventory.leftOut(item, `A default can't be ${written.note ?? "this expression"}. The caller gives a value.`);
  return undefined;
}

interface WrittenDefault {
  readonly value?: unknown;
  readonly note: string | null;
}

function defaultValue(fallback: ForeignDefault, column: ForeignColumn, field: LongField): WrittenDefault {
  switch (fallback.kind) {
    case "now":
      return field.type === "datetime" ? { value: "now", note: null } : { note: "the current time" };
    case "today":
      return field.type === "date" ? { value: "today", note: null } : { note: "the current date" };
    case "updated_at":
      if (field.type !== "datetime") return { note: "the time of the last change" };
      return {
        value: "now",
        note: "It is set when the record is created; `updated_at` has the time of the last change.",
      };
    case "uuid":
      return { note: "a new id" };
    case "autoincrement":
      return { note: "the next number; `sequence(prefix)` numbers records" };
    case "expression":
      return { note: fallback.text };
    case "literal":
      return literal(fallback.value, column, field);
  }
}

function literal(value: Literal, column: ForeignColumn, field: LongField): WrittenDefault {
  if (column.type.kind === "duration") return { note: JSON.stringify(value) };
  if (column.type.kind === "enum") {
    const names = enumNames(column.type.enum.values.map((one) => one.name));
    const nameOf = (one: Literal): Literal => names.get(String(one)) ?? String(one);
    return { value: Array.isArray(value) ? value.map(nameOf) : nameOf(value), note: null };
  }
  if (column.list || field.type === "json") return { value, note: null };
  const isText = field.type === "text" || field.type === "string";
  return { value: isText ? String(value) : value, note: null };
}
