// Checks limits. In: the declared `min`, `max` and `pattern` of a type. Out: the limits of the model with defaults, or
// null after problems were reported. It never looks at the default of a field.
import { patternProblem } from "@plinth/expression";
import type { LimitsDeclaration, TypeDeclaration } from "../../declarations/entity-declaration.ts";
import { canonicalScalar, compareScalars } from "../../field-types/scalars.ts";
import { typeTraits } from "../../field-types/type-traits.ts";
import type { FieldType, Limits } from "../../model/model.ts";
import type { Report } from "../../text/report.ts";
import type { Word } from "../../text/syntax.ts";

const STRING_MAX_DEFAULT = 255;
const STRING_MAX = 65_535;
const CHARACTERS_MAX = 1_048_576;
const MEMBERS_MAX = 10_000;

export function checkLimits(
  type: FieldType,
  declared: TypeDeclaration,
  limits: LimitsDeclaration,
  report: Report,
): Limits | null {
  const given = type.kind === "string" ? withArguments(declared.args, limits, report) : limits;
  if (given === null || !areForType(type, given, report)) return null;
  const min = given.min === null ? null : limitOf(type, given.min, "min", report);
  const max = given.max === null ? null : limitOf(type, given.max, "max", report);
  const pattern = given.pattern === null ? null : patternOf(given.pattern, report);
  if (min === undefined || max === undefined || pattern === undefined) return null;
  const result = withDefaults(type, { min, max, pattern });
  if (result.min !== null && result.max !== null && compareLimits(type, result.min, result.max) > 0) {
    const at = given.max ?? given.min ?? declared;
    report.add("invalid_bound", at.range, `\`min\` (${result.min}) is larger than \`max\` (${result.max}).`);
    return null;
  }
  return result;
}

/** `string(min,max,pattern)`. */
function withArguments(args: readonly Word[], limits: LimitsDeclaration, report: Report): LimitsDeclaration | null {
  const [min, max, pattern, more] = args;
  if (more !== undefined) {
    report.add("invalid_field", more.range, "`string` can have at most three arguments.", "`string(min,max,pattern)`.");
    return null;
  }
  if (min !== undefined && max === undefined) {
    const hint = `Write \`string(,${min.text})\` for at most ${min.text} characters, or \`string(${min.text},)\` for at least ${min.text}.`;
    report.add(
      "invalid_field",
      min.range,
      "It is unclear whether this one number is the minimum or the maximum.",
      hint,
    );
    return null;
  }
  const short = { min: present(min), max: present(max), pattern: present(pattern) };
  for (const key of ["min", "max", "pattern"] as const) {
    const twice = short[key] === null ? null : limits[key];
    if (twice === null) continue;
    report.add(
      "duplicate_value",
      twice.range,
      `\`${key}\` is given twice: in the type and as a modifier.`,
      "Remove one of them.",
    );
    return null;
  }
  return { min: short.min ?? limits.min, max: short.max ?? limits.max, pattern: short.pattern ?? limits.pattern };
}

function present(word: Word | undefined): Word | null {
  return word === undefined || word.text === "" ? null : word;
}

function areForType(type: FieldType, given: LimitsDeclaration, report: Report): boolean {
  const traits = typeTraits[type.kind];
  const refused = [
    ...(traits.limits === null
      ? ([
          ["min", given.min],
          ["max", given.max],
        ] as const)
      : []),
    ...(traits.pattern ? [] : ([["pattern", given.pattern]] as const)),
  ].filter(([, word]) => word !== null);
  for (const [key, word] of refused) {
    if (word !== null)
      report.add("invalid_bound", word.range, `\`${key}\` can't be used with the type \`${type.kind}\`.`);
  }
  return refused.length === 0;
}

/** Undefined if it is not valid. */
function limitOf(type: FieldType, word: Word, key: "min" | "max", report: Report): string | undefined {
  const counts = typeTraits[type.kind].limits;
  if (counts === "value") {
    const value = canonicalScalar(type, word.text);
    if (value !== null) return String(value);
    report.add(
      "invalid_bound",
      word.range,
      `\`${key}\` of a \`${type.kind}\` must be a value of this type.`,
      example(type),
    );
    return undefined;
  }
  const most = counts === "members" ? MEMBERS_MAX : type.kind === "string" ? STRING_MAX : CHARACTERS_MAX;
  const least = key === "max" ? 1 : 0;
  const value = /^\d{1,7}$/.test(word.text) ? Number(word.text) : Number.NaN;
  if (value >= least && value <= most) return String(value);
  report.add("invalid_bound", word.range, `\`${key}\` must be a whole number from ${least} to ${most}.`);
  return undefined;
}

function example(type: FieldType): string | null {
  const examples: Readonly<Partial<Record<FieldType["kind"], string>>> = {
    date: "For example `2026-01-31`.",
    time: 'For example `"09:30"`, in quotes.',
    datetime: 'For example `"2026-01-31T12:00:00Z"`, in quotes.',
    duration: "For example `PT1H30M`.",
    money: type.kind === "money" ? `Use at most ${type.scale} decimal places.` : "",
    decimal: type.kind === "decimal" ? `Use at most ${type.scale} decimal places.` : "",
  };
  return examples[type.kind] ?? null;
}

function patternOf({ text, range }: Word, report: Report): string | undefined {
  const problem = patternProblem(text);
  if (problem === null) return text;
  const hint = problem.hint ?? "Patterns use a subset of RE2: `^[A-Z]{2}$`.";
  report.add("invalid_bound", range, `The pattern is not valid: ${problem.message}`, hint);
  return undefined;
}

function withDefaults(type: FieldType, { min, max, pattern }: Limits): Limits {
  if (type.kind === "string") return { min, max: max ?? longest(min), pattern };
  if (type.kind === "percent") return { min: min ?? "0", max: max ?? "100", pattern };
  return { min, max, pattern };
}

/** If the minimum of a string is above the usual maximum, its maximum is the highest possible one. */
function longest(min: string | null): string {
  return String(min !== null && Number(min) > STRING_MAX_DEFAULT ? STRING_MAX : STRING_MAX_DEFAULT);
}

function compareLimits(type: FieldType, a: string, b: string): number {
  return typeTraits[type.kind].limits === "value" ? compareScalars(type, a, b) : Number(a) - Number(b);
}
