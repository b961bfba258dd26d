// In: the text of a CEL expression. Out: a plain syntax tree with offsets into that text, or the problems found.
// It never resolves names or types (`check.ts` does) and never throws.
import { type ASTNode, Environment, ParseError } from "@marcbachmann/cel-js";
import type { Problem } from "./problem.ts";

export type ComparisonOperator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in";

interface Located {
  /** Offsets into the expression's text (UTF-16 code units), end exclusive. */
  readonly start: number;
  readonly end: number;
}

export type Syntax = Located &
  (
    | { readonly kind: "literal"; readonly value: string | number | boolean | null; readonly integer: boolean }
    | { readonly kind: "name"; readonly name: string }
    | { readonly kind: "member"; readonly object: Syntax; readonly name: string }
    | { readonly kind: "list"; readonly items: readonly Syntax[] }
    | { readonly kind: "not"; readonly operand: Syntax }
    | { readonly kind: "logic"; readonly operator: "&&" | "||"; readonly operands: readonly Syntax[] }
    | {
        readonly kind: "comparison";
        readonly operator: ComparisonOperator;
        readonly left: Syntax;
        readonly right: Syntax;
      }
    /** Well-formed CEL that this language doesn't lower; `what` names it in a message. */
    | { readonly kind: "unsupported"; readonly what: string }
  );

/** Longest expression text, in UTF-16 code units. */
export const EXPRESSION_LENGTH_MAX = 4_000;
/** Most syntax nodes of one expression; an update rule may double them in SQL. */
export const EXPRESSION_NODES_MAX = 400;
const DEPTH_MAX = 40;

/**
 * Words that CEL keeps for other languages. They are fine names for fields, so each is handed to the parser with
 * its first letter raised (same length, so offsets hold) and read back from the author's text.
 */
const reservedWords =
  /\b(?:as|break|const|continue|else|for|function|if|import|let|loop|package|namespace|prototype|return|var|void|while)\b/g;

/** Strings, raw and triple-quoted ones included, and comments: what the rewriting of reserved words leaves alone. */
const opaque = /[rR]?"""[\s\S]*?"""|[rR]?'''[\s\S]*?'''|[rR]?"(?:\\.|[^"\\\n])*"|[rR]?'(?:\\.|[^'\\\n])*'|\/\/[^\n]*/g;

const grammar: Environment = new Environment({
  unlistedVariablesAreDyn: true,
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: EXPRESSION_NODES_MAX, maxDepth: DEPTH_MAX, maxListElements: 200 },
});

export interface ParsedExpression {
  readonly syntax: Syntax | null;
  readonly problems: readonly Problem[];
}

/** Parses one expression. Where `syntax` is null, `problems` says why. */
export function parseExpression(text: string): ParsedExpression {
  if (text.length > EXPRESSION_LENGTH_MAX) {
    return failed({
      code: "expression_too_large",
      message: `The expression has ${text.length} characters; ${EXPRESSION_LENGTH_MAX} are the most.`,
      hint: null,
      start: 0,
      end: text.length,
    });
  }
  try {
    return { syntax: convert(grammar.parse(raiseReservedWords(text)).ast, text), problems: [] };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return failed(problemOf(error, text));
  }
}

function failed(problem: Problem): ParsedExpression {
  return { syntax: null, problems: [problem] };
}

function raiseReservedWords(text: string): string {
  const raise = (code: string): string =>
    code.replace(reservedWords, (word) => word.charAt(0).toUpperCase() + word.slice(1));
  let result = "";
  let from = 0;
  for (const match of text.matchAll(opaque)) {
    result += raise(text.slice(from, match.index)) + match[0];
    from = match.index + match[0].length;
  }
  return result + raise(text.slice(from));
}

function problemOf(error: ParseError, text: string): Problem {
  const start = Math.min(error.range?.start ?? 0, text.length);
  const end = Math.max(start, Math.min(error.range?.end ?? text.length, text.length));
  if (error.code === "limit_exceeded") {
    return {
      code: "expression_too_large",
      message: "The expression is too large or too deeply nested.",
      hint: "Split it into several rules of a list: any of them grants.",
      start,
      end,
    };
  }
  const symbol = text.slice(start, end);
  if (symbol === "=" && text[start + 1] !== "=" && !/[=!<>]/.test(text[start - 1] ?? "")) {
    return {
      code: "expression_syntax",
      message: "`=` is not an operator here.",
      hint: "Compare with `==`.",
      start,
      end,
    };
  }
  const word = /^(?:and|or|not)\b/i.exec(text.slice(start))?.[0].toLowerCase();
  const operator = word === "and" ? "&&" : word === "or" ? "||" : word === "not" ? "!" : null;
  return {
    code: "expression_syntax",
    message: start >= text.length ? "The expression ends too early." : `The expression can't be read at \`${symbol}\`.`,
    hint: operator === null ? null : `Write \`${operator}\` instead of \`${word}\`.`,
    start,
    end,
  };
}

function convert(node: ASTNode, text: string): Syntax {
  const at = { start: node.range.start, end: node.range.end };
  switch (node.op) {
    case "value":
      return convertValue(node.args, at);
    case "id":
      return { kind: "name", name: text.slice(at.start, at.end), ...at };
    case ".": {
      const [object, name] = node.args;
      return {
        kind: "member",
        object: convert(object, text),
        name: lowerReserved(name, text.slice(at.start, at.end)),
        ...at,
      };
    }
    case "list":
      return { kind: "list", items: node.args.map((item) => convert(item, text)), ...at };
    case "!_":
      return { kind: "not", operand: convert(node.args, text), ...at };
    case "-_":
      return convertMinus(node.args, at);
    case "&&":
    case "||":
      return {
        kind: "logic",
        operator: node.op,
        operands: flatten(node, node.op).map((one) => convert(one, text)),
        ...at,
      };
    case "==":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
    case "in":
      return {
        kind: "comparison",
        operator: node.op,
        left: convert(node.args[0], text),
        right: convert(node.args[1], text),
        ...at,
      };
    case "call":
    case "rcall":
      return { kind: "unsupported", what: `the function \`${node.args[0]}\``, ...at };
    case "?:":
      return { kind: "unsupported", what: "`? :`", ...at };
    case "map":
      return { kind: "unsupported", what: "a map", ...at };
    case "[]":
    case "[?]":
    case ".?":
      return { kind: "unsupported", what: "an index", ...at };
    case "+":
    case "-":
    case "*":
    case "/":
    case "%":
      return { kind: "unsupported", what: `arithmetic (\`${node.op}\`)`, ...at };
  }
}

/** A member's name as the author wrote it: the parser saw reserved words with a raised first letter. */
function lowerReserved(name: string, written: string): string {
  const lowered = name.charAt(0).toLowerCase() + name.slice(1);
  return lowered !== name && new RegExp(`\\.\\s*${lowered}$`).test(written) ? lowered : name;
}

function convertValue(value: unknown, at: Located): Syntax {
  if (typeof value === "bigint") {
    if (value > BigInt(Number.MAX_SAFE_INTEGER) || value < -BigInt(Number.MAX_SAFE_INTEGER)) {
      return { kind: "unsupported", what: "a whole number of this size", ...at };
    }
    return { kind: "literal", value: Number(value), integer: true, ...at };
  }
  if (typeof value === "number" && !Number.isFinite(value)) {
    return { kind: "unsupported", what: "a number of this size", ...at };
  }
  if (typeof value === "string" && (!value.isWellFormed() || value.includes("\u0000"))) {
    return { kind: "unsupported", what: "a text with a NUL or half a character", ...at };
  }
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return { kind: "literal", value, integer: false, ...at };
  }
  return { kind: "unsupported", what: "bytes or an unsigned number", ...at };
}

function convertMinus(operand: ASTNode, at: Located): Syntax {
  if (operand.op === "value" && (typeof operand.args === "bigint" || typeof operand.args === "number")) {
    return convertValue(-operand.args, at);
  }
  return { kind: "unsupported", what: "arithmetic (`-`)", ...at };
}

/** `a && b && c` is one node with three operands; written left-deep it would nest as deep as it is long. */
function flatten(node: ASTNode, operator: "&&" | "||"): ASTNode[] {
  const operands: ASTNode[] = [];
  let rest = node;
  while (rest.op === operator) {
    operands.unshift(rest.args[1]);
    rest = rest.args[0];
  }
  operands.unshift(rest);
  return operands;
}
