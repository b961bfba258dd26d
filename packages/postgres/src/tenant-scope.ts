// The only way to a tenant's rows. In: a project and a statement. Out: raw rows, or a transaction under its worker
// role. It never runs a text that Postgres has not proven under that project's own role (prove-statement.ts), and never
// lets one project use more than its share of either lane.
import { type Budget, FairQueue, Fault } from "@plinth/service";
import type { ClientBase, Pool, PoolClient } from "pg";
import { type Confirmation, confirmed, type RowLock, takeLocks } from "./around-statement.ts";
import { asFault, isConnectionLoss, isStatementTimeout, isTimeout } from "./errors.ts";
import { type FastLane, NoLongerWanted } from "./fast-lane.ts";
import { costOf, type LaneQuery } from "./lane-connection.ts";
import { type RawResult, ResultTooLarge } from "./lane-statement.ts";
import { createLargeResults, isLargeResult, LARGE_BYTES, readPieces, sizeOf } from "./large-results.ts";
import { withClient } from "./lend.ts";
import { lowerPriority, metered } from "./local-backend.ts";
import { Noise, Pace } from "./pace.ts";
import { createRawQuery } from "./prepared-statements.ts";
import { proveStatement } from "./prove-statement.ts";
import { createProvenTexts, type ProvenText } from "./proven-texts.ts";
import { beginTransaction, type SessionLimits } from "./session.ts";
import { type TenantNames, tenantNames } from "./tenant-names.ts";
import { cut } from "./watchdog.ts";

export type TenantLimits = {
  /** Transactions and slow statements at the same time, for all projects. Default 12. */
  readonly slowPlaces?: number;
  /** The same for one project. Default 2. */
  readonly slowPerProject?: number;
  /** The number of waiting ones for one project: a burst of a new statement shape. Default 1000. */
  readonly slowWaitingMax?: number;
  /**
   * The time that one project can use in the slow lane in the long run. Default: half of each second, half a second in
   * advance.
   */
  readonly slowBudget?: Budget;
  /**
   * How far backends on this machine give way. Default 12: they get a fifteenth of another's time; a dozen get less
   * than one.
   */
  readonly slowNiceness?: number;
  /** Default 2000. */
  readonly slowStatementMs?: number;
  /** Default 1000. */
  readonly slowLockMs?: number;
  /** The number of transaction texts that each connection of the slow lane keeps prepared. Default 0. */
  readonly slowKeptMax?: number;
  /** The maximum memory for the proven texts of one project. Default 2 MB. */
  readonly provenBytesPerProject?: number;
  /** The same for all projects; beyond it, the least recently used project is forgotten. Default 64 MB. */
  readonly provenBytesMax?: number;
};

export type TenantScopeOptions = {
  readonly fastLane: FastLane;
  /** The slow lane's pool; it connects with the same role as the fast lane. */
  readonly pool: Pool;
  readonly limits?: TenantLimits;
};

export type TenantStatement = {
  readonly text: string;
  readonly values: readonly unknown[];
  /**
   * "fast": short whatever the rows are, such as a read by id. "earned": its time depends on the rows, so it uses the
   * slow lane until it has been short a few times. Both leave the fast lane if they were long there. "slow": always the
   * slow lane.
   */
  readonly lane: "fast" | "earned" | "slow";
  /** False for rare shapes: they are not kept prepared. Default true. */
  readonly keep?: boolean;
  /**
   * True for statements that commit: they wait for the disk, and Postgres flushes several connections at once, so
   * writes are spread over the lane. Reads of a project share a connection, and with it its prepared statements.
   * Default false.
   */
  readonly writes?: boolean;
  /** Its time limit in the slow lane, in ms. Default: the scope's own limit. */
  readonly msMax?: number;
  /** In the fast lane, its rows come as `bytes`, without conversion to text. Default false. */
  readonly asBytes?: boolean;
  /** For a read: rows beyond this many bytes are left out (`cut`), except the first. Default: no limit. */
  readonly bytesMax?: number;
  /** Called when its turn has come in the slow lane; an error that it throws refuses the statement. */
  readonly admit?: () => void;
  /** Runs before it in its transaction, so that its snapshot is later than what it waited for; slow lane only. */
  readonly lock?: RowLock;
  /** Runs after it in its transaction, with its own snapshot; slow lane only. */
  readonly confirm?: Confirmation;
  /**
   * True for a dry run: it runs normally, and everything that it wrote is rolled back. Slow lane only. Default false.
   */
  readonly undo?: boolean;
};

/** `cut`: there are more rows, which would have made the result too large. */
export type TenantResult = RawResult & { readonly cut?: boolean };

export type TenantTransaction = {
  /** Rows of raw text, as from `run`. @param bytesMax For a read: rows beyond this many bytes are left out. */
  query(text: string, values?: readonly unknown[], bytesMax?: number): Promise<TenantResult>;
  /** The same for a text that runs many times: its connection keeps it prepared. */
  repeat(text: string, values: readonly unknown[]): Promise<TenantResult>;
  /** The client itself, under the worker role until the transaction ends. */
  readonly client: ClientBase;
};

export type ProjectScope = TenantNames & {
  /** @throws UnprovenStatement, Fault (unavailable, timeout), or the server's error about this statement */
  run(statement: TenantStatement): Promise<TenantResult>;
  /** Commits when `work` resolves, rolls back when it rejects. A time limit becomes the Fault `timeout`. */
  transaction<Result>(work: (transaction: TenantTransaction) => Promise<Result>): Promise<Result>;
  /** Proves a text before its first use, so that no request waits for it. */
  prove(text: string): Promise<void>;
};

export type TenantScope = {
  forProject(project: { readonly projectId: string }): ProjectScope;
  /**
   * Forgets a project: it is no longer served, or was deployed, so that a view or a function may mean something else
   * now. Its texts are proven again.
   */
  forget(projectId: string): void;
  /** How long no place of the slow lane has become free; 0 if one is free. */
  stalledMs(): number;
  /** Running and waiting work in the slow lane. */
  load(): { readonly running: number; readonly waiting: number };
};

/** The number of texts of frequent transactions that a connection keeps prepared. */
const REPEATED_KEPT_MAX = 8;

/** Ends a transaction without a commit, with the result of its statement. */
class Undone extends Error {
  readonly result: TenantResult;
  constructor(result: TenantResult) {
    super("A statement was tried and rolled back");
    this.name = "Undone";
    this.result = result;
  }
}

const slowWaitMsMax = 5_000;
/** Before that. */
const largeWaitMsMax = 2_000;
/** Statements with longer parameters, in characters, use the slow lane: Postgres parses, compresses and logs them. */
const FAST_VALUES_MAX = 32_768;
/** A larger result of a read is left to the slow lane, which fetches it in pieces. */
const FAST_BYTES_MAX = 2 * LARGE_BYTES;
/**
 * Large results cost more than the statement: the one thread that serves everybody reads them, converts them to JSON
 * and sends them.
 */
const BYTES_PER_MS = 10_000;

export function createTenantScope(options: TenantScopeOptions): TenantScope {
  const { fastLane, pool } = options;
  const limits = {
    slowPlaces: 12,
    slowPerProject: 2,
    slowWaitingMax: 1_000,
    slowNiceness: 12,
    slowStatementMs: 2_000,
    slowLockMs: 1_000,
    slowKeptMax: 0,
    slowBudget: { msPerSecond: 500, burstMs: 500 },
    provenBytesPerProject: 2_000_000,
    provenBytesMax: 64_000_000,
    ...options.limits,
  };
  const slowLimits: SessionLimits = { statementTimeoutMs: limits.slowStatementMs, lockTimeoutMs: limits.slowLockMs };
  const proven = createProvenTexts(limits);
  const slow = new FairQueue({
    places: limits.slowPlaces,
    placesPerProject: limits.slowPerProject,
    waitingMax: limits.slowWaitingMax,
    waitMsMax: slowWaitMsMax,
    budget: limits.slowBudget,
    refusal: tooManySlow,
  });
  const large = createLargeResults({
    waitingMax: limits.slowWaitingMax,
    waitMsMax: largeWaitMsMax,
    refusal: tooManySlow,
  });
  const rawQuery = createRawQuery(limits.slowKeptMax);
  const repeatedQuery = limits.slowKeptMax > 0 ? rawQuery : createRawQuery(REPEATED_KEPT_MAX);
  const noise = new Noise();
  pool.on("connect", (client) => lowerPriority(client, limits.slowNiceness));

  /**
   * @param account The owner of places and budget: a project's statements have one, its transactions (sign-ins)
   * another.
   */
  const inSlowLane = <Result>(account: string, work: (client: PoolClient) => Promise<Result>): Promise<Result> =>
    slow
      .run(account, (hasCost, whenLate) =>
        withClient(pool, (client) => {
          whenLate(() => cut(client, "A transaction took too long"));
          return metered(client, work, hasCost);
        }).catch((error: unknown) => {
          // The project doesn't pay for the silence of a lost connection.
          if (isConnectionLoss(error)) hasCost(0);
          throw error;
        }),
      )
      .catch((error: unknown) => {
        throw asFault(error);
      });

  const textOf = (names: TenantNames, { text, lane }: Pick<TenantStatement, "text" | "lane">): ProvenText => {
    const texts = proven.of(names.projectId);
    const known = texts.get(text);
    if (known !== undefined) return known;
    // A proof plans the statement. Callers can invent new shapes, so a proof takes its turn like everything that can be
    // long.
    const proof = inSlowLane(names.projectId, (client) => proveStatement(client, names, text)).then(
      () => {
        made.proof = true;
      },
      (error: unknown) => {
        // Refusals are not remembered either: they are bugs, and a lost connection is not a refusal.
        texts.delete(text);
        throw isTimeout(error) ? slowTimeout(error) : asFault(error);
      },
    );
    const made: ProvenText = { proof, pace: new Pace(lane === "fast"), lastBytes: 0 };
    texts.set(text, made);
    return made;
  };

  const transaction = <Result>(
    names: TenantNames,
    work: (transaction: TenantTransaction) => Promise<Result>,
    statementTimeoutMs: number = slowLimits.statementTimeoutMs,
    account: string = `${names.projectId} transactions`,
  ): Promise<Result> =>
    inSlowLane(account, async (client) => {
      await beginTransaction(client, names.worker, { ...slowLimits, statementTimeoutMs });
      const query: TenantTransaction["query"] = (text, values = [], bytesMax) =>
        bytesMax === undefined ? rawQuery(client, text, values) : readPieces(client, text, values, bytesMax);
      const repeat: TenantTransaction["repeat"] = (text, values) => repeatedQuery(client, text, values);
      const result = await work({ client, query, repeat });
      const { command } = await client.query("COMMIT");
      // Postgres answers a COMMIT after a failed statement with a rollback, and reports it as a success.
      if (command !== "COMMIT") throw new Error("A transaction continued after one of its statements had failed");
      return result;
    }).catch((error: unknown) => {
      throw isTimeout(error) ? slowTimeout(error) : error;
    });

  const runSlow = async (names: TenantNames, statement: TenantStatement, known: ProvenText): Promise<TenantResult> => {
    for (;;) {
      const expected = known.lastBytes;
      await large.turn(names.projectId, expected);
      const result = await runInPlace(names, statement, known, expected);
      if (result !== null) return result;
    }
  };

  /** Null: its results were larger than expected while it waited for its place. */
  const runInPlace = (
    names: TenantNames,
    { text, values, bytesMax, admit, msMax, lock, confirm, undo }: TenantStatement,
    known: ProvenText,
    expectedBytes: number,
  ): Promise<TenantResult | null> =>
    transaction(
      names,
      async ({ query }) => {
        if (isLargeResult(known.lastBytes) && !isLargeResult(expectedBytes)) return null;
        admit?.();
        if (lock !== undefined) await takeLocks(lock, query);
        const result = await query(text, values, bytesMax);
        // A short statement with a large result still can't use the fast lane.
        known.lastBytes = bytesMax === undefined ? 0 : sizeOf(result.rows);
        if (isLargeResult(known.lastBytes)) {
          slow.charge(names.projectId, known.lastBytes / BYTES_PER_MS);
          known.pace.failTrial(performance.now());
        }
        await confirmed(confirm, result, query);
        if (undo === true) throw new Undone(result);
        return result;
      },
      msMax,
      names.projectId,
    ).catch((error: unknown) => {
      if (error instanceof Undone) return error.result;
      throw error;
    });

  /** Null: it was not run, or was rolled back as a whole. */
  const tryOut = async (names: TenantNames, statement: TenantStatement, pace: Pace): Promise<TenantResult | null> => {
    const isWanted = (): boolean => pace.lane === "slow" && pace.mayTry(performance.now());
    if (!isWanted()) return null;
    try {
      const result = await fastLane.tryOut(names.projectId, laneQuery(statement), isWanted);
      if (result === null) return null;
      const { costMs, ...found } = result;
      pace.note(costMs, performance.now(), noise.factor);
      return found;
    } catch (error) {
      if (!isCutShort(error)) throw error;
      pace.failTrial(performance.now());
      return null;
    }
  };

  const run = async (names: TenantNames, statement: TenantStatement): Promise<TenantResult> => {
    const known = textOf(names, statement);
    if (known.proof !== true) await known.proof;
    for (const extra of [statement.lock, statement.confirm]) {
      if (extra !== undefined) await textOf(names, { text: extra.text, lane: "slow" }).proof;
    }
    const { pace } = known;
    if (statement.lane === "slow" || isLarge(statement.values)) return runSlow(names, statement, known);
    if (pace.lane === "slow") {
      const shown = await tryOut(names, statement, pace);
      if (shown !== null) return shown;
    }
    // Other calls may have proven it meanwhile.
    if (pace.lane === "slow") return runSlow(names, statement, known);
    try {
      const { costMs, ...result } = await fastLane.query({
        ...laneQuery(statement),
        project: names.projectId,
        expectedMs: pace.expectedMs,
        writes: statement.writes === true,
        isWanted: () => pace.lane === "fast",
      });
      if (pace.isShort && statement.writes !== true) noise.note(costMs);
      pace.note(costMs, performance.now(), noise.factor);
      return result;
    } catch (error) {
      if (error instanceof NoLongerWanted) return runSlow(names, statement, known);
      if (!isCutShort(error)) {
        pace.note(costOf(error), performance.now(), noise.factor);
        throw error;
      }
      // It can run again in the slow lane. A statement that reached its timeout was long, or the machine was slow, so
      // it counts as one long run.
      if (isStatementTimeout(error)) pace.note(costOf(error), performance.now(), noise.factor);
      else pace.lose(performance.now());
      return runSlow(names, statement, known);
    }
  };

  return {
    forProject({ projectId }) {
      const names = tenantNames(projectId);
      return {
        ...names,
        run: (statement) => run(names, statement),
        transaction: (work) => transaction(names, work),
        prove: async (text) => {
          await textOf(names, { text, lane: "fast" }).proof;
        },
      };
    },
    forget: proven.forget,
    stalledMs: () => slow.stalledMs(),
    load: () => slow.load(),
  };
}

/** Rolled back as a whole, or a read. */
function isCutShort(error: unknown): boolean {
  return isTimeout(error) || error instanceof ResultTooLarge;
}

function laneQuery({ text, values, keep, bytesMax, asBytes = false }: TenantStatement): LaneQuery {
  const name = keep === false ? null : "kept";
  return { text, values, name, asBytes, ...(bytesMax === undefined ? {} : { bytesMax: FAST_BYTES_MAX }) };
}

function isLarge(values: readonly unknown[]): boolean {
  let size = 0;
  for (const value of values) if (typeof value === "string") size += value.length;
  return size > FAST_VALUES_MAX;
}

/** It has waited for its turn in the slow lane as long as it may, and was not run. */
export class TurnMissed extends Fault {}

function tooManySlow(why: "full" | "late" | "endless"): Fault {
  if (why === "endless") return new Fault("timeout", { detail: "The request took too long." });
  const detail = "Too many slow requests of this project are running.";
  const headers = { "retry-after": "1" };
  return why === "full"
    ? new Fault("unavailable", { detail, headers })
    : new TurnMissed("timeout", { detail, headers });
}

function slowTimeout(cause: unknown): Fault {
  return new Fault("timeout", { detail: "The database took too long to answer.", cause });
}
