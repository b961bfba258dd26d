// Locks the records that a request will change one after another, in the order of their ids, so that two such requests
// never deadlock. In: an entity, an operation, the caller. Out: a statement. It finds no record that the caller can't
// see, and none by a field that they can't read in it.
import type { Operation } from "@plinth/bundle";
import { column, type EntityView, living, type StatementCaller } from "./entity-view.ts";
import { Parameters } from "./parameters.ts";
import { isReadable } from "./readable-fields.ts";
import { type Statement, visibleFor } from "./statement.ts";

/**
 * The ids are the value of `id`, as an array. @param reference A field: only records are found whose reference is the
 * field's value in the bindings.
 */
export function recordsLock(
  view: EntityView,
  operation: Operation,
  caller: StatementCaller,
  reference: string | null,
): Statement {
  const parameters = new Parameters(view.fields);
  const ids = parameters.at("value.ids", (bindings) => bindings.values.get("id") ?? null);
  const visible = visibleFor(view, operation, caller, parameters);
  const parent = reference === null ? "" : parentIn(view, reference, caller, parameters);
  const text =
    `select _r."id" from ${view.from} _r where _r."id" = any(${ids}::uuid[])${parent} and ${visible}${living(view, "_r")} ` +
    `order by _r."id" for update of _r`;
  return { text, slots: parameters.slots, lane: "slow", keep: false, writes: true };
}

function parentIn(view: EntityView, reference: string, caller: StatementCaller, parameters: Parameters): string {
  const field = view.fields.get(reference);
  if (field === undefined) throw new Error(`${view.entity.name} has no field ${reference}`);
  const readable = isReadable(view, field, caller, "_r", parameters);
  const id = parameters.at("value.parent", (bindings) => bindings.values.get(reference) ?? null);
  const shown = readable.kind === "always" ? "" : ` and ${readable.sql}`;
  return ` and ${column("_r", field)} = ${id}::uuid${shown}`;
}
