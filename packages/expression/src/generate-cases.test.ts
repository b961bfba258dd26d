// The generated cases are what the checker would make, the same for the same seed, and cover every kind of node.
import { describe, expect, test } from "vitest";
import { checkRule } from "./check.ts";
import { evaluate } from "./evaluate.ts";
import { type Case, contextOf, sampleCases, sampleWorlds } from "./generate-cases.ts";
import { printExpression } from "./print.ts";
import type { Expression } from "./tree.ts";
import { partsOf } from "./walk.ts";

const worlds = sampleWorlds({ seed: 1, count: 10 });
const cases = worlds.flatMap((world) => sampleCases(world, { seed: 2, count: 300 }));

function sortsOf(expression: Expression): string[] {
  const own =
    expression.kind === "operation"
      ? expression.operator
      : expression.kind === "each"
        ? expression.quantifier
        : expression.kind;
  return [own, ...partsOf(expression).flatMap(sortsOf)];
}

describe("generated cases", () => {
  test("printed and checked again, a rule is the same tree", () => {
    for (const { rule, record, operation, world } of cases) {
      const text = printExpression(rule);
      const { expression, problems } = checkRule([text], { schema: world.schema, record, operation });
      const errors = problems.filter((one) => one.code !== "ambiguous_name");
      if (errors.some((one) => one.code === "expression_too_large")) continue;
      expect(errors, text).toEqual([]);
      expect(expression, text).toEqual(rule);
    }
  });

  test("every one of them can be judged; each answer comes up", () => {
    const answers = new Map<boolean | null, number>();
    for (const one of cases) {
      const answer = evaluate(one.rule, contextOf(one));
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    }
    process.stdout.write(`${cases.length} cases: ${JSON.stringify([...answers])}\n`);
    for (const answer of [true, false, null]) expect(answers.get(answer) ?? 0).toBeGreaterThan(cases.length / 10);
  });

  test("they hold every kind of node", () => {
    const sorts = new Set(cases.flatMap(({ rule }) => sortsOf(rule)));
    const chains = ["&&", "||", "!", "?:", "in", "size", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/"];
    const texts = ["startsWith", "endsWith", "contains", "matches"];
    const kinds = [
      "literal",
      "list",
      "field",
      "sent",
      "user",
      "context",
      "member",
      "exists",
      "all",
      "exists_one",
      "count",
    ];
    for (const sort of [...chains, ...texts, ...kinds]) expect(sorts).toContain(sort);
  });

  test("the same seed gives the same cases", () => {
    const again = sampleWorlds({ seed: 1, count: 10 }).flatMap((world) => sampleCases(world, { seed: 2, count: 300 }));
    const told = ({ rule, id, after, sent }: Case): unknown => ({ rule, id, after, sent });
    expect(again.map(told)).toEqual(cases.map(told));
  });
});
