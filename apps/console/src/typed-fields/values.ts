// Values of declared fields in a form: the input of an action, or a record. In: the fields and a text for each. Out: the values to send, or
// the problem of each wrong text. The cell checks everything again; this reports mistakes earlier. Pure.
import type { Field, FieldType } from "@plinth/blueprint";

/** The kind of form field for a type. */
export type InputKind = "choice" | "number" | "date" | "time" | "datetime" | "lines" | "json" | "text";

export function inputKindOf(type: FieldType): InputKind {
  switch (type.kind) {
    case "bool":
    case "enum":
      return "choice";
    case "int":
    case "float":
    case "percent":
      return "number";
    case "date":
    case "time":
    case "datetime":
      return type.kind;
    case "text":
    case "markdown":
      return "lines";
    case "enum_set":
    case "refs":
    case "json":
    case "object":
    case "list":
    case "i18n":
    case "point":
    case "vector":
      return "json";
    default:
      return "text";
  }
}

export function choicesOf(type: FieldType): readonly string[] {
  return type.kind === "enum" ? type.values : type.kind === "bool" ? ["true", "false"] : [];
}

export function isRequired({ optional, default: byDefault, type }: Field): boolean {
  return !optional && byDefault === null && type.kind !== "refs";
}

/** The type as text next to the field's name: `ref shipment`, `money EUR`. */
export function typeText(type: FieldType): string {
  switch (type.kind) {
    case "ref":
    case "refs":
      return `${type.kind} ${type.entity}`;
    case "money":
      return `money ${type.currency}`;
    case "datetime":
      return "datetime, in UTC";
    case "decimal":
      return `decimal(${type.precision}, ${type.scale})`;
    default:
      return type.kind.replaceAll("_", " ");
  }
}

export interface ReadInput {
  readonly body: Readonly<Record<string, unknown>>;
  /** By field; empty if the body can be sent. */
  readonly problems: Readonly<Record<string, string>>;
}

export function readInput(fields: readonly Field[], texts: Readonly<Record<string, string>>): ReadInput {
  const body: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  for (const field of fields) {
    const text = texts[field.name] ?? "";
    if (text.trim() === "") {
      if (isRequired(field)) problems[field.name] = "A value is required.";
      continue;
    }
    const read = readValue(field, text);
    if ("problem" in read) problems[field.name] = read.problem;
    else body[field.name] = read.value;
  }
  return { body, problems };
}

export type Read = { readonly value: unknown } | { readonly problem: string };

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Reads a text that is not empty. */
export function readValue({ type }: Field, text: string): Read {
  switch (inputKindOf(type)) {
    case "choice":
      return { value: type.kind === "bool" ? text === "true" : text };
    case "number": {
      const number = Number(text);
      if (!Number.isFinite(number)) return { problem: "It must be a number." };
      if (type.kind === "int" && !Number.isInteger(number)) return { problem: "It must be a whole number." };
      return { value: number };
    }
    case "datetime": {
      // The form field has no zone. Both sides of the console use UTC, as the API does.
      const ms = Date.parse(/(?:Z|[+-]\d\d:\d\d)$/i.test(text) ? text : `${text}Z`);
      return Number.isNaN(ms) ? { problem: "It must be a date and a time." } : { value: new Date(ms).toISOString() };
    }
    case "time":
      return { value: text.length === 5 ? `${text}:00` : text };
    case "json":
      try {
        return { value: JSON.parse(text) };
      } catch {
        return { problem: "This is not valid JSON." };
      }
    default: {
      const isId = ["ref", "user_ref", "org_ref", "uuid"].includes(type.kind);
      if (isId && !uuid.test(text.trim())) return { problem: "It must be an id (a UUID)." };
      return { value: isId ? text.trim() : text };
    }
  }
}

/** The text of a stored value in its form field. `readValue` reads it again. */
export function textOf(value: unknown, type: FieldType): string {
  if (value === null || value === undefined) return "";
  const kind = inputKindOf(type);
  if (kind === "json") return JSON.stringify(value, null, 2);
  if (kind === "time") return String(value).slice(0, 8);
  return kind === "datetime" ? utcTime(new Date(String(value))) : String(value);
}

/** In the form of `<input type="datetime-local">`, which has no zone: in UTC. */
function utcTime(date: Date): string {
  return date.toISOString().slice(0, 19);
}
