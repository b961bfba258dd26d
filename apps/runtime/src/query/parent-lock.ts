// What a write of an entity with `lock` locks before it runs. In: the entity and the values that its reference may have before and
// after. Out: SQL that locks the records that it refers to, in the order of their ids, so that two writers never wait in a circle.
// A rule over other records is judged by what was committed when its statement began: only who waits before that sees them all.
import type { BundleField } from "@plinth/bundle";
import type { Lane } from "../project/tenant.ts";
import { column, type EntityView, fill, type StoredField } from "./entity-view.ts";
import { Parameters, type Slot } from "./parameters.ts";
import type { WriteTerms } from "./write-terms.ts";

/** A statement that runs first, in the same transaction. */
export interface ParentLock {
  readonly text: string;
  readonly slots: readonly Slot[];
  /** Others may give the record another parent while it waits, so that it is to be asked again. */
  readonly mayChange: boolean;
}

/** How a statement runs that would be short without its lock. */
export function laneWith(lock: ParentLock | null): { readonly lane: Lane; readonly lock?: ParentLock } {
  return lock === null ? { lane: "fast" } : { lane: "slow", lock };
}

/** The field that the entity's writes are locked by; null where they aren't. */
function lockedBy(view: EntityView): StoredField | null {
  return view.stored.find((field) => field.name === view.entity.lock) ?? null;
}

/** Of a record that is about to be. @param sqlOf SQL of the value that a field gets. */
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

/** Of a record that is there: its parent, and those that the write may give it. */
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

/** Weaker than a delete of the parent needs, and than nothing else that refers to it waits for. */
function lockText(view: EntityView, field: BundleField, parents: string): string {
  const target = view.all.get(field.references ?? "");
  if (target === undefined) throw new Error(`${view.entity.name}.${field.name} refers to no entity`);
  return `select _p."id" from ${target.from} _p where _p."id" ${parents} order by _p."id" for no key update of _p`;
}
