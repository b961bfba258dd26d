// Finds what computed fields reveal. In: an entity before and after, in the same words. Out: who can read, through a
// computed or filled field, what they can't read directly: a field that the API never returns, a field that none of
// their grants shows, a field of a record that they can't read, or a field that is masked in logs although this one
// isn't.
import { type ComparisonBudget, type ComparisonTypes, type Expression, keyOfRule } from "@plinth/expression";
import type { Entity, Field, Model, Permission, View } from "../model/model.ts";
import { USER_ENTITY } from "../modules/users.ts";
import { type Look, looksOf } from "../rules/looks.ts";
import { partsRead } from "../rules/own-looks.ts";
import { readsLook } from "../rules/readable-looks.ts";
import type { Witness } from "./change.ts";
import { capitalized, oneOf } from "./one-of.ts";
import type { Compare } from "./witness.ts";

export interface ComputedGains {
  /** Through a computed field that is new or has a new expression, or a field that now gets values from `fill`. */
  readonly gainByComputed: (before: Entity, after: Entity, field: Field) => Witness | null;
  /** Through a view, which tells of each record whether its condition is true. */
  readonly gainByView: (before: Entity, after: Entity, view: View) => Witness | null;
  /** Through an unchanged computed field whose source field is hidden from now on. */
  readonly gainByHiding: (before: Entity, after: Entity, hidden: Field) => Witness | null;
}

interface Standing {
  readonly before: Model;
  readonly after: Model;
  readonly rangesFor: (entity: string) => ComparisonTypes;
  readonly budget: ComparisonBudget;
}

export function createComputedGains(compare: Compare, { before, after, rangesFor, budget }: Standing): ComputedGains {
  /** What could be read before, through fields that are hidden in either model. */
  const readable: Model = {
    ...before,
    entities: before.entities.map((was) => {
      const is = after.entities.find(({ name }) => name === was.name);
      return { ...was, fields: [...was.fields, ...(is?.fields ?? [])] };
    }),
  };
  const stood = new Set(before.entities.map(({ name }) => name));

  /**
   * Whether the readers with this grant could read the source values in other records before. A new entity has no
   * records yet.
   */
  function couldRead(look: Look, entity: Entity, permission: Permission): boolean {
    const isNew = after.entities.some(({ name }) => name === look.entity) && !stood.has(look.entity);
    return isNew || readsLook(look, { entity, permission, model: readable, rangesFor, budget });
  }

  /** The fields of other records that are masked in logs. */
  function maskedAt(looks: readonly Look[]): string | undefined {
    const isMasked = (entity: string, name: string): boolean =>
      [before, after].some(({ entities, userFields }) =>
        (entity === USER_ENTITY ? userFields : entities.find((one) => one.name === entity)?.fields)?.some(
          (one) => one.name === name && one.pii,
        ),
      );
    const found = looks.flatMap(({ entity, fields }) =>
      [...fields].filter((name) => isMasked(entity, name)).map((name) => `${entity}.${name}`),
    );
    return found[0];
  }

  /** `field` is the field that they read; null for a view, which is open to everybody who can read any record. */
  function gainOfReaders(
    was: Entity,
    is: Entity,
    field: Field | null,
    standing: readonly Permission[],
  ): Witness | null {
    let open: Witness | null = null;
    for (const permission of readsOf(is)) {
      if (field !== null && permission.fields !== null && !permission.fields.includes(field.name)) continue;
      const named = { role: permission.role, operation: "read", entity: is.name, field: field?.name ?? null } as const;
      const entity = { ...was, name: is.name, orgField: is.orgField };
      const found = compare(named, { entity, permissions: standing }, { entity: is, permissions: [permission] });
      if (found?.decided === true) return found;
      open ??= found;
    }
    return open;
  }

  function gainByComputed(was: Entity, is: Entity, field: Field): Witness | null {
    const previous = was.fields.find((one) => one.name === field.name);
    const source = field.internal ? null : (computedFrom(field) ?? filledFrom(previous, field));
    if (source === null) return null;
    const former = previous === undefined || previous.internal ? null : computedFrom(previous);
    if (former !== null && keyOfRule(former) === keyOfRule(source)) return null;
    const found = gainOfReaders(was, is, field, readersOf(source, was, is));
    if (found !== null) return found;
    const masked =
      partsRead(source, is).find((name) => fieldsOf(was, is, name).some((one) => one.pii)) ??
      maskedAt(looksOf(source, is.name, after));
    return masked === undefined || field.pii ? null : unmasked(is, field, masked);
  }

  /** The order of records tells as much about a field as a condition does. */
  function gainByView(was: Entity, is: Entity, { name, where, sort }: View): Witness | null {
    const previous = was.views?.find((one) => one.name === name);
    const isAsked = previous === undefined || keyOfRule(previous.where) !== keyOfRule(where);
    const ordering = sort.filter(({ field }) => !previous?.sort.some((one) => one.field === field));
    if (!isAsked && ordering.length === 0) return null;
    const readers = readersOf(
      isAsked ? where : null,
      was,
      is,
      ordering.map(({ field }) => field),
    );
    const found = gainOfReaders(was, is, null, readers);
    if (found === null) return null;
    const summary = `${capitalized(oneOf(found.role))} can now find out, through the view \`${name}\`, values of ${oneOf(is.name)} or of related records that they can't read.`;
    return { ...found, summary };
  }

  /** The grants of the first model that allowed to read all its sources, and these fields. */
  function readersOf(
    source: Expression | null,
    was: Entity,
    is: Entity,
    fields: readonly string[] = [],
  ): readonly Permission[] {
    const parts = [...(source === null ? [] : partsRead(source, is)), ...fields];
    const looks = source === null ? [] : looksOf(source, is.name, after);
    const isShown = (name: string): boolean => fieldsOf(was, is, name).every((one) => !isHidden(one));
    return readsOf(was).filter(
      (grant) =>
        parts.every((name) => isShown(name) && (grant.fields === null || grant.fields.includes(name))) &&
        looks.every((look) => couldRead(look, is, grant)),
    );
  }

  function gainByHiding(was: Entity, is: Entity, hidden: Field): Witness | null {
    const previous = was.fields.find((one) => one.name === hidden.name);
    if (previous === undefined) return null;
    const [leaves, masks] = [!isHidden(previous) && isHidden(hidden), !previous.pii && hidden.pii];
    if (!leaves && !masks) return null;
    for (const entity of after.entities) {
      const stands = entity.name === is.name ? was : before.entities.find(({ name }) => name === entity.name);
      if (stands === undefined) continue;
      for (const field of entity.fields) {
        const source = field.internal ? null : computedFrom(field);
        if (source === null || !reads(source, entity, is.name, hidden.name)) continue;
        const found = leaves ? gainOfReaders(stands, entity, field, []) : null;
        if (found !== null) return found;
        if (masks && !field.pii) return unmasked(entity, field, hidden.name);
      }
    }
    return null;
  }

  function reads(source: Expression, entity: Entity, of: string, field: string): boolean {
    if (entity.name === of && partsRead(source, entity).includes(field)) return true;
    return looksOf(source, entity.name, after).some((look) => look.entity === of && look.fields.has(field));
  }

  return { gainByComputed, gainByView, gainByHiding };
}

function readsOf(entity: Entity): Permission[] {
  return entity.permissions.filter((one) => one.operation === "read");
}

function isHidden(field: Field): boolean {
  return field.internal || field.type.kind === "secret";
}

/** Only admins read logs and the audit log. */
function unmasked({ name: entity }: Entity, { name }: Field, masked: string): Witness {
  const summary = `An \`admin\` can now read in logs, through \`${name}\`, values for which \`${masked}\` is masked.`;
  return { role: "admin", operation: "read", entity, decided: true, summary, record: {} };
}

function computedFrom({ type }: Field): Expression | null {
  return type.kind === "computed" ? type.expression : null;
}

/** The value that existing records get with this change; null if they keep theirs. */
export function filledFrom(previous: Field | undefined, { fill, optional }: Field): Expression | null {
  if (fill === undefined) return null;
  const isApplied = previous === undefined || (previous.optional && (!optional || previous.fill === undefined));
  return isApplied ? fill : null;
}

function fieldsOf(was: Entity, is: Entity, name: string): readonly Field[] {
  return [was, is].flatMap(({ fields }) => fields.filter((one) => one.name === name));
}
