// What each field type is, for people: notation, meaning, its form in JSON and in Postgres. Data alone.
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
  /** With its arguments, as an author writes it. */
  readonly notation: string;
  readonly help: string;
  readonly json: string;
  readonly postgres: string;
  /** A notation that checks. */
  readonly example: string;
}

export const typeHelp: Readonly<Record<string, TypeHelp>> = {
  string: type(
    "string(min, max, pattern)",
    "Short text: at most 255 characters unless `max` says otherwise. Line breaks are characters like others.",
    "string",
    "text",
    "string",
  ),
  text: type("text", "Text of any length.", "string", "text", "text?"),
  markdown: type("markdown", "Text in Markdown.", "string", "text", "markdown?"),
  slug: type(
    "slug(from)",
    "Lower-case words joined by hyphens; made from the named field where none is sent.",
    "string",
    "text",
    "slug(title) unique",
  ),
  email: type("email", "An e-mail address.", "string", "text", "email"),
  url: type("url", "An http or https address.", "string", "text", "url?"),
  phone: type("phone", "A telephone number in international form (E.164): `+49301234567`.", "string", "text", "phone?"),
  color: type("color", "A colour: `#1f2a44`.", "string", "text", "color?"),
  int: type("int", "A whole number of 32 bits.", "number", "integer", "int = 0"),
  bigint: type("bigint", "A whole number of 64 bits.", "string", "bigint", "bigint?"),
  float: type("float", "A number with rounding (IEEE 754 double).", "number", "double precision", "float?"),
  decimal: type(
    "decimal(p, s)",
    "An exact number of `p` digits, `s` of them after the point.",
    "string",
    "numeric(p,s)",
    "decimal(10, 2)",
  ),
  money: type(
    "money(currency)",
    "An exact amount in one currency (ISO 4217), with its decimal places.",
    "string",
    "numeric",
    "money(EUR)",
  ),
  percent: type(
    "percent",
    "0 to 100 unless limits say otherwise, four decimal places.",
    "number",
    "numeric(7,4)",
    "percent?",
  ),
  date: type("date", "A day: `2026-01-31`.", "string", "date", "date?"),
  time: type("time", "A time of day: `08:30:00`.", "string", "time", "time?"),
  datetime: type("datetime", "A moment: RFC 3339, kept in UTC.", "string", "timestamptz", "datetime = now"),
  duration: type(
    "duration",
    "A length of time from weeks to seconds (ISO 8601): `PT1H30M`.",
    "string",
    "interval",
    "duration?",
  ),
  timezone: type("timezone", "A time zone by its IANA name: `Europe/Berlin`.", "string", "text", "timezone?"),
  bool: type("bool", "True or false.", "boolean", "boolean", "bool = false"),
  enum: type(
    "enum[a, b]",
    "One of these values. Adding a value rewrites nothing.",
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
  country: type("country", "A country by its two letters (ISO 3166-1): `DE`.", "string", "text", "country?"),
  currency: type("currency", "A currency by its three letters (ISO 4217): `EUR`.", "string", "text", "currency?"),
  locale: type("locale", "A language, with a region or without (BCP 47): `de-AT`.", "string", "text", "locale?"),
  json: type("json", "Any JSON.", "any", "jsonb", "json?"),
  object: type(
    "object{name: type, ...}",
    "A structure of its own, checked member by member. In YAML it is put in quotes.",
    "object",
    "jsonb",
    "object{street: string, zip: string?}",
  ),
  list: type("list<type>", "Values of one type, in order.", "array", "an array, or jsonb", "list<string>"),
  i18n: type("i18n<type>", "A value per language.", "object, by locale", "jsonb", "i18n<string>"),
  point: type("point", "A place on earth.", '`{ "lat": ..., "lng": ... }`', "point", "point?"),
  vector: type(
    "vector(n)",
    "`n` numbers, for similarity; only where the database has the extension.",
    "array of numbers",
    "vector(n)",
    "vector(384)?",
  ),
  file: type("file(mime, max)", "A file in storage.", "object", "uuid", "file?"),
  image: type("image(mime, max)", "An image in storage.", "object", "uuid", "image?"),
  uuid: type("uuid", "A UUID that means something elsewhere.", "string", "uuid", "uuid?"),
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
    "Taken and kept encrypted, never given back.",
    "string, on the way in only",
    "text",
    "secret?",
  ),
  sequence: type(
    "sequence(prefix)",
    "The next number, without gaps, behind a prefix: `INV-17`.",
    "string, read only",
    "text",
    "sequence(INV-)",
  ),
  computed: type(
    "computed(expression)",
    "Made from other fields whenever it is read, its own or those of related records (`lines.sum(l, l.price)`); rules, checks and other computed fields can name it.",
    "as its expression",
    "nothing is stored",
    "computed(price * 2)",
  ),
};

function type(notation: string, help: string, json: string, postgres: string, example: string): TypeHelp {
  return { notation, help, json, postgres, example };
}

/** Behind a type, in any order. */
export const modifierHelp: Readonly<
  Record<string, { readonly notation: string; readonly help: string; readonly example: string }>
> = {
  unique: {
    notation: "unique, unique(org), unique(a, b)",
    help: "No two records share the value; with names, the values together; with `org`, within an organization.",
    example: "string unique",
  },
  index: { notation: "index", help: "Looked up or sorted by often.", example: "int index" },
  immutable: { notation: "immutable", help: "Set at create, never changed.", example: "string immutable" },
  readonly: { notation: "readonly", help: "Set by the service alone.", example: "int readonly = 0" },
  internal: { notation: "internal", help: "Never leaves by the public API.", example: "text? internal" },
  pii: { notation: "pii", help: "Personal: masked in logs and in the audit log.", example: "string? pii" },
  searchable: {
    notation: "searchable, searchable(A), searchable(A, fuzzy)",
    help: "Found by `q=`, full text. A match in a field of weight `A` counts most, then `B`, `C` and `D`, which is the weight unless another is named; `fuzzy` finds mistyped words too.",
    example: "text? searchable",
  },
  was: {
    notation: "was(old_name)",
    help: "The name that it had: a rename that keeps the data.",
    example: "string was(name)",
  },
  fill: {
    notation: "fill(expression)",
    help: "What records that stand already get, once, from their other fields and the records that these refer to.",
    example: "string fill(title)",
  },
  deprecated: {
    notation: 'deprecated("why")',
    help: "Still served, and said to be going away.",
    example: 'string? deprecated("use title")',
  },
  on_delete: {
    notation: "on_delete(restrict | cascade | set_null)",
    help: "What happens when the record referred to is deleted; unless said otherwise, the delete is refused.",
    example: "ref(listing) on_delete(cascade)",
  },
  per: {
    notation: "per(org)",
    help: "Of a sequence: each organization counts by itself.",
    example: "sequence(INV-) per(org)",
  },
  at: {
    notation: "at(transition:name)",
    help: "Of a sequence: a record is numbered when it takes this transition, without gaps, and has no number before.",
    example: "sequence(INV-) at(transition:issue)",
  },
  writable: {
    notation: "writable(admin)",
    help: "Of a profile field: admins write it, users don't write their own.",
    example: "bool writable(admin) = false",
  },
  as: {
    notation: "as(name)",
    help: "What the other side calls this relation; from users, nothing leads here without it.",
    example: "ref(listing) as(children)",
  },
};

const limitKeys: Readonly<Record<string, KeyShape>> = {
  min: key("The smallest value, or the shortest length.", anyOf(number, text)),
  max: key("The largest value, or the greatest length.", anyOf(number, text)),
  pattern: key("A regular expression that texts must match (a subset of RE2).", text),
};

/** What the type says in brackets in the short form. */
const typeKeys: Readonly<Record<string, KeyShape>> = {
  values: key("The values of an `enum` or `enum_set`.", oneOrMore(text)),
  of: key("The type of what a `list` or `i18n` holds.", shape("member")),
  fields: key("The members of an `object`.", names("member", shape("member"))),
};

/** A type within another: of a list, or of an object's member. */
export const member: Shape = anyOf(
  text,
  map({
    type: { ...key("The type, as in the short form.", text), required: true },
    optional: key("Whether it may be missing.", boolean),
    ...limitKeys,
    ...typeKeys,
  }),
);

/** Keys of a field's long form beside `type`. */
export const fieldKeys: Readonly<Record<string, KeyShape>> = {
  type: { ...key("The type, as in the short form.", text), required: true },
  optional: key("Whether it may be empty.", boolean),
  default: key("What it is where nothing is sent.", value),
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
  label: key("What people call it, in the console and the documentation.", text),
  help: key("A sentence that explains it, in the console and the documentation.", text),
};

function modifier(name: string): string {
  return modifierHelp[name]?.help ?? "";
}
