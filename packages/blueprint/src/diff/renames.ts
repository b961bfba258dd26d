// Finds renames. In: the live model (or null) and the new one. Out: which entity or field of one is which of the other,
// and the tables and columns that are renamed. Only `was` makes a rename; nothing is guessed from similarity.
import type { Entity, Field, Model } from "../model/model.ts";

/** Old name > new name; tables by name, columns by the table's new name. Only names that change. */
export interface ModelRenames {
  readonly tables: Readonly<Record<string, string>>;
  readonly columns: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Something with a name and perhaps a former one. */
interface Named {
  readonly name: string;
  readonly was: string | null;
}

export interface Pair<T> {
  readonly before: T;
  readonly after: T;
}

export interface Matches<T> {
  /** In the order of the new model. */
  readonly kept: readonly Pair<T>[];
  readonly added: readonly T[];
  readonly removed: readonly T[];
}

/** The table of profile fields. */
const USERS_TABLE = "users";

export function renamesOf(before: Model | null, after: Model): ModelRenames {
  if (before === null) return { tables: {}, columns: {} };
  const entities = matchByName(before.entities, after.entities);
  const tables: Record<string, string> = {};
  const columns: Record<string, Record<string, string>> = {};
  const move = (into: Record<string, string>, from: string, to: string): void => {
    if (from !== to) into[from] = to;
  };
  for (const pair of entities.kept) {
    move(tables, pair.before.plural, pair.after.plural);
    for (const { from, to } of joinTablesOf(pair, entities)) {
      move(tables, from.table, to.table);
      const moved: Record<string, string> = {};
      move(moved, from.own, to.own);
      move(moved, from.other, to.other);
      if (Object.keys(moved).length > 0) columns[to.table] = moved;
    }
    const moved = columnsMoved(pair.before.fields, pair.after.fields);
    if (Object.keys(moved).length > 0) columns[pair.after.plural] = moved;
  }
  const profile = columnsMoved(before.userFields, after.userFields);
  if (Object.keys(profile).length > 0) columns[USERS_TABLE] = profile;
  return { tables, columns };
}

function columnsMoved(before: readonly Field[], after: readonly Field[]): Record<string, string> {
  const pairs = matchByName(before, after).kept.filter((pair) => hasColumn(pair.before) && hasColumn(pair.after));
  return Object.fromEntries(
    pairs.filter((pair) => pair.before.name !== pair.after.name).map((pair) => [pair.before.name, pair.after.name]),
  );
}

function hasColumn({ type }: Field): boolean {
  return !["refs", "computed", "file", "image"].includes(type.kind);
}

interface JoinTable {
  readonly table: string;
  readonly own: string;
  readonly other: string;
}

/** Join tables in both models: `<plural>__<field>` with `<entity>_id` and `<other>_id`. */
function joinTablesOf(pair: Pair<Entity>, entities: Matches<Entity>): Moved<JoinTable>[] {
  const sameEntity = new Map(entities.kept.map((one) => [one.before.name, one.after.name]));
  return matchByName(pair.before.fields, pair.after.fields).kept.flatMap((field) => {
    const [was, is] = [field.before.type, field.after.type];
    if (was.kind !== "refs" || is.kind !== "refs" || sameEntity.get(was.entity) !== is.entity) return [];
    return [
      {
        from: joinTable(pair.before, field.before.name, was.entity),
        to: joinTable(pair.after, field.after.name, is.entity),
      },
    ];
  });
}

interface Moved<T> {
  readonly from: T;
  readonly to: T;
}

function joinTable(entity: Entity, field: string, target: string): JoinTable {
  const other = target === entity.name ? "other" : target;
  return { table: `${entity.plural}__${field}`, own: `${entity.name}_id`, other: `${other}_id` };
}

/**
 * Matches old and new declarations, by `was` if it applies, otherwise by name. `was` has no effect once it has been
 * carried out: the old model already had the new name with that declaration. In a chain or a swap (`a` was `b`, `b` was
 * `a`) all move at once. A name that still exists, and isn't made from another, keeps its data. If the former name is
 * declared again, the data goes back.
 */
export function matchByName<T extends Named>(before: readonly T[], after: readonly T[]): Matches<T> {
  const old = new Map(before.map((one) => [one.name, one]));
  const from = renamesAmong(old, after);
  const kept: Pair<T>[] = [];
  const added: T[] = [];
  const taken = new Set<string>();
  const moved = new Set(from.values());
  for (const one of after) {
    const name = from.get(one.name) ?? (moved.has(one.name) ? undefined : one.name);
    const was = name === undefined ? undefined : old.get(name);
    if (was === undefined) added.push(one);
    else {
      kept.push({ before: was, after: one });
      taken.add(was.name);
    }
  }
  return { kept, added, removed: before.filter((one) => !taken.has(one.name)) };
}

/**
 * Why a removed declaration was not renamed although another one claims its name: the other one already exists.
 * Otherwise an empty text.
 */
export function whyNotRenamed<T extends Named>(
  removed: T,
  { kept }: Matches<T>,
  write: (name: string) => string,
): string {
  const taken = kept.find(
    ({ before, after }) => after.was === removed.name && before.name === after.name && before.was !== removed.name,
  );
  if (taken === undefined) return "";
  const name = `\`${taken.after.name}\``;
  return ` \`${write(removed.name)}\` on ${name} has no effect, because ${name} already exists. To replace it by \`${removed.name}\`, remove ${name} in an earlier change.`;
}

/** New name > old name, for all consistent renames. */
function renamesAmong<T extends Named>(old: ReadonlyMap<string, T>, after: readonly T[]): Map<string, string> {
  const stays = new Set(after.map((one) => one.name));
  const from = new Map<string, string>();
  for (const { name, was } of after) {
    if (was === null || was === name || !old.has(was) || [...from.values()].includes(was)) continue;
    if (old.get(name)?.was === was) continue;
    from.set(name, was);
  }
  dropFallen(from, old, stays);
  for (const [name, was] of goingBack(old, stays, from)) from.set(name, was);
  return from;
}

/** A rename is dropped if the new name belonged to another declaration that isn't renamed, or if the old name stays. */
function dropFallen<T>(from: Map<string, string>, old: ReadonlyMap<string, T>, stays: ReadonlySet<string>): void {
  for (let fallen = true; fallen; ) {
    fallen = false;
    for (const [name, was] of from) {
      const occupied = old.has(name) && ![...from.values()].includes(name);
      const remains = stays.has(was) && !from.has(was);
      if (occupied || remains) {
        from.delete(name);
        fallen = true;
      }
    }
  }
}

/**
 * Former name > its later name: if the former name is declared again and the later one is gone, both are the same
 * thing. A chain goes back as a whole, from a name that nothing has now. Names that were only swapped are not such a
 * chain: removing `was` there moves nothing.
 */
function goingBack<T extends Named>(
  old: ReadonlyMap<string, T>,
  stays: ReadonlySet<string>,
  moved: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const taken = new Set(moved.values());
  const laterNames = new Map<string, string>();
  for (const { name, was } of old.values())
    if (was !== null && was !== name && !laterNames.has(was) && !taken.has(name)) laterNames.set(was, name);
  const back = new Map<string, string>();
  for (const first of stays) {
    if (old.has(first)) continue;
    for (let name = first; stays.has(name) && !moved.has(name) && !back.has(name); ) {
      const later = laterNames.get(name);
      if (later === undefined) break;
      back.set(name, later);
      name = later;
    }
  }
  dropFallen(back, old, stays);
  return back;
}

/** Among the added ones: the one with the claimed former name, if that stays. */
export function holderOfFormerName<T extends Named>({ was }: T, { kept }: Matches<T>): T | null {
  return kept.find(({ before, after }) => before.name === was && after.name === was)?.after ?? null;
}
