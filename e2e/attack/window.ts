// One time window with the neighbour's requests, and with or without attacks. In: a cell, attacks, seconds. Out:
// figures. The victim and the attackers run in separate processes. At the end of the window, it waits for those that
// are still running.
import { type ChildProcess, type ForkOptions, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Attack, Outcome, Stage } from "./attack.ts";
import type { AttackOrder } from "./attacker.ts";
import type { AttackedCell } from "./cell.ts";
import { watchMemory } from "./memory.ts";
import type { Neighbour } from "./target.ts";
import type { VictimOrder, VictimReport } from "./victim.ts";

export interface Window {
  readonly victim: VictimReport;
  /** The longest stall of the runtime's event loop; null if the neighbour is at the console. */
  readonly stallMs: number | null;
  readonly memoryMb: number;
  readonly outcomes: Readonly<Record<string, Outcome>>;
}

/** The victim of an attack. */
export function neighbourOf({ kind }: Attack): Neighbour {
  return kind === "author" ? "person" : "app";
}

export interface Driver {
  readonly drive: (order: VictimOrder) => Promise<VictimReport>;
  readonly stop: () => void;
}

/** Attacks start this long before the neighbour's requests count. */
const leadMs = 500;
const graceMs = 60_000;

/** A separate session: Linux first shares processors between sessions, and then between their processes. */
const apart: ForkOptions = { stdio: ["ignore", "inherit", "inherit", "ipc"], detached: true };

export function startDriver(): Driver {
  const child = fork(join(import.meta.dirname, "victim.ts"), apart);
  return {
    drive: async (order) => {
      child.send(order);
      return answerOf<VictimReport>(child, order.seconds * 1000 + graceMs);
    },
    stop: () => child.kill("SIGKILL"),
  };
}

export async function openWindow(
  cell: AttackedCell,
  driver: Driver,
  attacks: readonly Attack[],
  seconds: number,
  neighbour: Neighbour = "app",
): Promise<Window> {
  await cell.quiet();
  const stage = await cell.stage();
  const attackers = await Promise.all(attacks.map((attack) => prepareAttacker(attack, stage)));
  await cell.eventLoopStallMs();
  const memory = watchMemory(neighbour === "app" ? cell.runtimePid : cell.controlPid);
  try {
    const running = attackers.map((attacker) => attacker.run(seconds + leadMs / 1000));
    await pause(leadMs);
    const order = { target: stage.target, neighbour, seconds };
    const [victim, outcomes] = await Promise.all([driver.drive(order), Promise.all(running)]);
    const counted = await Promise.all(attacks.map((attack, i) => attack.count?.(stage, attackers[i]?.prepared) ?? {}));
    return {
      victim,
      stallMs: neighbour === "app" ? await cell.eventLoopStallMs() : null,
      memoryMb: memory.stop(),
      outcomes: Object.fromEntries(
        attacks.map(({ name }, i) => [
          name,
          { ...(outcomes[i] as Outcome), facts: { ...outcomes[i]?.facts, ...counted[i] } },
        ]),
      ),
    };
  } finally {
    memory.stop();
    for (const attacker of attackers) attacker.stop();
  }
}

interface Attacker {
  readonly prepared: unknown;
  readonly run: (seconds: number) => Promise<Outcome>;
  readonly stop: () => void;
}

async function prepareAttacker(attack: Attack, stage: Stage): Promise<Attacker> {
  const prepared = (await attack.prepare?.(stage)) ?? null;
  const child = fork(join(import.meta.dirname, "attacker.ts"), apart);
  await answerOf<"ready">(child, graceMs);
  return {
    prepared,
    run: (seconds) => {
      const order: AttackOrder = { name: attack.name, target: stage.target, seconds, prepared };
      child.send(order);
      return answerOf<Outcome>(child, seconds * 1000 + graceMs);
    },
    stop: () => child.kill("SIGKILL"),
  };
}

/** Returns the process's next message. @throws Error if it ends before, or sends nothing in time. */
async function answerOf<Message>(child: ChildProcess, timeoutMs: number): Promise<Message> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const tooLate = async (): Promise<never> => {
    await pause(timeoutMs, undefined, { signal });
    throw new Error(`process ${child.pid} said nothing for ${timeoutMs} ms`);
  };
  const ended = async (): Promise<never> => {
    const [code] = await once(child, "exit", { signal });
    throw new Error(`process ${child.pid} ended with ${code}`);
  };
  try {
    const [message] = await Promise.race([once(child, "message", { signal }), ended(), tooLate()]);
    return message as Message;
  } finally {
    waiting.abort();
  }
}
