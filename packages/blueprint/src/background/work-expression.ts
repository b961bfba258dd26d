// Checks an expression of background work. In: the expression and its scope. Out: its typed tree; problems are reported
// with their positions.
import {
  checkExpression,
  checkValue,
  type Expression,
  type Problem,
  problemIsWarning,
  type Type,
} from "@plinth/expression";
import { describe, expectText } from "../declarations/expect.ts";
import { type MapEntry, rangeWithin, type ScalarNode } from "../text/syntax.ts";
import type { BackgroundContext } from "./context.ts";
import { scopeOf, type WorkPlace } from "./work-scope.ts";

/** A condition, with or without `${{ }}`. Null after problems were reported. */
export function readCondition(context: BackgroundContext, option: MapEntry, place: WorkPlace): Expression | null {
  const node = option.value;
  if (node.kind === "scalar" && typeof node.value === "boolean")
    return { kind: "literal", type: { kind: "bool" }, value: node.value };
  const wanted = { what: "a condition", example: "record.price > 0", expected: "condition" } as const;
  return readExpression(context, option, place, wanted);
}

interface Wanted {
  /** With its article, for messages. */
  readonly what: string;
  readonly example: string;
  readonly expected: Type | "condition" | null;
}

/** With or without `${{ }}`. Null after problems were reported. */
export function readExpression(
  context: BackgroundContext,
  option: MapEntry,
  place: WorkPlace,
  { what, example, expected }: Wanted,
): Expression | null {
  const { reader } = context;
  const scalar = expectText(reader, option.value, `\`${option.key.text}\``);
  if (scalar === null) return null;
  if (typeof scalar.value === "number") {
    const message = `\`${option.key.text}\` must be ${what}, not ${describe(scalar)}.`;
    reader.report.add("invalid_rule", scalar.range, message, `For example \`${example}\`.`);
    return null;
  }
  if (/^\s*(?:\{\{[\s\S]*\}\}|\$\{[^{][\s\S]*\})\s*$/.test(scalar.text)) {
    const inner = scalar.text.replace(/^\s*\$?\{+\s*|\s*\}+\s*$/g, "").slice(0, 80);
    const message = `${what.charAt(0).toUpperCase()}${what.slice(1)} is written without braces.`;
    reader.report.add("invalid_template", scalar.range, message, `Write \`${option.key.text}: ${inner}\`.`);
    return null;
  }
  const wrapped = /^\s*\$\{\{([\s\S]*)\}\}\s*$/.exec(scalar.text);
  const start = wrapped === null ? 0 : scalar.text.indexOf("${{") + 3;
  const end = wrapped === null ? scalar.text.length : start + (wrapped[1] ?? "").length;
  return checkPart(context, scalar, { start, end }, place, expected);
}

/** Checks an expression that is a whole scalar or a part of one. */
export function checkPart(
  context: BackgroundContext,
  scalar: ScalarNode,
  { start, end }: { readonly start: number; readonly end: number },
  place: WorkPlace,
  expected: Type | "condition" | null,
): Expression | null {
  const { report, source } = context.reader;
  const text = scalar.text.slice(start, end);
  if (text.trim() === "") {
    report.add(
      "invalid_template",
      rangeWithin(scalar, source, start, end),
      "There is no expression between the braces.",
    );
    return null;
  }
  const scope = scopeOf(place, context.schema);
  const checked = expected === "condition" ? checkExpression(text, scope) : checkValue(text, scope, expected);
  for (const problem of checked.problems) {
    const range = rangeWithin(scalar, source, start + problem.start, start + problem.end);
    const name = text.slice(problem.start, problem.end);
    if (!problemIsWarning(problem) && problem.code === "unknown_name" && isBroken(context, name, problem.message))
      continue;
    if (place.startUnknown === true && isOfStart(problem, name)) continue;
    if (problem.code === "row_not_available" && ownRecord(place, name)) {
      const path = /^record(?:\.\w+)?/.exec(text.slice(problem.start))?.[0] ?? name;
      report.add(
        problem.code,
        range,
        problem.message,
        `The record of the run is \`run.record\`: write \`run.${path}\`.`,
      );
      continue;
    }
    if (problem.code === "unknown_name" && problem.message.startsWith("`steps` has no ")) {
      const known = [...(place.steps?.keys() ?? [])];
      const hint = problem.hint ?? (known.length > 0 ? `Known steps: ${known.slice(0, 12).join(", ")}.` : null);
      report.add("unknown_step", range, `No earlier step has the name \`${name}\`.`, hint);
    } else report.add(problem.code, range, problem.message, problem.hint ?? joining(problem, name, expected));
  }
  return checked.expression;
}

/** Within a text, a value of another type becomes a text. */
function joining({ code }: Problem, name: string, expected: Type | "condition" | null): string | null {
  if (code !== "type_mismatch" || expected === null || expected === "condition" || expected.kind !== "text")
    return null;
  return `To use it inside a text, write \`"... \${{ ${name.slice(0, 60)} }}"\`.`;
}

/** Whether it uses the event, which does not exist here. */
function isOfStart({ code, message }: Problem, name: string): boolean {
  if (code === "row_not_available" || (code === "name_not_available" && name === "event")) return true;
  return code === "unknown_name" && /^`run` has no `(?:record|event)`/.test(message);
}

/** If work about a record waits for an event without a record. */
function ownRecord({ roots }: WorkPlace, name: string): boolean {
  const run = roots.get("run");
  return name === "record" && run?.kind === "object" && run.members.has("record");
}

/** Whether it names a field whose own declaration has problems, which are reported already. */
function isBroken({ entities }: BackgroundContext, name: string, message: string): boolean {
  return [...entities.values()].some(
    ({ entity, brokenFields }) => brokenFields.has(name) && message.includes(`\`${entity.name}\``),
  );
}
