// Finds the possible values of fields. In: two models (or one twice). Out: what the fields in rules can hold, in the
// form for comparing rules.
import type { ComparisonTypes, FieldRange } from "@plinth/expression";
import type { Field, FieldType, Model } from "../model/model.ts";
import { targetOf, typeInRules } from "./expression-schema.ts";

/** Roles of every caller, and of every signed-in user. */
export const ROLES_OF_ALL: readonly string[] = ["public"];
export const ROLES_OF_USERS: readonly string[] = ["user", "owner"];

/**
 * What the fields in rules can hold after the change, by entity; for removed fields, what they could hold before. Both
 * in the words of the new model.
 */
export function createRanges(before: Model, after: Model): (entity: string) => ComparisonTypes {
  const softDeletes = new Map([...before.entities, ...after.entities].map((one) => [one.name, one.softDelete]));
  const fields = new Map<string, ReadonlyMap<string, Field>>();
  const collect = (owner: string, own: readonly Field[]): void => {
    fields.set(owner, new Map([...(fields.get(owner) ?? []), ...own.map((one) => [one.name, one] as const)]));
  };
  for (const model of [before, after]) {
    collect("user", model.userFields);
    for (const { name, fields: own } of model.entities) collect(name, own);
  }
  const fieldAt = (owner: string, name: string): Field | undefined => fields.get(owner)?.get(name);
  const known = new Map<string, ComparisonTypes>();
  return (entity) => {
    const types = known.get(entity) ?? rangesFor(entity, { fieldAt, softDeletes });
    known.set(entity, types);
    return types;
  };
}

interface Standing {
  readonly fieldAt: (owner: string, name: string) => Field | undefined;
  readonly softDeletes: ReadonlyMap<string, boolean>;
}

function rangesFor(entity: string, { fieldAt, softDeletes }: Standing): ComparisonTypes {
  function field(row: string, path: readonly string[]): FieldRange | null {
    if (!["record", "old", "new"].includes(row)) return null;
    let owner = entity;
    let nullable = false;
    for (const [index, name] of path.entries()) {
      const found = fieldAt(owner, name);
      if (found === undefined) return null;
      nullable ||= found.optional;
      if (index === path.length - 1) return rangeOf(found.type, nullable);
      owner = targetOf(found.type) ?? "";
      // A deleted user is not visible through a reference.
      nullable ||= softDeletes.get(owner) === true;
    }
    return null;
  }

  function profile(name: string): FieldRange | null {
    const found = fieldAt("user", name);
    return found === undefined ? null : rangeOf(found.type, true);
  }
  return { field, profile, rolesOfAll: ROLES_OF_ALL, rolesOfUsers: ROLES_OF_USERS };
}

function rangeOf(type: FieldType, nullable: boolean): FieldRange {
  const places = type.kind === "decimal" || type.kind === "money" ? type.scale : type.kind === "percent" ? 4 : null;
  return { type: typeInRules(type), nullable, places };
}
