// The field types, for people: notation, meaning, form in JSON and in Postgres. Only data.
import {
  anyOf,
  boolean,
  type KeyShape,
  key,
  listOf,
  map,
  named,
  names,
  number,
  oneOrMore,
  type Shape,
  shape,
  text,
  value,
  words,
} from "./shape.ts";

export interface TypeHelp {
  /** With its arguments, as authors write it. */
  readonly notation: string;
  readonly help: string;
  readonly json: string;
  readonly postgres: string;
  /** A valid notation. */
  readonly example: string;
}

export const typeHelp: Readonly<Record<string, TypeHelp>> = {
  string: type(
    "string(min, max, pattern)",
    "Short text: at most 255 characters, unless `max` is set. Line breaks are allowed.",
    "string",
    "text",
    "string",
  ),
  text: type("text", "Text of any length.", "string", "text", "text?"),
  markdown: type("markdown", "Text in Markdown.", "string", "text", "markdown?"),
  slug: type(
    "slug(from)",
    "Lower-case words joined by hyphens. If no value is sent, it is made from the named field.",
    "string",
    "text",
    "slug(title) unique",
  ),
  email: type("email", "An e-mail address.", "string", "text", "email"),
  url: type("url", "An http or https address.", "string", "text", "url?"),
  phone: type("phone", "A telephone number in international form (E.164): `+49301234567`.", "string", "text", "phone?"),
  color: type("color", "A colour: `#1f2a44`.", "string", "text", "color?"),
  int: type("int", "A whole number (32 bits).", "number", "integer", "int = 0"),
  bigint: type("bigint", "A whole number (64 bits).", "string", "bigint", "bigint?"),
  float: type(
    "float",
    "A floating-point number, which can be rounded (IEEE 754 double).",
    "number",
    "double precision",
    "float?",
  ),
  decimal: type(
    "decimal(p, s)",
    "An exact number with `p` digits, `s` of them after the decimal point.",
    "string",
    "numeric(p,s)",
    "decimal(10, 2)",
  ),
  money: type(
    "money(currency)",
    "An exact amount in one currency (ISO 4217), with the decimal places of the currency.",
    "string",
    "numeric",
    "money(EUR)",
  ),
  percent: type(
    "percent",
    "A number from 0 to 100 unless limits say otherwise, with four decimal places.",
    "number",
    "numeric(7,4)",
    "percent?",
  ),
  date: type("date", "A day: `2026-01-31`.", "string", "date", "date?"),
  time: type("time", "A time of day: `08:30:00`.", "string", "time", "time?"),
  datetime: type("datetime", "A moment in time (RFC 3339), stored in UTC.", "string", "timestamptz", "datetime = now"),
  duration: type(
    "duration",
    "A duration in weeks to seconds (ISO 8601): `PT1H30M`.",
    "string",
    "interval",
    "duration?",
  ),
  timezone: type("timezone", "A time zone by its IANA name: `Europe/Berlin`.", "string", "text", "timezone?"),
  bool: type("bool", "True or false.", "boolean", "boolean", "bool = false"),
  enum: type(
    "enum[a, b]",
    "One of these values. Adding a value later rewrites no rows.",
    "string",
    "text",
    "enum[draft, active] = draft",
  ),
  enum_set: type(
    "enum_set[a, b]",
    "Any of these values, each at most once.",
    "array of strings",
    "text[]",
    "enum_set[mon, tue, wed]",
  ),
  country: type("country", "A country as its two-letter code (ISO 3166-1): `DE`.", "string", "text", "country?"),
  currency: type("currency", "A currency as its three-letter code (ISO 4217): `EUR`.", "string", "text", "currency?"),
  locale: type("locale", "A language, with or without a region (BCP 47): `de-AT`.", "string", "text", "locale?"),
  json: type("json", "Any JSON value.", "any", "jsonb", "json?"),
  object: type(
    "object{name: type, ...}",
    "A structure with its own members, each of which is checked. In YAML, write it in quotes.",
    "object",
    "jsonb",
    "object{street: string, zip: string?}",
  ),
  list: type("list<type>", "Values of one type, in order.", "array", "an array, or jsonb", "list<string>"),
  i18n: type("i18n<type>", "One value for each language.", "object, by locale", "jsonb", "i18n<string>"),
  point: type(
    "point",
    "A place on earth, as latitude and longitude.",
    '`{ "lat": ..., "lng": ... }`',
    "point",
    "point?",
  ),
  vector: type(
    "vector(n)",
    "A vector of `n` numbers, for similarity. Needs the vector extension in the database.",
    "array of numbers",
    "vector(n)",
    "vector(384)?",
  ),
  file: type(
    "file(mime, max)",
    "A file in storage. Not available yet: the field is ignored.",
    "object",
    "uuid",
    "file?",
  ),
  image: type(
    "image(mime, max)",
    "An image in storage. Not available yet: the field is ignored.",
    "object",
    "uuid",
    "image?",
  ),
  uuid: type("uuid", "A UUID that identifies something in another system.", "string", "uuid", "uuid?"),
  user_ref: type("user_ref", "A user of the app.", "string, the user's id", "uuid", "user_ref = current_user.id"),
  org_ref: type("org_ref", "An organization.", "string, its id", "uuid", "org_ref?"),
  ref: type("ref(entity)", "A record of that entity.", "string, its id", "uuid", "ref(listing)?"),
  refs: type(
    "refs(entity)",
    "Any number of records of that entity (many to many).",
    "array of ids",
    "a join table",
    "refs(listing)",
  ),
  secret: type(
    "secret",
    "A secret that callers can write but not read. It is stored encrypted.",
    "string, write only",
    "text",
    "secret?",
  ),
  sequence: type(
    "sequence(prefix)",
    "The next number of a sequence without gaps, with a prefix: `INV-17`.",
    "string, read only",
    "text",
    "sequence(INV-)",
  ),
  computed: type(
    "computed(expression)",
    "Computed at each read from fields of the record and of related records (`lines.sum(l, l.price)`). Rules, checks and other computed fields can use it.",
    "as its expression",
    "nothing is stored",
    "computed(price * 2)",
  ),
};

function type(notation: string, help: string, json: string, postgres: string, example: string): TypeHelp {
  return { notation, help, json, postgres, example };
}

/** After a type, in any order. */
export const modifierHelp: Readonly<
  Record<string, { readonly notation: string; readonly help: string; readonly example: string }>
> = {
  unique: {
    notation: "unique, unique(org), unique(a, b)",
    help: "Two records can't have the same value. With names, the values together must be unique; with `org`, they must be unique within an organization.",
    example: "string unique",
  },
  index: {
    notation: "index",
    help: "An index for fields that are often used in filters or to sort.",
    example: "int index",
  },
  immutable: { notation: "immutable", help: "Can be set at create and never changed.", example: "string immutable" },
  readonly: { notation: "readonly", help: "Only the service sets it.", example: "int readonly = 0" },
  internal: { notation: "internal", help: "Never returned by the public API.", example: "text? internal" },
  pii: { notation: "pii", help: "Personal data: masked in logs and in the audit log.", example: "string? pii" },
  searchable: {
    notation: "searchable, searchable(A), searchable(A, fuzzy)",
    help: "Found by `q=` (full-text search). A match in a field with weight `A` counts most, then `B`, `C` and `D`; the default is `D`. With `fuzzy`, search also finds mistyped words.",
    example: "text? searchable",
  },
  was: {
    notation: "was(old_name)",
    help: "The previous name of the field: a rename that keeps the data.",
    example: "string was(name)",
  },
  fill: {
    notation: "fill(expression)",
    help: "The value that existing records get once, computed from their other fields and the records that these refer to.",
    example: "string fill(title)",
  },
  deprecated: {
    notation: 'deprecated("why")',
    help: "Still available, but clients should stop using it.",
    example: 'string? deprecated("use title")',
  },
  on_delete: {
    notation: "on_delete(restrict | cascade | set_null)",
    help: "What happens when the record that it refers to is deleted. By default, the delete is refused.",
    example: "ref(listing) on_delete(cascade)",
  },
  per: {
    notation: "per(org)",
    help: "For a sequence: each organization has its own numbers.",
    example: "sequence(INV-) per(org)",
  },
  at: {
    notation: "at(transition:name)",
    help: "For a sequence: a record gets its number when it takes this transition. Before, it has none.",
    example: "sequence(INV-) at(transition:issue)",
  },
  writable: {
    notation: "writable(admin)",
    help: "For a profile field: admins write it, users can't write their own.",
    example: "bool writable(admin) = false",
  },
  as: {
    notation: "as(name)",
    help: "The name of the back relation. Users have no back relation without it.",
    example: "ref(listing) as(children)",
  },
};

const limitKeys: Readonly<Record<string, KeyShape>> = {
  min: key("The smallest value, or the minimum length.", anyOf(number, text)),
  max: key("The largest value, or the maximum length.", anyOf(number, text)),
  pattern: key("A regular expression that texts must match (a subset of RE2).", text),
};

/** Arguments that the short form has in brackets. */
const typeKeys: Readonly<Record<string, KeyShape>> = {
  values: key("The values of an `enum` or `enum_set`.", oneOrMore(text)),
  of: key("The type of the members of a `list` or `i18n`.", shape("member")),
  fields: key("The members of an `object`.", names("member", shape("member"))),
};

/** A type inside another: the members of a list, or a member of an object. */
export const member: Shape = anyOf(
  text,
  map({
    type: { ...key("The type, written as in the short form.", text), required: true },
    optional: key("Whether it can be missing.", boolean),
    ...limitKeys,
    ...typeKeys,
  }),
);

/** Keys of a field's long form in addition to `type`. */
export const fieldKeys: Readonly<Record<string, KeyShape>> = {
  type: { ...key("The type, written as in the short form.", text), required: true },
  optional: key("Whether it can be empty.", boolean),
  default: key("The value if none is sent.", value),
  ...limitKeys,
  ...typeKeys,
  unique: key(modifier("unique"), anyOf(boolean, listOf(oneOrMore(named("field"))))),
  index: key(modifier("index"), boolean),
  immutable: key(modifier("immutable"), boolean),
  readonly: key(modifier("readonly"), boolean),
  internal: key(modifier("internal"), boolean),
  pii: key(modifier("pii"), boolean),
  searchable: key(modifier("searchable"), anyOf(boolean, oneOrMore(words("A", "B", "C", "D", "fuzzy")))),
  was: key(modifier("was"), text),
  fill: key(modifier("fill"), text),
  deprecated: key(modifier("deprecated"), text),
  on_delete: key(modifier("on_delete"), words("restrict", "cascade", "set_null")),
  as: key(modifier("as"), text),
  per: key(modifier("per"), words("org")),
  at: key(modifier("at"), text),
  writable: key(modifier("writable"), words("admin")),
  label: key("The name for people, in the console and the documentation.", text),
  help: key("A sentence that explains it, in the console and the documentation.", text),
};

function modifier(name: string): string {
  return modifierHelp[name]?.help ?? "";
}
