// Locks what a write must wait for, before its statement runs: the records to which a record with `lock` refers, and the
// record itself if its rule reads children that lock by it. In: the entity, the operation, the values of the reference
// before and after. Out: SQL that takes these locks, parents first and in the order of their ids, so that two writers
// don't deadlock. A rule over other records sees what was committed when its statement began. So the write must wait
// before it begins, to see all of them.
import type { BundleField, Grant, Operation, SqlTemplate } from "@plinth/bundle";
import { quoteIdentifier } from "@plinth/postgres";
import type { Lane } from "../project/tenant.ts";
import { column, type EntityView, fill, grantsOf, type StatementCaller, type StoredField } from "./entity-view.ts";
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
export function lockedBy(view: EntityView): StoredField | null {
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

/** The write of an existing record. */
interface StoredWrite {
  /** The operations whose rules may decide: several if the body can take one of several edges. */
  readonly operations: readonly Operation[];
  readonly caller: StatementCaller;
  /** The fields in the body. */
  readonly given?: readonly string[];
  /** The values that the service sets. */
  readonly terms?: readonly WriteTerms["forced"][];
}

/** For an existing record: its parent, the parents that the write may give it, and then the record itself. */
export function lockOfStored(view: EntityView, write: StoredWrite): ParentLock | null {
  const field = lockedBy(view);
  const parameters = new Parameters(view.fields);
  const parents = field === null ? null : lockText(view, field, parentsOf(view, field, write, parameters));
  const { slots } = parameters;
  if (!readsChildren(view, write)) return parents === null ? null : { text: parents, slots, mayChange: true };
  if (parents === null) return { text: ownLock(view, parameters), slots, mayChange: false };
  const text =
    `with _parents as materialized (${parents}), _own as materialized (${ownLock(view, parameters, "_parents")}) ` +
    `select _parents."id" from _parents union all select _own."id" from _own`;
  return { text, slots, mayChange: true };
}

function parentsOf(
  view: EntityView,
  field: StoredField,
  { given = [], terms = [] }: StoredWrite,
  parameters: Parameters,
): string {
  const forced = terms.flatMap((each) => each.get(field.name) ?? []);
  const values = [
    column("_r", field),
    ...forced.map((sql) => `(${fill(sql, view.schema, parameters, { old: "_r", record: "_r" })})::uuid`),
    ...(given.includes(field.name) ? [parameters.value(field)] : []),
  ];
  return `in (select unnest(array[${values.join(", ")}]) from ${view.from} _r where _r."id" = ${parameters.recordId()})`;
}

/** Weaker than the lock of a delete of the parent. Other references to the parent don't wait for it. */
function lockText(view: EntityView, field: BundleField, parents: string): string {
  const target = view.all.get(field.references ?? "");
  if (target === undefined) throw new Error(`${view.entity.name}.${field.name} refers to no entity`);
  return `select _p."id" from ${target.from} _p where _p."id" ${parents} order by _p."id" for no key update of _p`;
}

/**
 * As strong as the lock in the statement itself: to strengthen a lock could mean a deadlock with a new reference.
 * @param after The locks that Postgres must take before it, because the condition needs all of them.
 */
function ownLock(view: EntityView, parameters: Parameters, after: string | null = null): string {
  const later = after === null ? "" : ` and (select count(*) from ${after}) >= 0`;
  return `select _r."id" from ${view.from} _r where _r."id" = ${parameters.recordId()}${later} for update of _r`;
}

/**
 * Whether a rule that decides about the write, or a value that it sets, reads records that lock by this one. Their
 * writers wait for this record, so its write must have it before it reads them.
 */
function readsChildren(view: EntityView, { operations, caller }: StoredWrite): boolean {
  const children = childrenOf(view);
  if (children.size === 0) return false;
  return operations.some((operation) => {
    const grants = grantsOf(view.entity, operation, caller.roles).map(([, grant]) => grant);
    // Nobody has to look at the other rules.
    if (grants.some(isFree)) return false;
    return grants.some(
      ({ rule, set }) =>
        (rule.kind === "sql" && rule.looks.some(({ table, byId }) => !byId && children.has(table))) ||
        Object.values(set).some((value) => readsOneOf(children, value)),
    );
  });
}

function isFree({ rule, fields, set }: Grant): boolean {
  return rule.kind === "always" && fields === null && Object.keys(set).length === 0;
}

/** The tables of the entities that lock by a record of this entity. */
function childrenOf(view: EntityView): ReadonlySet<string> {
  const children = [...view.all.values()].filter((each) => lockedBy(each)?.references === view.entity.name);
  return new Set(children.map(({ entity }) => entity.table));
}

function readsOneOf(tables: ReadonlySet<string>, value: SqlTemplate): boolean {
  return [...tables].some((table) => value.includes(`{schema}.${quoteIdentifier(table)}`));
}
