// Hooks for React, based on TanStack Query. In: a client. Out: hooks for reading, with cached and shared results; hooks
// for writing, which show a change before the reply and then refresh the lists; and lists that stay up to date.
import {
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryOptions,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useMemo, useSyncExternalStore } from "react";
import type { Client, Question } from "./client.ts";
import type { Page } from "./entity.ts";
import { type LiveOptions, type LiveSnapshot, live } from "./live.ts";
import { forgotten, patched, type Writing } from "./react-cache.ts";
import type { Expansion, FieldName, Found, Known, ListOptions, Nothing, Shown } from "./reading.ts";
import type {
  AnyProject,
  ChangedChildren,
  CreateOf,
  EntityName,
  KeyOf,
  NewChildren,
  ProjectTypes,
  RecordOf,
  UpdateOf,
  ViewOf,
  WithChildren,
} from "./types.ts";
import type { CallOptions, WriteOptions } from "./writing.ts";

/**
 * Options of TanStack Query. The client already retries calls that are safe to repeat, so `retry` is off by default.
 */
export type QuerySettings = Pick<UseQueryOptions, "enabled" | "staleTime" | "gcTime" | "refetchInterval" | "retry">;

interface Named {
  readonly id: string;
}

export interface CreateVariables<Types extends ProjectTypes, Name extends EntityName<Types>>
  extends Omit<WriteOptions, "version"> {
  readonly fields: CreateOf<Types, Name> & NewChildren<Types, Name>;
}

export interface UpdateVariables<Types extends ProjectTypes, Name extends EntityName<Types>>
  extends WriteOptions,
    Named {
  readonly fields: UpdateOf<Types, Name> & ChangedChildren<Types, Name>;
}

export interface DeleteVariables extends WriteOptions, Named {}

export interface Hooks<in out Types extends ProjectTypes> {
  readonly useFindMany: <
    const Name extends EntityName<Types>,
    const Fields extends FieldName<Types, Name> = never,
    const Expand extends Expansion<Types, Name> = Nothing,
  >(
    name: Name,
    options?: ListOptions<Types, Name, Fields, Expand>,
    settings?: QuerySettings,
  ) => UseQueryResult<readonly Found<Types, Name, Fields, Expand>[]>;
  /** The records of a view. */
  readonly useView: <
    const Name extends EntityName<Types>,
    const Fields extends FieldName<Types, Name> = never,
    const Expand extends Expansion<Types, Name> = Nothing,
  >(
    name: Name,
    view: ViewOf<Types, Name>,
    options?: ListOptions<Types, Name, Fields, Expand>,
    settings?: QuerySettings,
  ) => UseQueryResult<readonly Found<Types, Name, Fields, Expand>[]>;
  /** Asks what the caller can do: one answer for each question, in order. */
  readonly useCan: <const Asked extends Question<Types>>(
    questions: readonly (Asked & Known<Asked, Question<Types>>)[],
    settings?: QuerySettings,
  ) => UseQueryResult<readonly (Asked & { readonly allowed: boolean })[]>;
  /** By id or by a unique key. */
  readonly useFindOne: <
    const Name extends EntityName<Types>,
    const Fields extends FieldName<Types, Name> = never,
    const Expand extends Expansion<Types, Name> = Nothing,
  >(
    name: Name,
    key: string | KeyOf<Types, Name>,
    options?: Shown<Types, Name, Fields, Expand>,
    settings?: QuerySettings,
  ) => UseQueryResult<Found<Types, Name, Fields, Expand>>;
  /** Page after page: `fetchNextPage()` while `hasNextPage`. */
  readonly useInfiniteFindMany: <
    const Name extends EntityName<Types>,
    const Fields extends FieldName<Types, Name> = never,
    const Expand extends Expansion<Types, Name> = Nothing,
  >(
    name: Name,
    options?: ListOptions<Types, Name, Fields, Expand> & { readonly cursor?: never },
    settings?: QuerySettings,
  ) => UseInfiniteQueryResult<InfiniteData<Page<Found<Types, Name, Fields, Expand>>, string | null>>;
  readonly useCreate: <const Name extends EntityName<Types>>(
    name: Name,
  ) => UseMutationResult<WithChildren<Types, Name>, Error, CreateVariables<Types, Name>>;
  /**
   * Shows the change at once, and reverts it if it is refused: with a `version`, also if somebody else has changed the
   * record first.
   */
  readonly useUpdate: <const Name extends EntityName<Types>>(
    name: Name,
  ) => UseMutationResult<WithChildren<Types, Name>, Error, UpdateVariables<Types, Name>, unknown>;
  /** Removes the record from the lists at once, and restores it if the delete is refused. */
  readonly useDelete: <const Name extends EntityName<Types>>(
    name: Name,
  ) => UseMutationResult<void, Error, DeleteVariables, unknown>;
  /** For an entity with `realtime: true`; it follows while the component is shown. */
  readonly useLive: <const Name extends EntityName<Types>>(
    name: Name,
    options?: Omit<LiveOptions<Types, Name>, keyof CallOptions>,
  ) => LiveSnapshot<RecordOf<Types, Name>>;
}

/**
 * Hooks of one client. Create them once, outside of components.
 *
 * @param scope Separates the data of this client from that of another one in the same QueryClient. Clear the
 * QueryClient at sign-in and sign-out, because its data was read as another user.
 */
export function createHooks<Types extends ProjectTypes = AnyProject>(
  db: Client<Types>,
  scope = "plinth",
): Hooks<Types> {
  // `Hooks` has the types of inputs and results; inside, records are plain records.
  const entity = (name: EntityName<Types>) => db.entity(name) as never as Untyped;
  const keyOf = (name: string, ...more: readonly unknown[]): readonly unknown[] => [scope, name, ...more];

  return {
    useFindMany: (name, options, settings) =>
      useQuery({
        retry: false,
        ...settings,
        queryKey: keyOf(name, "many", options ?? {}),
        queryFn: ({ signal }) => entity(name).findMany({ ...options, signal }),
      }) as never,
    useView: (name, view, options, settings) =>
      useQuery({
        retry: false,
        ...settings,
        queryKey: keyOf(name, "view", view, options ?? {}),
        queryFn: ({ signal }) =>
          entity(name)
            .view(view)
            .findMany({ ...options, signal }),
      }) as never,
    useCan: (questions, settings) =>
      useQuery({
        retry: false,
        ...settings,
        queryKey: keyOf("", "can", questions),
        queryFn: ({ signal }) => db.can(questions as never, { signal }),
      }) as never,
    useFindOne: (name, key, options, settings) =>
      useQuery({
        retry: false,
        ...settings,
        queryKey: keyOf(name, "one", key, options ?? {}),
        queryFn: ({ signal }) => entity(name).findOne(key, { ...options, signal }),
      }) as never,
    useInfiniteFindMany: (name, options, settings) =>
      useInfiniteQuery({
        retry: false,
        ...(settings as object),
        queryKey: keyOf(name, "pages", options ?? {}),
        queryFn: ({ signal, pageParam }) =>
          entity(name).findPage({ ...options, ...(pageParam !== null && { cursor: pageParam }), signal }),
        initialPageParam: null as string | null,
        getNextPageParam: (last) => last.nextCursor,
      }) as never,
    useCreate: (name) =>
      useWrite(
        [scope, name],
        ({ fields, ...options }) => entity(name).create(fields, options),
        (data) => data,
      ),
    useUpdate: (name) =>
      useWrite(
        [scope, name],
        ({ id, fields, ...options }) => entity(name).update(id, fields, options),
        (data, { id, fields }) => patched(data, id, fields),
      ),
    useDelete: (name) =>
      useWrite(
        [scope, name],
        ({ id, ...options }) => entity(name).delete(id, options),
        (data, { id }) => forgotten(data, id),
      ),
    useLive: (name, options) => {
      const asked = JSON.stringify(options ?? {});
      // The request identifies the data, not the object that makes it.
      const list = useMemo(() => live(db.entity(name), JSON.parse(asked)), [name, asked]);
      return useSyncExternalStore(list.subscribe, list.getSnapshot, list.getSnapshot);
    },
  };
}

type MutationKey = readonly [scope: string, name: string];

function useWrite(key: MutationKey, run: Writing["run"], guess: Writing["guess"]): never {
  const queries = useQueryClient();
  return useMutation({
    mutationKey: key,
    mutationFn: run,
    onMutate: async (given: Writing["given"]) => {
      // A running read would put the old values back.
      await queries.cancelQueries({ queryKey: key });
      const before = queries.getQueriesData({ queryKey: key });
      for (const [each, data] of before) queries.setQueryData(each, guess(data, given));
      return before;
    },
    onError: (_error, _given, before) => {
      for (const [each, data] of before ?? []) queries.setQueryData(each, data);
    },
    // Lists of other entities can show the changed record: in an expansion, a count, a condition. The last of several
    // writes refreshes all of them.
    onSettled: async () => {
      const [scope] = key;
      if (queries.isMutating({ mutationKey: [scope] }) === 1) await queries.invalidateQueries({ queryKey: [scope] });
    },
  }) as never;
}

interface Untyped {
  readonly findMany: (options: object) => Promise<readonly object[]>;
  readonly findPage: (options: object) => Promise<Page<object>>;
  readonly view: (name: string) => Pick<Untyped, "findMany">;
  readonly findOne: (key: string | object, options: object) => Promise<object>;
  readonly create: (fields: object, options: object) => Promise<object>;
  readonly update: (id: string, fields: object, options: object) => Promise<object>;
  readonly delete: (id: string, options: object) => Promise<void>;
}
