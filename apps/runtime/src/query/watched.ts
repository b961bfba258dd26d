// What a write leaves for those who follow changes. In: the entities of a bundle. Out: for each entity, whether its own changes are
// kept, and which followed entities are seen by others once it changes. It never decides whether somebody follows: the
// statement asks that.
import type { BundleEntity, SqlTemplate } from "@plinth/bundle";
import { quoteIdentifier } from "@plinth/postgres";

export const CHANGES_VIEW = "_changes";
export const FOLLOWED_VIEW = "_followed";

/** A followed entity whose read rules look at rows of this one. */
export interface Dependent {
  readonly entity: string;
  /** Columns of this entity that those rules may look at. */
  readonly columns: readonly string[];
  /** Many-to-many fields of this entity whose pairs they look at. */
  readonly joins: readonly string[];
  /** Rows are looked up by references alone, so that a new one is seen by no rule until somebody refers to it. */
  readonly isReferred: boolean;
}

export interface Watched {
  readonly isFollowed: boolean;
  readonly dependents: readonly Dependent[];
}

export function hasFollowed({ entities }: { readonly entities: readonly BundleEntity[] }): boolean {
  return entities.some((entity) => entity.realtime === true);
}

/** Null where a write of the entity leaves nothing. */
export function watchedOf(entity: BundleEntity, all: readonly BundleEntity[]): Watched | null {
  const dependents = all.flatMap((other) => {
    const found = other.realtime === true ? dependentOf(other, entity) : null;
    return found === null ? [] : [found];
  });
  const isFollowed = entity.realtime === true;
  return isFollowed || dependents.length > 0 ? { isFollowed, dependents } : null;
}

function dependentOf(followed: BundleEntity, entity: BundleEntity): Dependent | null {
  const text = sightOf(followed).join("\n");
  const joins = entity.fields.flatMap(({ name, join }) =>
    join !== null && namesTable(text, join.table) ? [name] : [],
  );
  const isNamed = namesTable(text, entity.table);
  if (!isNamed && joins.length === 0) return null;
  // Whatever the alias: a name too many makes a look too many, one too few would hide a change.
  const columns = isNamed
    ? entity.fields.flatMap(({ column }) => (column !== null && text.includes(quoteIdentifier(column)) ? [column] : []))
    : [];
  return {
    entity: followed.name,
    columns: columns.filter((column) => column !== "id"),
    joins,
    isReferred: isReferredOnly(text, entity.table),
  };
}

/** The templates that decide who sees which record of the entity. */
function sightOf({ access, scope }: BundleEntity): readonly SqlTemplate[] {
  const rules = Object.values(access.read ?? {}).map((grant) => grant.rule);
  return scope === null ? rules : [...rules, scope];
}

const qualified = (table: string): string => `{schema}.${quoteIdentifier(table)}`;

function namesTable(text: string, table: string): boolean {
  return text.includes(qualified(table)) || new RegExp(`\\{pairs\\.\\w+\\.${table}\\}`).test(text);
}

/** `from <table> _hop where _hop."id" = ...`: one row, by the id that another one holds. */
function isReferredOnly(text: string, table: string): boolean {
  const uses = text.split(qualified(table)).slice(1);
  return uses.every((rest) => /^ (_\w+) where \1\."id" = /.test(rest));
}
