// Numbers that an update adds to a field's value: `{"stock": {"add": -1}}`. In: the names in the body. Out: which of
// them are added, and the SQL of the sums. The row is locked first, so that additions run one after another and none is
// lost.
// A caller must be able to read a value to add to it: otherwise a sum that exceeds the field's bounds would reveal the
// value.
import { sqlState } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import { splitAdditions } from "./addition-names.ts";
import { column, type EntityView, type StatementCaller, type StoredField } from "./entity-view.ts";
import type { Parameters } from "./parameters.ts";
import { isReadable } from "./readable-fields.ts";

/** SQL: the sum as the column stores it. For a value that the caller can't read, the unchanged value. */
export function sumOf(view: EntityView, field: StoredField, caller: StatementCaller, parameters: Parameters): string {
  const old = column("_cur", field);
  const sum = `(${old} + ${parameters.value(field)})::${field.sqlType}`;
  const readable = isReadable(view, field, caller, "_cur", parameters);
  return readable.kind === "sql" ? `case when ${readable.sql} then ${sum} else ${old} end` : sum;
}

/** The fault for a sum that its column can't store; null if the error has another cause. */
export function beyondRange(error: unknown, named: Iterable<string>): Fault | null {
  const { added } = splitAdditions([...named]);
  if (added.size === 0 || !(error instanceof Fault) || sqlState(error.cause) !== NUMERIC_VALUE_OUT_OF_RANGE)
    return null;
  const message = "The sum is out of the range of the field.";
  const errors = [...added].map((name) => ({ path: `/${name}`, code: "out_of_range", message }));
  return new Fault("validation_failed", { errors, cause: error });
}

const NUMERIC_VALUE_OUT_OF_RANGE = "22003";
