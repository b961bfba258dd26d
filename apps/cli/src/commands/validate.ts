// `plinth validate FILE`. In: a blueprint. Out: its diagnostics on stderr, or its entities on stdout; with --json both as one
// JSON object on stdout. It also runs the blueprint's own tests.
import { checkBlueprint } from "@plinth/blueprint";
import type { ExitCode } from "../failure.ts";
import { hasErrors, printDiagnostics } from "../print-diagnostics.ts";
import { readText } from "../read-blueprint.ts";
import type { Terminal } from "../terminal.ts";

export async function validate(
  terminal: Terminal,
  file: string,
  options: { readonly json: boolean },
): Promise<ExitCode> {
  const text = await readText(file);
  const { model, diagnostics } = checkBlueprint(text);
  const valid = model !== null && !hasErrors(diagnostics);
  const tests = model?.tests?.expect.length ?? 0;
  if (options.json) {
    terminal.out(JSON.stringify({ valid, diagnostics, tests }));
    return valid ? 0 : 1;
  }
  printDiagnostics(terminal, file, text, diagnostics);
  if (!valid) return 1;
  const entities = model.entities.map((entity) => entity.name).join(", ") || "no entities";
  const passed = tests === 0 ? "" : `; ${tests} test${tests === 1 ? "" : "s"} passed`;
  terminal.out(`${file} is valid: project ${model.project} with ${entities}${passed}`);
  return 0;
}
