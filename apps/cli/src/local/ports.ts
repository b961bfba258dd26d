// Whether the ports are free. In: the wanted ports. Out: nothing, or a failure that names each variable to change.
// It never takes a port that somebody else listens on.
import { createServer } from "node:net";
import { CommandFailure } from "../failure.ts";
import { type Ports, portVariables } from "./settings.ts";

const owners: Readonly<Record<keyof Ports, string>> = {
  api: "the API",
  internal: "the runtime's internal listener",
  control: "the control API",
  console: "the console",
};

/** @throws CommandFailure where a port is in use, or wanted twice. */
export async function checkPorts(ports: Ports): Promise<void> {
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
  if (problems.length > 0) throw new CommandFailure(problems.join("\n"));
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer();
    probe.once("error", () => done(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => done(true)));
  });
}
