// The only way to a tenant's rows. In: a project and a statement. Out: raw rows, or a transaction under its worker role.
// Never runs a text that Postgres has not vouched for under that project's own role (prove-statement.ts), and never
// lets one project take more of the slow lane than its share.
import { Fault } from "@plinth/service";
import type { ClientBase, Pool, PoolClient } from "pg";
import { BoundedMap } from "./bounded-map.ts";
import { asFault, isTimeout } from "./errors.ts";
import type { FastLane } from "./fast-lane.ts";
import type { RawResult, RawRow } from "./lane-connection.ts";
import { proveStatement } from "./prove-statement.ts";
import { Semaphore } from "./semaphore.ts";
import { beginTransactionSql, type SessionLimits } from "./session.ts";
import { type TenantNames, tenantNames } from "./tenant-names.ts";

export type TenantLimits = {
  /** Transactions and slow statements of one project at once. Default 4. */
  readonly slowPerProject?: number;
  /** Those waiting beyond them. Default 100. */
  readonly slowWaitingMax?: number;
  /** Default 2000. */
  readonly slowStatementMs?: number;
  /** Default 1000. */
  readonly slowLockMs?: number;
  /** Proven texts remembered per project. Default 2000. */
  readonly provenTextsMax?: number;
  /** Projects remembered. Default 5000. */
  readonly projectsMax?: number;
};

export type TenantScopeOptions = {
  readonly fastLane: FastLane;
  /** The slow lane's pool; connected as the same role as the fast lane. */
  readonly pool: Pool;
  readonly limits?: TenantLimits;
};

export type TenantStatement = {
  readonly text: string;
  readonly values: readonly unknown[];
  /** "fast": expected within the lane's timeouts; falls back to the slow lane when it was not. */
  readonly lane: "fast" | "slow";
  /** False for shapes that are seldom repeated: they are not kept prepared. Default true. */
  readonly keep?: boolean;
  /**
   * True for what commits: it waits for the disk, and Postgres flushes for several connections at once, so writes are
   * spread over the lane. Reads of a project share a connection, and with it its prepared statements. Default false.
   */
  readonly writes?: boolean;
  /** What the slow lane allows it, in ms. Default: the scope's own limit. */
  readonly msMax?: number;
  /** Asked after it in its transaction, with a snapshot of its own; slow lane only. */
  readonly confirm?: Confirmation;
};

/** A look at what others have committed while the statement waited for their locks. */
export type Confirmation = {
  /** Its first column is true where the statement has missed something: all of it is undone then. */
  readonly text: string;
  /** From the statement's own row; null where there is nothing to ask. */
  readonly values: (row: RawRow | undefined) => readonly unknown[] | null;
};

/** Others have come in between: the statement was undone, and may be run again. */
export class Overtaken extends Error {
  constructor() {
    super("A statement has missed what others committed while it waited");
    this.name = "Overtaken";
  }
}

export type TenantTransaction = {
  /** Rows of raw text, as `run` gives them. */
  query(text: string, values?: readonly unknown[]): Promise<RawResult>;
  /** The client itself, under the worker role until the transaction ends. */
  readonly client: ClientBase;
};

export type ProjectScope = TenantNames & {
  /** @throws UnprovenStatement, Fault (unavailable, timeout), or the server's error about this statement */
  run(statement: TenantStatement): Promise<RawResult>;
  /** Commits when `work` resolves, rolls back when it rejects. Limits of time surface as Fault `timeout`. */
  transaction<Result>(work: (transaction: TenantTransaction) => Promise<Result>): Promise<Result>;
  /** Proves a text ahead of its first use, so that no request pays for it. */
  prove(text: string): Promise<void>;
};

export type TenantScope = {
  forProject(project: { readonly projectId: string }): ProjectScope;
  /** After a deploy: a view or a function may mean something else now, so texts are proven again. */
  forget(projectId: string): void;
};

type ProjectState = {
  readonly scope: ProjectScope;
  readonly slow: Semaphore;
  /** Single flight: callers that meet an unproven text together wait for one proof. */
  proven: BoundedMap<string, Promise<void> | true>;
};

const rawTypes = { getTypeParser: () => (text: string) => text };
const slowWaitMsMax = 5_000;

export function createTenantScope(options: TenantScopeOptions): TenantScope {
  const { fastLane, pool } = options;
  const limits = {
    slowPerProject: 4,
    slowWaitingMax: 100,
    slowStatementMs: 2_000,
    slowLockMs: 1_000,
    provenTextsMax: 2_000,
    projectsMax: 5_000,
    ...options.limits,
  };
  const slowLimits: SessionLimits = { statementTimeoutMs: limits.slowStatementMs, lockTimeoutMs: limits.slowLockMs };
  const projects = new BoundedMap<string, ProjectState>(limits.projectsMax);

  const connect = (): Promise<PoolClient> =>
    pool.connect().catch((error: unknown) => {
      throw asFault(error);
    });

  const prove = (state: ProjectState, text: string): Promise<void> | true => {
    const known = state.proven.get(text);
    if (known !== undefined) return known;
    const { proven } = state;
    const proof = withClient(connect, (client) => proveStatement(client, state.scope, text)).then(
      () => proven.set(text, true),
      (error: unknown) => {
        // Refusals are not remembered either: they are bugs, and a lost connection is no refusal.
        proven.delete(text);
        throw isTimeout(error) ? slowTimeout(error) : asFault(error);
      },
    );
    proven.set(text, proof);
    return proof;
  };

  const transaction = <Result>(
    state: ProjectState,
    work: (transaction: TenantTransaction) => Promise<Result>,
    statementTimeoutMs: number = slowLimits.statementTimeoutMs,
  ): Promise<Result> =>
    state.slow.run(() =>
      withClient(connect, async (client) => {
        await client.query(beginTransactionSql(state.scope.worker, { ...slowLimits, statementTimeoutMs }));
        const result = await work({ client, query: (text, values = []) => rawQuery(client, text, values) });
        const { command } = await client.query("COMMIT");
        // Postgres answers a COMMIT after a failed statement with a rollback, and calls that a success.
        if (command !== "COMMIT") throw new Error("A transaction went on after one of its statements had failed");
        return result;
      }).catch((error: unknown) => {
        throw isTimeout(error) ? slowTimeout(error) : error;
      }),
    );

  const runSlow = (state: ProjectState, statement: TenantStatement): Promise<RawResult> =>
    transaction(
      state,
      async (open) => {
        const result = await open.query(statement.text, statement.values);
        const { confirm } = statement;
        const values = confirm?.values(result.rows[0]) ?? null;
        if (confirm !== undefined && values !== null) {
          const [row] = (await open.query(confirm.text, values)).rows;
          if (row?.[0] === "t") throw new Overtaken();
        }
        return result;
      },
      statement.msMax,
    );

  const run = async (state: ProjectState, statement: TenantStatement): Promise<RawResult> => {
    const proof = prove(state, statement.text);
    if (proof !== true) await proof;
    if (statement.confirm !== undefined) await prove(state, statement.confirm.text);
    if (statement.lane === "slow") return runSlow(state, statement);
    try {
      return await fastLane.query({
        name: statement.keep === false ? null : "kept",
        text: statement.text,
        values: statement.values,
        ...(statement.writes === true ? {} : { affinity: state.scope.projectId }),
      });
    } catch (error) {
      // Timed out, hence undone as a whole: it may run again where it may wait.
      if (!isTimeout(error)) throw error;
      return runSlow(state, statement);
    }
  };

  const stateOf = (projectId: string): ProjectState => {
    const known = projects.get(projectId);
    if (known !== undefined) return known;
    const state: ProjectState = {
      scope: {
        ...tenantNames(projectId),
        run: (statement) => run(state, statement),
        transaction: (work) => transaction(state, work),
        prove: async (text) => {
          await prove(state, text);
        },
      },
      slow: new Semaphore(limits.slowPerProject, limits.slowWaitingMax, slowWaitMsMax),
      proven: new BoundedMap(limits.provenTextsMax),
    };
    projects.set(projectId, state);
    return state;
  };

  return {
    forProject: ({ projectId }) => stateOf(projectId).scope,
    forget(projectId) {
      const state = projects.get(projectId);
      if (state !== undefined) state.proven = new BoundedMap(limits.provenTextsMax);
    },
  };
}

/** A connection for one piece of work; it goes back only when it is known to be outside any transaction. */
async function withClient<Result>(
  connect: () => Promise<PoolClient>,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await connect();
  // Between a loss of the connection and the next query there is no promise to reject, only this event.
  const ignore = (): void => {};
  client.on("error", ignore);
  let broken: Error | undefined;
  try {
    return await work(client);
  } catch (error) {
    await client.query("ROLLBACK").catch((rollback: Error) => {
      broken = rollback;
    });
    throw asFault(error);
  } finally {
    client.off("error", ignore);
    client.release(broken);
  }
}

async function rawQuery(client: ClientBase, text: string, values: readonly unknown[]): Promise<RawResult> {
  const result = await client.query({
    text,
    values: values as unknown[],
    rowMode: "array",
    queryMode: "extended",
    types: rawTypes,
  } as never as { text: string; rowMode: "array" });
  return { rows: result.rows as RawRow[], rowCount: result.rowCount ?? 0 };
}

function slowTimeout(cause: unknown): Fault {
  return new Fault("timeout", { detail: "The database took too long to answer.", cause });
}
