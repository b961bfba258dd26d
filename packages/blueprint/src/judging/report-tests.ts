// Reports test results. In: a model and the positions of its parts. Out: a diagnostic for each failed test, and for
// each rule of `public` that no test covers.
import { type Expression, printExpression } from "@plinth/expression";
import type { Declarations } from "../declarations/declarations.ts";
import type { Model } from "../model/model.ts";
import type { Places } from "../text/places.ts";
import type { Report } from "../text/report.ts";
import type { Range } from "../text/syntax.ts";
import { type RuleCoverage, runTests } from "./run-tests.ts";

export function reportTests(model: Model, declarations: Declarations, places: Places, report: Report): void {
  const { tests } = declarations;
  if (tests === null) return;
  const { results, coverage } = runTests(model);
  for (const [index, { outcome, reason, culprit }] of results.entries()) {
    const range = tests.expect[index]?.range ?? tests.range;
    if (outcome === "failed")
      report.add(
        "test_failed",
        range,
        reason ?? "The expectation fails.",
        culprit === null ? null : shown(culprit, places),
      );
    if (outcome !== "skipped") continue;
    report.add("too_many", range, "There are too many rows to test: from here on, no test is run.", "Use fewer rows.");
    return;
  }
  for (const one of coverage) if (one.permission.role === "public") warnOfUntested(one, declarations, places, report);
}

function shown(culprit: Expression, places: Places): string {
  const line = places.get(culprit)?.start.line;
  return `\`${printExpression(culprit)}\`${line === undefined ? "" : ` in line ${line}`} is the reason.`;
}

function warnOfUntested(
  { entity, permission, branches }: RuleCoverage,
  { permissions }: Declarations,
  places: Places,
  report: Report,
): void {
  const untested = branches.find(({ expression, held, failed }) => !held || (!failed && expression.kind !== "literal"));
  const range = untested === undefined ? null : rangeOf(entity, permission.operation, permissions);
  if (untested === undefined || range === null) return;
  const { expression, held, failed } = untested;
  const missing = held ? "expects it to deny" : failed ? "expects it to allow" : "covers it";
  const at = places.get(expression);
  const place = at === null ? range : { start: at.start.offset, end: at.end.offset };
  report.add(
    "public_rule_untested",
    place,
    `The rule of \`public\` for \`${permission.operation}\` on \`${entity}\` is not fully tested: no test ${missing}.`,
    `Add the expectation \`{ as: public, ${permission.operation === "read" ? `list: ${entity}, sees: [...]` : `${permission.operation}: ${entity}...`} }\`.`,
  );
}

function rangeOf(entity: string, operation: string, permissions: Declarations["permissions"]): Range | null {
  const own = permissions.filter((one) => one.entity.text === entity && one.role.text === "public");
  return (
    (own.find((one) => one.operation.text === operation) ?? own.find((one) => one.operation.text === "all") ?? own[0])
      ?.range ?? null
  );
}
