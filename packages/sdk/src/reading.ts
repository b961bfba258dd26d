// What a list or a read asks for, and the type of what it gets. In: options, typed by the generated types. Out: a query string. The
// type of the result follows `fields` and `expand`; nothing is filtered or completed here.
import type { AnyProject, EntityName, ProjectTypes, RecordOf, WhereOf } from "./types.ts";

/** Conditions on a value. Null matches none of them but `is_null` (or `eq: null`). */
export type Test<Value> =
  | Value
  | null
  | (Value extends readonly (infer Item)[] ? ListTest<Item> : ValueTest<Value> & TextTest<Value>);

interface ValueTest<Value> {
  readonly eq?: Value | null;
  readonly ne?: Value | null;
  readonly in?: readonly Value[];
  readonly nin?: readonly Value[];
  readonly gt?: Value;
  readonly gte?: Value;
  readonly lt?: Value;
  readonly lte?: Value;
  readonly is_null?: boolean;
}

type TextTest<Value> = string extends Value
  ? {
      readonly ieq?: string;
      readonly contains?: string;
      readonly icontains?: string;
      readonly starts_with?: string;
      readonly istarts_with?: string;
      readonly ends_with?: string;
      readonly iends_with?: string;
    }
  : unknown;

interface ListTest<Item> {
  readonly has?: Item;
  readonly has_any?: readonly Item[];
  readonly has_all?: readonly Item[];
  readonly is_null?: boolean;
}

/** Fields with a value or conditions, related records with conditions of theirs, and `and`, `or`, `not`. */
export type Where<Types extends ProjectTypes, Name extends string> = {
  readonly [Field in keyof FieldsOf<Types, Name>]?: Test<NonNullable<FieldsOf<Types, Name>[Field]>>;
} & {
  readonly [Relation in keyof RelationsOf<Types, Name>]?: Relation extends keyof FieldsOf<Types, Name>
    ? unknown
    : Where<Types, TargetOf<Types, Name, Relation>>;
} & {
  readonly and?: readonly Where<Types, Name>[];
  readonly or?: readonly Where<Types, Name>[];
  readonly not?: Where<Types, Name>;
};

/** Field names, `-` before one that descends; of a record that is referred to as `author.name`. */
export type Sort<Types extends ProjectTypes, Name extends string> =
  | SortKey<keyof FieldsOf<Types, Name> & string>
  | readonly SortKey<keyof FieldsOf<Types, Name> & string>[];
type SortKey<Field extends string> = Field | `-${Field}` | `${string}.${string}`;

/** What of records is shown. */
export interface Shown<Types extends ProjectTypes, Name extends string> {
  /** Left out: all that the caller may read. */
  readonly fields?: readonly (keyof AnyRecordOf<Types, Name> & string)[];
  /** Related records to show within the record, each with `true` or what of them. */
  readonly expand?: {
    readonly [Relation in keyof RelationsOf<Types, Name>]?: true | Within<Types, TargetOf<Types, Name, Relation>>;
  };
}

/** The list options are for relations to many. */
interface Within<Types extends ProjectTypes, Name extends string> extends Shown<Types, Name> {
  readonly limit?: number;
  readonly sort?: Sort<Types, Name>;
  readonly where?: Where<Types, Name>;
}

export interface ListOptions<Types extends ProjectTypes, Name extends EntityName<Types>> extends Shown<Types, Name> {
  readonly where?: Where<Types, Name>;
  /** Words that the searchable fields hold. */
  readonly search?: string;
  /** Records a page: 20 unless given, at most 100. */
  readonly limit?: number;
  /** `nextCursor` or `previousCursor` of an earlier page. */
  readonly cursor?: string;
  readonly sort?: Sort<Types, Name>;
}

/** A record as these options show it. */
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

type Picked<Item, Options> = Options extends { readonly fields: readonly (infer Field)[] }
  ? Pick<Item, Field & keyof Item>
  : Item;

type Simplify<Shape> = { [Key in keyof Shape]: Shape[Key] } & unknown;

/** Of an entity, of `user` or of `organization`. */
type AnyRecordOf<Types extends ProjectTypes, Name extends string> =
  Name extends EntityName<Types>
    ? RecordOf<Types, Name>
    : Name extends keyof Types
      ? Types[Name]
      : Record<string, unknown>;

type FieldsOf<Types extends ProjectTypes, Name extends string> =
  Name extends EntityName<Types> ? WhereOf<Types, Name> : AnyRecordOf<Types, Name>;

type RelationsOf<Types extends ProjectTypes, Name extends string> =
  Name extends EntityName<Types>
    ? Types["entities"][Name] extends { readonly relations: infer Relations extends object }
      ? Relations
      : Types extends AnyProject
        ? Record<string, { readonly to: string; readonly many: boolean }>
        : Record<never, never>
    : Record<never, never>;

type TargetOf<
  Types extends ProjectTypes,
  Name extends string,
  Relation extends keyof RelationsOf<Types, Name>,
> = RelationsOf<Types, Name>[Relation] extends { readonly to: infer Target extends string } ? Target : never;

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

/** The parameters of a write that choose what its reply shows. */
export function shownOf({ fields, expand }: Pick<Asked, "fields" | "expand"> = {}): Record<string, string> {
  return Object.fromEntries(queryOf({ ...(fields && { fields }), ...(expand && { expand }) }));
}

/** Parameters of the list itself: a field of that name is asked for within `where`. */
const taken = /^(?:limit|cursor|sort|where|count|q|fields|expand|resource)$/;

/** Plain equalities stand for themselves, so that a log or an address bar says what was asked. */
function setWhere(query: URLSearchParams, where: object): void {
  const entries = Object.entries(where);
  for (const [name, value] of entries) {
    // Left out, it would widen the list to records that the caller meant to exclude.
    if (value === undefined) throw new TypeError(`where.${name} is undefined`);
  }
  const isPlain = ([name, value]: [string, unknown]): boolean =>
    ["string", "number", "boolean"].includes(typeof value) && !taken.test(name);
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
