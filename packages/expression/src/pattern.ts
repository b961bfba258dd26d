// Patterns for `matches` and for fields: the subset of RE2 that means the same in Postgres and here. In: a pattern.
// Out: its problem, the same pattern for Postgres, or a matcher. It finds a match anywhere in the text, as RE2 does.

import { type Pattern, patternOf } from "./pattern-match.ts";
import type { PatternProblem } from "./pattern-parse.ts";
import { type Member, type PatternNode, parsePattern } from "./pattern-parse.ts";

export type { Pattern, PatternProblem };

/** The problem of a pattern, or null. */
export function patternProblem(pattern: string): PatternProblem | null {
  const parsed = parsePattern(pattern);
  return "problem" in parsed ? parsed.problem : null;
}

/**
 * A matcher whose time is proportional to the text and the pattern, for any input. @throws Error if the pattern is
 * invalid.
 */
export function compilePattern(pattern: string): Pattern {
  return patternOf(nodeOf(pattern));
}

/**
 * The pattern as an advanced regular expression of Postgres, for `~` with COLLATE "C". @throws Error if the pattern is
 * invalid.
 */
export function postgresPattern(pattern: string): string {
  return print(nodeOf(pattern));
}

function nodeOf(pattern: string): PatternNode {
  const parsed = parsePattern(pattern);
  if ("problem" in parsed) throw new Error(`the pattern was not checked before: ${parsed.problem.message}`);
  return parsed.node;
}

function print(node: PatternNode): string {
  switch (node.kind) {
    case "empty":
      return "(?:)";
    case "start":
      return "^";
    case "end":
      return "$";
    case "members":
      return printMembers(node.members, node.negated);
    case "sequence":
      return node.items.map(print).join("");
    case "choice":
      return `(?:${node.items.map(print).join("|")})`;
    case "repeat": {
      const item = node.item.kind === "members" ? print(node.item) : `(?:${print(node.item)})`;
      return item + printTimes(node.min, node.max);
    }
  }
}

function printTimes(min: number, max: number | null): string {
  if (max === null) return min === 0 ? "*" : min === 1 ? "+" : `{${min},}`;
  if (min === 0 && max === 1) return "?";
  return min === max ? `{${min}}` : `{${min},${max}}`;
}

function printMembers(members: readonly Member[], negated: boolean): string {
  const [only] = members;
  if (!negated && members.length === 1 && only !== undefined && only.from === only.to) return escaped(only.from);
  const list = members.map(({ from, to }) => (from === to ? escaped(from) : `${escaped(from)}-${escaped(to)}`));
  return `[${negated ? "^" : ""}${list.join("")}]`;
}

/** ASCII signs get a backslash; letters, digits and all characters beyond ASCII stay unchanged. */
function escaped(point: number): string {
  const character = String.fromCodePoint(point);
  const plain =
    point > 127 ||
    point < 33 ||
    (point >= 48 && point <= 57) ||
    (point >= 65 && point <= 90) ||
    (point >= 97 && point <= 122);
  return plain ? character : `\\${character}`;
}
