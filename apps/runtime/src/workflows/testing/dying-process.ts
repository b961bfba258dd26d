// A process that dies, or is delayed, at a chosen moment: the access of an executor to the outside. In: a project's
// scope, a way to call out, and when and how it dies. Out: the same; after its death nothing gets through.
import type { ProjectScope } from "@plinth/postgres";
import type { Outbound } from "../../outbound/call.ts";

/**
 * `before`, `undone`, `after`: it dies before a transaction or a call, before its commit (or once the call is recorded
 * and not yet made), after it. `cut`: Postgres closes the connection during the transaction; the process lives.
 * `stall`: it is delayed until another process takes the run over, and then continues.
 */
export type Doom = "before" | "undone" | "after" | "cut" | "stall";

export interface Fate {
  readonly doom: Doom;
  /** Transactions and calls until then. */
  readonly at: number;
}

export class Died extends Error {
  constructor() {
    super("the process has died");
    this.name = "Died";
  }
}

export interface Process {
  readonly scope: ProjectScope;
  readonly outbound: Outbound;
  readonly isDead: () => boolean;
}

export interface World {
  readonly scope: ProjectScope;
  readonly outbound: Outbound;
  /** Ends a connection of Postgres. */
  readonly cut: (backend: string) => Promise<unknown>;
  /** Another process takes over this one's runs. */
  readonly overtake: () => Promise<void>;
}

export function startProcess({ scope, outbound, cut, overtake }: World, fate: Fate | null): Process {
  let left = fate?.at ?? Number.POSITIVE_INFINITY;
  let isDead = false;
  const die = (): never => {
    isDead = true;
    throw new Died();
  };
  /** The fate of this transaction or call; null if it succeeds. */
  const next = (): Doom | null => {
    if (isDead) throw new Died();
    left--;
    return left === 0 ? (fate?.doom ?? null) : null;
  };
  return {
    isDead: () => isDead,
    scope: {
      ...scope,
      async run(statement) {
        const doom = next();
        if (doom === "before") die();
        const result = await scope.run(statement);
        return doom === null || doom === "cut" || doom === "stall" ? result : die();
      },
      async transaction(work) {
        const doom = next();
        if (doom === "before") die();
        if (doom === "stall") await overtake();
        const result = await scope.transaction(async (open) => {
          const backend = doom === "cut" ? await open.query("SELECT pg_backend_pid()") : null;
          const result = await work(open);
          if (doom === "undone") die();
          if (backend !== null) await cut(String(backend.rows[0]?.[0]));
          return result;
        });
        return doom === "after" ? die() : result;
      },
    },
    outbound: {
      async call(project, prepare) {
        const doom = next();
        if (doom === "before") die();
        if (doom === "stall") await overtake();
        const reply = await outbound.call(project, async () => {
          const request = await prepare();
          if (doom !== "undone") return request;
          const begin = async (): Promise<never> => {
            await request.begin?.();
            return die();
          };
          return { ...request, begin };
        });
        return doom === "after" ? die() : reply;
      },
    },
  };
}
