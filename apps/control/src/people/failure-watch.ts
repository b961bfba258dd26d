// Database failures that better-auth hides behind responses of its own, such as a successful sign-out although the session still
// exists. In: its adapter, and calls of it. Out: the failure, if there was one during the call.
import { AsyncLocalStorage } from "node:async_hooks";
import { asFault } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { DBAdapter, DBTransactionAdapter } from "better-auth";

export interface FailureWatch {
  /** The same adapter, with its failures recorded. */
  adapter(adapter: DBAdapter): DBAdapter;
  /** Other database work that better-auth starts. */
  note<T>(work: () => Promise<T>): Promise<T>;
  /**
   * @throws Fault `unavailable` if the database was unreachable or had no space left during the call, whatever the call returned.
   */
  during<T>(call: () => Promise<T>): Promise<T>;
}

type Method = (...given: unknown[]) => Promise<unknown>;

export function createFailureWatch(): FailureWatch {
  const calls = new AsyncLocalStorage<{ failure: Fault | null }>();
  const note = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      const fault = asFault(error);
      const call = calls.getStore();
      if (call !== undefined && fault instanceof Fault && fault.code === "unavailable") call.failure ??= fault;
      throw error;
    }
  };
  const noted = <Adapter extends DBTransactionAdapter>(adapter: Adapter): Adapter =>
    new Proxy(adapter, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return (...given: unknown[]) => note(() => (value as Method).apply(target, given));
      },
    });
  return {
    note,
    adapter: (adapter) => ({
      ...noted(adapter),
      transaction: (callback) => note(() => adapter.transaction((trx) => callback(noted(trx)))),
    }),
    during: async (call) => {
      const state: { failure: Fault | null } = { failure: null };
      const outcome = await calls.run(state, call).catch((error: unknown) => {
        throw state.failure ?? error;
      });
      if (state.failure !== null) throw state.failure;
      return outcome;
    },
  };
}
