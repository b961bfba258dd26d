// Compares permissions. In: the permissions of an entity before and after, in the same words. Out: the changes between
// them. A change that allows somebody something new has a witness.

import {
  type Expression,
  joined,
  keyOfRule,
  printExpression,
  someNode,
  substitute,
  withArticle,
} from "@plinth/expression";
import type { Entity, Permission } from "../model/model.ts";
import type { Access } from "./access.ts";
import type { Change, ChangeClass, Witness } from "./change.ts";
import { changeOf, named, same } from "./make-change.ts";

export function diffPermissions(before: Entity, after: Entity, access: Access): Change[] {
  const key = ({ role, operation }: Permission): string => `${role}.${operation}`;
  const old = new Map(before.permissions.map((permission) => [key(permission), permission]));
  const kept = new Set(after.permissions.map(key));
  // The reverse question: whom did it let in whom all new grants keep out?
  const once = { ...before, name: after.name, orgField: after.orgField };
  const loses = (permission: Permission): boolean => access.gain(after, once, permission) !== null;
  const changes: Change[] = [];
  for (const permission of after.permissions) {
    const was = old.get(key(permission));
    if (was !== undefined && samePermission(was, permission)) continue;
    const witness = access.gain(before, after, permission);
    if (was === undefined) changes.push(added(after.name, permission, witness));
    else changes.push(changed(after.name, was, permission, { witness, loses: loses(was) }));
  }
  for (const permission of before.permissions) {
    if (!kept.has(key(permission))) changes.push(removed(before, after, permission, loses(permission)));
  }
  return changes;
}

/** A rule with the same text is another rule if its fields compare differently. */
function samePermission(a: Permission, b: Permission): boolean {
  if (JSON.stringify(a) === JSON.stringify(b)) return true;
  return same(notationOf(a), notationOf(b)) && keyOfRule(a.rule) === keyOfRule(b.rule);
}

function added(entity: string, permission: Permission, witness: Witness | null): Change {
  const { role, operation, rule } = permission;
  const nobodyNew = witness === null ? "; it gives nobody new rights" : "";
  return changeOf({
    kind: "permission_added",
    path: pathOf(entity, permission),
    summary: `Let \`${role}\` ${operation} ${recordsWhere(entity, rule)}${besides(permission)}${nobodyNew}.`,
    classes: loosening(witness),
    after: notationOf(permission),
    witness,
  });
}

interface Effect {
  readonly witness: Witness | null;
  readonly loses: boolean;
}

/** A grant that lets in fewer callers, or opens less, can break a client. */
function changed(entity: string, before: Permission, after: Permission, { witness, loses }: Effect): Change {
  const { role, operation, rule } = after;
  const old = same(notationOf(before).rule, notationOf(after).rule)
    ? ""
    : `, instead of ${recordsWhere(entity, before.rule)}`;
  const tighter = witness === null ? `. Nobody gets more${loses ? "" : " or fewer"} rights` : "";
  return changeOf({
    kind: "permission_changed",
    path: pathOf(entity, after),
    summary: `Let \`${role}\` ${operation} ${recordsWhere(entity, rule)}${old}${besides(after)}${tighter}.`,
    classes: [...loosening(witness), ...(loses ? (["breaking"] as const) : [])],
    before: notationOf(before),
    after: notationOf(after),
    witness,
  });
}

function removed(before: Entity, after: Entity, permission: Permission, loses: boolean): Change {
  const { role, operation, rule } = permission;
  const witness = freed(before, after, permission);
  return changeOf({
    kind: "permission_removed",
    path: pathOf(after.name, permission),
    summary: `No longer let \`${role}\` ${operation} ${recordsWhere(after.name, rule)}${loses ? "" : "; everybody whom it let in still can"}.`,
    classes: [...(loses ? (["breaking"] as const) : []), ...loosening(witness)],
    before: notationOf(permission),
    witness,
  });
}

/** Callers for whom this grant forced the value first now get the value of another. */
function freed(before: Entity, after: Entity, { role, operation, set }: Permission): Witness | null {
  if (set.length === 0) return null;
  const others = before.permissions.filter((one) => one.operation === operation && one.role !== role);
  const field = set.find((forced) =>
    others.some((one) =>
      one.set.some((other) => other.field === forced.field && keyOfRule(other.value) !== keyOfRule(forced.value)),
    ),
  )?.field;
  if (field === undefined) return null;
  const summary = `For holders of \`${role}\` and another role, \`${field}\` gets another value when they ${operation} ${withArticle(`\`${after.name}\``)}.`;
  return { role, operation, entity: after.name, decided: true, summary, record: {} };
}

function loosening(witness: Witness | null): readonly ChangeClass[] {
  return witness === null ? [] : ["loosens_access"];
}

function pathOf(entity: string, { role, operation }: Permission): string {
  return `${entity}.permissions.${role}.${operation}`;
}

export interface PermissionNotation {
  readonly rule: string;
  readonly fields: readonly string[] | null;
  readonly set: Readonly<Record<string, string>>;
  readonly limit: number | null;
}

/** A rule can be long, and is printed many times. */
const texts = new WeakMap<Expression, string>();

function textOf(rule: Expression): string {
  const text = texts.get(rule) ?? printExpression(rule);
  texts.set(rule, text);
  return text;
}

function notationOf({ rule, fields, set, limit }: Permission): PermissionNotation {
  return {
    rule: textOf(rule),
    fields: fields === null ? null : fields.toSorted(),
    set: Object.fromEntries(set.map(({ field, value }) => [field, printExpression(value)])),
    limit,
  };
}

function recordsWhere(entity: string, rule: Expression): string {
  if (rule.kind === "literal") return `every \`${entity}\``;
  const both = onBothRows(rule);
  if (both !== null) return `${withArticle(`\`${entity}\``)} where \`${printExpression(both)}\` before and after`;
  return `${withArticle(`\`${entity}\``)} where \`${textOf(rule)}\``;
}

/** What a rule demands of both the row before and the row after; null if they differ. */
function onBothRows(rule: Expression): Expression | null {
  if (rule.kind !== "operation" || rule.operator !== "&&" || rule.args.length % 2 !== 0) return null;
  if (!someNode(rule, (node) => (node.kind === "field" || node.kind === "each") && node.row === "old")) return null;
  const half = rule.args.length / 2;
  const ofRecord = (args: readonly Expression[], row: "old" | "new"): Expression =>
    substitute(joined("&&", args), { [row]: { row: "record", path: [] } });
  const before = ofRecord(rule.args.slice(0, half), "old");
  return same(before, ofRecord(rule.args.slice(half), "new")) ? before : null;
}

function besides({ fields, set, limit }: Permission): string {
  const parts = [
    ...(fields === null ? [] : [`with ${fields.length === 0 ? "no fields" : `the fields ${named(fields)}`}`]),
    ...set.map(({ field, value }) => `with \`${field}\` always \`${printExpression(value)}\``),
    ...(limit === null ? [] : [`at most ${limit} at once`]),
  ];
  return parts.map((part) => `, ${part}`).join("");
}
