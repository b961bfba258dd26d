// The way to a tenant's rows for imports and exports, which take minutes. In: a project and work. Out: the result of
// the work. It has its own connections, so no request ever waits for one, and its backends have a lower priority than
// those of requests. Each project has one place; after each transaction, other projects get their turn.
import { FairQueue, Fault } from "@plinth/service";
import type { Pool, PoolClient } from "pg";
import { asFault } from "./errors.ts";
import { withClient } from "./lend.ts";
import { lowerPriority } from "./local-backend.ts";
import { beginTransaction, limitIdle } from "./session.ts";
import { type TenantNames, tenantNames } from "./tenant-names.ts";
import { cut } from "./watchdog.ts";

export interface BulkTransaction extends TenantNames {
  /** Under the worker role of the project. */
  readonly client: PoolClient;
  /** Runs a query in the same transaction as the cell itself, for the cell's own tables. */
  asCell<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result>;
  /**
   * Creates an empty table that is dropped at the end of the transaction, because a worker role can't create one.
   * @param name A name from this code base.
   */
  makeTable(name: string, as: Temporary): Promise<void>;
}

/** The definition of a table for one transaction: its columns, or the columns of a SELECT that is not run. */
type Temporary = { readonly columns: string } | { readonly like: string };

export interface BulkScope {
  /**
   * Commits when `work` resolves, rolls back when it rejects. @throws Fault `unavailable` if too much work is waiting.
   */
  transaction<Result>(projectId: string, work: (transaction: BulkTransaction) => Promise<Result>): Promise<Result>;
  /**
   * A read-only view of one moment, until it is closed. The caller limits how long that is. @param idleMsMax The longest
   * time between two statements; soon after it, Postgres ends the view itself.
   */
  snapshot(projectId: string, idleMsMax: number): Promise<Snapshot>;
}

export interface Snapshot {
  readonly client: PoolClient;
  close(): Promise<void>;
}

/** The priority of backends on this machine, the same as in the slow lane. */
const NICENESS = 12;
/** The caller closes it first. */
const IDLE_MARGIN_MS = 15_000;
const LIMITS = { statementTimeoutMs: 60_000, lockTimeoutMs: 5_000 };
/** For all statements of one transaction. */
const WORK_MS_MAX = 600_000;
const WAITING_MAX = 2;
const WAIT_MS_MAX = 20_000;

/**
 * @param options.places Simultaneous transactions of all projects. The pool has this number of connections, and one for
 * each snapshot.
 */
export function createBulkScope({ pool, places }: { readonly pool: Pool; readonly places: number }): BulkScope {
  const queue = new FairQueue({
    places,
    placesPerProject: 1,
    waitingMax: WAITING_MAX,
    waitMsMax: WAIT_MS_MAX,
    workMsMax: WORK_MS_MAX,
    refusal: () =>
      new Fault("unavailable", {
        detail: "Other imports are under way in this cell.",
        headers: { "retry-after": "5" },
      }),
  });
  pool.on("connect", (client) => lowerPriority(client, NICENESS));

  const run = <Result>(
    names: TenantNames,
    work: (transaction: BulkTransaction) => Promise<Result>,
    whenLate: (stop: () => void) => void,
  ): Promise<Result> =>
    withClient(pool, async (client) => {
      whenLate(() => cut(client, "A transaction took too long"));
      await beginTransaction(client, names.worker, LIMITS);
      const asCell: BulkTransaction["asCell"] = async (own) => {
        await client.query("SET LOCAL ROLE NONE");
        const result = await own(client);
        await client.query(`SET LOCAL ROLE "${names.worker}"`);
        return result;
      };
      const makeTable: BulkTransaction["makeTable"] = async (name, as) => {
        const shape = "columns" in as ? `(${as.columns}) ON COMMIT DROP` : `ON COMMIT DROP AS ${as.like} WITH NO DATA`;
        await client.query(
          [
            "SET LOCAL ROLE NONE",
            `CREATE TEMP TABLE ${name} ${shape}`,
            `GRANT SELECT, INSERT ON pg_temp.${name} TO "${names.worker}"`,
            `SET LOCAL ROLE "${names.worker}"`,
          ].join("; "),
        );
      };
      const result = await work({ ...names, client, asCell, makeTable });
      const { command } = await client.query("COMMIT");
      if (command !== "COMMIT") throw new Error("A transaction went on after one of its statements had failed");
      return result;
    }).catch((error: unknown) => {
      throw asFault(error);
    });

  return {
    transaction: (projectId, work) =>
      queue.run(projectId, (_, whenLate) => run(tenantNames(projectId), work, whenLate)),
    snapshot: async (projectId, idleMsMax) => {
      const client = await connect(pool);
      try {
        await beginTransaction(client, tenantNames(projectId).worker, LIMITS);
        await client.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
        // Between two pages, its reader writes to a disk. Without a limit, a lost connection would keep the view open.
        await limitIdle(client, idleMsMax + IDLE_MARGIN_MS);
      } catch (error) {
        client.release(error as Error);
        throw asFault(error);
      }
      return {
        client,
        close: async () => {
          const broken = await client.query("ROLLBACK").then(
            () => undefined,
            (error: Error) => error,
          );
          client.release(broken);
        },
      };
    },
  };
}

function connect(pool: Pool): Promise<PoolClient> {
  return pool.connect().catch((error: unknown) => {
    throw asFault(error);
  });
}
