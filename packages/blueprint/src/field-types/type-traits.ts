// Every field type with its properties. Only data; `check/fields/types.ts` knows the arguments.
import type { FieldType, ModuleName } from "../model/model.ts";

export type TypeName = FieldType["kind"];

interface TypeTraits {
  /** What `min` and `max` count; null if there are none. */
  readonly limits: "characters" | "members" | "value" | null;
  readonly pattern: boolean;
  /** Whether a B-tree can hold it: `unique` and `index`. */
  readonly keyed: boolean;
  readonly searchable: boolean;
  readonly default: boolean;
  /** The types that can contain it. */
  readonly inList: boolean;
  readonly inObject: boolean;
  readonly module: ModuleName | null;
}

const nothing: TypeTraits = {
  limits: null,
  pattern: false,
  keyed: false,
  searchable: false,
  default: false,
  inList: false,
  inObject: false,
  module: null,
};
const plain: TypeTraits = { ...nothing, keyed: true, default: true, inList: true, inObject: true };
const writing: TypeTraits = { ...plain, limits: "characters", searchable: true };
const measure: TypeTraits = { ...plain, limits: "value" };
const structure: TypeTraits = { ...nothing, default: true, inList: true, inObject: true };
const reference: TypeTraits = { ...nothing, keyed: true };

export const typeTraits: Readonly<Record<TypeName, TypeTraits>> = {
  string: { ...writing, pattern: true },
  text: { ...writing, pattern: true },
  markdown: { ...writing, keyed: false },
  slug: { ...nothing, keyed: true, searchable: true },
  email: writing,
  url: writing,
  phone: { ...plain, searchable: true },
  color: plain,
  int: measure,
  bigint: measure,
  float: measure,
  decimal: measure,
  money: measure,
  percent: measure,
  date: measure,
  time: measure,
  datetime: measure,
  duration: measure,
  timezone: plain,
  bool: plain,
  enum: plain,
  enum_set: { ...structure, limits: "members", inList: false },
  country: plain,
  currency: plain,
  locale: plain,
  json: structure,
  object: structure,
  list: { ...structure, limits: "members", inList: false },
  i18n: { ...structure, searchable: true },
  point: structure,
  vector: nothing,
  file: { ...nothing, module: "storage" },
  image: { ...nothing, module: "storage" },
  uuid: plain,
  user_ref: { ...reference, default: true, module: "auth" },
  org_ref: { ...reference, default: true, module: "organizations" },
  ref: reference,
  refs: nothing,
  secret: nothing,
  sequence: { ...nothing, keyed: true },
  computed: nothing,
};

export const typeNames: readonly TypeName[] = Object.keys(typeTraits) as TypeName[];

/** Types without a column until their module is available. */
export const typesNotServed: readonly TypeName[] = ["file", "image"];

/** Names of our types in other languages. */
export const typeAliases: ReadonlyMap<string, TypeName> = new Map<string, TypeName>([
  ["str", "string"],
  ["varchar", "string"],
  ["char", "string"],
  ["integer", "int"],
  ["number", "int"],
  ["int4", "int"],
  ["int8", "bigint"],
  ["long", "bigint"],
  ["double", "float"],
  ["real", "float"],
  ["numeric", "decimal"],
  ["boolean", "bool"],
  ["timestamp", "datetime"],
  ["timestamptz", "datetime"],
  ["interval", "duration"],
  ["jsonb", "json"],
  ["array", "list"],
  ["user", "user_ref"],
  ["organization", "org_ref"],
  ["reference", "ref"],
  ["relation", "ref"],
  ["password", "secret"],
  ["serial", "sequence"],
  ["uri", "url"],
]);
