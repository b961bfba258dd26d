// Processes that are killed and restarted, as by a supervisor: a process that ends for any reason is started again a
// moment later.
import type { ChildProcess } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { startEmbeddedServer } from "@plinth/postgres/embedded";
import { createLogger } from "@plinth/service";

export interface Part {
  readonly name: string;
  /** Kills it without warning, and starts it again. */
  readonly kill: () => Promise<void>;
  readonly end: () => void;
}

const RESTART_MS = 200;

export function restarted(name: string, first: ChildProcess, again: () => ChildProcess): Part {
  let child = first;
  let isOver = false;
  const watch = (watched: ChildProcess): void => {
    watched.once("exit", () => {
      if (isOver) return;
      setTimeout(() => {
        if (isOver) return;
        child = again();
        watch(child);
      }, RESTART_MS);
    });
  };
  watch(child);
  return {
    name,
    kill: async () => void child.kill("SIGKILL"),
    end: () => {
      isOver = true;
      child.kill("SIGKILL");
    },
  };
}

/** An embedded Postgres without a supervisor. */
export function databaseOf(home: string, firstPid: number): Part {
  let pid = firstPid;
  return {
    name: "postgres",
    kill: async () => {
      process.kill(pid, "SIGKILL");
      pid = await startAgain(home);
    },
    end: () => {},
  };
}

/** On a busy machine, the killed server's processes take some time to notice that they are orphans. */
async function startAgain(home: string): Promise<number> {
  const logger = createLogger({ name: "crash", level: "fatal" });
  for (let attempt = 1; ; attempt++) {
    await pause(300);
    try {
      return (await startEmbeddedServer({ home, logger, samePort: true })).pid;
    } catch (error) {
      if (attempt === 20) throw error;
    }
  }
}
