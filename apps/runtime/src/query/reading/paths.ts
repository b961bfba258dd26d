// Resolves a dotted name: a field, a member of its JSON, or a field of a related record. In: names as a caller writes
// them. Out: relations to follow and the field at their end, or a Fault with the known names. It never follows a
// relation if the caller can't read its records or its field at all.
import type { BundleField, BundleMember, BundleRelation } from "@plinth/bundle";
import { type EntityView, hasOperation } from "../entity-view.ts";
import { readabilityOf } from "../readable-fields.ts";
import { didYouMean } from "../suggest.ts";
import type { Subject } from "./filter.ts";
import { habitOfCondition, habitOfParameter } from "./habits.ts";
import { linkOf, targetOf } from "./reach.ts";
import { unknown, unreadable } from "./refusals.ts";
import { unbounded } from "./value-forms.ts";

/** Maximum relations in a name. */
export const HOPS_MAX = 3;

export interface Named {
  readonly hops: readonly BundleRelation[];
  /** The entity of the field. */
  readonly view: EntityView;
  readonly subject: Subject;
}

/** @param parameter The parameter as the caller wrote it. @param verb As in "filter by". @throws Fault 400, 403. */
export function findNamed(
  view: EntityView,
  name: string,
  roles: readonly string[],
  parameter: string,
  verb: string,
  others: readonly string[] = [],
): Named {
  const segments = name.split(".", HOPS_MAX + 8);
  const hops: BundleRelation[] = [];
  let at = view;
  for (let i = 0; i < segments.length; i++) {
    const segment = segments[i]!;
    const rest = segments.slice(i + 1);
    const field = at.fields.get(segment);
    if (field !== undefined && (rest.length === 0 || isJson(field)) && !field.hidden) {
      if (readabilityOf(at, field, roles) === "never") throw unreadable(parameter, name, verb);
      return { hops, view: at, subject: subjectOf(field, rest, name, parameter) };
    }
    const relation = rest.length === 0 ? undefined : findRelation(at, segment);
    if (relation === undefined) throw nothingCalled(at, segment, name, parameter, roles, others);
    requireRelation(at, relation, roles, parameter, verb);
    hops.push(relation);
    if (hops.length > HOPS_MAX) {
      throw unknown(parameter, `"${name.slice(0, 64)}" is too long.`, `At most ${HOPS_MAX} relations can be followed.`);
    }
    at = targetOf(at, relation);
  }
  throw nothingCalled(at, segments.at(-1) ?? "", name, parameter, roles, others);
}

export function findRelation(view: EntityView, name: string): BundleRelation | undefined {
  const relation = view.entity.relations.find((each) => each.name === name);
  if (relation === undefined || linkOf(view, relation).field.hidden) return undefined;
  return relation;
}

/** @throws Fault `forbidden` if no role of the caller can read the records at its end, or the field of the relation. */
export function requireRelation(
  view: EntityView,
  relation: BundleRelation,
  roles: readonly string[],
  parameter: string,
  verb: string,
): void {
  const target = targetOf(view, relation);
  if (!hasOperation(target.entity, "read", roles)) throw unreadable(parameter, target.entity.plural, "read");
  const { owner, field } = linkOf(view, relation);
  if (readabilityOf(owner, field, roles) === "never") throw unreadable(parameter, relation.name, verb);
}

/** Relations that the caller can follow, for hints. */
export function relationNames(view: EntityView, roles: readonly string[]): readonly string[] {
  return view.entity.relations
    .filter((relation) => {
      const { owner, field } = linkOf(view, relation);
      const mayRead = hasOperation(targetOf(view, relation).entity, "read", roles);
      return mayRead && readabilityOf(owner, field, roles) !== "never";
    })
    .map(({ name }) => name);
}

function isJson({ sqlType, column }: BundleField): boolean {
  return sqlType === "jsonb" && column !== null;
}

/** Members without a declared type are JSON. */
function subjectOf(field: BundleField, path: readonly string[], name: string, parameter: string): Subject {
  if (path.length === 0) return { field, path, type: isJson(field) ? "json" : field.sqlType };
  let members: readonly BundleMember[] | undefined = field.members;
  let type = "json";
  for (const segment of path) {
    if (members === undefined) return { field, path, type: "json" };
    const member: BundleMember | undefined = members.find((each) => each.name === segment);
    if (member === undefined) {
      const hint = didYouMean(
        segment,
        members.map((each) => each.name),
      );
      throw unknown(
        parameter,
        `There is no "${name.slice(0, 64)}".${hint}`,
        `${field.name} has no such member.${hint}`,
      );
    }
    members = member.members;
    type = member.sqlType === "jsonb" || member.sqlType.endsWith("[]") ? "json" : unbounded(member.sqlType);
    if (type === "json" && members === undefined) return { field, path, type };
  }
  return { field, path, type };
}

function nothingCalled(
  view: EntityView,
  segment: string,
  name: string,
  parameter: string,
  roles: readonly string[],
  others: readonly string[],
): Error {
  const shown = segment.slice(0, 64);
  const whole = name.slice(0, 64);
  if (findRelation(view, segment) !== undefined && !view.fields.has(segment)) {
    const message = `${shown} leads to other records: name a field of theirs, as in "${shown}.id".`;
    return unknown(parameter, message, message);
  }
  const hint = hintFor(view, segment, name, parameter, roles, others);
  const isParameter = name === parameter || parameter.startsWith(`${name}[`);
  const detail =
    isParameter && name === segment ? `The parameter "${shown}" is unknown.${hint}` : `There is no "${whole}".${hint}`;
  return unknown(parameter, detail, `It is not a field of ${view.entity.name}.${hint}`);
}

/** A suggestion: the relation of a reference, a similar name, or this API's notation for another API's. */
function hintFor(
  view: EntityView,
  segment: string,
  name: string,
  parameter: string,
  roles: readonly string[],
  others: readonly string[],
): string {
  const relation = relationBy(view, segment, roles);
  if (relation !== undefined && name !== segment) {
    const meant = name.split(".").map((each) => (each === segment ? relation : each));
    return ` Did you mean "${meant.join(".").slice(0, 64)}"?`;
  }
  const fields = view.shown.filter((field) => readabilityOf(view, field, roles) !== "never").map((field) => field.name);
  const meant = didYouMean(segment, [...others, ...fields, ...relationNames(view, roles)]);
  const habit =
    others.length > 0 ? habitOfParameter(parameter, (each) => fields.includes(each)) : habitOfCondition(segment);
  return `${meant}${habit}`;
}

/** The name of the relation that uses a field, if the caller can follow it. */
export function relationBy(view: EntityView, field: string, roles: readonly string[]): string | undefined {
  const relation = view.entity.relations.find(({ by }) => by.kind === "reference" && by.field === field);
  return relation !== undefined && relationNames(view, roles).includes(relation.name) ? relation.name : undefined;
}
