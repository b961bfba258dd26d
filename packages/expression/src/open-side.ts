// Tells how far a side of an operation has its own type. In: the side. Out: the degree; literals, and words that are
// not names, take their type from the other side. It reports nothing.
import type { Checking } from "./checking.ts";
import { isMember } from "./resolve-name.ts";
import { specialNames } from "./scope.ts";
import type { Syntax } from "./syntax.ts";

/**
 * `settled`: has its own type. `weak`: a name after which a value of an enum has priority (`now`, a rule). `word`: not
 * a name.
 */
export type Openness = "settled" | "weak" | "word" | "literal";

const ranks: Readonly<Record<Openness, number>> = { settled: 0, weak: 1, word: 2, literal: 3 };

export function opennessOf(syntax: Syntax, checking: Checking): Openness {
  switch (syntax.kind) {
    case "literal":
    case "number":
      return "literal";
    case "name": {
      const { name } = syntax;
      if (isMember(name, checking.scope) || checking.variables.has(name)) return "settled";
      return specialNames.includes(name) || checking.scope.schema.rules.has(name) ? "weak" : "word";
    }
    case "negative":
      return opennessOf(syntax.operand, checking);
    case "arithmetic":
      return lesser(opennessOf(syntax.left, checking), opennessOf(syntax.right, checking));
    case "conditional":
      return lesser(opennessOf(syntax.yes, checking), opennessOf(syntax.no, checking));
    default:
      return "settled";
  }
}

/** Whether the side takes its type from elsewhere. */
export function isOpen(syntax: Syntax, checking: Checking): boolean {
  const openness = opennessOf(syntax, checking);
  return openness === "word" || openness === "literal";
}

/** Whether `a` knows more about its type than `b`. */
export function knowsMore(a: Openness, b: Openness): boolean {
  return ranks[a] < ranks[b];
}

function lesser(a: Openness, b: Openness): Openness {
  return knowsMore(b, a) ? b : a;
}
