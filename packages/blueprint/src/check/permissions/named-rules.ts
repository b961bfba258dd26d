// Checks named rules. In: the declarations. Out: name > text. The meaning of a rule is checked at each use, in the
// scope there. Here only its name, its grammar, and that it is used are checked.
import { parseExpression } from "@plinth/expression";
import type { NamedRuleDeclaration } from "../../declarations/declarations.ts";
import type { Report } from "../../text/report.ts";
import { rangeWithin } from "../../text/syntax.ts";

const RULES_MAX = 200;
const nameShape = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
/** Words with a meaning in rules. */
const taken: readonly string[] = [
  ..."record old new input current_user current_org request now today in true false null constructor".split(" "),
  ..."can has size member duration".split(" "),
];

export function checkNamedRules(
  declared: readonly NamedRuleDeclaration[],
  source: string,
  report: Report,
): ReadonlyMap<string, string> {
  const over = declared[RULES_MAX];
  if (over !== undefined)
    report.add("too_many", over.name.range, `A blueprint can have at most ${RULES_MAX} named rules.`);
  const rules = new Map<string, string>();
  for (const { name, rule } of declared.slice(0, RULES_MAX)) {
    const { text, range } = name;
    if (!nameShape.test(text) || text.length > 48)
      report.add(
        "invalid_name",
        range,
        `\`${text.slice(0, 60)}\` is not a valid name for a rule.`,
        "Use lower-case words joined by `_`.",
      );
    else if (taken.includes(text))
      report.add(
        "reserved_name",
        range,
        `\`${text}\` is a reserved name.`,
        "This word has a meaning of its own in rules.",
      );
    const body = String(rule.source);
    const { syntax, problems } = parseExpression(body);
    for (const { code, start, end, message, hint } of problems)
      report.add(code, rangeWithin(rule.scalar, source, start, end), message, hint);
    if (syntax !== null) rules.set(text, body);
  }
  return rules;
}

/** Called after all rules were checked. A rule that only unused rules use is unused as well. */
export function warnOfUnused(
  declared: readonly NamedRuleDeclaration[],
  used: ReadonlySet<string>,
  report: Report,
): void {
  for (const { name } of declared)
    if (!used.has(name.text))
      report.add(
        "named_rule_unused",
        name.range,
        `No rule uses \`${name.text}\`.`,
        "Use it by its name, or remove it.",
      );
}
