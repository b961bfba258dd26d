// Writes the statement that deletes one record, or marks it as deleted. In: an entity and the caller. Out: SQL and
// slots. It is for entities where Postgres's own foreign keys are enough; cascade-statement.ts handles effects on other
// records.
import { quoteIdentifier } from "@plinth/postgres";
import { cascadeOf, cascadeStatement } from "./cascade-statement.ts";
import { type EntityView, permission, type StatementCaller } from "./entity-view.ts";
import { keptReply } from "./kept-reply.ts";
import { Parameters } from "./parameters.ts";
import { laneWith, lockOfStored } from "./parent-lock.ts";
import { type DeleteStatement, hasVersion, lockedRow, rowAsJson, touches } from "./statement.ts";
import { traceOf } from "./trace.ts";

/**
 * Columns: whether it was deleted, whether it has the version, whether the rule allows it. No row: missing or hidden.
 */
export function deleteStatement(view: EntityView, caller: StatementCaller): DeleteStatement {
  const cascade = cascadeOf(view);
  if (cascade !== null) return cascadeStatement(view, caller, cascade);
  const parameters = new Parameters(view.fields);
  const { softDelete } = view.entity;
  const allowed = permission(view, "delete", caller, parameters, { record: "_cur" }).sql;
  const remove =
    softDelete === null
      ? `delete from ${view.from} _r using _cur`
      : `update ${view.from} _r set ${[`${quoteIdentifier(softDelete)} = now()`, ...touches(view, "_r")].join(", ")} from _cur`;
  const trace = traceOf(parameters, [
    {
      view,
      operation: "delete",
      changes: rowAsJson(view, "_cur"),
      from: "_del, _cur",
      row: "_cur",
      event: { name: `${view.entity.name}.deleted`, old: null },
      change: { kind: "deleted", before: { row: "_cur" }, after: null },
    },
  ]);
  const matches = hasVersion(caller, "_cur", parameters);
  // Only callers whom the rule allows the delete learn whether the version is right.
  const rule = caller.isConditional === true ? allowed : '_del."id" is not null';
  const text =
    `with _cur as (${lockedRow(view, "delete", caller, parameters)}), ` +
    `_del as (${remove} where _r."id" = _cur."id" and ${allowed}${caller.isConditional === true ? ` and ${matches}` : ""} returning _r."id"), ` +
    `${trace}${keptReply(view, caller, parameters, { status: 204, row: "_del", record: null })} ` +
    `select _del."id" is not null, ${matches}, ${rule} from _cur left join _del on true`;
  const how = {
    keep: true,
    writes: true,
    cascades: false,
    ...laneWith(lockOfStored(view, { operations: ["delete"], caller })),
  };
  return { text, slots: parameters.slots, ...how };
}
