// The program `plinth`. In: the process's arguments and environment. Out: its exit code.
import { runCommandLine } from "./command-line.ts";
import { createTerminal } from "./terminal.ts";

const terminal = createTerminal(process.stdout, process.stderr, process.env.NO_COLOR);
// Set, not called: what is still being written to a pipe must arrive.
process.exitCode = await runCommandLine(process.argv.slice(2), process.env, terminal);
