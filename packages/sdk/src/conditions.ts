// The types of filters, sort orders and aggregates, by the type of each field, also through relations and users. In: the generated types.
// Out: the types of options and results. There is no code here, and the API decides what a caller may ask.
import type { FieldsOf, FilterValue, IsUntyped, NamesOf, ProjectTypes, RelationsOf, TargetOf } from "./types.ts";

/**
 * Conditions on a value. Null matches only `is_null` and `eq: null`.
 *
 * @typeParam IsText Whether a string is free text. Ids, times and exact numbers are strings too, but have no text operators.
 */
export type Test<Value, IsText extends boolean = true> =
  | null
  | (unknown extends Value
      ? FilterValue | (Equality<FilterValue> & Order<FilterValue> & Parts & Members<FilterValue>)
      : [Value] extends [readonly (infer Item)[]]
        ? ([Item] extends [FilterValue] ? Members<Item> : unknown) & Presence
        : [Value] extends [FilterValue]
          ? Value | (Equality<Value> & OrderOf<Value> & (IsText extends true ? PartsOf<Value> : unknown))
          : Presence);

interface Presence {
  readonly is_null?: boolean;
}

interface Equality<Value> extends Presence {
  readonly eq?: Value | null;
  readonly ne?: Value | null;
  readonly in?: readonly Value[];
  readonly nin?: readonly Value[];
}

/** Enums and booleans have no order operators. */
type OrderOf<Value> = string extends Value ? Order<Value> : number extends Value ? Order<Value> : unknown;

interface Order<Value> {
  readonly gt?: Value;
  readonly gte?: Value;
  readonly lt?: Value;
  readonly lte?: Value;
}

type PartsOf<Value> = string extends Value ? Parts : unknown;

interface Parts {
  readonly ieq?: string;
  readonly contains?: string;
  readonly icontains?: string;
  readonly starts_with?: string;
  readonly istarts_with?: string;
  readonly ends_with?: string;
  readonly iends_with?: string;
}

interface Members<Item> {
  readonly has?: Item;
  readonly has_any?: readonly Item[];
  readonly has_all?: readonly Item[];
}

/** For clients without generated types. */
interface AnyWhere {
  readonly [name: string]: FilterValue | null | readonly FilterValue[] | AnyWhere | readonly AnyWhere[];
}

interface Combined<Condition> {
  readonly and?: readonly Condition[];
  readonly or?: readonly Condition[];
  readonly not?: Condition;
}

type TestOf<
  Types extends ProjectTypes,
  Name extends string,
  Field extends keyof FieldsOf<Types, Name>,
> = unknown extends FieldsOf<Types, Name>[Field]
  ? Test<unknown>
  : Test<NonNullable<FieldsOf<Types, Name>[Field]>, Field extends NamesOf<Types, Name, "texts"> ? true : false>;

/** Fields with a value or conditions, related records with conditions of theirs, and `and`, `or`, `not`. */
export type Where<Types extends ProjectTypes, Name extends string> =
  IsUntyped<Types> extends true
    ? AnyWhere
    : {
        // A relation may have the name of its field, such as `created_by`. Then conditions on both are accepted.
        readonly [Field in keyof FieldsOf<Types, Name>]?:
          | TestOf<Types, Name, Field>
          | (Field extends keyof RelationsOf<Types, Name> ? Where<Types, TargetOf<Types, Name, Field>> : never);
      } & {
        readonly [Relation in Exclude<keyof RelationsOf<Types, Name>, keyof FieldsOf<Types, Name>>]?: Where<
          Types,
          TargetOf<Types, Name, Relation>
        >;
      } & Combined<Where<Types, Name>>;

/** Conditions on the entity's own fields only: a stream does not follow changes of related records. */
export type OwnWhere<Types extends ProjectTypes, Name extends string> =
  IsUntyped<Types> extends true
    ? AnyWhere
    : {
        readonly [Field in keyof FieldsOf<Types, Name>]?: TestOf<Types, Name, Field>;
      } & Combined<OwnWhere<Types, Name>>;

/** Fields that can be sorted by. Values inside JSON cannot. */
export type Ordered<Types extends ProjectTypes, Name extends string> = {
  [Field in keyof FieldsOf<Types, Name>]-?: Field extends `${string}.${string}`
    ? never
    : [NonNullable<FieldsOf<Types, Name>[Field]>] extends [FilterValue]
      ? Field
      : never;
}[keyof FieldsOf<Types, Name>] &
  string;

/** Names of to-one relations. */
type ToOne<Types extends ProjectTypes, Name extends string> = {
  [Relation in keyof RelationsOf<Types, Name>]: RelationsOf<Types, Name>[Relation] extends { readonly many: false }
    ? Relation
    : never;
}[keyof RelationsOf<Types, Name>] &
  string;

type Fields<Types extends ProjectTypes, Name extends string, Kind extends "ordered" | "times"> = Kind extends "times"
  ? Ordered<Types, Name> & NamesOf<Types, Name, "times">
  : Ordered<Types, Name>;

/**
 * Names of fields, also through to-one relations: `author.name`. The API follows up to three relations. The field behind the third one is
 * not checked here, because there may be too many names.
 */
type Path<
  Types extends ProjectTypes,
  Name extends string,
  Kind extends "ordered" | "times",
  Hops extends readonly unknown[] = [1, 2, 3],
> = Hops extends readonly [unknown, ...infer Fewer]
  ?
      | Fields<Types, Name, Kind>
      | {
          [Relation in ToOne<Types, Name>]: Behind<
            Relation,
            Path<Types, TargetOf<Types, Name, Relation & keyof RelationsOf<Types, Name>>, Kind, Fewer>
          >;
        }[ToOne<Types, Name>]
  : string;

// These distribute over the union: TypeScript limits a template of two unions to 100,000 members.
type Behind<Relation extends string, Inner> = Inner extends string ? `${Relation}.${Inner}` : never;
type Directed<Name> = Name extends string ? Name | `-${Name}` : never;
type PartOfTime<Name> = Name extends string
  ? `${Name}.${"year" | "quarter" | "month" | "week" | "day" | "hour"}`
  : never;

type OneOrMore<Item> = Item | readonly Item[];

/** Field names, with `-` in front for descending order. A field of a related record is written `author.name`. */
export type Sort<Types extends ProjectTypes, Name extends string> =
  IsUntyped<Types> extends true ? OneOrMore<string> : OneOrMore<Directed<Path<Types, Name, "ordered">>>;

/** The entity's own fields only. */
export type OwnSort<Types extends ProjectTypes, Name extends string> =
  IsUntyped<Types> extends true ? OneOrMore<string> : OneOrMore<Directed<Ordered<Types, Name>>>;

/** Fields, fields of related records (`author.name`) and parts of times (`created_at.month`). */
export type GroupKey<Types extends ProjectTypes, Name extends string> =
  IsUntyped<Types> extends true ? string : Path<Types, Name, "ordered"> | PartOfTime<Path<Types, Name, "times">>;

type Countable<Types extends ProjectTypes, Name extends string> = Ordered<Types, Name>;
type Summable<Types extends ProjectTypes, Name extends string> = Ordered<Types, Name> & NamesOf<Types, Name, "numbers">;
/** All fields except booleans. */
type Comparable<Types extends ProjectTypes, Name extends string> = {
  [Field in Ordered<Types, Name>]: NonNullable<
    FieldsOf<Types, Name>[Field & keyof FieldsOf<Types, Name>]
  > extends boolean
    ? never
    : Field;
}[Ordered<Types, Name>];

/** `count`, or `count`, `count_distinct`, `sum`, `avg`, `min` or `max` of a field: `sum(price)`. */
export type Calculation<Types extends ProjectTypes, Name extends string> =
  IsUntyped<Types> extends true
    ? string
    :
        | "count"
        | `${"count" | "count_distinct"}(${Countable<Types, Name>})`
        | `${"sum" | "avg"}(${Summable<Types, Name>})`
        | `${"min" | "max"}(${Comparable<Types, Name>})`;

/** The selected values and groups, with `-` in front for descending order. */
export type SortOfGroups<Shown extends string> = OneOrMore<Directed<Shown>>;

/** One row of the result. Each value has the name under which it was requested. */
export type Row<Types extends ProjectTypes, Name extends string, Asked extends string> = {
  readonly [Each in Asked]: IsUntyped<Types> extends true ? FilterValue | null : Value<Types, Name, Each>;
};

type Value<Types extends ProjectTypes, Name extends string, Asked extends string> = Asked extends
  | "count"
  | `${"count" | "count_distinct"}(${string})`
  ? number
  : Asked extends `${"sum" | "avg" | "min" | "max"}(${infer Field})`
    ? FieldValue<Types, Name, Field>
    : FieldValue<Types, Name, Asked>;

/** Null if there is no value. */
type FieldValue<Types extends ProjectTypes, Name extends string, Named extends string> =
  Named extends Ordered<Types, Name>
    ? NonNullable<FieldsOf<Types, Name>[Named & keyof FieldsOf<Types, Name>]> | null
    : Named extends `${infer Relation}.${infer Rest}`
      ? Relation extends ToOne<Types, Name>
        ? FieldValue<Types, TargetOf<Types, Name, Relation & keyof RelationsOf<Types, Name>>, Rest>
        : string | null
      : FilterValue | null;
