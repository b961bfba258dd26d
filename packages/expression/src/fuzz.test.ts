// For any text: nothing is thrown, problems have positions inside the text, checking ends in time, and a valid rule can
// be evaluated.
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkRule, checkValue } from "./check.ts";
import { evaluate } from "./evaluate.ts";
import { EXPRESSION_LENGTH_MAX } from "./parse.ts";
import { printExpression } from "./print.ts";
import { problemIsWarning } from "./problem.ts";
import type { RuleOperation, Scope } from "./scope.ts";
import { contextOf, sampleCases, sampleWorlds } from "./testing/generate-cases.ts";
import { sampleSchema } from "./testing/sample-schema.ts";

const seed = 20_260_131;
const scope = (operation: RuleOperation): Scope => ({
  schema: { ...sampleSchema, rules: new Map([["mine", "created_by == current_user.id"]]) },
  record: "listing",
  operation,
});

const words = fc.constantFrom(
  ...[
    "price",
    "title",
    "status",
    "active",
    "shop",
    "comments",
    "c",
    "old",
    "new",
    "input",
    "record",
    "current_user",
    "now",
    "mine",
  ],
  ...[
    "constructor",
    "__proto__",
    "toString",
    "package",
    "in",
    "true",
    "null",
    "1",
    "1.5",
    "0x1f",
    "1e9",
    "'x'",
    '"2026-01-01"',
    "r'\\d'",
  ],
  ...[
    "==",
    "!=",
    "<",
    "&&",
    "||",
    "!",
    "-",
    "+",
    "*",
    "/",
    "%",
    "?",
    ":",
    "(",
    ")",
    "[",
    "]",
    ",",
    ".",
    "{",
    "}",
    "\\",
    "//",
    "\n",
    "é",
    "😀",
    "\u202e",
    "ѕtatus",
  ],
  ...[
    "has(",
    "size(",
    ".exists(c, ",
    ".all(",
    ".filter(c,",
    "can(read, ",
    "member(",
    "duration(",
    ".matches(",
    ".is(",
    ".id",
    ".x",
    "'",
    '"""',
    "\ud800",
  ],
);
/** Pieces with a meaning, joined by separators. */
const phrases = fc.constantFrom(
  ...[
    "price",
    "amount",
    "ratio",
    "title",
    "status",
    "active",
    "published",
    "created_at",
    "now",
    "length",
    "'PT1H'",
    "1",
    "2.5",
    "null",
    "mine",
  ],
  ...[
    "has(shop)",
    "size(comments)",
    "duration('1h')",
    "current_user.id",
    "created_by",
    "comments.exists(c, c.stars > price)",
    "[1, price]",
    "tags",
  ],
  ...[
    "title.startsWith('a')",
    "input.price",
    "old.price",
    "new.title",
    "member(org)",
    "(price > 1)",
    "!published",
    "-price",
  ],
);
const joints = fc.constantFrom(" && ", " || ", " == ", " != ", " < ", " + ", " - ", " * ", " / ", " in ", " ? ", " : ");
const phrased = fc
  .array(fc.tuple(phrases, joints), { minLength: 1, maxLength: 5 })
  .map((parts) =>
    parts.flatMap(([phrase, joint], at) => (at === parts.length - 1 ? [phrase] : [phrase, joint])).join(""),
  );

const anyText = fc.oneof(
  { arbitrary: phrased, weight: 3 },
  fc.string({ unit: "binary" }),
  fc.array(words, { maxLength: 30 }).map((parts) => parts.join(" ")),
  fc.array(words, { maxLength: 30 }).map((parts) => parts.join("")),
);

test("property: no text throws, positions are inside the text, and accepted texts print to the same rule", () => {
  let [runs, accepted] = [0, 0];
  fc.assert(
    fc.property(
      anyText,
      fc.constantFrom<RuleOperation[]>("read", "create", "update", "transition:x"),
      (text, operation) => {
        runs++;
        const { expression, problems } = checkRule([text], scope(operation));
        expect(expression === null).toBe(problems.some((one) => !problemIsWarning(one)));
        for (const { start, end } of problems) {
          expect(start).toBeLessThanOrEqual(end);
          expect(end).toBeLessThanOrEqual(text.length);
        }
        checkValue(text, scope(operation), { kind: "datetime" });
        if (expression === null) return;
        accepted++;
        expect(checkRule([printExpression(expression)], scope(operation)).expression).toEqual(expression);
      },
    ),
    { numRuns: 6000, seed },
  );
  process.stdout.write(`${runs} texts, ${accepted} of them rules\n`);
});

test("property: a rule with a piece removed, repeated or moved never throws", () => {
  const [world] = sampleWorlds({ seed, count: 1 });
  if (world === undefined) throw new Error("no world");
  const cases = sampleCases(world, { seed, count: 300 });
  let accepted = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...cases),
      fc.nat(),
      fc.nat(30),
      fc.nat(),
      fc.constantFrom("cut", "double", "move"),
      (one, at, length, to, how) => {
        const text = printExpression(one.rule);
        const from = at % text.length;
        const piece = text.slice(from, from + length);
        const rest = how === "double" ? text : text.slice(0, from) + text.slice(from + length);
        const into = rest.length === 0 ? 0 : to % rest.length;
        const mutant = how === "cut" ? rest : rest.slice(0, into) + piece + rest.slice(into);
        const { record, operation } = one;
        const { expression, problems } = checkRule([mutant], { schema: world.schema, record, operation });
        expect(expression === null).toBe(problems.some((problem) => !problemIsWarning(problem)));
        if (expression === null) return;
        accepted++;
        // A valid rule can be evaluated: no checked type makes the evaluator fail.
        expect([true, false, null]).toContain(evaluate(expression, contextOf(one)));
        expect(
          checkRule([printExpression(expression)], { schema: world.schema, record, operation }).expression,
        ).toEqual(expression);
      },
    ),
    { numRuns: 6000, seed },
  );
  process.stdout.write(`${accepted} mutants are rules\n`);
});

test("a text that is too large is refused at once", () => {
  const started = performance.now();
  const texts = [
    "x".repeat(10_000_000),
    "(".repeat(EXPRESSION_LENGTH_MAX),
    "!".repeat(EXPRESSION_LENGTH_MAX),
    "[".repeat(EXPRESSION_LENGTH_MAX),
    "-".repeat(EXPRESSION_LENGTH_MAX),
    "{1:".repeat(1300),
    "a.".repeat(1999),
    "a?b:".repeat(999),
    "a.exists(x,".repeat(350),
    "price+".repeat(600),
    "price<".repeat(600),
    "published&&".repeat(360),
    `price in [${"1,".repeat(1900)}1]`,
    "0x".padEnd(EXPRESSION_LENGTH_MAX, "f"),
    "9".repeat(EXPRESSION_LENGTH_MAX),
    `${"r'".repeat(1999)}`,
    `"${"\\".repeat(3997)}"`,
  ];
  for (const text of texts) expect(checkRule([text], scope("update")).expression, text.slice(0, 20)).toBeNull();
  expect(checkRule(Array(2_000).fill("price > 1"), scope("read")).expression).toBeNull();
  expect(performance.now() - started).toBeLessThan(5_000);
});
