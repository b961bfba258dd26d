// Hashes passwords with argon2id, in a process of lower priority. In: a project and a password. Out: a hash, or whether
// the password matches one. It never stores a password, takes the same time with and without an account, and serves the
// projects in turn.
import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { FairQueue, Fault } from "@plinth/service";
import type { PasswordAnswer, PasswordTask } from "./password-process.ts";

export interface Passwords {
  /** @throws Fault `unavailable` if too many tasks of the project are waiting. */
  hash(project: string, password: string): Promise<string>;
  /** A missing hash takes the time of a wrong password, and never matches. @throws Fault `unavailable`. */
  verify(project: string, stored: string | null, password: string): Promise<boolean>;
  stop(): Promise<void>;
}

/**
 * 46 MiB each, so only few run at a time, and one processor stays free for everything else. If the queue is full, the
 * caller is told to come back.
 */
export function createPasswords(
  options: { concurrencyMax?: number; waitingMax?: number; taskMsMax?: number } = {},
): Passwords {
  const { concurrencyMax = usualConcurrency(), waitingMax = 32, taskMsMax = TASK_MS_MAX } = options;
  const queue = new FairQueue({
    places: concurrencyMax,
    placesPerProject: concurrencyMax,
    waitingMax,
    waitMsMax: 10_000,
    refusal: () => busy("Too many people are signing in at once."),
  });
  const hasher = createHasher(taskMsMax);
  let decoy: Promise<string> | undefined;

  const decoyHash = (project: string): Promise<string> => {
    decoy ??= hash(project, randomBytes(32).toString("base64")).catch((error: unknown) => {
      decoy = undefined;
      throw error;
    });
    return decoy;
  };
  const hash = async (project: string, password: string): Promise<string> =>
    (await queue.run(project, () => hasher.run({ kind: "hash", password }))) as string;

  return {
    hash,
    async verify(project, stored, password) {
      const against = stored ?? (await decoyHash(project));
      const fits = await queue.run(project, () => hasher.run({ kind: "verify", stored: against, password }));
      return fits === true && stored !== null;
    },
    stop: hasher.stop,
  };
}

function usualConcurrency(): number {
  return Math.min(4, Math.max(1, availableParallelism() - 1));
}

type Work<Task = PasswordTask> = Task extends PasswordTask ? Omit<Task, "id"> : never;

interface Hasher {
  run(work: Work): Promise<string | boolean>;
  stop(): Promise<void>;
}

/** A hash takes a tenth of a second. A process that takes this long for one is stuck, and is ended. */
const TASK_MS_MAX = 15_000;
/** Without sign-ins for this long, the process ends and its memory is freed. */
const IDLE_MS = 300_000;

interface Running {
  readonly child: ChildProcess;
  readonly open: Map<number, { resolve(result: string | boolean): void; reject(error: Error): void }>;
}

/** The process starts with the first task. If it died, it starts again with the next task. */
function createHasher(taskMsMax: number): Hasher {
  let running: Running | null = null;
  let idle: NodeJS.Timeout | null = null;
  let count = 0;

  const start = (): Running => {
    // Started in its own session, so that its priority takes effect. It ends when the channel closes.
    const child = fork(fileURLToPath(new URL("./password-process.ts", import.meta.url)), [], {
      detached: true,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: {},
    });
    const started: Running = { child, open: new Map() };
    child.on("message", (answer: PasswordAnswer) => {
      const waiting = started.open.get(answer.id);
      started.open.delete(answer.id);
      if ("failed" in answer) waiting?.reject(new Error(`A password could not be hashed: ${answer.failed}`));
      else waiting?.resolve(answer.result);
    });
    const ended = (): void => {
      if (running === started) running = null;
      for (const { reject } of started.open.values()) reject(busy("The sign-in was interrupted."));
      started.open.clear();
    };
    child.on("error", ended).on("exit", ended);
    child.unref();
    child.channel?.unref();
    return started;
  };

  const rest = (): void => {
    const { child } = running ?? {};
    running = null;
    if (child?.connected === true) child.disconnect();
  };

  return {
    run(work) {
      if (idle !== null) clearTimeout(idle);
      running ??= start();
      const { child, open } = running;
      const id = ++count;
      const late = setTimeout(() => child.kill("SIGKILL"), taskMsMax);
      return new Promise<string | boolean>((resolve, reject) => {
        open.set(id, { resolve, reject });
        child.channel?.ref();
        child.send({ ...work, id } satisfies PasswordTask, (error) => {
          if (error !== null && open.delete(id)) reject(busy("The sign-in was interrupted."));
        });
      }).finally(() => {
        clearTimeout(late);
        if (open.size > 0) return;
        child.channel?.unref();
        idle = setTimeout(rest, IDLE_MS);
        idle.unref();
      });
    },
    async stop() {
      if (idle !== null) clearTimeout(idle);
      rest();
    },
  };
}

function busy(detail: string): Fault {
  return new Fault("unavailable", { detail, headers: { "retry-after": "2" } });
}
