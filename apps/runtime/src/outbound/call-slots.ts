// Slots for calls of other services, which projects share. In: the operator's limits, a project and its call. Out: the
// call's result, when its project has a slot and room for its bodies. Nobody waits without a limit, and a project that
// waits delays no other.
import { ByteGate, FairQueue, RecentMap } from "@plinth/service";
import { OutboundError } from "./outbound-error.ts";

export interface CallLimits {
  /** Concurrent calls of one process. Each holds a socket, and an answer in memory. */
  readonly callsMax: number;
  /** The same for one project. */
  readonly callsPerProject: number;
  /** Bytes of bodies, sent and received, that the calls of one process hold. */
  readonly bytesMax: number;
  /** The same for one project. */
  readonly bytesPerProject: number;
}

/** Used if the operator sets nothing. */
export const defaultCallLimits: CallLimits = {
  callsMax: 400,
  callsPerProject: 20,
  bytesMax: 67_108_864,
  bytesPerProject: 16_777_216,
};

export interface CallSlots {
  /** @throws OutboundError if the project waits for too much already, and the errors of `work`. */
  run<Result>(project: string, work: (slot: CallSlot) => Promise<Result>): Promise<Result>;
  load(): CallLoad;
}

export interface CallSlot {
  /** Waits for room for a body, and for an answer of the usual size. @throws OutboundError. */
  send(bytes: number): Promise<void>;
  /** The size of the answer. */
  received(bytes: number): void;
}

export interface CallLoad {
  readonly calls: number;
  readonly waiting: number;
  readonly bytes: number;
  /** Calls in progress, by project. */
  readonly byProject: Readonly<Record<string, number>>;
}

/** Longer than the calls can take for the runs of one project that this process executes. */
const WAIT_MS_MAX = 600_000;
/** For room for a body. The slot is taken meanwhile. */
const ROOM_MS_MAX = 30_000;
/** What an answer counts before one is known. */
const ANSWER_BYTES = 4_096;
/** Projects for which the size of an answer is remembered. */
const KNOWN_MAX = 10_000;

/** @param workMsMax How long a call can keep its slot, in ms. */
export function createCallSlots({
  callsMax,
  callsPerProject,
  bytesMax,
  bytesPerProject,
  workMsMax,
}: CallLimits & { readonly workMsMax: number }): CallSlots {
  const refusal = (): OutboundError =>
    new OutboundError("unreachable", "This project already has too many calls in progress.");
  const queue = new FairQueue({
    places: callsMax,
    placesPerProject: callsPerProject,
    // The fuller they are, the fewer a project gets. So services that don't answer, of however many projects, leave
    // slots for the others.
    leavesRoom: true,
    waitingMax: 10_000,
    waitMsMax: WAIT_MS_MAX,
    workMsMax,
    // It may have been sent.
    refusal: (why) => (why === "endless" ? new OutboundError("no_answer", "The call did not end in time.") : refusal()),
  });
  const gate = new ByteGate({ bytesMax, bytesPerProject, waitMsMax: ROOM_MS_MAX, refusal });
  /** The largest answer of each project lately: a service that sends much is likely to do it again. */
  const answers = new RecentMap<string, number>(KNOWN_MAX);

  function openSlot(project: string): CallSlot & { release(): void } {
    const held: (() => void)[] = [];
    let expected = 0;
    return {
      async send(bytes) {
        expected = answers.get(project) ?? ANSWER_BYTES;
        held.push(await gate.acquire(project, bytes + expected));
      },
      received(bytes) {
        // It shrinks slowly, so that one small answer between large ones changes little.
        answers.set(project, Math.max(bytes, Math.floor((answers.get(project) ?? 0) * 0.9), ANSWER_BYTES));
        if (bytes > expected) held.push(gate.hold(project, bytes - expected));
      },
      release() {
        for (const free of held) free();
      },
    };
  }

  return {
    run: (project, work) =>
      queue.run(project, async () => {
        const slot = openSlot(project);
        try {
          return await work(slot);
        } finally {
          slot.release();
        }
      }),
    load() {
      const { running, waiting } = queue.load();
      return { calls: running, waiting, bytes: gate.held, byProject: Object.fromEntries(queue.runningByProject()) };
    },
  };
}
