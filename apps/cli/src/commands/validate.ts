// `plinth validate FILE`. In: a blueprint. Out: its diagnostics on stderr, or what it declares on stdout.
import type { ExitCode } from "../failure.ts";
import { checkFile } from "../read-blueprint.ts";
import type { Terminal } from "../terminal.ts";

export async function validate(terminal: Terminal, file: string): Promise<ExitCode> {
  const model = await checkFile(terminal, file);
  if (model === null) return 1;
  const entities = model.entities.map((entity) => entity.name).join(", ") || "no entities";
  terminal.out(`${file} is valid: project ${model.project} with ${entities}`);
  return 0;
}
