// What a reply must not hold: related records and calculated texts that are too large. In: SQL of a value. Out: SQL of the same value,
// which fails where it is too large, and what its caller is told. It is Postgres that refuses: the value never comes over the wire.
import { sqlState } from "@plinth/postgres";
import { Fault } from "@plinth/service";

/** Of a record with the related records in it, and of the groups of one reply. */
export const REPLY_BYTES_MAX = 1_048_576;
/** Of one calculated text: there are some twenty in a group at most. */
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

/** No text with a mark is JSON, so that its cast fails; it depends on the value, so that nothing is cast before. */
function bounded(value: string, bytesMax: number, mark: string, cast = ""): string {
  return (
    `(select case when octet_length(_b._value::text) <= ${bytesMax} then _b._value ` +
    `else (left(_b._value::text, 0) || '${mark}')::json${cast} end from (select ${value} as _value offset 0) _b)`
  );
}

/** The fault that such a failure is; null where it is another one. */
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
      "A record is larger than 1 MB with the records that are expanded in it. Name the fields to show, or expand fewer: expand[...][limit]=10.",
    cause,
  });
}

export function groupsTooLarge(cause?: unknown): Fault {
  return new Fault("bad_request", {
    detail: "The calculated values are too large: a text has at most 128 kB, all groups together 1 MB. Ask for fewer.",
    cause,
  });
}
