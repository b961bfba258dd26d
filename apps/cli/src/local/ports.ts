// The ports of a local Plinth. In: the wanted ports. Out: one for each part, or a failure that names each variable to change. It
// never takes a port that is in use. An internal port without a variable can be any free one. The parts listen only when
// they start, seconds later. Until then, a lock keeps another Plinth of the same user from choosing the same ports.
import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { CommandFailure } from "../failure.ts";
import { type Holder, type ProcessLock, tryLock } from "./process-lock.ts";
import { type Ports, portVariables, usualPorts, type WantedPorts } from "./settings.ts";

const owners: Readonly<Record<keyof Ports, string>> = {
  api: "the API",
  internal: "the runtime's internal listener",
  control: "the control API",
  console: "the console",
};

/** A Plinth that is being stopped may still hold them for a moment. */
const graceMs = 2500;

export interface ChosenPorts extends Ports {
  /** Other Plinths can choose them again. */
  readonly release: () => void;
}

/** @throws CommandFailure if a given port stays in use, or is wanted twice. */
export async function choosePorts(wanted: WantedPorts): Promise<ChosenPorts> {
  const held = new HeldPorts();
  try {
    const deadline = Date.now() + graceMs;
    for (;;) {
      const problems = await problemsOf(wanted, held);
      if (problems.length === 0) break;
      if (Date.now() > deadline) throw new CommandFailure(problems.join("\n"));
      await pause(100);
    }
    const { api, console } = wanted;
    const internal = wanted.internal ?? (await held.free(usualPorts.internal, [api, console, wanted.control]));
    const control = wanted.control ?? (await held.free(usualPorts.control, [api, console, internal]));
    return { api, internal, control, console, release: () => held.release() };
  } catch (error) {
    held.release();
    throw error;
  }
}

/** Ports that are free, and that no other Plinth of this user holds. */
class HeldPorts {
  readonly #locks = new Map<number, ProcessLock>();
  readonly #folder = join(tmpdir(), `plinth-ports-${process.getuid?.() ?? "user"}`);

  /** The port, or for 0 one that the system chooses. Null if it is in use. */
  async hold(port: number): Promise<number | null> {
    const free = await listenOn(port);
    if (free === null || this.#locks.has(free)) return free;
    const lock = this.#lock(free);
    if (lock === null) return free;
    if (!("release" in lock)) return null;
    this.#locks.set(free, lock);
    return free;
  }

  /** Null if there is no place for locks. Then two simultaneous starts may choose the same port, and one of them fails. */
  #lock(port: number): ProcessLock | Holder | null {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      return tryLock(join(this.#folder, `${port}.lock`));
    } catch {
      return null;
    }
  }

  async free(usual: number, others: readonly (number | null)[]): Promise<number> {
    for (let port: number = usual; ; port = 0) {
      const free = others.includes(port) ? null : await this.hold(port);
      if (free !== null && !others.includes(free)) return free;
    }
  }

  release(): void {
    for (const lock of this.#locks.values()) lock.release();
    this.#locks.clear();
  }
}

async function problemsOf(ports: WantedPorts, held: HeldPorts): Promise<string[]> {
  const names = (Object.keys(ports) as (keyof Ports)[]).filter((name) => ports[name] !== null);
  const problems: string[] = [];
  for (const name of names) {
    const port = ports[name] ?? 0;
    const twin = names.find((other) => other !== name && ports[other] === port);
    if (twin !== undefined) {
      problems.push(`${portVariables[name]} and ${portVariables[twin]} are both ${port}`);
    } else if ((await held.hold(port)) === null) {
      problems.push(
        `port ${port} for ${owners[name]} is in use: set ${portVariables[name]} to another one, or stop the program that uses it`,
      );
    }
  }
  return problems;
}

/** Takes the port and frees it immediately. For 0, the system chooses one. Null if it is in use. */
function listenOn(port: number): Promise<number | null> {
  return new Promise((done) => {
    const probe = createServer();
    probe.once("error", () => done(null));
    probe.listen(port, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => done(typeof address === "object" && address !== null ? address.port : null));
    });
  });
}
