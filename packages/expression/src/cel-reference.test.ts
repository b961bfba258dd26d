// Compares our parser with another implementation of CEL: for the same texts, both return the same tree.
import { type ASTNode, Environment } from "@marcbachmann/cel-js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseExpression } from "./parse.ts";
import type { Syntax } from "./syntax.ts";

const seed = 20_260_131;

/**
 * CEL as the other implementation reads it. Words that CEL reserves for other languages are names in our language, so
 * they are left out. In that implementation `<` binds tighter than `==`; in CEL's grammar, and here, both have the same
 * precedence.
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

test("property: our parser accepts the same texts as CEL, with the same tree", () => {
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

test("all comparisons have the same precedence, from the left, as in CEL's grammar", () => {
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

/** The tree in one line. `-1` and chains are single nodes, as in our parser. */
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
