// What a client sees of a project's rows: the entities of the live version, pages of their records, and what an
// owner may do to one. Types alone.
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
  /** Where the last answer has come to; undefined: from now on. */
  readonly after?: string | undefined;
}

export interface RecordChange {
  readonly entity: string;
  /** `resync`: changes may be missing here; the records must be read again. */
  readonly kind: "created" | "updated" | "gone" | "resync";
  readonly id?: string;
  /** As the change left it. */
  readonly record?: DataRow | undefined;
}

export interface RecordChanges {
  /** Of one entity in their order. */
  readonly changes: readonly RecordChange[];
  /** What to ask for next. */
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
      /** field > value, all must be equal. */
      filters?: Record<string, string> | undefined;
      /** The deleted records in the place of the others; owners alone may see them. */
      deleted?: boolean | undefined;
    },
    DataRows
  >;
  /** Answers as soon as something has changed, after some seconds at the latest, and at once where an entity has no `after`. */
  changes: Query<{ projectId: string; entities: FollowedEntity[] }, RecordChanges>;
  /** Brings a deleted record back. The project's rules apply, as to its role `admin`. */
  restore: Mutation<{ projectId: string; entity: string; recordId: string }, DataRow>;
  /** Takes a record along an edge of its state machine. What the edge requires must stand in the record already. */
  transition: Mutation<{ projectId: string; entity: string; recordId: string; edge: string }, DataRow>;
};
