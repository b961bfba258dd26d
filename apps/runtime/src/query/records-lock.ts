// Locks the records that a request is about to change one after another, in the order of their ids: two such requests never wait
// for each other in a circle. In: an entity, an operation, who asks. Out: a statement. What the caller may not see is not locked.
import type { Operation } from "@plinth/bundle";
import { type Asker, type EntityView, living } from "./entity-view.ts";
import { Parameters } from "./parameters.ts";
import { type Statement, visibleFor } from "./statement.ts";

/** The ids are the value of `id`, as an array. */
export function recordsLock(view: EntityView, operation: Operation, asker: Asker): Statement {
  const parameters = new Parameters(view.fields);
  const ids = parameters.at("value.ids", (bindings) => bindings.values.get("id") ?? null);
  const visible = visibleFor(view, operation, asker, parameters);
  const text =
    `select _r."id" from ${view.from} _r where _r."id" = any(${ids}::uuid[]) and ${visible}${living(view, "_r")} ` +
    `order by _r."id" for update of _r`;
  return { text, slots: parameters.slots, lane: "slow", keep: false, writes: true };
}
