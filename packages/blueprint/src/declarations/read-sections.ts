// Reads the small sections `rules`, `users`, `api` and `search`. In: their syntax. Out: their declarations.

import { USER_ENTITY } from "../modules/users.ts";
import { type Node, type Word, wordOf } from "../text/syntax.ts";
import type { ApiDeclaration, FieldDeclaration, NamedRuleDeclaration, PermissionDeclaration } from "./declarations.ts";
import { describe, expectText, mapEntries, type Reader, refuseKey } from "./expect.ts";
import { readField } from "./read-field.ts";
import { readPermissions, readRule } from "./read-permissions.ts";

export const apiKeys = ["requests_per_second", "burst", "body_max", "page_max", "statement_timeout"] as const;

export function readNamedRules(reader: Reader, node: Node): NamedRuleDeclaration[] {
  return mapEntries(reader, node, "`rules`").flatMap((entry) => {
    const rule = readRule(reader, entry.value);
    if (rule === null) return [];
    if (typeof rule.scalar.value === "number") {
      const message = `A rule must be \`true\`, \`false\` or an expression, not ${describe(rule.scalar)}.`;
      reader.report.add("invalid_rule", rule.scalar.range, message);
      return [];
    }
    return [{ name: wordOf(entry.key), rule }];
  });
}

/** The profile fields of a user. The permissions to read users join the permissions of entities. */
export function readUsers(reader: Reader, node: Node, permissions: PermissionDeclaration[]): FieldDeclaration[] {
  return mapEntries(reader, node, "`users`").flatMap((entry) => {
    if (entry.key.text === "fields")
      return mapEntries(reader, entry.value, "`fields`").map((field) => readField(reader, field));
    if (entry.key.text === "permissions") {
      const users = { text: USER_ENTITY, range: entry.key.range };
      readPermissions(reader, users, entry.value, "entity", permissions);
    } else refuseKey(reader, entry, "`users`", ["fields", "permissions"], []);
    return [];
  });
}

export function readApi(reader: Reader, node: Node): ApiDeclaration[] {
  return mapEntries(reader, node, "`api`").flatMap((entry): ApiDeclaration[] => {
    const key = apiKeys.find((one) => one === entry.key.text);
    if (key === undefined) {
      refuseKey(reader, entry, "`api`", apiKeys, []);
      return [];
    }
    const value = expectText(reader, entry.value, `\`${key}\``);
    return value === null ? [] : [{ key, value }];
  });
}

export function readSearch(reader: Reader, node: Node): Word | null {
  const found = mapEntries(reader, node, "`search`").flatMap((entry) => {
    if (entry.key.text !== "language") refuseKey(reader, entry, "`search`", ["language"], []);
    const value = entry.key.text === "language" ? expectText(reader, entry.value, "`language`") : null;
    return value === null ? [] : [wordOf(value)];
  });
  return found[0] ?? null;
}
