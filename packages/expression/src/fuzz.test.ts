// Whatever the text: nothing is thrown, problems lie within it, it ends in time; and what is CEL is read as CEL reads it.
import { type ASTNode, Environment } from "@marcbachmann/cel-js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkRule, checkValue } from "./check.ts";
import { evaluate } from "./evaluate.ts";
import { contextOf, sampleCases, sampleWorlds } from "./generate-cases.ts";
import { EXPRESSION_LENGTH_MAX, parseExpression } from "./parse.ts";
import { printExpression } from "./print.ts";
import { problemIsWarning } from "./problem.ts";
import { sampleSchema } from "./sample-schema.ts";
import type { RuleOperation, Scope } from "./scope.ts";
import type { Syntax } from "./syntax.ts";

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
const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(words, { maxLength: 30 }).map((parts) => parts.join(" ")),
  fc.array(words, { maxLength: 30 }).map((parts) => parts.join("")),
);

test("property: no text throws, problems lie in it, and what is accepted prints and reads the same", () => {
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

test("property: a rule with a piece taken out, doubled or put elsewhere", () => {
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
        // What was accepted can be judged: no type that passed the check trips the evaluator.
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

test("what is too large is refused at once", () => {
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

/**
 * CEL as others read it. Words that it keeps for other languages are names here, so they are left out. That implementation
 * lets `<` bind before `==`; in CEL's grammar they are on one level, as here.
 */
const reference: Environment = new Environment({
  unlistedVariablesAreDyn: true,
  limits: { maxAstNodes: 10_000, maxDepth: 1_000, maxListElements: 1_000 },
});

const names = fc.constantFrom("a", "b", "price", "_x1");
const literals = fc.constantFrom(
  "1",
  "-2",
  "1.5",
  "2e-3",
  "0xA",
  "'it\\'s'",
  '"a\\n\\u00e9"',
  "r'\\d'",
  "'''a'b'''",
  "true",
  "null",
  "b'x'",
  "3u",
);
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    names,
    literals,
    fc
      .tuple(
        tie("expression"),
        fc.constantFrom("<", ">=", "in", "&&", "||", "+", "-", "*", "/", "%"),
        tie("expression"),
      )
      .map((three) => three.join(" ")),
    tie("expression").map((one) => `(${one})`),
    tie("expression").map((one) => `!${one}`),
    tie("expression").map((one) => `-${one}`),
    fc.tuple(tie("expression"), names).map(([one, name]) => `${one}.${name}`),
    fc.tuple(tie("expression"), names, tie("expression")).map(([one, name, two]) => `${one}.${name}(${two})`),
    fc.tuple(names, tie("expression"), tie("expression")).map(([name, one, two]) => `${name}(${one}, ${two})`),
    fc.tuple(tie("expression"), tie("expression")).map(([one, two]) => `[${one}, ${two}]`),
    fc.tuple(tie("expression"), tie("expression")).map(([one, two]) => `${one}[${two}]`),
    fc
      .tuple(tie("expression"), tie("expression"), tie("expression"))
      .map(([one, two, three]) => `${one} ? ${two} : ${three}`),
    tie("expression").map((one) => `${one} // and so on\n`),
  ),
}));

test("property: CEL is read as CEL: the same texts, and the same tree", () => {
  let [runs, read] = [0, 0];
  const mutated = fc
    .tuple(expression, fc.nat(), fc.constantFrom("", "", "", "(", ")", ".", "&", "=", "?", ":", "'", "]", ",", "1"))
    .map(([text, at, sign]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + sign + text.slice(place);
    });
  fc.assert(
    fc.property(mutated, (text) => {
      const own = parseExpression(text);
      if (own.problems.some(({ code }) => code === "expression_too_large")) return;
      runs++;
      const others = readByReference(text);
      expect(own.syntax === null ? "unreadable" : shapeOf(own.syntax)).toBe(others);
      if (own.syntax !== null) read++;
    }),
    { numRuns: 6000, seed },
  );
  process.stdout.write(`${runs} texts against a CEL implementation, ${read} of them readable\n`);
});

test("comparisons are on one level, from the left, as CEL's grammar has them", () => {
  const shape = (text: string): string => {
    const { syntax } = parseExpression(text);
    return syntax === null ? "unreadable" : shapeOf(syntax);
  };
  expect(shape("a == b < c")).toBe("(< (== a b) c)");
  expect(shape("a < b == c")).toBe("(== (< a b) c)");
  expect(shape("a in b != c in d")).toBe("(in (!= (in a b) c) d)");
});

function readByReference(text: string): string {
  let ast: ASTNode;
  try {
    ast = reference.parse(text).ast;
  } catch {
    return "unreadable";
  }
  return shapeOfReference(ast);
}

/** The tree in one line; `-1` and chains are one node, as here. */
function shapeOfReference(node: ASTNode): string {
  const args = (nodes: readonly ASTNode[]): string => nodes.map(shapeOfReference).join(" ");
  switch (node.op) {
    case "value":
      return literalShape(node.args);
    case "id":
      return node.args;
    case ".":
    case ".?":
      return `(. ${shapeOfReference(node.args[0])} ${node.args[1]})`;
    case "list":
      return `[${args(node.args)}]`;
    case "!_":
      return `(! ${shapeOfReference(node.args)})`;
    case "-_": {
      const operand = shapeOfReference(node.args);
      return /^[\d.]/.test(operand) ? `-${operand}` : /^-[\d.]/.test(operand) ? operand.slice(1) : `(- ${operand})`;
    }
    case "&&":
    case "||": {
      const operands: ASTNode[] = [];
      let rest: ASTNode = node;
      while (rest.op === node.op) {
        operands.unshift(rest.args[1] as ASTNode);
        rest = rest.args[0] as ASTNode;
      }
      return `(${node.op} ${args([rest, ...operands])})`;
    }
    case "call":
      return `(${node.args[0]} ${args(node.args[1])})`;
    case "rcall":
      return `(.${node.args[0]} ${shapeOfReference(node.args[1])} ${args(node.args[2])})`;
    case "map":
    case "[]":
    case "[?]":
      return "unsupported";
    default:
      return `(${node.op} ${args(node.args)})`;
  }
}

function literalShape(value: unknown): string {
  if (typeof value === "bigint" || typeof value === "number") return String(Number(value));
  if (typeof value === "string" || typeof value === "boolean" || value === null) return JSON.stringify(value);
  return "unsupported";
}

function shapeOf(syntax: Syntax): string {
  const args = (parts: readonly Syntax[]): string => parts.map(shapeOf).join(" ");
  switch (syntax.kind) {
    case "literal":
      return JSON.stringify(syntax.value);
    case "number":
      return Object.is(Number(syntax.text), -0) ? "-0" : String(Number(syntax.text));
    case "name":
      return syntax.name;
    case "member":
      return `(. ${shapeOf(syntax.object)} ${syntax.name})`;
    case "list":
      return `[${args(syntax.items)}]`;
    case "not":
      return `(! ${shapeOf(syntax.operand)})`;
    case "negative":
      return `(- ${shapeOf(syntax.operand)})`;
    case "logic":
      return `(${syntax.operator} ${args(syntax.operands)})`;
    case "comparison":
    case "arithmetic":
      return `(${syntax.operator} ${args([syntax.left, syntax.right])})`;
    case "conditional":
      return `(?: ${args([syntax.condition, syntax.yes, syntax.no])})`;
    case "call":
      return syntax.receiver === null
        ? `(${syntax.name} ${args(syntax.args)})`
        : `(.${syntax.name} ${shapeOf(syntax.receiver)} ${args(syntax.args)})`;
    case "unsupported":
      return "unsupported";
  }
}
