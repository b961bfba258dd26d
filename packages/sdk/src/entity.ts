// The calls of one entity. In: conditions and fields. Out: records, typed by the generated types.
// It never filters or completes anything here: the API decides what a caller sees.
import type { SubscribeOptions, Subscription } from "./subscribe.ts";
import type { Call } from "./transport.ts";
import type { CreateOf, EntityName, ProjectTypes, RecordOf, TransitionOf, UpdateOf, WhereOf } from "./types.ts";

export interface ListOptions<Types extends ProjectTypes, Name extends EntityName<Types>> {
  /** Every field must equal its value. */
  readonly where?: WhereOf<Types, Name>;
  /** Records a page: 20 unless given, at most 100. */
  readonly limit?: number;
  /** Of an earlier page. */
  readonly cursor?: string;
  /** Field names, `-` before one that descends: `"-created_at"`, or several in order. */
  readonly sort?: string | readonly string[];
}

export interface Page<Item> {
  readonly data: readonly Item[];
  /** Where the next page begins; null on the last one. */
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

export interface Records<Types extends ProjectTypes, Name extends EntityName<Types>> {
  /** The records of one page. */
  readonly findMany: (options?: ListOptions<Types, Name>) => Promise<readonly RecordOf<Types, Name>[]>;
  /** One page, and where the next begins. */
  readonly findPage: (options?: ListOptions<Types, Name>) => Promise<Page<RecordOf<Types, Name>>>;
  /** All records, page after page: `for await (const record of entity.iterate())`. */
  readonly iterate: (options?: ListOptions<Types, Name>) => AsyncGenerator<RecordOf<Types, Name>, void, undefined>;
  /** @throws NotFound where there is none, or the caller may not see it. */
  readonly findOne: (id: string) => Promise<RecordOf<Types, Name>>;
  /** Answers with as much of the new record as the caller may read: at least its id. */
  readonly create: (fields: CreateOf<Types, Name>) => Promise<RecordOf<Types, Name>>;
  /** Absent fields stay as they are; null clears an optional one. */
  readonly update: (id: string, fields: UpdateOf<Types, Name>) => Promise<RecordOf<Types, Name>>;
  readonly delete: (id: string) => Promise<void>;
  /** Brings a deleted record back. @throws Conflict where a unique value has been taken since, or it isn't deleted. */
  readonly restore: (id: string) => Promise<RecordOf<Types, Name>>;
  /**
   * Takes an edge of the entity's state machine, with values for what the edge requires.
   * @throws Conflict where the record is in a state that the edge doesn't start from.
   */
  readonly transition: (
    id: string,
    edge: TransitionOf<Types, Name>,
    fields?: UpdateOf<Types, Name>,
  ) => Promise<RecordOf<Types, Name>>;
}

export interface Entity<Types extends ProjectTypes, Name extends EntityName<Types>> extends Records<Types, Name> {
  /** The changes of records as they happen, for entities that are declared with `realtime: true`. */
  readonly subscribe: (
    options?: SubscribeOptions<WhereOf<Types, Name>, RecordOf<Types, Name>>,
  ) => Subscription<RecordOf<Types, Name>>;
}

interface OneReply {
  readonly data: unknown;
}

interface ManyReply {
  readonly data: readonly unknown[];
  readonly page: { readonly next_cursor: string | null; readonly has_more: boolean };
}

export function createRecords<Types extends ProjectTypes, Name extends EntityName<Types>>(
  name: Name,
  call: (call: Call) => Promise<unknown>,
  all: string = `/v1/resources/${encodeURIComponent(name)}`,
): Records<Types, Name> {
  type Item = RecordOf<Types, Name>;
  const one = (id: string): string => {
    // An empty id would address the list.
    if (typeof id !== "string" || id === "") throw new TypeError("the record's id must be a text that is not empty");
    return `${all}/${encodeURIComponent(id)}`;
  };
  const item = async (request: Call): Promise<Item> => ((await call(request)) as OneReply).data as Item;
  const findPage = async (options: ListOptions<Types, Name> = {}): Promise<Page<Item>> => {
    const reply = (await call({ method: "GET", path: all, query: queryOf(options) })) as ManyReply;
    return { data: reply.data as Item[], nextCursor: reply.page.next_cursor, hasMore: reply.page.has_more };
  };
  return {
    findPage,
    findMany: async (options) => (await findPage(options)).data,
    iterate: async function* (options = {}) {
      for (let page = await findPage(options); ; ) {
        yield* page.data;
        if (page.nextCursor === null) return;
        page = await findPage({ ...options, cursor: page.nextCursor });
      }
    },
    findOne: async (id) => item({ method: "GET", path: one(id) }),
    create: (fields) => item({ method: "POST", path: all, body: fields }),
    update: async (id, fields) => item({ method: "PATCH", path: one(id), body: fields }),
    delete: async (id) => {
      await call({ method: "DELETE", path: one(id) });
    },
    restore: (id) => item({ method: "POST", path: `${one(id)}/restore` }),
    transition: (id, edge, fields) =>
      item({ method: "POST", path: `${one(id)}/transitions/${encodeURIComponent(edge)}`, body: fields }),
  };
}

const listParameters = ["limit", "cursor", "sort"];

export function queryOf(options: {
  readonly where?: object;
  readonly limit?: number;
  readonly cursor?: string;
  readonly sort?: string | readonly string[];
}): URLSearchParams {
  const query = new URLSearchParams();
  for (const [field, value] of Object.entries(options.where ?? {})) {
    if (listParameters.includes(field)) throw new TypeError(`a list can't be filtered by a field named ${field}`);
    // Left out, it would widen the list to records that the caller meant to exclude.
    if (!["string", "number", "boolean"].includes(typeof value)) {
      throw new TypeError(`where.${field} must be a text, a number or a boolean; it is ${String(value)}`);
    }
    query.set(field, String(value));
  }
  if (options.limit !== undefined) query.set("limit", String(options.limit));
  if (options.cursor !== undefined) query.set("cursor", options.cursor);
  if (options.sort !== undefined) query.set("sort", [options.sort].flat().join(","));
  return query;
}
