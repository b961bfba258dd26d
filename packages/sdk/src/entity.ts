// The calls of one entity. In: conditions and fields. Out: records, typed by the generated types.
// It never filters or completes anything here: the API decides what a caller sees.
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
  /** Where the next page begins; null on the last one. */
  readonly nextCursor: string | null;
  /** Where the page before ends; null on the first one. */
  readonly previousCursor: string | null;
  readonly hasMore: boolean;
  /** All records of the list, where `count` asks for them. */
  readonly count?: number;
  /** Of an estimate: whether there may be more than it says. */
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
  /** Left out: the distinct groups alone. */
  readonly select?: readonly Select[];
  readonly groupBy?: readonly Group[];
  readonly where?: Where<Types, Name>;
  /** Selected values and groups, with `-` in front for descending order. */
  readonly sort?: SortOfGroups<NoInfer<Select | Group>>;
  readonly limit?: number;
}

/** What lists are read by: all records of an entity, or those of a view. */
export interface Lists<in out Types extends ProjectTypes, in out Name extends EntityName<Types>> {
  /** The records of one page. */
  readonly findMany: <
    const Fields extends FieldName<Types, Name> = never,
    const Expand extends Expansion<Types, Name> = Nothing,
  >(
    options?: ListOptions<Types, Name, Fields, Expand> & CallOptions,
  ) => Promise<readonly Found<Types, Name, Fields, Expand>[]>;
  /** One page, and where the next begins; with `count`, how many records there are on all of them. */
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
  /** The first record of a list; null where it is empty. */
  readonly findFirst: <
    const Fields extends FieldName<Types, Name> = never,
    const Expand extends Expansion<Types, Name> = Nothing,
  >(
    options?: ListOptions<Types, Name, Fields, Expand> & CallOptions & { readonly limit?: never },
  ) => Promise<Found<Types, Name, Fields, Expand> | null>;
}

export interface Records<in out Types extends ProjectTypes, in out Name extends EntityName<Types>>
  extends Lists<Types, Name> {
  /** A list that the blueprint declares: its conditions hold beside those given here, and its order unless one is given. */
  readonly view: (name: ViewOf<Types, Name>) => Lists<Types, Name>;
  /**
   * By its id, or by a unique key: `{ sku: "x" }`, and of several fields `{ "list_id,position": ["x", 1] }`.
   * @throws NotFound where there is none, or the caller may not see it.
   */
  readonly findOne: <
    const Fields extends FieldName<Types, Name> = never,
    const Expand extends Expansion<Types, Name> = Nothing,
  >(
    key: string | KeyOf<Types, Name>,
    options?: Shown<Types, Name, Fields, Expand> & CallOptions,
  ) => Promise<Found<Types, Name, Fields, Expand>>;
  /** How many records match. */
  readonly count: (where?: Where<Types, Name>, options?: CallOptions) => Promise<number>;
  /** One row for each group, each value under the name that it was asked for by. */
  readonly aggregate: <
    const Select extends Calculation<Types, Name> = never,
    const Group extends GroupKey<Types, Name> = never,
  >(
    options: AggregateOptions<Types, Name, Select, Group>,
  ) => Promise<readonly Row<Types, Name, Select | Group>[]>;
  /**
   * Answers with as much of the new record as the caller may read: at least its id. Records that refer to it may stand beside its
   * fields, `lines: [{ ... }]`: all or none of them are created with it.
   */
  readonly create: <
    const Fields extends FieldName<Types, Name> = never,
    const Expand extends Expansion<Types, Name> = Nothing,
  >(
    fields: CreateOf<Types, Name> & NewChildren<Types, Name>,
    options?: Shown<Types, Name, Fields, Expand> & Omit<WriteOptions, "version">,
  ) => Promise<Answered<Types, Name, Fields, Expand>>;
  /** Creates the record with that unique key, or updates the one that has it. With a `version`, it updates only. */
  readonly upsert: <
    const Fields extends FieldName<Types, Name> = never,
    const Expand extends Expansion<Types, Name> = Nothing,
  >(
    key: KeyOf<Types, Name>,
    fields: Partial<CreateOf<Types, Name>> & ChangedChildren<Types, Name>,
    options?: Shown<Types, Name, Fields, Expand> & WriteOptions,
  ) => Promise<Answered<Types, Name, Fields, Expand>>;
  /** Absent fields stay as they are; null clears an optional one. Of children it is said what to do: `lines: { create: [{ ... }] }`. */
  readonly update: <
    const Fields extends FieldName<Types, Name> = never,
    const Expand extends Expansion<Types, Name> = Nothing,
  >(
    key: string | KeyOf<Types, Name>,
    fields: UpdateOf<Types, Name> & ChangedChildren<Types, Name>,
    options?: Shown<Types, Name, Fields, Expand> & WriteOptions,
  ) => Promise<Answered<Types, Name, Fields, Expand>>;
  readonly delete: (key: string | KeyOf<Types, Name>, options?: WriteOptions) => Promise<void>;
  /** Creates 1 to 100 records, all or none; with `mode: "each"` each by itself, and the results say what became of it. */
  readonly createMany: <const Mode extends ManyMode = "all">(
    records: readonly CreateOf<Types, Name>[],
    options?: ManyOptions<Mode>,
  ) => Promise<readonly Written<RecordOf<Types, Name>, Mode>[]>;
  /** Changes 1 to 100 records, as `createMany` creates them; each may say the version that it is for. */
  readonly updateMany: <const Mode extends ManyMode = "all">(
    changes: readonly ({ readonly id: string; readonly version?: number } & UpdateOf<Types, Name>)[],
    options?: ManyOptions<Mode>,
  ) => Promise<readonly Written<RecordOf<Types, Name>, Mode>[]>;
  /** Deletes 1 to 100 records, all or none: then there are no results. */
  readonly deleteMany: <const Mode extends ManyMode = "all">(
    ids: readonly string[],
    options?: ManyOptions<Mode>,
  ) => Promise<Mode extends "each" ? readonly Result<undefined>[] : void>;
  /** Brings a deleted record back. @throws Conflict where a unique value has been taken since, or it isn't deleted. */
  readonly restore: (id: string, options?: WriteOptions) => Promise<RecordOf<Types, Name>>;
  /**
   * Takes an edge of the entity's state machine, with values for what the edge requires.
   * @throws Conflict where the record is in a state that the edge doesn't start from.
   */
  readonly transition: (
    id: string,
    edge: TransitionOf<Types, Name>,
    fields?: UpdateOf<Types, Name>,
    options?: WriteOptions,
  ) => Promise<RecordOf<Types, Name>>;
}

/** What of a written record comes back: what was asked for, else all of it that the caller may read. */
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
  /** The changes of records as they happen, for entities that are declared with `realtime: true`. */
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
  // What comes back is what the generated types say of this name.
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

/** The path of one record, by its id or a unique key. @throws TypeError where it would name something else. */
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
