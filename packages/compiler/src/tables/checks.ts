// Collects a table's checks. In: an entity. Out: what its fields' types and limits demand of a row, and its named
// checks, as data. The body's JSON Schema refuses what only a caller's input can violate (a format, a member of an
// object).
import type { Entity, Field, FieldType, ObjectMember } from "@plinth/blueprint";
import type { BundleEntity, Check } from "@plinth/bundle";
import { postgresPattern } from "@plinth/expression";
import { lowerCheck } from "../rules/access.ts";
import type { Catalog } from "../sql/catalog.ts";
import { isStored, sqlTypeOf, TEXT_LENGTH_MAX } from "../sql/column-type.ts";
import { constraintName, quoteIdentifier as q, quoteDigits, quoteText } from "../sql/sql-text.ts";
import { orderChecksOf, orderMessagesOf } from "./exclusions.ts";

export function checksOf(entity: Entity, catalog: Catalog): readonly Check[] {
  const named = entity.checks.map(({ name, condition }) => ({
    name: namedCheckName(entity, name),
    columns: columnsIn(condition),
    rule: { kind: "sql" as const, sql: lowerCheck(condition, entity.name, catalog) },
  }));
  const ofFields = entity.fields.filter(isStored).flatMap((field) => fieldChecksOf(entity.plural, field));
  return [...ofFields, ...named, ...orderChecksOf(entity)];
}

/** The messages for patterns and named checks; for limits, the runtime makes the message from the check. */
export function checkMessagesOf(entity: Entity): BundleEntity["checks"] {
  const patterns = entity.fields.filter(isStored).flatMap(({ name, limits: { pattern } }) => {
    if (pattern === null) return [];
    return [
      { name: constraintName(entity.plural, [name], "pattern"), message: `It must match ${pattern}`, field: name },
    ];
  });
  const named = entity.checks.map(({ name }) => ({
    name: namedCheckName(entity, name),
    message: `The record must satisfy the check "${name.replaceAll("_", " ")}".`,
  }));
  return [...patterns, ...named, ...orderMessagesOf(entity)];
}

function namedCheckName(entity: Entity, name: string): string {
  return constraintName(entity.plural, [name], "rule");
}

/** Each kind of check has its own name, so that a plan can change one without the others. */
export function fieldChecksOf(table: string, field: Field): readonly Check[] {
  const check = (suffix: string, rule: Check["rule"]): Check => ({
    name: constraintName(table, [field.name], suffix),
    columns: [field.name],
    rule,
  });
  const { type, limits } = field;
  const { min, max, pattern } = limits;
  const checks: Check[] = [];
  if (type.kind === "enum") checks.push(check("check", { kind: "one_of", values: type.values }));
  if (type.kind === "enum_set") checks.push(check("check", { kind: "subset_of", values: type.values }));
  if (type.kind === "list" && type.of.kind === "enum")
    checks.push(check("check", { kind: "subset_of", values: type.of.values }));
  if (type.kind === "list" || type.kind === "enum_set") {
    if (min !== null || max !== null)
      checks.push(check("size", { kind: "length", min: numberOrNull(min), max: numberOrNull(max) }));
  } else if (hasRange(field)) {
    const range = type.kind === "percent" ? { min: min ?? "0", max: max ?? "100" } : { min, max };
    if (range.min !== null || range.max !== null) checks.push(check("check", { kind: "range", ...range }));
  } else if (sqlTypeOf(type) === "text" && type.kind !== "enum" && type.kind !== "secret") {
    const longest = numberOrNull(max) ?? TEXT_LENGTH_MAX[type.kind] ?? null;
    if (min !== null || longest !== null)
      checks.push(check("check", { kind: "length", min: numberOrNull(min), max: longest }));
  }
  // Postgres orders NaN above all numbers; rules and JSON support neither NaN nor infinity.
  if (type.kind === "float")
    checks.push(
      check("finite", { kind: "sql", sql: `${q(field.name)} > '-infinity' and ${q(field.name)} < 'infinity'` }),
    );
  const members = memberRules(type, "$");
  if (members.length > 0)
    checks.push(check("members", { kind: "sql", sql: members.map((one) => unbroken(field.name, one)).join(" and ") }));
  if (pattern !== null)
    checks.push(check("pattern", { kind: "sql", sql: `${q(field.name)} ~ ${quoteText(postgresPattern(pattern))}` }));
  return checks;
}

interface MemberRule {
  /** A path of SQL/JSON. */
  readonly path: string;
  /** What a value at this place must not be. */
  readonly breaks: string;
}

/**
 * What the body's schema can't check inside an object at any depth (in a list, in a translation, in another object):
 * patterns, and limits of numbers and dates that are texts.
 */
function memberRules(type: FieldType, path: string): readonly MemberRule[] {
  switch (type.kind) {
    case "object":
      return type.fields.flatMap((member) => {
        const inner = `${path}."${member.name}"`;
        return [...breachesOf(member).map((breaks) => ({ path: inner, breaks })), ...memberRules(member.type, inner)];
      });
    case "list":
      return memberRules(type.of, `${path}[*]`);
    case "i18n":
      return memberRules(type.of, `${path}.*`);
    default:
      return [];
  }
}

function breachesOf({ type, limits: { min, max, pattern } }: ObjectMember): readonly string[] {
  // With this flag, `.` and `^` have their usual meaning.
  if (pattern !== null) return [`!(@ like_regex ${JSON.stringify(postgresPattern(pattern))} flag "s")`];
  const bounds = (value: string, written: (bound: string) => string): string[] => [
    ...(min === null ? [] : [`${value} < ${written(min)}`]),
    ...(max === null ? [] : [`${value} > ${written(max)}`]),
  ];
  switch (type.kind) {
    case "bigint":
    case "decimal":
    case "money":
      return bounds("@.double()", quoteDigits);
    case "date":
      return bounds("@", (bound) => JSON.stringify(bound));
    default:
      return [];
  }
}

function unbroken(column: string, { path, breaks }: MemberRule): string {
  return `not jsonb_path_exists(${q(column)}, ${quoteText(`${path} ? (${breaks})`)}::jsonpath)`;
}

function hasRange({ type }: Field): boolean {
  switch (type.kind) {
    case "int":
    case "bigint":
    case "float":
    case "decimal":
    case "money":
    case "percent":
    case "date":
    case "time":
    case "datetime":
    case "duration":
      return true;
    default:
      return false;
  }
}

function numberOrNull(text: string | null): number | null {
  return text === null ? null : Number(text);
}

/** The columns that a check reads, in the order of their first use. */
function columnsIn(condition: Entity["checks"][number]["condition"]): readonly string[] {
  const names = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { kind, path } = node as { readonly kind?: unknown; readonly path?: readonly string[] };
    if (kind === "field" && path?.[0] !== undefined) names.add(path[0]);
    for (const child of Object.values(node)) visit(child);
  };
  visit(condition);
  return [...names];
}
