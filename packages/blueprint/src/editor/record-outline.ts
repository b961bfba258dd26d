// The fields and relations of an entity as rules see them, during typing. In: an entity's outline. Out: its own fields,
// those that every record has, and its relations.
import { relationName } from "@plinth/expression";
import pluralize from "pluralize";
import { organizationFields, organizationFieldsInRules } from "../modules/organizations.ts";
import { notations } from "./module-outline.ts";
import { type Notation, readNotation } from "./notation.ts";
import type { EntityOutline, Fields, Outline } from "./outline.ts";

export interface FieldOutline extends Notation {
  readonly name: string;
  readonly notation: string;
  /** Whether every record has it. */
  readonly implicit: boolean;
  /** Whether callers can write it. */
  readonly written: boolean;
}

export interface RelationOutline {
  readonly name: string;
  /** `user` and `organization` too. */
  readonly entity: string;
  readonly many: boolean;
  readonly optional: boolean;
}

export interface RecordOutline {
  readonly name: string;
  readonly fields: readonly FieldOutline[];
  readonly relations: readonly RelationOutline[];
}

const implicitNotations: Fields = new Map([
  ["id", "uuid"],
  ["created_at", "datetime"],
  ["updated_at", "datetime"],
  ["created_by", "user_ref?"],
  ["version", "int"],
]);

/** Undefined if there is no such entity. */
export function recordOf(name: string | null, outline: Outline): RecordOutline | undefined {
  if (name === "user") return userRecord(outline);
  if (name === "organization" && !outline.entities.has(name)) {
    const fields = new Map(notations(organizationFields, organizationFieldsInRules));
    return { name, fields: readFields(fields, new Map()), relations: [] };
  }
  const entity = outline.entities.get(name ?? "");
  return entity === undefined
    ? undefined
    : { name: entity.name, fields: fieldsOf(entity), relations: relationsOf(entity, outline) };
}

export function fieldsOf(entity: EntityOutline): readonly FieldOutline[] {
  const implicit = new Map([
    ...implicitNotations,
    ...(entity.orgScoped ? ([["org_id", "org_ref immutable"]] as const) : []),
    ...(entity.softDelete ? ([["deleted_at", "datetime?"]] as const) : []),
  ]);
  return readFields(entity.fields, implicit);
}

function readFields(own: Fields, implicit: Fields): readonly FieldOutline[] {
  return [...new Map([...own, ...[...implicit].filter(([name]) => !own.has(name))])].map(([name, notation]) => {
    const read = readNotation(notation);
    const isImplicit = !own.has(name);
    const isTime = name === "created_at" || name === "updated_at";
    const generated = read.type === "computed" || read.type === "sequence" || read.modifiers.has("readonly");
    return {
      ...read,
      name,
      notation,
      implicit: isImplicit,
      written: !(generated || read.modifiers.has("internal") || isTime || (isImplicit && name !== "org_id")),
    };
  });
}

function userRecord(outline: Outline): RecordOutline {
  const fields = readFields(
    new Map([["id", "uuid"], ["email", "email"], ["name", "string?"], ...outline.userFields]),
    new Map(),
  );
  const relations = [...outline.entities.values()].flatMap((entity) =>
    [...entity.fields].flatMap(([, notation]) => {
      const as = /\bas\(\s*(\w+)/.exec(notation)?.[1];
      return as === undefined || !/^["']?user_ref\b/.test(notation)
        ? []
        : [{ name: as, entity: entity.name, many: true, optional: false }];
    }),
  );
  return { name: "user", fields, relations };
}

function relationsOf(entity: EntityOutline, outline: Outline): readonly RelationOutline[] {
  const own = fieldsOf(entity).flatMap((field): RelationOutline[] => {
    const target = field.type === "user_ref" ? "user" : field.type === "org_ref" ? "organization" : field.target;
    if (target === null) return [];
    const many = field.type === "refs";
    return [{ name: many ? field.name : relationName(field.name), entity: target, many, optional: field.optional }];
  });
  const back = [...outline.entities.values()].flatMap((other) =>
    [...other.fields.values()].flatMap((notation): RelationOutline[] => {
      const target = /^["']?refs?\(\s*(\w+)/.exec(notation)?.[1];
      if (target !== entity.name) return [];
      const name = /\bas\(\s*(\w+)/.exec(notation)?.[1] ?? pluralOf(other);
      return [{ name, entity: other.name, many: true, optional: false }];
    }),
  );
  return [...own, ...back];
}

export function pluralOf({ name, plural }: EntityOutline): string {
  if (plural !== null) return plural;
  const words = name.split("_");
  const last = words.pop() ?? "";
  return last.length > 48 ? `${name}s` : [...words, pluralize.plural(last)].join("_");
}
