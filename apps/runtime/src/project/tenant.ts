// The access to a project's rows, as the tenant scope of @plinth/postgres provides it. Types only.
import type { ProjectId } from "@plinth/bundle";
import type { Confirmation, RowLock, TenantTransaction } from "@plinth/postgres";

/** A row as Postgres wrote it: text or null per column. */
export type TextRow = readonly (string | null)[];

/** See `TenantStatement` in @plinth/postgres. */
export type Lane = "fast" | "earned" | "slow";

export interface TenantRows {
  readonly rows: readonly TextRow[];
  readonly rowCount: number;
  /** Replaces `rows` if bytes were requested and the fast lane answered. */
  readonly bytes?: Buffer;
  /** There are more rows, which would have made the result too large. */
  readonly cut?: boolean;
}

/** Access to a project's rows: the project's own (`TenantDoor`), or one within a transaction. */
export interface Tenant {
  run(statement: {
    readonly text: string;
    readonly values: readonly (string | null)[];
    readonly lane: Lane;
    /** False for statements that are rarely repeated: they are not kept prepared. */
    readonly keep?: boolean;
    /** True for statements that commit something. */
    readonly writes?: boolean;
    /** The time limit in the slow lane, in milliseconds; if absent, the lane's own limit. */
    readonly msMax?: number;
    /** Whether rows can be returned as bytes. */
    readonly asBytes?: boolean;
    /** For a read: rows beyond this number of bytes are left out, except the first one. */
    readonly bytesMax?: number;
    /** Called when the statement's turn comes in the slow lane. If it throws, the statement is refused. */
    readonly admit?: () => void;
    /**
     * Called after the statement in its transaction. If it returns true, the statement is rolled back and throws
     * Overtaken.
     */
    readonly confirm?: Confirmation;
    /** Run before the statement in its transaction. If it comes too late again and again, it throws Overtaken. */
    readonly lock?: RowLock;
    /** Whether everything that the statement wrote is rolled back afterwards; slow lane only. */
    readonly undo?: boolean;
    /** Counters whose numbers it may take. */
    readonly numbers?: readonly string[];
  }): Promise<TenantRows>;
  /** In a dry run's transaction: how many numbers of each counter its statements have forecast. */
  readonly tried?: Map<string, number>;
}

/** The only access to a project's rows. `forProject` of the tenant scope in @plinth/postgres implements it. */
export interface TenantDoor extends Tenant {
  /** Commits when `work` resolves, and rolls back when it rejects. It has a place in the slow lane meanwhile. */
  transaction<Result>(work: (open: TenantTransaction) => Promise<Result>): Promise<Result>;
}

export interface Tenants {
  forProject(project: { readonly projectId: ProjectId }): TenantDoor;
}
