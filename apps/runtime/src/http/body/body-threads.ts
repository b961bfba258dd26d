// Checks large bodies outside the event loop, one at a time, projects in turn. In: a shape and bytes. Out: a checked
// body. A body can't crash the process: the thread has its own memory limit, and is replaced when it dies.
import { Worker } from "node:worker_threads";
import { FairQueue, Fault } from "@plinth/service";
import type { BodyShape, CheckedBody } from "../../records/check-body.ts";
import type { ListedBody } from "../../records/check-list.ts";
import type { BodyAnswer, BodyTask } from "./body-thread.ts";

export interface BodyThreads {
  /** @throws Fault like `checkBody`, and `unavailable` if too many large bodies of the project are waiting. */
  check(project: string, shape: BodyShape, bytes: Buffer): Promise<CheckedBody>;
  /** The same for a list of records. @throws Fault like `checkList`, and `unavailable`. */
  checkList(project: string, shape: BodyShape, kind: ListKind, bytes: Buffer): Promise<readonly ListedBody[]>;
  stop(): Promise<void>;
}

type ListKind = "create" | "update";

/** A body of the largest size with the most members needs a fraction of either limit. */
const MEMORY_MB = 192;
const TIME_MS_MAX = 5_000;
/** Without large bodies for this long, the thread ends and its memory is freed. */
const IDLE_MS = 60_000;

export function createBodyThreads(): BodyThreads {
  const queue = new FairQueue({
    places: 1,
    placesPerProject: 1,
    waitingMax: 20,
    waitMsMax: 5_000,
    refusal: () =>
      new Fault("unavailable", {
        detail: "This project already has too many large requests in progress.",
        headers: { "retry-after": "1" },
      }),
  });
  let thread: Worker | null = null;
  /** Shapes that the thread has received. It may have forgotten some. */
  let given = new Set<string>();
  let idle: NodeJS.Timeout | null = null;

  const threadNow = (): Worker => {
    if (thread !== null) return thread;
    const started = new Worker(new URL("./body-thread.ts", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    started.unref();
    started.on("exit", () => {
      if (thread === started) thread = null;
    });
    given = new Set();
    thread = started;
    return started;
  };

  const rest = async (): Promise<void> => {
    const ended = thread;
    thread = null;
    await ended?.terminate();
  };

  const ask = (worker: Worker, task: BodyTask): Promise<BodyAnswer> =>
    new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(late);
        worker.off("message", answered).off("error", died).off("exit", died);
      };
      const answered = (answer: BodyAnswer): void => {
        settle();
        resolve(answer);
      };
      const died = (cause: unknown): void => {
        settle();
        reject(new Fault("payload_too_large", { detail: "The body takes too much work to check.", cause }));
      };
      const late = setTimeout(() => {
        void rest();
        died(new Error(`a body was not checked within ${TIME_MS_MAX} ms`));
      }, TIME_MS_MAX);
      worker.on("message", answered).on("error", died).on("exit", died);
      worker.postMessage(task, [task.bytes.buffer as ArrayBuffer]);
    });

  const check = async (
    shape: BodyShape,
    list: ListKind | null,
    bytes: Buffer,
  ): Promise<readonly (CheckedBody | ListedBody)[]> => {
    const worker = threadNow();
    const known = given.has(shape.key);
    let answer = await ask(worker, { key: shape.key, shape: known ? null : shape, list, bytes: ownMemory(bytes) });
    given.add(shape.key);
    if (answer.kind === "unknown_shape")
      answer = await ask(worker, { key: shape.key, shape, list, bytes: answer.bytes });
    switch (answer.kind) {
      case "checked":
        return answer.bodies;
      case "fault": {
        const { code, detail, errors } = answer;
        throw new Fault(code, { ...(detail === null ? {} : { detail }), errors });
      }
      case "failed":
        throw new Error(answer.message);
      case "unknown_shape":
        throw new Error("the thread has forgotten a shape that it just received");
    }
  };

  const inTurn = async (
    project: string,
    ...task: Parameters<typeof check>
  ): Promise<readonly (CheckedBody | ListedBody)[]> => {
    if (idle !== null) clearTimeout(idle);
    try {
      return await queue.run(project, () => check(...task));
    } finally {
      idle = setTimeout(() => void rest(), IDLE_MS);
      idle.unref();
    }
  };

  return {
    async check(project, shape, bytes) {
      const [body] = await inTurn(project, shape, null, bytes);
      return body!;
    },
    async checkList(project, shape, kind, bytes) {
      return (await inTurn(project, shape, kind, bytes)) as readonly ListedBody[];
    },
    async stop() {
      if (idle !== null) clearTimeout(idle);
      await rest();
    },
  };
}

/** A copy whose memory can be transferred to a thread: a small buffer shares its memory with others. */
function ownMemory(bytes: Buffer): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
