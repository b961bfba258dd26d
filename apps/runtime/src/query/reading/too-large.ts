// Limits the size of related records and calculated texts in a reply. In: SQL of a value. Out: SQL of the same value,
// which fails if it is too large, and the fault for the caller. Postgres refuses, so the value is never sent to this
// process.
import { sqlState } from "@plinth/postgres";
import { Fault } from "@plinth/service";

/** For a record with its related records, and for the groups of one reply. */
export const REPLY_BYTES_MAX = 1_048_576;
/** For one calculated text: a group has at most about twenty. */
const VALUE_BYTES_MAX = 131_072;

const MARKS = { related: "plinth_related_too_large", value: "plinth_value_too_large" } as const;

/** @param json Of type json. */
export function boundedJson(json: string): string {
  return bounded(json, REPLY_BYTES_MAX, MARKS.related);
}

/** @param text Of type text. */
export function boundedText(text: string): string {
  return `${bounded(`(${text})::text`, VALUE_BYTES_MAX, MARKS.value, "::text")}`;
}

/**
 * A text with a mark is never JSON, so its cast fails. It depends on the value, so that Postgres casts nothing in
 * advance.
 */
function bounded(value: string, bytesMax: number, mark: string, cast = ""): string {
  return (
    `(select case when octet_length(_b._value::text) <= ${bytesMax} then _b._value ` +
    `else (left(_b._value::text, 0) || '${mark}')::json${cast} end from (select ${value} as _value offset 0) _b)`
  );
}

/** The fault for such a failure; null for another one. */
export function tooLargeFault(error: unknown): Fault | null {
  if (sqlState(error) !== "22P02") return null;
  const { detail } = error as { readonly detail?: unknown };
  if (typeof detail !== "string") return null;
  if (detail.includes(MARKS.related)) return relatedTooLarge(error);
  return detail.includes(MARKS.value) ? groupsTooLarge(error) : null;
}

export function relatedTooLarge(cause?: unknown): Fault {
  return new Fault("bad_request", {
    detail:
      "A record is larger than 1 MB with its expanded records. Choose fewer fields, or expand fewer records: expand[...][limit]=10.",
    cause,
  });
}

export function groupsTooLarge(cause?: unknown): Fault {
  return new Fault("bad_request", {
    detail:
      "The calculated values are too large. A text can have at most 128 kB, all groups together 1 MB. Calculate fewer values.",
    cause,
  });
}
