// Decides what a write records for subscribers to changes. In: the entities of a bundle. Out: for each entity, whether
// its own changes are recorded, and which followed entities may become visible to others when it changes. The statement
// itself checks whether somebody follows.
import type { BundleEntity, Look } from "@plinth/bundle";

export const CHANGES_VIEW = "_changes";
export const FOLLOWED_VIEW = "_followed";

/** A followed entity whose read rules look at rows of this one. */
export interface Dependent {
  readonly entity: string;
  /** Columns of this entity that those rules may look at. */
  readonly columns: readonly string[];
  /** Many-to-many fields of this entity whose pairs they look at. */
  readonly joins: readonly string[];
  /** Rows are only looked up by references, so no rule sees a new row until a record refers to it. */
  readonly isReferred: boolean;
}

export interface Watched {
  readonly isFollowed: boolean;
  readonly dependents: readonly Dependent[];
}

export function hasFollowed({ entities }: { readonly entities: readonly BundleEntity[] }): boolean {
  return entities.some((entity) => entity.realtime === true);
}

/** Null if a write of the entity records nothing. */
export function watchedOf(entity: BundleEntity, all: readonly BundleEntity[]): Watched | null {
  const dependents = all.flatMap((other) => {
    const found = other.realtime === true ? dependentOf(other, entity) : null;
    return found === null ? [] : [found];
  });
  const isFollowed = entity.realtime === true;
  return isFollowed || dependents.length > 0 ? { isFollowed, dependents } : null;
}

function dependentOf(followed: BundleEntity, entity: BundleEntity): Dependent | null {
  const looks = new Map<string, Look[]>();
  for (const look of looksOf(followed)) looks.set(look.table, [...(looks.get(look.table) ?? []), look]);
  const joins = entity.fields.flatMap(({ name, join }) => (join !== null && looks.has(join.table) ? [name] : []));
  const own = looks.get(entity.table) ?? [];
  if (own.length === 0 && joins.length === 0) return null;
  return {
    entity: followed.name,
    columns: [...new Set(own.flatMap(({ columns }) => columns))],
    joins,
    isReferred: own.every(({ byId }) => byId),
  };
}

/** Rows that decide who can see records of the entity. */
function looksOf({ access, scope }: BundleEntity): readonly Look[] {
  const rules = Object.values(access.read ?? {}).map((grant) => grant.rule);
  return [...rules, ...(scope === null ? [] : [scope])].flatMap((rule) => (rule.kind === "sql" ? rule.looks : []));
}
