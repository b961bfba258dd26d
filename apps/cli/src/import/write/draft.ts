// The writer's form of a foreign schema before it becomes text: entities and their fields in the long form. Types and queries on
// them.
import type { Entity, Field, Model } from "@plinth/blueprint";
import type { ForeignLink, ForeignReference, ForeignTable } from "../foreign-schema.ts";

/** A field in its long form, as in the blueprint. The formatter shortens it. */
export interface LongField {
  readonly type: string;
  readonly values?: readonly string[];
  readonly of?: string | { readonly type: string; readonly values: readonly string[] };
  readonly optional?: true;
  readonly unique?: true;
  readonly index?: true;
  readonly min?: number | string;
  readonly max?: number | string;
  readonly default?: unknown;
  readonly on_delete?: string;
  readonly as?: string;
  readonly writable?: "admin";
  readonly help?: string;
}

export interface Proposal {
  readonly role: string;
  readonly operation: string;
  readonly rule: string | true;
  /** Its origin: `the column user_id`, `the policy own_rows`. */
  readonly from: string;
}

export interface EntityDraft {
  readonly name: string;
  readonly table: ForeignTable;
  /** The plural, if the usual one is taken. */
  readonly plural: string | null;
  help: string | null;
  readonly fields: Map<string, LongField>;
  /** Column > field. A column that Plinth maintains also has a field, such as `created_at`. */
  readonly fieldOf: Map<string, string>;
  /** Field > its reference. */
  readonly referenceOf: Map<string, ForeignReference>;
  readonly uniques: string[][];
  readonly indexes: string[][];
  readonly checks: Map<string, string>;
  readonly proposals: Proposal[];
}

export interface Draft {
  readonly entities: readonly EntityDraft[];
  /** Profile fields of the built-in `user`. */
  readonly profile: ReadonlyMap<string, LongField>;
  /** The table of the app's users, or null. */
  readonly people: PeopleDraft | null;
  /** Tables of pairs that became many-to-many fields. */
  readonly joins: readonly JoinDraft[];
  /** Many-to-many relations without a table in the schema. */
  readonly links: readonly LinkDraft[];
}

export interface LinkDraft {
  /** The side that names the relation. */
  readonly table: ForeignTable;
  readonly link: ForeignLink;
  readonly entity: string;
  /** The `refs` field; for an entity between both sides, its references to them. */
  readonly fields: readonly string[];
}

export interface PeopleDraft {
  readonly table: ForeignTable;
  /** Column > field of the built-in `user`. */
  readonly fieldOf: ReadonlyMap<string, string>;
  /** The fields that a profile can't have, in an entity with one record for each user. */
  readonly details: EntityDraft | null;
}

export interface JoinDraft {
  readonly table: ForeignTable;
  readonly entity: string;
  readonly field: string;
  /** The references to the record that has the field, and to the others. */
  readonly own: ForeignReference;
  readonly other: ForeignReference;
}

/** The entity of a reference; `user` for the built-in one, null if it isn't a reference. */
export function targetIn({ type }: LongField): string | null {
  if (type === "user_ref") return "user";
  return /^refs?\((\w+)\)$/.exec(type)?.[1] ?? null;
}

/** Types that a B-tree can't contain. */
export function isKeyed({ type }: LongField): boolean {
  return !/^(?:json|list|enum_set|object|point|vector|refs|computed)\b/.test(type);
}

export function entityIn(model: Model, name: string): Entity | undefined {
  return model.entities.find((entity) => entity.name === name);
}

/** A claim that the model has the entity with this field. */
export function hasField(entity: string, field: string, fits: (field: Field) => boolean = () => true) {
  return (model: Model): boolean => {
    const fields = entity === "user" ? model.userFields : (entityIn(model, entity)?.fields ?? []);
    return fields.some((one) => one.name === field && fits(one));
  };
}

/** A claim that these fields are unique together, in any order. */
export function hasUnique(entity: string, fields: readonly string[]) {
  const key = (names: readonly string[]): string => [...names].sort().join(" ");
  return (model: Model): boolean => entityIn(model, entity)?.uniques.some((one) => key(one) === key(fields)) === true;
}
