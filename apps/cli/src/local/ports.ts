// Whether the ports are free. In: the wanted ports. Out: nothing, or a failure that names each variable to change.
// It never takes a port that somebody else listens on.
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { CommandFailure } from "../failure.ts";
import { type Ports, portVariables } from "./settings.ts";

const owners: Readonly<Record<keyof Ports, string>> = {
  api: "the API",
  internal: "the runtime's internal listener",
  control: "the control API",
  console: "the console",
};

/** A Plinth that was just told to stop may still hold them for a moment. */
const graceMs = 2500;

/** @throws CommandFailure where a port stays in use, or is wanted twice. */
export async function checkPorts(ports: Ports): Promise<void> {
  const deadline = Date.now() + graceMs;
  for (;;) {
    const problems = await problemsOf(ports);
    if (problems.length === 0) return;
    if (Date.now() > deadline) throw new CommandFailure(problems.join("\n"));
    await pause(100);
  }
}

async function problemsOf(ports: Ports): Promise<string[]> {
  const names = Object.keys(ports) as (keyof Ports)[];
  const problems: string[] = [];
  for (const name of names) {
    const twin = names.find((other) => other !== name && ports[other] === ports[name]);
    if (twin !== undefined) {
      problems.push(`${portVariables[name]} and ${portVariables[twin]} are both ${ports[name]}`);
    } else if (!(await isFree(ports[name]))) {
      problems.push(
        `port ${ports[name]} for ${owners[name]} is in use: set ${portVariables[name]} to another one, or end what listens there`,
      );
    }
  }
  return problems;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer();
    probe.once("error", () => done(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => done(true)));
  });
}
