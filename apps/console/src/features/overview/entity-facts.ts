// The facts about each entity for the list. In: a checked model. Out: fields, relations in both directions, and a summary of each role's
// access. `user` and `organization` are included if the diagram has them.
import type { Entity, Field, FieldType, Model, Permission } from "@plinth/blueprint";
import { namedRecord } from "../../named-record.ts";
import type { ModelLayout } from "./model-layout.ts";
import { typeLabel } from "./model-nodes.ts";

export interface EntityFacts {
  readonly name: string;
  readonly label: string | null;
  readonly fields: readonly FieldFact[];
  readonly refersTo: readonly string[];
  readonly referredBy: readonly string[];
  readonly access: readonly RoleAccess[];
  /** Null for an entity of a module, which the blueprint doesn't declare. */
  readonly entity: Entity | null;
}

export interface FieldFact {
  readonly name: string;
  readonly type: string;
  readonly target: string | null;
}

export interface RoleAccess {
  readonly role: string;
  /** "everything", or operations; those under a condition end with an asterisk. */
  readonly operations: string;
}

/** In the order of the diagram: built-in entities first, then as declared. */
export function entityFacts(model: Model, layout: ModelLayout): readonly EntityFacts[] {
  const drawn = new Map(layout.boxes.map(({ node }) => [node.name, node]));
  const declared = model.entities.filter(({ name }) => drawn.has(name));
  const declaredNames = new Set(declared.map(({ name }) => name));
  const relations = declared.flatMap((entity) =>
    fieldsOf(entity.fields).flatMap(({ target }) => (target === null ? [] : [{ from: entity.name, to: target }])),
  );
  const related = (name: string): Pick<EntityFacts, "refersTo" | "referredBy"> => ({
    refersTo: unique(relations.filter(({ from }) => from === name).map(({ to }) => to)),
    referredBy: unique(relations.filter(({ to }) => to === name).map(({ from }) => from)),
  });
  const builtIn = [...drawn.keys()].filter((name) => !declaredNames.has(name));
  return [
    ...builtIn.map((name) => ({
      name,
      label: null,
      fields: name === "user" ? fieldsOf(model.userFields) : [],
      ...related(name),
      access: [],
      entity: null,
    })),
    ...declared.map((entity) => ({
      name: entity.name,
      label: entity.label,
      fields: fieldsOf(entity.fields),
      ...related(entity.name),
      access: accessOf(entity),
      entity,
    })),
  ];
}

function fieldsOf(fields: readonly Field[]): readonly FieldFact[] {
  return fields
    .filter(({ declared }) => declared)
    .map(({ name, type, optional }) => ({
      name,
      type: wholeType(type) + (optional ? "?" : ""),
      target: namedRecord(type),
    }));
}

/** The type with its arguments, for which the diagram has no room. */
function wholeType(type: FieldType): string {
  switch (type.kind) {
    case "enum":
    case "enum_set":
      return `${type.kind}[${type.values.join(", ")}]`;
    case "decimal":
      return `decimal(${type.precision},${type.scale})`;
    case "money":
      return `money(${type.currency})`;
    case "list":
      return `list<${wholeType(type.of)}>`;
    default:
      return typeLabel(type);
  }
}

function accessOf({ permissions, softDelete, stateMachine }: Entity): readonly RoleAccess[] {
  const all = 4 + (softDelete ? 1 : 0) + (stateMachine?.edges.length ?? 0);
  const granted = permissions.filter(({ rule }) => !(rule.kind === "literal" && rule.value === false));
  return [...Map.groupBy(granted, ({ role }) => role)].map(([role, own]) => {
    const unlimited = own.filter(isUnlimited);
    if (unlimited.length >= all) return { role, operations: "everything" };
    const words = own.map((one) => one.operation.replace("transition:", "") + (isUnlimited(one) ? "" : "*"));
    return { role, operations: words.join(", ") };
  });
}

function isUnlimited({ rule, fields }: Permission): boolean {
  return rule.kind === "literal" && rule.value === true && fields === null;
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

/** The entities with the text in their name or in the name of a field, the closest first; all entities for an empty text. */
export function searchEntities(all: readonly EntityFacts[], text: string): readonly EntityFacts[] {
  const wanted = text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");
  if (wanted === "") return all;
  const ranked = all.map((facts) => ({ facts, rank: rankOf(facts, wanted) })).filter(({ rank }) => rank < noMatch);
  return ranked.sort((a, b) => a.rank - b.rank).map(({ facts }) => facts);
}

const noMatch = 4;

function rankOf({ name, label, fields }: EntityFacts, wanted: string): number {
  if (name === wanted) return 0;
  if (name.startsWith(wanted)) return 1;
  if (name.includes(wanted) || label?.toLowerCase().replaceAll(" ", "_").includes(wanted)) return 2;
  return fields.some((field) => field.name.includes(wanted)) ? 3 : noMatch;
}
