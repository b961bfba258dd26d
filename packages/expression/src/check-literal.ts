// Converts a literal to the expected type. In: a literal and the type. Out: the literal in that type. A text becomes a
// date, a time, a duration, an id or a value of an enum if the other side is one.
import { type Checking, report } from "./checking.ts";
import { type Exact, parseExact, printExact } from "./exact.ts";
import { didYouMean } from "./suggest.ts";
import type { Syntax } from "./syntax.ts";
import {
  DURATION_OPERAND_MAX,
  isDate,
  parseCelDuration,
  parseDuration,
  parseInstant,
  parseTime,
  printDuration,
  printInstant,
  printTime,
} from "./temporal.ts";
import type { Expression, Type } from "./tree.ts";
import { bool } from "./types.ts";

/** The maximum number of digits in a number of a rule. */
const NUMBER_DIGITS_MAX = 100;

type Enum = Extract<Type, { kind: "enum" }>;

export function checkLiteral(
  syntax: Extract<Syntax, { kind: "literal" }>,
  expected: Type | null,
  checking: Checking,
): Expression | null {
  const { value } = syntax;
  if (value === null) return { kind: "literal", type: { kind: "null" }, value };
  if (typeof value === "boolean") return { kind: "literal", type: bool, value };
  if (expected?.kind === "enum") return enumValue(value, expected, syntax, checking);
  const typed = expected === null ? null : readText(value, expected);
  if (typed === null) return { kind: "literal", type: { kind: "text" }, value };
  if (typed.value !== null && expected !== null) return { kind: "literal", type: expected, value: typed.value };
  return report(checking, syntax, "type_mismatch", typed.problem, typed.hint);
}

/** The text as a value of the type; null if values of the type are not written as texts. */
function readText(text: string, type: Type): { value: string | null; problem: string; hint: string } | null {
  const typedLiteral = (value: string | null, what: string, hint: string): ReturnType<typeof readText> => ({
    value,
    problem: `This is compared with ${what}, but has another form.`,
    hint,
  });
  switch (type.kind) {
    case "uuid":
      return typedLiteral(
        isUuid(text) ? text.toLowerCase() : null,
        "an id (a UUID)",
        "Compare it with `current_user.id` or with a field.",
      );
    case "date":
      return typedLiteral(isDate(text) ? text : null, "a date", 'Write it as `"2026-01-31"`.');
    case "time": {
      const micros = parseTime(text);
      return typedLiteral(
        micros === null ? null : printTime(micros),
        "a time of day",
        'Write it as `"09:30"` or `"09:30:00"`.',
      );
    }
    case "datetime": {
      const micros = parseInstant(text);
      const printed = micros === null ? null : printInstant(micros);
      // With an offset, the first and the last day can fall outside the years of the notation.
      const value = printed !== null && parseInstant(printed) !== null ? printed : null;
      return typedLiteral(value, "a point in time", 'Write it as RFC 3339: `"2026-01-31T12:00:00Z"`.');
    }
    case "duration":
      return typedLiteral(durationText(text), "a duration", 'Write `duration("1h30m")` or `"PT1H30M"`.');
    default:
      return null;
  }
}

/** A duration in ISO 8601 or in CEL's notation, in one canonical form; null if it is invalid or too large. */
export function durationText(text: string): string | null {
  const micros = parseDuration(text) ?? parseCelDuration(text);
  if (micros === null || micros > DURATION_OPERAND_MAX || micros < -DURATION_OPERAND_MAX) return null;
  return printDuration(micros);
}

/** A number takes its type from the other side. Alone, it is whole, or a decimal if it has a point or an exponent. */
export function checkNumber(
  syntax: Extract<Syntax, { kind: "number" }>,
  expected: Type | null,
  checking: Checking,
): Expression | null {
  if (expected?.kind === "float") {
    const value = Number(syntax.text);
    if (!Number.isFinite(value)) return tooLarge(syntax, checking);
    return { kind: "literal", type: { kind: "float" }, value: Object.is(value, -0) ? 0 : value };
  }
  const exact = parseExact(syntax.text);
  if (exact === null || !isModest(exact)) return tooLarge(syntax, checking);
  const text = printExact(exact);
  const isWhole = !syntax.text.includes(".") && !syntax.text.toLowerCase().includes("e");
  if (!isWhole || expected?.kind === "decimal") return { kind: "literal", type: { kind: "decimal" }, value: text };
  const number = Number(text);
  return { kind: "literal", type: { kind: "int" }, value: Number.isSafeInteger(number) ? number : text };
}

function tooLarge(syntax: Syntax, checking: Checking): null {
  return report(checking, syntax, "expression_not_supported", "This number is too large or too small.");
}

function isModest({ digits, scale }: Exact): boolean {
  return (
    scale <= NUMBER_DIGITS_MAX &&
    digits < 10n ** BigInt(NUMBER_DIGITS_MAX) &&
    digits > -(10n ** BigInt(NUMBER_DIGITS_MAX))
  );
}

export function enumValue(
  word: string,
  type: Enum,
  at: Syntax,
  checking: Checking,
  elseHint: string | null = null,
): Expression | null {
  if (type.values.includes(word)) return { kind: "literal", type, value: word };
  const hint = didYouMean(word, type.values) ?? elseHint ?? `Use one of: ${type.values.slice(0, 12).join(", ")}.`;
  return report(checking, at, "unknown_enum_value", `\`${word}\` is not a value of this enum.`, hint);
}

function isUuid(text: string): boolean {
  if (text.length !== 36) return false;
  for (let at = 0; at < 36; at++) {
    const one = text[at] ?? "";
    const dash = at === 8 || at === 13 || at === 18 || at === 23;
    if (dash ? one !== "-" : !"0123456789abcdefABCDEF".includes(one)) return false;
  }
  return true;
}
