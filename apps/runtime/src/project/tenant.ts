// The door to a project's rows, as the tenant scope of @plinth/postgres opens it. Types alone.
import type { ProjectId } from "@plinth/bundle";
import type { Confirmation, RowLock, TenantTransaction } from "@plinth/postgres";

/** A row as Postgres wrote it: text or null per column. */
export type TextRow = readonly (string | null)[];

/** See `TenantStatement` in @plinth/postgres. */
export type Lane = "fast" | "earned" | "slow";

export interface TenantRows {
  readonly rows: readonly TextRow[];
  readonly rowCount: number;
  /** In the place of `rows`, where they were asked for so and the fast lane answered. */
  readonly bytes?: Buffer;
  /** There are more rows, which would have made the result too large. */
  readonly cut?: boolean;
}

/** A door to a project's rows: the project's own (`TenantDoor`), or one within a transaction. */
export interface Tenant {
  run(statement: {
    readonly text: string;
    readonly values: readonly (string | null)[];
    readonly lane: Lane;
    /** False for shapes that are seldom repeated: they are not kept prepared. */
    readonly keep?: boolean;
    /** True for what commits. */
    readonly writes?: boolean;
    /** What the slow lane allows it, in milliseconds; the lane's own limit where absent. */
    readonly msMax?: number;
    /** Whether rows may come as bytes. */
    readonly asBytes?: boolean;
    /** Of a read: rows behind so many bytes are left out; the first one never is. */
    readonly bytesMax?: number;
    /** Asked when its turn has come in the slow lane; what it throws refuses the statement. */
    readonly admit?: () => void;
    /** Asked after it in its transaction: where it answers true, the statement is undone and throws Overtaken. */
    readonly confirm?: Confirmation;
    /** Run before it in its transaction; where it comes too late again and again, it throws Overtaken. */
    readonly lock?: RowLock;
    /** Whether all that it wrote is undone behind it; slow lane only. */
    readonly undo?: boolean;
    /** Counters whose numbers it may take. */
    readonly numbers?: readonly string[];
  }): Promise<TenantRows>;
  /** Of a transaction that is only tried: how many numbers of each counter its statements have forecast. */
  readonly tried?: Map<string, number>;
}

/** The only door to a project's rows; `forProject` of the tenant scope in @plinth/postgres satisfies it. */
export interface TenantDoor extends Tenant {
  /** Commits when `work` resolves, rolls back when it rejects; it has a place in the slow lane meanwhile. */
  transaction<Result>(work: (open: TenantTransaction) => Promise<Result>): Promise<Result>;
}

export interface Tenants {
  forProject(project: { readonly projectId: ProjectId }): TenantDoor;
}
