// The options of a list or a read, and the type of the result. In: options, typed by the generated types. Out: a query
// string. The type of the result depends on `fields` and `expand`; nothing is filtered or completed here.
import type { Sort, Where } from "./conditions.ts";
import type { AnyRecordOf, EntityName, ProjectTypes, RelationsOf, TargetOf } from "./types.ts";

export type FieldName<Types extends ProjectTypes, Name extends string> = keyof AnyRecordOf<Types, Name> & string;

/** Related records to return inside the record, each with `true` or with options of its own. */
export type Expansion<Types extends ProjectTypes, Name extends string> = [keyof RelationsOf<Types, Name>] extends [
  never,
]
  ? Readonly<Record<string, never>>
  : {
      readonly [Relation in keyof RelationsOf<Types, Name>]?:
        | true
        | (RelationsOf<Types, Name>[Relation] extends { readonly many: false }
            ? Shown<Types, TargetOf<Types, Name, Relation>>
            : Within<Types, TargetOf<Types, Name, Relation>>);
    };

/** Which fields and related records to return. The type of the result depends on them. */
export interface Shown<
  in out Types extends ProjectTypes,
  in out Name extends string,
  Fields extends FieldName<Types, Name> = FieldName<Types, Name>,
  Expand = Expansion<Types, Name>,
> {
  /** Without it, all fields that the caller can read. */
  readonly fields?: readonly Fields[];
  readonly expand?: Expand & Known<Expand, Expansion<Types, Name>>;
}

/** Options of a to-many relation. */
interface Within<in out Types extends ProjectTypes, in out Name extends string> extends Shown<Types, Name> {
  readonly limit?: number;
  readonly sort?: Sort<Types, Name>;
  readonly where?: Where<Types, Name>;
}

export interface ListOptions<
  in out Types extends ProjectTypes,
  in out Name extends EntityName<Types>,
  Fields extends FieldName<Types, Name> = FieldName<Types, Name>,
  Expand = Expansion<Types, Name>,
> extends Shown<Types, Name, Fields, Expand> {
  readonly where?: Where<Types, Name>;
  /** Words in the searchable fields. */
  readonly search?: string;
  /** Records on a page: default 20, at most 100. */
  readonly limit?: number;
  /** `nextCursor` or `previousCursor` of an earlier page. */
  readonly cursor?: string;
  readonly sort?: Sort<Types, Name>;
}

/**
 * The type `Given`, with `never` for every key that `Allowed` does not have. TypeScript checks for unknown keys only where it does not
 * infer the type.
 */
export type Known<Given, Allowed> = Given extends readonly unknown[]
  ? { readonly [At in keyof Given]: Known<Given[At], MembersOf<Allowed>> }
  : Given extends object
    ? { readonly [Key in keyof Given]: Key extends KeysOf<Allowed> ? Known<Given[Key], ValueOf<Allowed, Key>> : never }
    : Given;

type MembersOf<Allowed> = Allowed extends readonly (infer Item)[] ? Item : never;
type KeysOf<Allowed> = Allowed extends readonly unknown[] ? never : Allowed extends object ? keyof Allowed : never;
type ValueOf<Allowed, Key> = Allowed extends readonly unknown[]
  ? never
  : Key extends keyof Allowed
    ? Allowed[Key]
    : never;

/** A record with the requested `fields` and `expand`. */
export type Seen<Types extends ProjectTypes, Name extends string, Options> = Simplify<
  Omit<Picked<AnyRecordOf<Types, Name>, Options>, ExpandedIn<Options>> & {
    readonly [Relation in ExpandedIn<Options> & keyof RelationsOf<Types, Name>]: RelationsOf<
      Types,
      Name
    >[Relation] extends { readonly many: true }
      ? readonly SeenWithin<Types, Name, Relation, Options>[]
      : SeenWithin<Types, Name, Relation, Options> | null;
  }
>;

type SeenWithin<
  Types extends ProjectTypes,
  Name extends string,
  Relation extends keyof RelationsOf<Types, Name>,
  Options,
> = Options extends { readonly expand: { readonly [Key in Relation]: infer Inner } }
  ? Seen<Types, TargetOf<Types, Name, Relation>, Inner>
  : never;

type ExpandedIn<Options> = Options extends { readonly expand: infer Expand } ? keyof Expand : never;

/** Without names, all fields. */
type Picked<Item, Options> = Options extends { readonly fields: readonly (infer Field)[] }
  ? [Field] extends [never]
    ? Item
    : Pick<Item, Field & keyof Item>
  : Item;

type Simplify<Shape> = { [Key in keyof Shape]: Shape[Key] } & unknown;

/** The record that a call returns, by the types inferred from its options. */
export type Found<Types extends ProjectTypes, Name extends string, Fields, Expand> = Seen<
  Types,
  Name,
  { readonly fields: readonly Fields[]; readonly expand: Expand }
>;

/** The default of `Expand`: no related records. */
export type Nothing = Record<never, never>;

interface Asked {
  readonly where?: object;
  readonly search?: string;
  readonly limit?: number;
  readonly cursor?: string;
  readonly sort?: string | readonly string[];
  readonly fields?: readonly string[];
  readonly expand?: object;
}

export function queryOf(asked: Asked, more: Readonly<Record<string, string>> = {}): URLSearchParams {
  const query = new URLSearchParams();
  if (asked.where !== undefined) setWhere(query, asked.where);
  if (asked.search !== undefined) query.set("q", asked.search);
  if (asked.limit !== undefined) query.set("limit", String(asked.limit));
  if (asked.cursor !== undefined) query.set("cursor", asked.cursor);
  if (asked.sort !== undefined) query.set("sort", [asked.sort].flat().join(","));
  const fields: string[] = [];
  const expand: string[] = [];
  setShown(query, asked, "", fields, expand);
  if (fields.length > 0) query.set("fields", fields.join(","));
  if (expand.length > 0) query.set("expand", expand.join(","));
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  return query;
}

/** The parameters of a write for the fields in its reply. */
export function shownOf({ fields, expand }: Pick<Asked, "fields" | "expand"> = {}): Record<string, string> {
  return Object.fromEntries(queryOf({ ...(fields && { fields }), ...(expand && { expand }) }));
}

/** Parameters of the list itself: a field with such a name is filtered in `where`. */
const taken = /^(?:limit|cursor|sort|where|count|q|fields|expand|resource)$/;

/** For a JSON field, the API reads a parameter of this form as a number or a boolean. */
const looksLikeNoText = /^(?:true|false|-?\d+(?:\.\d+)?)$/;

/** Simple equalities are plain parameters, so that a log or an address bar is readable. */
function setWhere(query: URLSearchParams, where: object): void {
  const entries = Object.entries(where);
  for (const [name, value] of entries) {
    // Without it, the list would include records that the caller meant to exclude.
    if (value === undefined) throw new TypeError(`where.${name} is undefined`);
  }
  const isPlain = ([name, value]: [string, unknown]): boolean =>
    (["number", "boolean"].includes(typeof value) || (typeof value === "string" && !looksLikeNoText.test(value))) &&
    !taken.test(name);
  if (entries.every(isPlain)) for (const [name, value] of entries) query.set(name, String(value));
  else query.set("where", JSON.stringify(where));
}

function setShown(query: URLSearchParams, shown: Asked, path: string, fields: string[], expand: string[]): void {
  fields.push(...(shown.fields ?? []).map((field) => path + field));
  for (const [relation, within] of Object.entries(shown.expand ?? {})) {
    if (within === undefined) continue;
    const name = path + relation;
    expand.push(name);
    if (within === true) continue;
    const { limit, sort, where } = within as Asked;
    if (limit !== undefined) query.set(`expand[${name}][limit]`, String(limit));
    if (sort !== undefined) query.set(`expand[${name}][sort]`, [sort].flat().join(","));
    if (where !== undefined) query.set(`expand[${name}][where]`, JSON.stringify(where));
    setShown(query, within as Asked, `${name}.`, fields, expand);
  }
}
