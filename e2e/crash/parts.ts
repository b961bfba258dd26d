// Processes that are killed and come back, as under a supervisor: what ends, for whatever reason, is started again a moment later.
import type { ChildProcess } from "node:child_process";

export interface Part {
  readonly name: string;
  /** Ends it without warning, and starts it again. */
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
