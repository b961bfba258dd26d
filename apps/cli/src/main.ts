// The program `plinth`. In: the process's arguments and environment. Out: its exit code.
import { runCommandLine } from "./command-line.ts";
import { createTerminal } from "./terminal.ts";

// A reader that has gone (`plinth up | head`) or a full disk behind a file ends no command half-way.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

const terminal = createTerminal(process.stdout, process.stderr, process.env.NO_COLOR);
// Set, not called: what is still being written to a pipe must arrive.
process.exitCode = await runCommandLine(process.argv.slice(2), process.env, terminal);
