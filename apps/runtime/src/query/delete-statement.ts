// Writes the statement that deletes one record, or marks it as deleted. In: an entity and who asks. Out: SQL and slots.
// What other records need done with it stands in cascade-statement.ts; where Postgres's own foreign keys say enough, here.
import { quoteIdentifier } from "@plinth/postgres";
import { cascadeOf, cascadeStatement } from "./cascade-statement.ts";
import { type Asker, type EntityView, permission } from "./entity-view.ts";
import { Parameters } from "./parameters.ts";
import { auditInsert, type DeleteStatement, lockedRow, rowAsJson, touches } from "./statement.ts";

/** Columns: whether it was deleted. No row: missing or hidden. */
export function deleteStatement(view: EntityView, asker: Asker): DeleteStatement {
  const cascade = cascadeOf(view);
  if (cascade !== null) return cascadeStatement(view, asker, cascade);
  const parameters = new Parameters(view.fields);
  const { softDelete } = view.entity;
  const allowed = permission(view, "delete", asker, parameters, { record: "cur" });
  const remove =
    softDelete === null
      ? `delete from ${view.from} r using cur`
      : `update ${view.from} r set ${[`${quoteIdentifier(softDelete)} = now()`, ...touches(view, "r")].join(", ")} from cur`;
  const changes = rowAsJson(view, "cur");
  const audit = auditInsert(view, parameters, { operation: "delete", changes, id: 'del."id"', from: "del, cur" });
  const text =
    `with cur as (${lockedRow(view, "delete", asker, parameters)}), ` +
    `del as (${remove} where r."id" = cur."id" and ${allowed} returning r."id"), ` +
    `aud as (${audit}) ` +
    `select del."id" is not null from cur left join del on true`;
  return { text, slots: parameters.slots, lane: "fast", keep: true, writes: true, cascades: false };
}
