// Locks the records that a request is about to change one after another, in the order of their ids: two such requests never wait
// for each other in a circle. In: an entity, an operation, who asks. Out: a statement. What the caller may not see is not locked.
import type { Operation } from "@plinth/bundle";
import { quoteIdentifier } from "@plinth/postgres";
import { type Asker, type EntityView, living } from "./entity-view.ts";
import { Parameters } from "./parameters.ts";
import { type Statement, visibleFor } from "./statement.ts";

/**
 * The ids are the value of `id`, as an array.
 * @param reference A field: only records are found that it leads to the one which is its value in the bindings.
 */
export function recordsLock(view: EntityView, operation: Operation, asker: Asker, reference: string | null): Statement {
  const parameters = new Parameters(view.fields);
  const ids = parameters.at("value.ids", (bindings) => bindings.values.get("id") ?? null);
  const visible = visibleFor(view, operation, asker, parameters);
  const column = reference === null ? null : view.fields.get(reference)?.column;
  if (column === undefined) throw new Error(`${view.entity.name}.${reference} has no column`);
  const parent = parentIn(column, reference, parameters);
  const text =
    `select _r."id" from ${view.from} _r where _r."id" = any(${ids}::uuid[])${parent} and ${visible}${living(view, "_r")} ` +
    `order by _r."id" for update of _r`;
  return { text, slots: parameters.slots, lane: "slow", keep: false, writes: true };
}

function parentIn(column: string | null, reference: string | null, parameters: Parameters): string {
  if (column === null || reference === null) return "";
  const id = parameters.at("value.parent", (bindings) => bindings.values.get(reference) ?? null);
  return ` and _r.${quoteIdentifier(column)} = ${id}::uuid`;
}
