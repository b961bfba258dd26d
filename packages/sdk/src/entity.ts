// The calls of one entity. In: conditions and fields. Out: records, typed by the generated types. It never filters or
// completes anything: the API decides what a caller sees.
import type { Calculation, GroupKey, OwnWhere, Row, SortOfGroups, Where } from "./conditions.ts";
import {
  type Expansion,
  type FieldName,
  type Found,
  type ListOptions,
  type Nothing,
  queryOf,
  type Shown,
  shownOf,
} from "./reading.ts";
import type { SubscribeOptions, Subscription } from "./subscribe.ts";
import type { Call } from "./transport.ts";
import type {
  ChangedChildren,
  CreateOf,
  EntityName,
  KeyOf,
  NewChildren,
  ProjectTypes,
  RecordOf,
  TransitionOf,
  UpdateOf,
  ViewOf,
  WithChildren,
} from "./types.ts";
import {
  type CallOptions,
  endOf,
  type ManyMode,
  type ManyOptions,
  outcomesOf,
  type Result,
  type WriteOptions,
  type Written,
  writeOf,
} from "./writing.ts";

export interface Page<Item> {
  readonly data: readonly Item[];
  /** The cursor of the next page; null on the last one. */
  readonly nextCursor: string | null;
  /** The cursor of the previous page; null on the first one. */
  readonly previousCursor: string | null;
  readonly hasMore: boolean;
  /** The number of all records in the list, if `count` asks for it. */
  readonly count?: number;
  /** For an estimate: whether the real number can be higher. */
  readonly countIs?: "exact" | "at_least";
}

// The types of a project are `in out` here and elsewhere. Otherwise TypeScript compares the calls of two imagined projects to find the
// variance, which takes seconds (compile-cost.test.ts).
export interface AggregateOptions<
  in out Types extends ProjectTypes,
  in out Name extends EntityName<Types>,
  Select extends Calculation<Types, Name> = Calculation<Types, Name>,
  Group extends GroupKey<Types, Name> = GroupKey<Types, Name>,
> extends CallOptions {
  /** Without it, only the distinct groups. */
  readonly select?: readonly Select[];
  readonly groupBy?: readonly Group[];
  readonly where?: Where<Types, Name>;
  /** Selected values and groups, with `-` in front for descending order. */
  readonly sort?: SortOfGroups<NoInfer<Select | Group>>;
  readonly limit?: number;
}

/** Read operations of a list: all records of an entity, or those of a view. */
export interface Lists<in out Types extends ProjectTypes, in out Name extends EntityName<Types>> {
  /** The records of one page. */
  readonly findMany: <
    const Fields extends FieldName<Types, Name> = never,
    const Expand extends Expansion<Types, Name> = Nothing,
  >(
    options?: ListOptions<Types, Name, Fields, Expand> & CallOptions,
  ) => Promise<readonly Found<Types, Name, Fields, Expand>[]>;
  /** One page with its cursors; with `count`, also the number of records on all pages. */
  readonly findPage: <
    const Fields extends FieldName<Types, Name> = never,
    const Expand extends Expansion<Types, Name> = Nothing,
  >(
    options?: ListOptions<Types, Name, Fields, Expand> & CallOptions & Counted,
  ) => Promise<Page<Found<Types, Name, Fields, Expand>>>;
  /** All records, page after page: `for await (const record of entity.iterate())`. */
  readonly iterate: <
    const Fields extends FieldName<Types, Name> = never,
    const Expand extends Expansion<Types, Name> = Nothing,
  >(
    options?: ListOptions<Types, Name, Fields, Expand> & CallOptions,
  ) => AsyncGenerator<Found<Types, Name, Fields, Expand>, void, undefined>;
  /** The first record of a list; null if it is empty. */
  readonly findFirst: <
    const Fields extends FieldName<Types, Name> = never,
    const Expand extends Expansion<Types, Name> = Nothing,
  >(
    options?: ListOptions<Types, Name, Fields, Expand> & CallOptions & { readonly limit?: never },
  ) => Promise<Found<Types, Name, Fields, Expand> | null>;
}

export interface Records<in out Types extends ProjectTypes, in out Name extends EntityName<Types>>
  extends Lists<Types, Name> {
  /**
   * A view of the blueprint: its conditions apply in addition to those given here, and its order unless one is given.
   */
  readonly view: (name: ViewOf<Types, Name>) => Lists<Types, Name>;
  /**
   * By its id, or by a unique key: `{ sku: "x" }`, or with several fields `{ "list_id,position": ["x", 1] }`.
   * @throws NotFound if there is none, or if the caller can't see it.
   */
  readonly findOne: <
    const Fields extends FieldName<Types, Name> = never,
    const Expand extends Expansion<Types, Name> = Nothing,
  >(
    key: string | KeyOf<Types, Name>,
    options?: Shown<Types, Name, Fields, Expand> & CallOptions,
  ) => Promise<Found<Types, Name, Fields, Expand>>;
  /** The number of matching records. */
  readonly count: (where?: Where<Types, Name>, options?: CallOptions) => Promise<number>;
  /** One row for each group, with each value under its requested name. */
  readonly aggregate: <
    const Select extends Calculation<Types, Name> = never,
    const Group extends GroupKey<Types, Name> = never,
  >(
    options: AggregateOptions<Types, Name, Select, Group>,
  ) => Promise<readonly Row<Types, Name, Select | Group>[]>;
  /**
   * Returns the new record with the fields that the caller can read: at least its id. The input can contain records
   * that refer to it, `lines: [{ ... }]`: they are created together, all or none.
   */
  readonly create: <
    const Fields extends FieldName<Types, Name> = never,
    const Expand extends Expansion<Types, Name> = Nothing,
  >(
    fields: CreateOf<Types, Name> & NewChildren<Types, Name>,
    options?: Shown<Types, Name, Fields, Expand> & Omit<WriteOptions, "version">,
  ) => Promise<Answered<Types, Name, Fields, Expand>>;
  /** Creates the record with this unique key, or updates the existing one. With a `version`, it only updates. */
  readonly upsert: <
    const Fields extends FieldName<Types, Name> = never,
    const Expand extends Expansion<Types, Name> = Nothing,
  >(
    key: KeyOf<Types, Name>,
    fields: Partial<CreateOf<Types, Name>> & ChangedChildren<Types, Name>,
    options?: Shown<Types, Name, Fields, Expand> & WriteOptions,
  ) => Promise<Answered<Types, Name, Fields, Expand>>;
  /**
   * Absent fields stay unchanged; null empties an optional one. For children, say what to do: `lines: { create: [{ ...
   * }] }`.
   */
  readonly update: <
    const Fields extends FieldName<Types, Name> = never,
    const Expand extends Expansion<Types, Name> = Nothing,
  >(
    key: string | KeyOf<Types, Name>,
    fields: UpdateOf<Types, Name> & ChangedChildren<Types, Name>,
    options?: Shown<Types, Name, Fields, Expand> & WriteOptions,
  ) => Promise<Answered<Types, Name, Fields, Expand>>;
  readonly delete: (key: string | KeyOf<Types, Name>, options?: WriteOptions) => Promise<void>;
  /** Creates 1 to 100 records, all or none; with `mode: "each"` each on its own, with one result for each. */
  readonly createMany: <const Mode extends ManyMode = "all">(
    records: readonly CreateOf<Types, Name>[],
    options?: ManyOptions<Mode>,
  ) => Promise<readonly Written<RecordOf<Types, Name>, Mode>[]>;
  /** Changes 1 to 100 records, with the same modes as `createMany`; each can have a version. */
  readonly updateMany: <const Mode extends ManyMode = "all">(
    changes: readonly ({ readonly id: string; readonly version?: number } & UpdateOf<Types, Name>)[],
    options?: ManyOptions<Mode>,
  ) => Promise<readonly Written<RecordOf<Types, Name>, Mode>[]>;
  /** Deletes 1 to 100 records, all or none: then there are no results. */
  readonly deleteMany: <const Mode extends ManyMode = "all">(
    ids: readonly string[],
    options?: ManyOptions<Mode>,
  ) => Promise<Mode extends "each" ? readonly Result<undefined>[] : void>;
  /** Restores a deleted record. @throws Conflict if a unique value is taken now, or if the record isn't deleted. */
  readonly restore: (id: string, options?: WriteOptions) => Promise<RecordOf<Types, Name>>;
  /**
   * Takes a transition of the entity's state machine, with values for its required fields.
   * @throws Conflict if the transition doesn't start from the record's state.
   */
  readonly transition: (
    id: string,
    edge: TransitionOf<Types, Name>,
    fields?: UpdateOf<Types, Name>,
    options?: WriteOptions,
  ) => Promise<RecordOf<Types, Name>>;
}

/** The fields of the written record in the reply: the requested ones, or all that the caller can read. */
type Answered<Types extends ProjectTypes, Name extends EntityName<Types>, Fields, Expand> = [
  Fields | keyof Expand,
] extends [never]
  ? WithChildren<Types, Name>
  : Found<Types, Name, Fields, Expand>;

interface Counted {
  readonly count?: "exact" | "estimated";
}

export interface Entity<in out Types extends ProjectTypes, in out Name extends EntityName<Types>>
  extends Records<Types, Name> {
  /** Live changes of records, for entities with `realtime: true`. */
  readonly subscribe: (
    options?: SubscribeOptions<OwnWhere<Types, Name>, RecordOf<Types, Name>>,
  ) => Subscription<RecordOf<Types, Name>>;
}

interface OneReply {
  readonly data: unknown;
}

interface ManyReply {
  readonly data: readonly never[];
  readonly page: {
    readonly next_cursor: string | null;
    readonly prev_cursor?: string | null;
    readonly has_more: boolean;
    readonly count?: number;
    readonly count_is?: "exact" | "at_least";
  };
}

export function createRecords<Types extends ProjectTypes, Name extends EntityName<Types>>(
  name: Name,
  call: (call: Call) => Promise<unknown>,
  all: string = `/v1/resources/${encodeURIComponent(name)}`,
): Records<Types, Name> {
  const one = (key: unknown): string => keyPath(all, key);
  // The generated types describe the result for this name.
  const item = async (request: Call): Promise<never> => ((await call(request)) as OneReply).data as never;
  const many = async (path: string, query: URLSearchParams, options: CallOptions): Promise<ManyReply> =>
    (await call({ method: "GET", path, query, ...endOf(options) })) as ManyReply;
  const listsAt = (path: string): Lists<Types, Name> => {
    const findPage = async (options: ListOptions<Types, Name> & CallOptions & Counted = {}): Promise<Page<never>> => {
      const { count: asked } = options;
      const { data, page } = await many(path, queryOf(options, asked === undefined ? {} : { count: asked }), options);
      const {
        next_cursor: nextCursor,
        prev_cursor: previousCursor = null,
        has_more: hasMore,
        count,
        count_is: countIs,
      } = page;
      return {
        data,
        nextCursor,
        previousCursor,
        hasMore,
        ...(count !== undefined && { count }),
        ...(countIs && { countIs }),
      };
    };
    return {
      findPage,
      findMany: async (options) => (await findPage(options)).data,
      iterate: async function* (options) {
        for (let page = await findPage(options); ; ) {
          yield* page.data;
          if (page.nextCursor === null) return;
          page = await findPage({ ...options, cursor: page.nextCursor });
        }
      },
      findFirst: async (options) => (await findPage({ ...options, limit: 1 })).data[0] ?? null,
    };
  };
  const writeMany = async (method: Call["method"], body: object, options: ManyOptions = {}): Promise<never> => {
    const { data } = (await call({ method, path: all, body, ...writeOf(options) })) as OneReply;
    return (options.mode === "each" ? outcomesOf(data) : data) as never;
  };
  return {
    ...listsAt(all),
    view: (view) => listsAt(`${all}/${encodeURIComponent(view)}`),
    findOne: async (key, options) =>
      item({
        method: "GET",
        path: one(key),
        query: queryOf(options ?? {}),
        ...endOf(options),
      }),
    count: async (where, options = {}) => {
      const query = queryOf(where === undefined ? {} : { where }, { select: "count" });
      return (await many(`${all}/aggregate`, query, options)).data[0]?.["count"] ?? 0;
    },
    aggregate: async (options) => {
      const { select = [], groupBy = [] } = options;
      const more = {
        ...(select.length > 0 && { select: select.join(",") }),
        ...(groupBy.length > 0 && { group_by: groupBy.join(",") }),
      };
      return (await many(`${all}/aggregate`, queryOf(options, more), options)).data;
    },
    create: (fields, options) =>
      item({ method: "POST", path: all, body: fields, ...writeOf(options, shownOf(options)) }),
    upsert: async (key, fields, options) =>
      item({ method: "PUT", path: one(key), body: fields, ...writeOf(options, shownOf(options)) }),
    update: async (key, fields, options) =>
      item({ method: "PATCH", path: one(key), body: fields, ...writeOf(options, shownOf(options)) }),
    delete: async (key, options) => {
      await call({ method: "DELETE", path: one(key), ...writeOf(options) });
    },
    createMany: (records, options) => writeMany("POST", records, options),
    updateMany: (changes, options) => writeMany("PATCH", changes, options),
    deleteMany: async (ids, options) => {
      const reply = await call({ method: "DELETE", path: all, ...writeOf(options, { "id[in]": ids.join(",") }) });
      return (reply === undefined ? undefined : outcomesOf((reply as OneReply).data)) as never;
    },
    restore: async (id, options) => item({ method: "POST", path: `${one(id)}/restore`, ...writeOf(options) }),
    transition: async (id, edge, fields, options) =>
      item({
        method: "POST",
        path: `${one(id)}/transitions/${encodeURIComponent(edge)}`,
        body: fields,
        ...writeOf(options),
      }),
  };
}

/** The path of one record, by its id or a unique key. @throws TypeError if it would address something else. */
export function keyPath(all: string, key: unknown): string {
  if (typeof key === "string" && key !== "") return `${all}/${encodeURIComponent(key)}`;
  // An empty id would address the list.
  if (typeof key !== "object" || key === null) throw new TypeError("the record's id must be a non-empty text");
  const [[name, value] = ["", ""], ...more] = Object.entries(key);
  const values: readonly unknown[] = [value].flat();
  if (name === "" || more.length > 0 || values.some((each) => each === undefined || each === null || each === "")) {
    throw new TypeError('a key is one field with its value, or { "a,b": [x, y] }');
  }
  return `${all}/by/${name}/${values.map((each) => encodeURIComponent(String(each))).join(",")}`;
}
