// `plinth pull` and `plinth types`: the live version of a project as a file. In: a project. Out: its live blueprint, or its SDK
// types.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { checkBlueprint } from "@plinth/blueprint";
import { compileModel } from "@plinth/compiler";
import { CommandFailure, type ExitCode } from "../failure.ts";
import { openControl, projectCalled } from "../local/open-control.ts";
import type { LocalSettings } from "../local/settings.ts";
import { hasErrors, printDiagnostics } from "../print-diagnostics.ts";
import { checkFile } from "../read-blueprint.ts";
import type { Terminal } from "../terminal.ts";

export interface PullOptions {
  readonly project: string;
  readonly out?: string;
  readonly force: boolean;
}

export async function pull(terminal: Terminal, settings: LocalSettings, options: PullOptions): Promise<ExitCode> {
  const { slug, text } = await liveText(settings, options.project);
  const file = options.out ?? `${slug}.yaml`;
  if (file === "-") terminal.out(text.trimEnd());
  else {
    if (!options.force && existsSync(file) && readFileSync(file, "utf8") !== text) {
      throw new CommandFailure(`${file} exists and differs: --force replaces it, --out names another file`);
    }
    write(file, text);
    terminal.out(`wrote ${file}`);
  }
  return 0;
}

export interface TypesOptions {
  readonly project?: string;
  readonly out?: string;
}

/** For a file if one is given, otherwise for the live version of the project. */
export async function types(
  terminal: Terminal,
  settings: LocalSettings,
  file: string | undefined,
  { project, out }: TypesOptions,
): Promise<ExitCode> {
  if ((file === undefined) === (project === undefined)) {
    throw new CommandFailure("name either a blueprint or a project: plinth types FILE, plinth types --project NAME", 2);
  }
  const model =
    file === undefined ? await liveModel(terminal, settings, project ?? "") : await checkFile(terminal, file);
  if (model === null) return 1;
  const { sdkTypes } = compileModel(model);
  if (out === undefined) terminal.out(sdkTypes.trimEnd());
  else {
    write(out, sdkTypes);
    terminal.out(`wrote ${out}`);
  }
  return 0;
}

async function liveModel(terminal: Terminal, settings: LocalSettings, project: string) {
  const { slug, text } = await liveText(settings, project);
  const { model, diagnostics } = checkBlueprint(text);
  if (!hasErrors(diagnostics)) return model;
  // An older version of the language accepted it.
  printDiagnostics(terminal, `${slug} (live)`, text, diagnostics);
  return null;
}

function liveText(settings: LocalSettings, name: string): Promise<{ readonly slug: string; readonly text: string }> {
  return openControl(settings, async (control, caller) => {
    const { id: projectId, slug } = await projectCalled(control, caller, name);
    const live = await control.blueprints.current.query({ projectId });
    if (live === null) throw new CommandFailure(`${slug} serves nothing yet: deploy a blueprint first`);
    return { slug, text: live.text };
  });
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (cause) {
    throw new CommandFailure(`${file} can't be written: ${String(cause)}`, 1, { cause });
  }
}
