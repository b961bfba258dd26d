// Computes the effects of a delete and of a restore. In: the world and the record. Out: the rows that are deleted, lose
// their reference or return, the audit rows, and a function that does it. It decides row by row, because a marked
// record's own children can be restored like it.
import type { Entity } from "@plinth/blueprint";
import type { Audit } from "./generated-outcomes.ts";
import { isDeleted, type Rec, recordsOf, type Values, type World } from "./generated-world.ts";

interface Reference {
  readonly from: Entity;
  readonly field: string;
  readonly onDelete: "restrict" | "cascade" | "set_null";
}

export interface DeletePlan {
  readonly restricted: boolean;
  readonly audits: readonly Audit[];
  readonly commit: () => void;
}

/** Rows that one delete has marked. */
const deletions = new WeakMap<Rec, object>();

export interface RestorePlan {
  /** Whether the record refers to one that stays deleted. */
  readonly held: boolean;
  /** The records that return, the restored one first, and their values afterwards. */
  readonly back: readonly (readonly [Rec, Values])[];
  readonly commit: () => void;
}

export function planRestore(world: World, root: Rec): RestorePlan {
  const deletion = deletions.get(root);
  const found = new Set([root]);
  // Iterating over a set includes members that are added during the iteration.
  for (const record of found) {
    for (const { from, field, onDelete } of referencesTo(world, record.entity)) {
      if (onDelete !== "cascade") continue;
      for (const other of referring(world, from, field, record, true)) {
        if (deletion !== undefined && deletions.get(other) === deletion && isDeleted(other)) found.add(other);
      }
    }
  }
  const back = new Set(found);
  for (let size = -1; size !== back.size; ) {
    size = back.size;
    for (const record of back) {
      const bound = deletedTargets(world, record).filter(({ onDelete }) => onDelete !== "set_null");
      if (bound.some(({ target }) => !back.has(target))) back.delete(record);
    }
  }
  const values = [...back].map((record): readonly [Rec, Values] => {
    const lost = deletedTargets(world, record).filter(({ target }) => !back.has(target));
    const none = Object.fromEntries(lost.map(({ field }) => [field, null]));
    const version = Number(record.values["version"]) + 1;
    return [record, { ...record.values, ...none, deleted_at: null, version, updated_at: new Date().toISOString() }];
  });
  const commit = (): void => {
    for (const [record, next] of values) record.values = next;
  };
  return { held: !back.has(root), back: values, commit };
}

function deletedTargets(
  world: World,
  record: Rec,
): (Pick<Reference, "field" | "onDelete"> & { readonly target: Rec })[] {
  return record.entity.fields.flatMap(({ name, type }) => {
    const target = type.kind === "ref" ? world.records.get(String(record.values[name])) : undefined;
    if (type.kind !== "ref" || target === undefined || !isDeleted(target)) return [];
    return [{ field: name, onDelete: type.onDelete, target }];
  });
}

export function planDelete(world: World, root: Rec): DeletePlan {
  // Record > whether it is destroyed; otherwise it is marked.
  const going = new Map<Rec, boolean>([[root, !root.entity.softDelete]]);
  for (let grown = true; grown; ) {
    grown = false;
    for (const [record, forGood] of [...going]) {
      for (const { from, field, onDelete } of referencesTo(world, record.entity)) {
        if (onDelete !== "cascade") continue;
        for (const other of referring(world, from, field, record, forGood)) {
          // Records that refer to a destroyed row can't stay, marked or not.
          const final = forGood || !other.entity.softDelete;
          if (going.get(other) === true || (going.has(other) && !final)) continue;
          going.set(other, final);
          grown = true;
        }
      }
    }
  }
  const cleared = new Map<Rec, Set<string>>();
  let restricted = false;
  for (const [record, forGood] of going) {
    for (const { from, field, onDelete } of referencesTo(world, record.entity)) {
      if (onDelete === "cascade") continue;
      // A row that is only marked prevents the destruction of its target, or loses its reference to it.
      const others = referring(world, from, field, record, forGood).filter(
        (other) => !going.has(other) || (forGood && going.get(other) === false),
      );
      if (onDelete === "restrict") restricted ||= others.length > 0;
      else for (const other of others) cleared.set(other, (cleared.get(other) ?? new Set()).add(field));
    }
  }
  const audits: Audit[] = [
    ...[...going.keys()].map((record): Audit => ["delete", record.entity.name, record.id]),
    ...[...cleared.keys()]
      .filter((record) => !going.has(record))
      .map((record): Audit => ["update", record.entity.name, record.id]),
  ];
  return { restricted, audits, commit: () => carryOut(world, going, cleared) };
}

function carryOut(
  world: World,
  going: ReadonlyMap<Rec, boolean>,
  cleared: ReadonlyMap<Rec, ReadonlySet<string>>,
): void {
  const now = new Date().toISOString();
  for (const [record, fields] of cleared) {
    const none = Object.fromEntries([...fields].map((name) => [name, null]));
    record.values = { ...record.values, ...none };
    if (going.has(record)) continue;
    record.values = { ...record.values, version: Number(record.values["version"]) + 1, updated_at: now };
  }
  const deletion = {};
  for (const [record, forGood] of going) {
    if (!forGood) {
      deletions.set(record, deletion);
      const version = Number(record.values["version"]) + 1;
      record.values = { ...record.values, deleted_at: now, version, updated_at: now };
      continue;
    }
    world.records.delete(record.id);
    for (const other of world.records.values()) {
      for (const { name, type } of other.entity.fields) {
        const list = other.values[name];
        if (type.kind === "refs" && Array.isArray(list)) other.values[name] = list.filter((id) => id !== record.id);
      }
    }
  }
}

function referencesTo(world: World, entity: Entity): Reference[] {
  return [...world.entities.values()].flatMap((from) =>
    from.fields.flatMap(({ name, type }): Reference[] =>
      type.kind === "ref" && type.entity === entity.name ? [{ from, field: name, onDelete: type.onDelete }] : [],
    ),
  );
}

/** Marked records only count if their target is destroyed. */
function referring(world: World, from: Entity, field: string, to: Rec, forGood: boolean): Rec[] {
  return recordsOf(world, from.name).filter((other) => other.values[field] === to.id && (forGood || !isDeleted(other)));
}
