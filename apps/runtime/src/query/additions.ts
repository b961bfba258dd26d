// Numbers that an update adds to what a field holds: `{"stock": {"add": -1}}`. In: the names of what was sent. Out: which of it is
// added, and the SQL of the sums. The row is locked first, so that additions come one after the other and none is lost.
//
// Only who may read a value may add to it: whether a sum is within its bounds would tell them what it is.
import { sqlState } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import { splitAdditions } from "./addition-names.ts";
import { type Asker, column, type EntityView, type StoredField } from "./entity-view.ts";
import type { Parameters } from "./parameters.ts";
import { isReadable } from "./readable-fields.ts";

/** SQL: the sum as the column holds it; of what the caller may not read, what it holds already. */
export function sumOf(view: EntityView, field: StoredField, asker: Asker, parameters: Parameters): string {
  const old = column("_cur", field);
  const sum = `(${old} + ${parameters.value(field)})::${field.sqlType}`;
  const readable = isReadable(view, field, asker, "_cur", parameters);
  return readable.kind === "sql" ? `case when ${readable.sql} then ${sum} else ${old} end` : sum;
}

/** What is told of a sum that its column can't hold; null where the error is about something else. */
export function beyondRange(error: unknown, named: Iterable<string>): Fault | null {
  const { added } = splitAdditions([...named]);
  if (added.size === 0 || !(error instanceof Fault) || sqlState(error.cause) !== NUMERIC_VALUE_OUT_OF_RANGE)
    return null;
  const message = "The sum is beyond what the field can hold.";
  const errors = [...added].map((name) => ({ path: `/${name}`, code: "out_of_range", message }));
  return new Fault("validation_failed", { errors, cause: error });
}

const NUMERIC_VALUE_OUT_OF_RANGE = "22003";
