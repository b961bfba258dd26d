// `plinth schema`. Out: the JSON Schema of blueprints for editors, on stdout or in a file. It only describes the form. `plinth
// validate` also checks the meaning.
import { writeFile } from "node:fs/promises";
import { blueprintJsonSchema } from "@plinth/blueprint";
import { CommandFailure, type ExitCode, messageOf } from "../failure.ts";
import type { Terminal } from "../terminal.ts";

export async function schema(terminal: Terminal, options: { readonly out?: string }): Promise<ExitCode> {
  const text = JSON.stringify(blueprintJsonSchema(), null, 2);
  if (options.out === undefined) {
    terminal.out(text);
    return 0;
  }
  try {
    await writeFile(options.out, `${text}\n`);
  } catch (cause) {
    throw new CommandFailure(`${options.out} can't be written: ${messageOf(cause)}`, 1, { cause });
  }
  terminal.out(`wrote ${options.out}`);
  return 0;
}
