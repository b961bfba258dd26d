// Locks the records that a write of an entity with `lock` refers to, before the write runs. In: the entity and the
// values of its reference before and after. Out: SQL that locks those records in the order of their ids, so that two
// writers never deadlock. A rule over other records sees what was committed when its statement began. So the write must
// wait before it begins, to see all of them.
import type { BundleField } from "@plinth/bundle";
import type { Lane } from "../project/tenant.ts";
import { column, type EntityView, fill, type StoredField } from "./entity-view.ts";
import { Parameters, type Slot } from "./parameters.ts";
import type { WriteTerms } from "./write-terms.ts";

/** A statement that runs first, in the same transaction. */
export interface ParentLock {
  readonly text: string;
  readonly slots: readonly Slot[];
  /** Whether other requests can change the record's parent during the wait; then the lock must be repeated. */
  readonly mayChange: boolean;
}

/** How a statement runs that would be short without its lock. */
export function laneWith(lock: ParentLock | null): { readonly lane: Lane; readonly lock?: ParentLock } {
  return lock === null ? { lane: "fast" } : { lane: "slow", lock };
}

/** The field that the entity's writes lock by; null if they don't lock. */
function lockedBy(view: EntityView): StoredField | null {
  return view.stored.find((field) => field.name === view.entity.lock) ?? null;
}

/** For a record that will be created. @param sqlOf SQL of a field's value. */
export function lockOfNew(
  view: EntityView,
  sqlOf: (field: StoredField, parameters: Parameters) => string,
): ParentLock | null {
  const field = lockedBy(view);
  if (field === null) return null;
  const parameters = new Parameters(view.fields);
  const parents = `= (${sqlOf(field, parameters)})`;
  return { text: lockText(view, field, parents), slots: parameters.slots, mayChange: false };
}

/** For an existing record: its parent, and the parents that the write may give it. */
export function lockOfStored(
  view: EntityView,
  given: readonly string[] = [],
  terms: readonly WriteTerms["forced"][] = [],
): ParentLock | null {
  const field = lockedBy(view);
  if (field === null) return null;
  const parameters = new Parameters(view.fields);
  const forced = terms.flatMap((each) => each.get(field.name) ?? []);
  const values = [
    column("_r", field),
    ...forced.map((sql) => `(${fill(sql, view.schema, parameters, { old: "_r", record: "_r" })})::uuid`),
    ...(given.includes(field.name) ? [parameters.value(field)] : []),
  ];
  const parents = `in (select unnest(array[${values.join(", ")}]) from ${view.from} _r where _r."id" = ${parameters.recordId()})`;
  return { text: lockText(view, field, parents), slots: parameters.slots, mayChange: true };
}

/** Weaker than the lock of a delete of the parent. Other references to the parent don't wait for it. */
function lockText(view: EntityView, field: BundleField, parents: string): string {
  const target = view.all.get(field.references ?? "");
  if (target === undefined) throw new Error(`${view.entity.name}.${field.name} refers to no entity`);
  return `select _p."id" from ${target.from} _p where _p."id" ${parents} order by _p."id" for no key update of _p`;
}
