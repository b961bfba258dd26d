// The audit of records with `audit: all` that are read through other records. In: the records that a request shows, and
// those that it filters and sorts by. Out: rows for the audit log, as SQL. It names the records in the reply, and no
// others. Records that only filters or sorts read leave a row without ids.
import type { BundleRelation } from "@plinth/bundle";
import type { EntityView, StatementCaller } from "../entity-view.ts";
import type { Parameters } from "../parameters.ts";
import type { Audited } from "../trace.ts";
import { type Filter, operandsOf } from "./filter.ts";
import { FilterWriter } from "./filter-sql.ts";
import { reach, targetOf } from "./reach.ts";
import { type Expansion, type Selection, selectionOperands } from "./selection.ts";
import { direction, type SortKey, sortValue } from "./sort.ts";

/** The records that a request reads in addition to those that it shows. */
export interface LookedInto {
  readonly filter: Filter;
  /** The sort keys and the group keys. */
  readonly keys: readonly Pick<SortKey, "hops">[];
}

/** The records that a reply shows as its own, in a statement. */
export interface ShownRecords {
  /** SQL of a FROM list whose `id` names them. */
  readonly from: string;
  readonly id: string;
  readonly where: string;
}

/** One row for each entity that filters or sorts read. */
export function auditOfLooks(view: EntityView, { filter, keys }: LookedInto, selection: Selection): readonly Audited[] {
  const found = new Set<EntityView>();
  collectFilter(view, filter, found);
  for (const { hops } of keys) collectHops(view, hops, found);
  collectSelection(view, selection, found);
  const from = "(select 1) as _once";
  return [...found].map((target) => ({ view: target, operation: "filter", changes: "null::jsonb", from, row: null }));
}

/**
 * One row for each entity whose records are part of the shown ones; none if there are no such records. @param operand
 * The number of the first value of the selection's filters.
 */
export function auditOfExpanded(
  view: EntityView,
  caller: StatementCaller,
  parameters: Parameters,
  { selection, operand }: { readonly selection: Selection; readonly operand: number },
  shown: () => ShownRecords,
): readonly Audited[] {
  if (!showsAudited(view, selection)) return [];
  const { from, id, where } = shown();
  const root = `${from} join ${view.from} _r on _r."id" = ${id}`;
  const writer = new IdsWriter(caller, parameters, where);
  writer.follow(view, { row: "_r", from: root, selection, operand });
  return [...writer.ids].map(([target, queries]) => {
    const ids = `select jsonb_agg(distinct _id) as _ids from (${queries.join(" union all ")}) _each`;
    const named = `(${ids}) _named where _named._ids is not null`;
    const changes = "jsonb_build_object('ids', _named._ids)";
    return { view: target, operation: "expand", changes, from: named, row: null };
  });
}

function isAudited({ entity }: EntityView): boolean {
  return entity.audit === "all";
}

function showsAudited(view: EntityView, { expansions }: Selection): boolean {
  return expansions.some(({ relation, selection }) => {
    const target = targetOf(view, relation);
    return isAudited(target) || showsAudited(target, selection);
  });
}

interface Followed {
  readonly row: string;
  /** The source of the row. */
  readonly from: string;
  readonly selection: Selection;
  readonly operand: number;
}

/**
 * Follows the expansions like the reply does: with the same rules, filters, orders and limits, so that it finds the
 * same records.
 */
class IdsWriter {
  readonly ids = new Map<EntityView, string[]>();
  readonly #caller: StatementCaller;
  readonly #parameters: Parameters;
  readonly #where: string;
  #aliases = 0;

  constructor(caller: StatementCaller, parameters: Parameters, where: string) {
    this.#caller = caller;
    this.#parameters = parameters;
    this.#where = where;
  }

  follow(view: EntityView, { row, from, selection, operand }: Followed): void {
    let next = operand;
    for (const expansion of selection.expansions) {
      const target = targetOf(view, expansion.relation);
      const within = next + (expansion.list === null ? 0 : operandsOf(expansion.list.filter).length);
      if (isAudited(target) || showsAudited(target, expansion.selection)) {
        this.#aliases++;
        const alias = `_v${this.#aliases}`;
        const reached = `${from} cross join lateral (${this.#records(view, row, expansion, next)}) ${alias}`;
        if (isAudited(target)) this.#add(target, `select ${alias}."id" as _id from ${reached} where ${this.#where}`);
        this.follow(target, { row: alias, from: reached, selection: expansion.selection, operand: within });
      }
      next = within + selectionOperands(expansion.selection).length;
    }
  }

  #records(view: EntityView, row: string, { relation, list }: Expansion, operand: number): string {
    const alias = `_e${this.#aliases}`;
    const { view: target, from, conditions } = reach(view, this.#caller, relation, row, alias, this.#parameters);
    const records = `select ${alias}.* from ${from} where ${conditions.join(" and ")}`;
    if (list === null) return records;
    const matching = new FilterWriter(this.#caller, this.#parameters, operand).holds(list.filter, target, alias);
    const order = list.sort.map(
      (key) => `${sortValue(key, target, this.#caller, alias, this.#parameters)} ${direction(key)}`,
    );
    return `${records} and ${matching} order by ${order.join(", ")} limit ${list.limit}`;
  }

  #add(target: EntityView, query: string): void {
    this.ids.set(target, [...(this.ids.get(target) ?? []), query]);
  }
}

function collectFilter(view: EntityView, filter: Filter, found: Set<EntityView>): void {
  switch (filter.kind) {
    case "all":
    case "any":
      for (const each of filter.of) collectFilter(view, each, found);
      return;
    case "not":
      collectFilter(view, filter.of, found);
      return;
    case "related": {
      collectHops(view, [filter.relation], found);
      collectFilter(targetOf(view, filter.relation), filter.of, found);
      return;
    }
    case "test":
      return;
  }
}

function collectHops(view: EntityView, hops: readonly BundleRelation[], found: Set<EntityView>): void {
  let at = view;
  for (const relation of hops) {
    at = targetOf(at, relation);
    if (isAudited(at)) found.add(at);
  }
}

function collectSelection(view: EntityView, { expansions }: Selection, found: Set<EntityView>): void {
  for (const { relation, selection, list } of expansions) {
    const target = targetOf(view, relation);
    if (list !== null) {
      collectFilter(target, list.filter, found);
      for (const { hops } of list.sort) collectHops(target, hops, found);
    }
    collectSelection(target, selection, found);
  }
}
