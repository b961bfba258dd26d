// Warns about rules over other records that two simultaneous writes can break. In: a model without errors. Out: a
// warning for each rule that reads what another write changes, if that write's rule reads what the first one changes,
// and no `lock` makes one of them wait. Each of the two sees the state before both, so both can pass. A rule whose
// records read nothing back needs no lock: the two could as well have run one after the other.
import type { PermissionDeclaration } from "../../declarations/declarations.ts";
import type { Entity, Model, Permission } from "../../model/model.ts";
import { type Read, readsOf } from "../../rules/reads.ts";
import type { Places } from "../../text/places.ts";
import type { Report } from "../../text/report.ts";
import { rangeOfRule } from "../permissions/rule-range.ts";

/** Something that writes records: its rule, and what it reads without waiting for those who change it. */
interface Writer {
  readonly entity: Entity;
  readonly permission: Permission;
  readonly unguarded: readonly Read[];
}

export function warnOfUnguardedRules(
  model: Model,
  declared: readonly PermissionDeclaration[],
  places: Places,
  report: Report,
): void {
  const writers = model.entities.flatMap((entity) => writersOf(entity, model));
  const warned = new Set<string>();
  for (const one of writers) {
    for (const read of one.unguarded) {
      const other = writers.find((each) => each.entity.name === read.entity && isCircle(one, read, each));
      if (other === undefined || isOthers(one, read, other)) continue;
      const range = rangeOfRule(one.entity.name, one.permission, declared, places);
      if (range === null || warned.has(`${range.start} ${range.end}`)) continue;
      // Several roles can have the same rule.
      warned.add(`${range.start} ${range.end}`);
      const { code, message, hint } =
        read.entity === one.entity.name ? ofSiblings(one, read) : ofOthers(one, read, other);
      report.add(code, range, message, hint);
    }
  }
}

function writersOf(entity: Entity, model: Model): readonly Writer[] {
  return entity.permissions
    .filter(({ operation }) => operation !== "read")
    .map((permission) => {
      const rules = [permission.rule, ...permission.set.map(({ value }) => value)];
      const reads = rules.flatMap((rule) => readsOf(rule, entity.name, model));
      // Overlaps are excluded by the database.
      const counted = reads.filter((read) => read.entity !== entity.name || entity.exclusions === undefined);
      return { entity, permission, unguarded: counted.filter((read) => !isGuarded(read, entity, model)) };
    });
}

/**
 * Whether everybody who changes what is read waits for a record that the write has locked: the one that `lock` names,
 * or its own, if the records that it reads lock by it.
 */
function isGuarded({ by, path, entity: name }: Read, { lock }: Entity, model: Model): boolean {
  if (path === null) return false;
  const isLocked = path.length === 1 && path[0] === lock;
  if (by === null) return isLocked;
  const locksBy = model.entities.find((each) => each.name === name)?.lock;
  return by.kind === "referrer" && by.field === locksBy && (path.length === 0 || isLocked);
}

/** Whether each of the two changes what the other reads. */
function isCircle(one: Writer, read: Read, other: Writer): boolean {
  if (!changes(other, read)) return false;
  return (
    other.unguarded.some((back) => back.entity === one.entity.name && changes(one, back)) ||
    losesReferrer(one, read, other)
  );
}

/** Whether the write can make a rule that has read this no longer true. */
function changes({ entity, permission }: Writer, { by, fields, isHarmedBy }: Read): boolean {
  const { operation } = permission;
  if (operation === "create" || operation === "restore") return isHarmedBy.more;
  if (operation === "delete") return isHarmedBy.fewer;
  const seen = by === null ? fields : new Set([...fields, by.field]);
  return changedBy(permission, entity).some((name) => seen.has(name));
}

function changedBy({ operation, fields, set }: Permission, { stateMachine, fields: all }: Entity): readonly string[] {
  const forced = set.map(({ field }) => field);
  const edge = stateMachine?.edges.find(({ name }) => operation === `transition:${name}`);
  if (edge !== undefined) return [stateMachine?.field ?? "", ...edge.require, ...forced];
  // A body that changes the state takes a transition.
  const open = all.filter(
    ({ name, writer, immutable }) => writer !== "service" && !immutable && name !== stateMachine?.field,
  );
  return [...(fields ?? open.map(({ name }) => name)), ...forced];
}

/**
 * Whether the first write deletes the record to which the other one refers. The reference reads it, too: it needs a
 * record that exists, and with the delete it would be deleted or emptied itself.
 */
function losesReferrer({ entity, permission }: Writer, { by, path }: Read, other: Writer): boolean {
  if (permission.operation !== "delete" || entity.softDelete || path?.length !== 0 || by?.kind !== "referrer") {
    return false;
  }
  const type = other.entity.fields.find(({ name }) => name === by.field)?.type;
  const { operation } = other.permission;
  const refers = operation === "create" || changedBy(other.permission, other.entity).includes(by.field);
  return refers && type !== undefined && "onDelete" in type && type.onDelete !== "restrict";
}

/** Whether the warning is at the other's rule: it reads several records, or its entity comes first. */
function isOthers(one: Writer, read: Read, other: Writer): boolean {
  if (read.by !== null || read.entity === one.entity.name) return false;
  const back = other.unguarded.filter((each) => each.entity === one.entity.name && changes(one, each));
  return back.some(({ by }) => by !== null) || other.entity.name < one.entity.name;
}

interface Warning {
  readonly code: "siblings_unguarded" | "children_unguarded";
  readonly message: string;
  readonly hint: string;
}

function ofSiblings({ entity: { name, lock } }: Writer, { path }: Read): Warning {
  const why = lock === undefined ? "" : `, and \`lock: ${lock}\` uses another reference`;
  return {
    code: "siblings_unguarded",
    message: `This rule looks at other records of \`${name}\`${why}, so two records that are written at the same time can both pass it.`,
    hint: hintForSiblings(name, path, lock),
  };
}

function hintForSiblings(entity: string, path: Read["path"], lock: string | undefined): string {
  const [parent, ...further] = path ?? [];
  if (parent === undefined) return `Add \`lock:\` to \`${entity}\`, with the reference that these records share.`;
  if (lock === parent && further.length > 0)
    return `Only records with the same \`${lock}\` are written one after the other. Give \`${entity}\` its own reference to the record that they share.`;
  const instead = lock === undefined ? `Add \`lock: ${parent}\` to` : `Write \`lock: ${parent}\` in`;
  return `${instead} \`${entity}\`: writes with the same reference then run one after the other. To prevent overlaps, use \`exclude:\`.`;
}

/** Records of another entity: children of the record, or records that share a parent with it. */
function ofOthers(one: Writer, read: Read, other: Writer): Warning {
  const [name, theirs] = [one.entity.name, read.entity];
  const isBelow = read.by !== null && (read.path === null || read.path.length === 0);
  return {
    code: isBelow ? "children_unguarded" : "siblings_unguarded",
    message: `This rule looks at \`${theirs}\`, and the rule for \`${other.permission.operation}\` of \`${theirs}\` depends on \`${name}\`, so two of these writes at the same time can both pass.`,
    hint: isBelow ? hintForChildren(name, read, other.entity) : hintForRelated(one.entity, read, other.entity),
  };
}

function hintForChildren(parent: string, { by, path }: Read, child: Entity): string {
  if (path === null || by?.kind !== "referrer")
    return `Give \`${child.name}\` its own reference to \`${parent}\`, and lock by it: \`lock: ${parent}_id\`.`;
  const instead = child.lock === undefined ? `Add \`lock: ${by.field}\` to` : `Write \`lock: ${by.field}\` in`;
  return `${instead} \`${child.name}\`: its writes then wait for those of the \`${parent}\` to which they refer.`;
}

function hintForRelated({ name, lock }: Entity, { by, path }: Read, other: Entity): string {
  const [parent, ...further] = path ?? [];
  if (parent === undefined || further.length > 0 || (by !== null && by.kind !== "referrer"))
    return `Give \`${name}\` and \`${other.name}\` a reference to the record that they share, and lock both by it.`;
  const own = lock === parent ? [] : [`\`lock: ${parent}\` in \`${name}\``];
  const theirs = by === null || other.lock === by.field ? [] : [`\`lock: ${by.field}\` in \`${other.name}\``];
  return `Write ${[...own, ...theirs].join(" and ")}: writes with the same reference then run one after the other.`;
}
