// The ports of a local Plinth. In: the wanted ports. Out: one for each part, or a failure that names each variable to change. It
// never takes a port that is in use. An internal port without a variable can be any free one.
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { CommandFailure } from "../failure.ts";
import { type Ports, portVariables, usualPorts, type WantedPorts } from "./settings.ts";

const owners: Readonly<Record<keyof Ports, string>> = {
  api: "the API",
  internal: "the runtime's internal listener",
  control: "the control API",
  console: "the console",
};

/** A Plinth that is being stopped may still hold them for a moment. */
const graceMs = 2500;

/** @throws CommandFailure if a given port stays in use, or is wanted twice. */
export async function choosePorts(wanted: WantedPorts): Promise<Ports> {
  const deadline = Date.now() + graceMs;
  for (;;) {
    const problems = await problemsOf(wanted);
    if (problems.length === 0) break;
    if (Date.now() > deadline) throw new CommandFailure(problems.join("\n"));
    await pause(100);
  }
  const { api, console } = wanted;
  const internal = wanted.internal ?? (await freePort(usualPorts.internal, [api, console, wanted.control]));
  const control = wanted.control ?? (await freePort(usualPorts.control, [api, console, internal]));
  return { api, internal, control, console };
}

async function problemsOf(ports: WantedPorts): Promise<string[]> {
  const names = (Object.keys(ports) as (keyof Ports)[]).filter((name) => ports[name] !== null);
  const problems: string[] = [];
  for (const name of names) {
    const port = ports[name] ?? 0;
    const twin = names.find((other) => other !== name && ports[other] === port);
    if (twin !== undefined) {
      problems.push(`${portVariables[name]} and ${portVariables[twin]} are both ${port}`);
    } else if ((await listenOn(port)) === null) {
      problems.push(
        `port ${port} for ${owners[name]} is in use: set ${portVariables[name]} to another one, or stop the program that uses it`,
      );
    }
  }
  return problems;
}

async function freePort(usual: number, others: readonly (number | null)[]): Promise<number> {
  for (let port: number | null = usual; ; port = 0) {
    const free = others.includes(port) ? null : await listenOn(port);
    if (free !== null && !others.includes(free)) return free;
  }
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
