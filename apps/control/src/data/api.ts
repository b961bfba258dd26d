// What a client sees of a project's rows: the entities of the live version, and pages of their records. Types alone.
import type { Query } from "../procedure.ts";

export interface DataEntity {
  readonly name: string;
  readonly plural: string;
  readonly fields: readonly { readonly name: string; readonly kind: string }[];
}

export type DataRow = Record<string, unknown>;

export interface DataRows {
  readonly data: readonly DataRow[];
  readonly page: { readonly next_cursor: string | null; readonly has_more: boolean };
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
    },
    DataRows
  >;
};
