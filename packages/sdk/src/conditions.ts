// What records are asked for by: conditions, order, groups, each as far as the kind of a field has it, and through relations, users
// included. Types alone: which of it a caller may ask, the API decides.
import type { FieldsOf, FilterValue, IsUntyped, NamesOf, ProjectTypes, RelationsOf, TargetOf } from "./types.ts";

/**
 * Conditions on a value. Null matches none of them but `is_null` (or `eq: null`).
 *
 * @typeParam IsText Whether parts of it can be looked for: of a text, not of an id, a time or an exact number.
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

/** A choice and a truth value have none. */
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

/** Without generated types. */
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
        // What is named like its field, such as `created_by`, takes conditions on either of them.
        readonly [Field in keyof FieldsOf<Types, Name>]?:
          | TestOf<Types, Name, Field>
          | (Field extends keyof RelationsOf<Types, Name> ? Where<Types, TargetOf<Types, Name, Field>> : never);
      } & {
        readonly [Relation in Exclude<keyof RelationsOf<Types, Name>, keyof FieldsOf<Types, Name>>]?: Where<
          Types,
          TargetOf<Types, Name, Relation>
        >;
      } & Combined<Where<Types, Name>>;

/** Of the entity's own fields: changes of other records are not followed. */
export type OwnWhere<Types extends ProjectTypes, Name extends string> =
  IsUntyped<Types> extends true
    ? AnyWhere
    : {
        readonly [Field in keyof FieldsOf<Types, Name>]?: TestOf<Types, Name, Field>;
      } & Combined<OwnWhere<Types, Name>>;

/** Fields whose values have an order of their own. What stands within JSON has none. */
export type Ordered<Types extends ProjectTypes, Name extends string> = {
  [Field in keyof FieldsOf<Types, Name>]-?: Field extends `${string}.${string}`
    ? never
    : [NonNullable<FieldsOf<Types, Name>[Field]>] extends [FilterValue]
      ? Field
      : never;
}[keyof FieldsOf<Types, Name>] &
  string;

/** Relations that lead to one record each. */
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
 * Names of fields, and of those of records that are referred to, as far as the API follows relations: `author.name`. What is behind the
 * third one is not looked up: there may be too many names.
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

// One after the other: of two unions at once, TypeScript makes 100,000 names at most.
type Behind<Relation extends string, Inner> = Inner extends string ? `${Relation}.${Inner}` : never;
type Directed<Name> = Name extends string ? Name | `-${Name}` : never;
type PartOfTime<Name> = Name extends string
  ? `${Name}.${"year" | "quarter" | "month" | "week" | "day" | "hour"}`
  : never;

type OneOrMore<Item> = Item | readonly Item[];

/** Field names, `-` before one that descends; of a record that is referred to as `author.name`. */
export type Sort<Types extends ProjectTypes, Name extends string> =
  IsUntyped<Types> extends true ? OneOrMore<string> : OneOrMore<Directed<Path<Types, Name, "ordered">>>;

/** The same without records that are referred to. */
export type OwnSort<Types extends ProjectTypes, Name extends string> =
  IsUntyped<Types> extends true ? OneOrMore<string> : OneOrMore<Directed<Ordered<Types, Name>>>;

/** Fields, those of a record that is referred to, and parts of times: `created_at.month`. */
export type GroupKey<Types extends ProjectTypes, Name extends string> =
  IsUntyped<Types> extends true ? string : Path<Types, Name, "ordered"> | PartOfTime<Path<Types, Name, "times">>;

type Countable<Types extends ProjectTypes, Name extends string> = Ordered<Types, Name>;
type Summable<Types extends ProjectTypes, Name extends string> = Ordered<Types, Name> & NamesOf<Types, Name, "numbers">;
/** All but truth values. */
type Comparable<Types extends ProjectTypes, Name extends string> = {
  [Field in Ordered<Types, Name>]: NonNullable<
    FieldsOf<Types, Name>[Field & keyof FieldsOf<Types, Name>]
  > extends boolean
    ? never
    : Field;
}[Ordered<Types, Name>];

/** Values over records: `count`, and `count`, `count_distinct`, `sum`, `avg`, `min`, `max` of a field. */
export type Calculation<Types extends ProjectTypes, Name extends string> =
  IsUntyped<Types> extends true
    ? string
    :
        | "count"
        | `${"count" | "count_distinct"}(${Countable<Types, Name>})`
        | `${"sum" | "avg"}(${Summable<Types, Name>})`
        | `${"min" | "max"}(${Comparable<Types, Name>})`;

/** By names of what is shown. */
export type SortOfGroups<Shown extends string> = OneOrMore<Directed<Shown>>;

/** One row of values, each under the name that it was asked for by. */
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

/** Null where there is none. */
type FieldValue<Types extends ProjectTypes, Name extends string, Named extends string> =
  Named extends Ordered<Types, Name>
    ? NonNullable<FieldsOf<Types, Name>[Named & keyof FieldsOf<Types, Name>]> | null
    : Named extends `${infer Relation}.${infer Rest}`
      ? Relation extends ToOne<Types, Name>
        ? FieldValue<Types, TargetOf<Types, Name, Relation & keyof RelationsOf<Types, Name>>, Rest>
        : string | null
      : FilterValue | null;
