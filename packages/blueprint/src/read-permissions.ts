// In: the permissions of one entity, in the entity or at the top level. Out: their declarations, rules as text.
// Knows which forms a rule has; what a rule says is checked in `check/permissions.ts`.
import type { PermissionDeclaration, RuleDeclaration } from "./declarations.ts";
import { describe, isBroken, mapEntries, notSupportedYet, type Reader } from "./expect.ts";
import { type Node, type Word, wordOf } from "./syntax.ts";

export function readPermissions(
  reader: Reader,
  entity: Word,
  node: Node,
  place: "entity" | "top",
  into: PermissionDeclaration[],
): void {
  for (const role of mapEntries(reader, node, "`permissions`")) {
    for (const operation of mapEntries(reader, role.value, `What \`${role.key.text}\` may do`)) {
      if (operation.value.kind === "map") {
        notSupportedYet(
          reader.report,
          operation.key.range,
          "the long form of a rule",
          "Write `true`, an expression, or a list of them.",
        );
        continue;
      }
      const rules = readRules(reader, operation.value);
      if (rules === null) continue;
      into.push({
        entity,
        role: wordOf(role.key),
        operation: wordOf(operation.key),
        rules,
        place,
        range: operation.key.range,
      });
    }
  }
}

/** One rule, or a list of rules any of which is enough. */
export function readRules(reader: Reader, node: Node): RuleDeclaration[] | null {
  const { report } = reader;
  const items = node.kind === "list" ? node.items : [node];
  if (items.length === 0) {
    report.add(
      "invalid_rule",
      node.range,
      "The list of rules is empty.",
      "Leave the operation out: what is not granted is denied.",
    );
    return null;
  }
  const rules: RuleDeclaration[] = [];
  let complete = true;
  for (const item of items) {
    const rule = readRule(reader, item);
    if (rule === null) complete = false;
    else rules.push(rule);
  }
  return complete ? rules : null;
}

function readRule({ report, source }: Reader, node: Node): RuleDeclaration | null {
  if (isBroken(node)) return null;
  if (node.kind !== "scalar" || node.value === null) {
    report.add(
      "invalid_rule",
      node.range,
      `A rule is \`true\`, \`false\`, an expression or a list of them, not ${describe(node)}.`,
    );
    return null;
  }
  const comment = node.style === "plain" ? /^[ \t]+#.*/.exec(source.slice(node.range.end)) : null;
  if (comment !== null) {
    const start = node.range.end + comment[0].indexOf("#");
    report.add(
      "yaml_comment_in_rule",
      { start, end: node.range.end + comment[0].length },
      "YAML takes what stands behind ` #` for a comment: the rule ends before it.",
      "Put the comment on a line of its own, or the whole rule in quotes.",
    );
    return null;
  }
  return { source: typeof node.value === "boolean" ? node.value : node.text, scalar: node };
}
