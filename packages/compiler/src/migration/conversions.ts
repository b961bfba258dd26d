// Converts values of one type to another. In: two SQL types. Out: an expression that never fails, or null if there is
// no conversion. A value that can't be converted becomes null; the caller counts such rows first, so that none gets
// lost.

export interface Conversion {
  /** The new value, over the SQL of the old one. */
  readonly of: (value: string) => string;
  /** Every value has a new one. */
  readonly total: boolean;
  /** Different values stay different, so unique values stay unique. */
  readonly injective: boolean;
  /** The end of "a price that ...". Null if every value can be converted. */
  readonly problem: string | null;
  /** The part that the new type can't hold, for the summary; the old column is set aside with it. */
  readonly loses: string | null;
}

const INTEGER = { min: "-2147483648", max: "2147483647" };
const BIGINT = { min: "-9223372036854775808", max: "9223372036854775807" };

/** Null if there is no conversion; the types differ. */
export function conversionOf(from: string, to: string): Conversion | null {
  const [source, target] = [typeOf(from), typeOf(to)];
  if (target.list) return source.list ? betweenLists(source.name, target.name, to) : intoList(source, target, to);
  if (source.list) return outOfList(source, target);
  return (converters[source.name]?.[target.name] ?? noConversion)(source, target);
}

interface SqlType {
  readonly name: string;
  /** For numeric. */
  readonly precision: number;
  readonly scale: number;
  readonly list: boolean;
}

function typeOf(sqlType: string): SqlType {
  const list = sqlType.endsWith("[]");
  const [, name = "", precision = "0", scale = "0"] =
    /^([a-z ]+?)(?:\((\d+)(?:, ?(\d+))?\))?(?:\[\])?$/.exec(sqlType) ?? [];
  return { name, precision: Number(precision), scale: Number(scale), list };
}

type Converter = (from: SqlType, to: SqlType) => Conversion | null;

const noConversion: Converter = () => null;

/** Each value has its own new value. */
function each(of: Conversion["of"]): Converter {
  return () => exact(of);
}

function exact(of: Conversion["of"]): Conversion {
  return { of, total: true, injective: true, problem: null, loses: null };
}

function partly(problem: string, of: Conversion["of"], injective = false): Conversion {
  return { of, total: false, injective, problem, loses: null };
}

function lossy(loses: string, of: Conversion["of"]): Converter {
  return () => ({ of, total: true, injective: false, problem: null, loses });
}

const wholeNumber = "is not a whole number, or is too large";

/** A condition guards the one inside it: Postgres can reorder an AND, but never a CASE. */
function guarded(condition: string, then: string): string {
  return `case when ${condition} then ${then} end`;
}

function textToWhole(to: "integer" | "bigint"): Converter {
  const { min, max } = to === "integer" ? INTEGER : BIGINT;
  return () =>
    partly(wholeNumber, (v) =>
      guarded(
        `${v} ~ '^-?[0-9]+$' and char_length(${v}) <= 20`,
        guarded(`${v}::numeric between ${min} and ${max}`, `${v}::${to}`),
      ),
    );
}

const textToNumeric: Converter = (_, to) =>
  partly(numericProblem(to), (v) =>
    guarded(`${v} ~ '^-?[0-9]+([.][0-9]+)?$' and char_length(${v}) <= 100`, fits(`${v}::numeric`, to)),
  );

const textToFloat: Converter = () =>
  partly("is not a number", (v) =>
    guarded(
      `${v} ~ '^-?[0-9]+([.][0-9]+)?([eE][+-]?[0-9][0-9]?)?$' and char_length(${v}) <= 100`,
      `${v}::double precision`,
    ),
  );

const textToBoolean: Converter = () =>
  partly("is neither true nor false", (v) => `case ${v} when 'true' then true when 'false' then false end`);

const digit = "[0-9]";
const datePattern = `${digit.repeat(4)}-${digit.repeat(2)}-${digit.repeat(2)}`;
const timePattern = "([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)?";

/** An existing day: a cast would fail on the 30th of February. */
function isDay(v: string, then: string): string {
  const [year, month, day] = [`substr(${v}, 1, 4)::int`, `substr(${v}, 6, 2)::int`, `substr(${v}, 9, 2)::int`];
  const last = `extract(day from make_date(${year}, ${month}, 1) + interval '1 month' - interval '1 day')`;
  return guarded(`${year} >= 1 and ${month} between 1 and 12`, guarded(`${day} between 1 and ${last}`, then));
}

const textToDate: Converter = () =>
  partly("is not a date", (v) =>
    guarded(
      `${v} ~ '^${datePattern}$'`,
      isDay(v, `make_date(substr(${v}, 1, 4)::int, substr(${v}, 6, 2)::int, substr(${v}, 9, 2)::int)`),
    ),
  );

const textToTime: Converter = () =>
  partly("is not a time", (v) => guarded(`${v} ~ '^${timePattern}$' and char_length(${v}) <= 30`, `${v}::time(6)`));

const textToDatetime: Converter = () =>
  partly("is not a time with a time zone", (v) =>
    guarded(
      `${v} ~ '^${datePattern}[T ]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]+)?(Z|[+-](0[0-9]|1[0-4]):[0-5][0-9])$' and char_length(${v}) <= 50`,
      isDay(v, `${v}::timestamptz`),
    ),
  );

const textToDuration: Converter = () => {
  const few = `${digit}${`${digit}?`.repeat(5)}`;
  const pattern = `^P(${few}W)?(${few}D)?(T(${few}H)?(${few}M)?(${few}([.]${few})?S)?)?$`;
  return partly("is not a duration", (v) =>
    guarded(`${v} ~ '${pattern}' and ${v} ~ '${digit}[WDHMS]$'`, `${v}::interval`),
  );
};

const textToUuid: Converter = () => {
  const group = (length: number): string => "[0-9a-fA-F]".repeat(length);
  const pattern = [8, 4, 4, 4, 12].map(group).join("-");
  return partly("is not a UUID", (v) => guarded(`${v} ~ '^${pattern}$'`, `${v}::uuid`));
};

function numericProblem(to: SqlType): string {
  return `is not a number with at most ${to.precision - to.scale} digits before and ${to.scale} after the decimal point`;
}

/** Exactly, or not at all. */
function fits(number: string, to: SqlType): string {
  const bound = `1${"0".repeat(to.precision - to.scale)}`;
  return guarded(
    `${number} = round(${number}, ${to.scale}) and abs(${number}) < ${bound}`,
    `${number}::numeric(${to.precision}, ${to.scale})`,
  );
}

function wholeToNumeric(digits: number): Converter {
  return (_, to) => {
    if (to.precision - to.scale >= digits) return exact((v) => `${v}::numeric(${to.precision}, ${to.scale})`);
    return partly(numericProblem(to), (v) => fits(`${v}::numeric`, to), true);
  };
}

const numericToNumeric: Converter = (from, to) => {
  const wider = to.scale >= from.scale && to.precision - to.scale >= from.precision - from.scale;
  if (wider) return exact((v) => `${v}::numeric(${to.precision}, ${to.scale})`);
  return partly(numericProblem(to), (v) => fits(v, to), true);
};

function numberToWhole(to: "integer" | "bigint"): Converter {
  const { min, max } = to === "integer" ? INTEGER : BIGINT;
  return () =>
    partly(
      wholeNumber,
      (v) => guarded(`${v}::numeric between ${min} and ${max} and ${v}::numeric = trunc(${v}::numeric)`, `${v}::${to}`),
      true,
    );
}

/** The floats at the limit of bigint are not bigints, and above 15 digits numeric no longer shows a float exactly. */
const floatToWhole = (to: "integer" | "bigint"): Converter => {
  const bound = to === "integer" ? "2147483647" : "999999999999999";
  return () =>
    partly(
      wholeNumber,
      (v) => guarded(`${v} between -${bound} and ${bound} and ${v} = trunc(${v})`, `${v}::${to}`),
      true,
    );
};

const floatToNumeric: Converter = (_, to) =>
  partly(
    numericProblem(to),
    (v) => guarded(`abs(${v}) < 1e30 and ${v}::numeric::double precision = ${v}`, fits(`${v}::numeric`, to)),
    true,
  );

const zeroOrOne: Converter = () =>
  partly("is neither 0 nor 1", (v) => `case ${v} when 0 then false when 1 then true end`, true);

const asText = each((v) => `${v}::text`);
const utc = (v: string): string => `(${v} at time zone 'UTC')`;

const converters: Readonly<Record<string, Readonly<Record<string, Converter>>>> = {
  text: {
    integer: textToWhole("integer"),
    bigint: textToWhole("bigint"),
    numeric: textToNumeric,
    "double precision": textToFloat,
    boolean: textToBoolean,
    date: textToDate,
    time: textToTime,
    timestamptz: textToDatetime,
    interval: textToDuration,
    uuid: textToUuid,
  },
  integer: {
    bigint: each((v) => `${v}::bigint`),
    numeric: wholeToNumeric(10),
    "double precision": each((v) => `${v}::double precision`),
    text: asText,
    boolean: zeroOrOne,
  },
  bigint: {
    integer: numberToWhole("integer"),
    numeric: wholeToNumeric(19),
    "double precision": () =>
      partly(
        "is too large to stay exact",
        (v) => guarded(`${v} between -9007199254740991 and 9007199254740991`, `${v}::double precision`),
        true,
      ),
    text: asText,
    boolean: zeroOrOne,
  },
  numeric: {
    integer: numberToWhole("integer"),
    bigint: numberToWhole("bigint"),
    numeric: numericToNumeric,
    "double precision": () =>
      partly(
        "has too many digits to stay exact",
        (v) => guarded(`${v}::double precision::numeric = ${v}`, `${v}::double precision`),
        true,
      ),
    text: asText,
  },
  "double precision": {
    integer: floatToWhole("integer"),
    bigint: floatToWhole("bigint"),
    numeric: floatToNumeric,
    text: asText,
  },
  boolean: {
    integer: each((v) => `${v}::integer`),
    bigint: each((v) => `${v}::integer::bigint`),
    text: asText,
  },
  date: {
    timestamptz: each((v) => `(${v}::timestamp at time zone 'UTC')`),
    text: each((v) => `to_char(${v}, 'YYYY-MM-DD')`),
  },
  time: { text: asText },
  timestamptz: {
    date: lossy("the time of day", (v) => `${utc(v)}::date`),
    time: lossy("the day", (v) => `${utc(v)}::time(6)`),
    text: each((v) => `to_char(${utc(v)}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`),
  },
  uuid: { text: asText },
  jsonb: { text: asText },
};

/** A list with the one value; an enum also becomes a set like this. */
function intoList(source: SqlType, target: SqlType, to: string): Conversion | null {
  const same = source.name === target.name && source.precision === target.precision && source.scale === target.scale;
  return same && source.name !== "jsonb"
    ? exact((v) => `case when ${v} is not null then array[${v}]::${to} end`)
    : null;
}

function outOfList(source: SqlType, target: SqlType): Conversion | null {
  if (target.name === "jsonb") return exact((v) => `to_jsonb(${v})`);
  if (source.name !== target.name || source.precision !== target.precision || source.scale !== target.scale)
    return null;
  return partly("does not have exactly one member", (v) => guarded(`cardinality(${v}) = 1`, `(${v})[1]`), true);
}

/** Member by member, if each member certainly has a new value. */
function betweenLists(from: string, to: string, sqlType: string): Conversion | null {
  const whole = ["integer", "bigint"];
  const fine =
    (from === "integer" && ["bigint", "double precision"].includes(to)) ||
    (to === "text" && [...whole, "uuid", "boolean", "double precision", "numeric"].includes(from));
  return fine ? exact((v) => `${v}::${sqlType}`) : null;
}
