// The typed expression tree: a rule after parsing and checking. It is plain data (JSON), made by `check`, lowered to
// SQL by the compiler, and evaluated by `evaluate`.

/** The static type of an expression. Only the literal has the type `null`, but every field can be null. */
export type Type =
  | { readonly kind: "bool" }
  /** Whole numbers of any size; in memory a number, or its digits if it is larger than 2^53. */
  | { readonly kind: "int" }
  /** Exact; in memory its decimal text ("12.50"). */
  | { readonly kind: "decimal" }
  /** IEEE 754 double. */
  | { readonly kind: "float" }
  | { readonly kind: "text" }
  | { readonly kind: "uuid" }
  | { readonly kind: "date" }
  | { readonly kind: "time" }
  | { readonly kind: "datetime" }
  /** ISO 8601 without years and months; in memory its text ("PT1H30M"). */
  | { readonly kind: "duration" }
  | { readonly kind: "enum"; readonly values: readonly string[] }
  | { readonly kind: "list"; readonly of: Type }
  /** Values that rules can only test for existence: json, objects, translations, points, vectors, files. */
  | { readonly kind: "opaque"; readonly name: string }
  | { readonly kind: "null" };

/**
 * The row that a field is read from. A read or delete rule sees `record`, a create rule `new`, an update rule `old` and
 * `new` (the checker has already split bare names into both). `input` contains the values that the caller sent (create
 * and update rules); a field that was not sent is null.
 */
export type RowName = "record" | "old" | "new" | "input";

export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=";
/**
 * - Numbers: exact for whole numbers and decimals of any size. `/` is truncated toward zero for whole numbers, and after
 *   ten decimal places for decimals; a division by zero is null. A whole number and a decimal give a decimal; with a
 *   float, both are floats. A float operand beyond 1e150, or nearer to zero than 1e-150 but not zero, makes the result
 *   null.
 * - Texts: `+` joins them.
 * - Times: datetime + duration, datetime - duration, datetime - datetime (a duration), duration + and - duration. A
 *   duration is a number of microseconds (a day has 24 hours). A duration beyond 126,230,400,000 s in either direction
 *   makes the result null. In the first two, an instant before the year 1 or after 9999 does so, too.
 * - Dates: date - date (whole days), date + and - a whole number of days (null outside the years 1 to 9999), date + and
 *   - duration (a datetime, from midnight in UTC).
 */
export type Arithmetic = "+" | "-" | "*" | "/";
/**
 * By code point. The pattern of `matches` (a literal, in the subset of `pattern.ts`) can match anywhere in the text.
 */
export type TextTest = "startsWith" | "endsWith" | "contains" | "matches";
/**
 * - `round` (a value in the middle is rounded away from zero; to the decimal places of its second argument, or to a whole
 *   number), `floor`, `ceil`, `abs`: exact for whole numbers and decimals. For a float, `round` uses the first 15 digits.
 *   A float beyond 1e150, or nearer to zero than 1e-150, makes the result null.
 * - `year`, `month`, `day`, `weekday` (1 is Monday, 7 Sunday), `hour`, `minute` and `date`, in UTC: null for an instant
 *   before the year 1 or after 9999.
 * - `in_cidr`: whether an address is in a network, which is a literal; null if the text is not an address.
 */
export type FunctionName =
  | "round"
  | "floor"
  | "ceil"
  | "abs"
  | "year"
  | "month"
  | "day"
  | "weekday"
  | "hour"
  | "minute"
  | "date"
  | "in_cidr";
/**
 * `.` is a member of an object field: its arguments are the object, and then the literal names of the path. It is null
 * if the member is missing, or has another type in JSON (numbers of 100 digits at most; a float beyond 1e150, or nearer
 * to zero than 1e-150 but not zero, is null).
 */
export type Operator =
  | "&&"
  | "||"
  | "!"
  | "in"
  | "?:"
  | "size"
  | "."
  | Comparison
  | Arithmetic
  | TextTest
  | FunctionName;

/** How the records of a to-many relation are evaluated. `count` is an int, the others are bool. */
export type Quantifier = "exists" | "all" | "exists_one" | "count";

/**
 * Calculates over one value of each record of a to-many relation. Records without a value are left out. For no records,
 * `sum` is zero, and the others are null.
 * - `sum` and `avg` are exact: for whole numbers, a whole number and a decimal; for decimals, a decimal (`avg` is
 *   truncated after ten decimal places, like `/`).
 * - Floats are added with their first 15 digits, in no order. The result is null if one of them, or the sum, is beyond
 *   1e150, or nearer to zero than 1e-150 but not zero.
 * - A sum of durations beyond 126,230,400,000 s is null.
 * - `min` and `max` also accept texts (by code point), dates and times.
 */
export type Aggregate = "sum" | "min" | "max" | "avg";

export type Expression =
  | { readonly kind: "literal"; readonly type: Type; readonly value: string | number | boolean | null }
  | { readonly kind: "list"; readonly type: Type; readonly items: readonly Expression[] }
  /**
   * A field of a row. `row` is a `RowName`, or the variable of an enclosing `each`. `path` has one name for a field of
   * the row itself; each further name is a field of the record behind the previous one (`["listing_id",
   * "created_by"]`).
   */
  | { readonly kind: "field"; readonly type: Type; readonly row: string; readonly path: readonly string[] }
  /** Whether the caller sent this field: `has(input.price)`. */
  | { readonly kind: "sent"; readonly type: Type; readonly field: string }
  /** A property of the signed-in user, including profile fields; null if nobody is signed in (`roles`: their list). */
  | { readonly kind: "user"; readonly type: Type; readonly name: string }
  /** Properties of the request: its organization, its time (UTC), and where it came from. */
  | {
      readonly kind: "context";
      readonly type: Type;
      readonly name: "current_org" | "now" | "today" | "request.ip" | "request.key_kind";
    }
  /**
   * A value in workflows that is not a row: `event.data.code`, `steps.pay.id`. `path` has its members; a missing value,
   * or one of the wrong type, is null. It is only evaluated in memory: no rule of a table uses such values.
   */
  | { readonly kind: "value"; readonly type: Type; readonly root: string; readonly path: readonly string[] }
  /**
   * `!`, `size` and most functions have one argument, `&&`, `||` and `.` two or more, `?:` three, the others two. The
   * pattern of `matches`, the decimal places of `round` and the network of `in_cidr` are literals.
   *
   * `check` ensures that both sides of a comparison and of arithmetic fit together: equal types, or numbers (compared
   * exactly; if one is a float, as floats, where an exact number beyond 1e150, or nearer to zero than 1e-150 but not zero,
   * makes the result null), or a text and an enum, or anything and the literal `null` (`==` and `!=` test existence).
   * - `in` is false for an empty list, otherwise null if the value is null. If the value is not found, a null among the
   *   members makes the result null.
   * - `?:` is null if its condition is. Its branches have its type (or are numbers that are converted to it).
   * - `size` counts the code points of a text or the members of a list.
   */
  | {
      readonly kind: "operation";
      readonly type: Type;
      readonly operator: Operator;
      readonly args: readonly Expression[];
    }
  /**
   * Evaluates the records of a to-many relation, each with `condition`, in which it is named `variable` (unique in the
   * tree). `path` leads by references from the row to the record with the relation; it is empty for the row itself. An
   * unknown condition makes `exists`, `all`, `exists_one` and `count` unknown unless the others decide (two true
   * conditions decide `exists_one`; nothing decides `count` and aggregates). If the path leads to no record, all are
   * null.
   */
  | {
      readonly kind: "each";
      readonly type: Type;
      readonly quantifier: Quantifier | Aggregate;
      readonly row: string;
      readonly path: readonly string[];
      readonly relation: string;
      /** The entity of the relation's records. */
      readonly entity: string;
      readonly variable: string;
      /** For an aggregate: which records count. */
      readonly condition: Expression;
      /** The value that an aggregate uses; the others have none. */
      readonly value?: Expression;
    }
  /**
   * Whether the signed-in user belongs to an organization, with this role if one is named. Null if the organization is
   * null, or if nobody is signed in.
   */
  | {
      readonly kind: "member";
      readonly type: Type;
      readonly organization: Expression;
      readonly role: string | null;
    };
