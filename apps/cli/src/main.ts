// The program `plinth`. In: the process's arguments and environment. Out: its exit code.
import { runCommandLine } from "./command-line.ts";
import { createTerminal } from "./terminal.ts";

// A closed pipe (`plinth up | head`) or a full disk must not end a command half-way.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

const terminal = createTerminal(process.stdout, process.stderr, process.env.NO_COLOR);
// Set instead of calling `exit`, so that output to a pipe is written completely.
process.exitCode = await runCommandLine(process.argv.slice(2), process.env, terminal);
