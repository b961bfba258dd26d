// Reads the permissions of one entity, in the entity or at the top level. In: their syntax. Out: their declarations,
// with rules as text. It knows the forms of a rule; `check/permissions/permissions.ts` checks its content.

import { type MapEntry, type MapNode, type Node, type Range, type Word, wordOf } from "../text/syntax.ts";
import type { PermissionDeclaration, RuleDeclaration, SetDeclaration } from "./declarations.ts";
import { describe, expectMap, expectWords, isBroken, mapEntries, type Reader, refuseKey } from "./expect.ts";

type Grant = Pick<PermissionDeclaration, "rules" | "deny" | "fields" | "set" | "limit">;

const grantKeys: readonly string[] = ["allow", "deny", "fields", "set", "limit"];

export function readPermissions(
  reader: Reader,
  entity: Word,
  node: Node,
  place: "entity" | "top",
  into: PermissionDeclaration[],
): void {
  const example = "For example `user: { read: true, create: true }`.";
  for (const role of expectMap(reader, node, "`permissions`", example)?.entries ?? []) {
    const what = `The permissions of \`${role.key.text}\``;
    const operations = expectMap(reader, role.value, what, hintForOperations(role))?.entries ?? [];
    for (const operation of operations) {
      const grant = readGrant(reader, operation);
      if (grant === null) continue;
      into.push({
        entity,
        role: wordOf(role.key),
        operation: wordOf(operation.key),
        ...grant,
        place,
        range: operation.key.range,
      });
    }
  }
}

/** `user: read`, `user: [read, create]` and `user: true` in the correct form. */
function hintForOperations({ key, value }: MapEntry): string {
  const words =
    value.kind === "list"
      ? value.items.flatMap((item) => (item.kind === "scalar" ? [item.text] : []))
      : value.kind === "scalar" && typeof value.value === "string"
        ? value.text.split(/[\s,]+/)
        : ["all"];
  const granted = words.slice(0, 6).map((word) => `${word}: true`);
  return `Write \`${key.text}: { ${granted.join(", ")} }\`.`.slice(0, 180);
}

/** A rule, a list of rules, or the long form with options. */
function readGrant(reader: Reader, operation: MapEntry): Grant | null {
  if (operation.value.kind === "map") return readLongGrant(reader, operation, operation.value);
  const rules = readRules(reader, operation.value);
  return rules === null ? null : { rules, deny: [], fields: null, set: [], limit: null };
}

function readLongGrant(reader: Reader, operation: MapEntry, map: MapNode): Grant | null {
  const grant: {
    rules: RuleDeclaration[] | null;
    deny: RuleDeclaration[] | null;
    fields: Grant["fields"];
    set: SetDeclaration[];
    limit: Grant["limit"];
  } = { rules: null, deny: [], fields: null, set: [], limit: null };
  for (const option of map.entries) {
    switch (option.key.text) {
      case "allow":
        grant.rules = readRules(reader, option.value);
        break;
      case "deny":
        grant.deny = readRules(reader, option.value);
        break;
      case "fields":
        grant.fields = { words: expectWords(reader, option.value, "`fields`"), range: option.key.range };
        break;
      case "set":
        grant.set = readSet(reader, option.value);
        break;
      case "limit":
        grant.limit = readLimit(reader, option.value);
        break;
      default:
        refuseKey(reader, option, "a permission", grantKeys, []);
    }
  }
  // The problem with the unknown key is enough.
  const isUnderstood = map.entries.every((one) => grantKeys.includes(one.key.text));
  if (isUnderstood && !map.entries.some((one) => one.key.text === "allow")) {
    reader.report.add(
      "missing_key",
      operation.key.range,
      `The permission \`${operation.key.text}\` has no \`allow\`.`,
      "Write `allow: true` or a rule. Without a permission, access is denied.",
    );
  }
  const { rules, deny } = grant;
  return rules === null || deny === null ? null : { ...grant, rules, deny };
}

function readSet(reader: Reader, node: Node): SetDeclaration[] {
  return mapEntries(reader, node, "`set`").flatMap((entry) => {
    const { value } = entry;
    const isNull = value.kind === "scalar" && value.value === null && value.text !== "";
    const rule: RuleDeclaration | null = isNull ? { source: "null", scalar: value } : readRule(reader, value);
    return rule === null ? [] : [{ field: wordOf(entry.key), value: rule }];
  });
}

export function readLimit({ report }: Reader, node: Node): { value: number; range: Range } | null {
  if (node.kind === "scalar" && typeof node.value === "number" && Number.isInteger(node.value) && node.value >= 1)
    return { value: node.value, range: node.range };
  if (!isBroken(node))
    report.add("invalid_limit", node.range, "`limit` must be a whole number of records, at least 1.");
  return null;
}

/** One rule, or a list of rules of which one must be true. */
export function readRules(reader: Reader, node: Node): RuleDeclaration[] | null {
  const { report } = reader;
  const items = node.kind === "list" ? node.items : [node];
  if (items.length === 0) {
    report.add(
      "invalid_rule",
      node.range,
      "The list of rules is empty.",
      "Remove the operation. Without a permission, access is denied.",
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

export function readRule({ report, source }: Reader, node: Node): RuleDeclaration | null {
  if (isBroken(node)) return null;
  if (node.kind !== "scalar" || node.value === null) {
    report.add(
      "invalid_rule",
      node.range,
      `A rule must be \`true\`, \`false\`, an expression or a list of them, not ${describe(node)}.`,
    );
    return null;
  }
  const comment = node.style === "plain" ? /^[ \t]+#.*/.exec(source.slice(node.range.end)) : null;
  if (comment !== null) {
    const start = node.range.end + comment[0].indexOf("#");
    report.add(
      "yaml_comment_in_rule",
      { start, end: node.range.end + comment[0].length },
      "In YAML, ` #` starts a comment, so the rule ends before it.",
      "Move the comment to its own line, or put the whole rule in quotes.",
    );
    return null;
  }
  return { source: typeof node.value === "boolean" ? node.value : node.text, scalar: node };
}
