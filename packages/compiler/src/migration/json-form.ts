// Checks the form of a JSON value in immutable SQL that an index can use: no subquery, only the value. Members of
// nested objects are checked; members of lists and translations only by their JSON type.
import { type FieldType, patterns } from "@plinth/blueprint";
import { quoteText } from "../sql/sql-text.ts";

type Of<K extends FieldType["kind"]> = Extract<FieldType, { kind: K }>;

/** True; false if the value exists and has another form. @param value SQL of jsonb. */
export function hasForm(type: FieldType, value: string): string {
  switch (type.kind) {
    case "json":
      return "true";
    case "object":
      return only("object", value, membersFit(type, value));
    case "i18n":
      return only("object", value, `${eachIs(type.of, value, "*")} and ${keysAreLocales(value)}`);
    case "list":
      return only("array", value, eachIs(type.of, value, "[*]"));
    case "enum":
      return only("string", value, `(${value} #>> array[]::text[]) in (${type.values.map(quoteText).join(", ")})`);
    case "int":
      return only("number", value, `${value}::numeric = trunc(${value}::numeric)`);
    default:
      return only(jsonTypeOf(type), value, type.kind in patterns ? matches(type.kind as Patterned, value) : "true");
  }
}

type Patterned = keyof typeof patterns;

function matches(kind: Patterned, value: string): string {
  return `(${value} #>> array[]::text[]) ~ ${quoteText(postgresForm(patterns[kind]))}`;
}

function only(jsonType: string, value: string, then: string): string {
  return `(case when jsonb_typeof(${value}) = '${jsonType}' then ${then} else false end)`;
}

function membersFit({ fields }: Of<"object">, value: string): string {
  const names = fields.map(({ name }) => quoteText(name)).join(", ");
  const others = `(${value} - array[${names}]::text[]) = ${quoteText("{}")}::jsonb`;
  const each = fields.map(({ name, type, optional }) => {
    const member = `(${value} -> ${quoteText(name)})`;
    return `(case when coalesce(jsonb_typeof(${member}), 'null') = 'null' then ${optional} else ${hasForm(type, member)} end)`;
  });
  return [others, ...each].join(" and ");
}

function eachIs(type: FieldType, value: string, step: string): string {
  if (type.kind === "json") return "true";
  const path = step === "*" ? "$.*" : "$[*]";
  const other = quoteText(`strict ${path} ? (@.type() != "${jsonTypeOf(type)}")`);
  return `not jsonb_path_exists(${value}, ${other}::jsonpath)`;
}

function keysAreLocales(value: string): string {
  const other = quoteText(`$.keyvalue() ? (!(@.key like_regex ${JSON.stringify(postgresForm(patterns.locale))}))`);
  return `not jsonb_path_exists(${value}, ${other}::jsonpath)`;
}

/** As JSON values. */
function jsonTypeOf({ kind }: FieldType): string {
  if (kind === "bool") return "boolean";
  if (kind === "int" || kind === "float" || kind === "percent") return "number";
  if (kind === "object" || kind === "i18n" || kind === "point") return "object";
  return kind === "list" || kind === "enum_set" || kind === "vector" ? "array" : "string";
}

/**
 * The same pattern for Postgres, where texts contain neither NUL nor surrogates, and `
 * s` matches fewer characters.
 */
export function postgresForm(pattern: string): string {
  return pattern
    .replaceAll("\\p{Cs}", "")
    .replaceAll("\\x00", "\\x01")
    .replaceAll("\\s", "\\s\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff");
}
