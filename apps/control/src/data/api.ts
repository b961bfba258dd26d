// A project's rows as clients see them: the entities of the live version, pages of their records, and changes of one record.
// Types only.
import type { Mutation, Query } from "../procedure.ts";

export interface DataEntity {
  readonly name: string;
  readonly plural: string;
  readonly fields: readonly { readonly name: string; readonly kind: string }[];
  /** Whether its changes can be followed. */
  readonly realtime: boolean;
}

export type DataRow = Record<string, unknown>;

export interface DataRows {
  readonly data: readonly DataRow[];
  readonly page: { readonly next_cursor: string | null; readonly has_more: boolean };
}

export interface FollowedEntity {
  readonly entity: string;
  /** The position of the last answer. If undefined, changes from now on. */
  readonly after?: string | undefined;
}

export interface RecordChange {
  readonly entity: string;
  /** `resync`: changes may be missing here, so the records must be read again. */
  readonly kind: "created" | "updated" | "gone" | "resync";
  readonly id?: string;
  /** The record after the change. */
  readonly record?: DataRow | undefined;
}

export interface RecordChanges {
  /** The changes of each entity are in their order. */
  readonly changes: readonly RecordChange[];
  /** The positions for the next call. */
  readonly entities: readonly FollowedEntity[];
}

export type DataProcedures = {
  entities: Query<{ projectId: string }, readonly DataEntity[]>;
  rows: Query<
    {
      projectId: string;
      /** The entity's singular name. */
      entity: string;
      cursor?: string | undefined;
      limit?: number | undefined;
      /** `field` or `-field`. */
      sort?: string | undefined;
      /** `field` or `field[operator]` > value. All must match. */
      filters?: Record<string, string> | undefined;
      /** Only deleted records instead of the others. Only owners can see them. */
      deleted?: boolean | undefined;
    },
    DataRows
  >;
  /** Answers as soon as something has changed, at the latest after some seconds, or immediately if an entity has no `after`. */
  changes: Query<{ projectId: string; entities: FollowedEntity[] }, RecordChanges>;
  /** Creates a record. If the project's API refuses values, BAD_REQUEST has the fields in the error's `data.fields`. */
  create: Mutation<{ projectId: string; entity: string; values: Record<string, unknown> }, DataRow>;
  /** Changes only the fields in `values`. CONFLICT if the record has a newer version than `version`. */
  update: Mutation<
    { projectId: string; entity: string; recordId: string; version: number; values: Record<string, unknown> },
    DataRow
  >;
  /** CONFLICT as for `update`, and if other records prevent it. */
  remove: Mutation<{ projectId: string; entity: string; recordId: string; version: number }, { deleted: true }>;
  /** Restores a deleted record. The project's rules for its role `admin` apply. */
  restore: Mutation<{ projectId: string; entity: string; recordId: string }, DataRow>;
  /** Takes a transition of a record's state machine. The record must already have the values that the transition requires. */
  transition: Mutation<{ projectId: string; entity: string; recordId: string; edge: string }, DataRow>;
};
