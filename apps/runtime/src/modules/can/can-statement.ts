// Writes the statement that answers what a caller can do with records. In: pairs of entity and operation. Out: SQL and
// slots. It never distinguishes a missing record from a hidden one: the answer for both is no.
import type { Operation } from "@plinth/bundle";
import { quoteIdentifier, quoteLiteral } from "@plinth/postgres";
import { column, type EntityView, living, permission, type StatementCaller } from "../../query/entity-view.ts";
import { arrayLiteral, Parameters, type Slot } from "../../query/parameters.ts";
import { edgeOf, machineOf } from "../../query/state-machine.ts";

export interface Question {
  readonly view: EntityView;
  readonly operation: Operation;
  readonly ids: readonly string[];
}

/** Columns: for each question the ids with the answer yes, as a JSON array. */
export function canStatement(
  questions: readonly Question[],
  caller: StatementCaller,
): { readonly text: string; readonly slots: readonly Slot[] } {
  const parameters = new Parameters();
  const columns = questions.map(({ view, operation, ids }, i) => {
    const named = parameters.at(`ids.${i}`, () => arrayLiteral(ids));
    const rows = { record: "_r", old: "_r", new: "_r", unsent: view.fields };
    const condition = permission(view, operation, caller, parameters, rows).sql;
    return (
      `(select coalesce(json_agg(_r."id"), '[]'::json) from ${view.from} _r where _r."id" = any(${named}::uuid[]) ` +
      `and ${condition}${presence(view, operation)})`
    );
  });
  return { text: `select ${columns.join(", ")}`, slots: parameters.slots };
}

function presence(view: EntityView, operation: Operation): string {
  const { softDelete } = view.entity;
  if (operation === "restore")
    return softDelete === null ? " and false" : ` and _r.${quoteIdentifier(softDelete)} is not null`;
  if (!operation.startsWith("transition:")) return living(view, "_r");
  const state = machineOf(view);
  if (state === null) return " and false";
  const { from } = edgeOf(view, operation.slice("transition:".length));
  const states = from.map((value) => quoteLiteral(value)).join(", ");
  return ` and ${column("_r", state.field)} in (${states})${living(view, "_r")}`;
}
