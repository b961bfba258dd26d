// `plinth dev FILE`. In: a blueprint. Out: a running Plinth that serves it, its keys, its SDK types, and a deployment at each
// save. Each part is reported as soon as it is ready; the console comes last, because it may have to be built. With --json,
// stdout has exactly one line with all addresses when everything is ready. Everything else goes to stderr.

import { watch } from "node:fs";
import { basename, dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { checkBlueprint, type Entity, entityForKey } from "@plinth/blueprint";
import { compileModel } from "@plinth/compiler";
import type { ControlClient } from "../control-client.ts";
import { CommandFailure, type ExitCode, messageOf } from "../failure.ts";
import { deploy } from "../local/deploy.ts";
import { openProject } from "../local/developer-project.ts";
import { enterOwnControl } from "../local/open-control.ts";
import { type DeployedOutput, printDeployed } from "../local/print-deployed.ts";
import { type Developer, type DeveloperProject, loadDeveloper } from "../local/secrets.ts";
import type { LocalSettings } from "../local/settings.ts";
import { startStack } from "../local/stack.ts";
import { typesFileBeside, writeTypes } from "../local/types-file.ts";
import { checkFile, readText } from "../read-blueprint.ts";
import type { StopSignal } from "../stop-signal.ts";
import type { Terminal } from "../terminal.ts";

/** How often the live version is looked at, for changes that were made in the console. */
const LOOK_MS = 2_000;

interface SavedContext extends DeployedOutput {
  readonly keepTypes: (text: string) => void;
}

interface Served {
  readonly control: ControlClient;
  readonly project: DeveloperProject;
  readonly slug: string;
  readonly developer: Developer;
  /** The address of the person who owns the project, after `plinth login`; null for the local developer. */
  readonly account: string | null;
}

export interface DevOptions {
  readonly json: boolean;
  /** The file for the SDK types. By default next to the blueprint; none if false. */
  readonly types?: string | false;
}

export async function dev(
  terminal: Terminal,
  settings: LocalSettings,
  stop: StopSignal,
  file: string,
  options: DevOptions,
): Promise<ExitCode> {
  const model = await checkFile(terminal, file);
  if (model === null) return 1;
  const print = options.json ? terminal.err : terminal.out;
  const outputOf = (projectId: string): DeployedOutput => {
    const project = `${settings.urls.console}/projects/${projectId}`;
    return { terminal: { ...terminal, out: print }, file, project };
  };
  const typesFile = options.types === false ? null : (options.types ?? typesFileBeside(file));
  const keepTypes = (text: string): void => {
    const served = checkBlueprint(text).model;
    if (typesFile === null || served === null) return;
    const written = writeTypes(typesFile, compileModel(served).sdkTypes);
    if (written.kind === "failed") terminal.err(`${typesFile} was not written: ${written.reason}`);
  };
  const stack = await startStack(settings, print);
  try {
    const serve = async (): Promise<Served> => {
      await stack.dataPlaneReady;
      const served = await openServed(settings, model.project);
      const text = await readText(file);
      const result = await deploy(served.control, served.project.id, text);
      // The check before the start has already printed the warnings.
      const news = result.kind === "deployed" ? { ...result, diagnostics: [] } : result;
      if (!printDeployed(outputOf(served.project.id), text, news)) {
        // The served version differs from the file, so `--json` must not report success.
        if (options.json || (await currentOf(served)) === null) throw new CommandFailure(`${file} is not served`);
        terminal.err(`The previous version is still served. Save ${file} to try again.`);
      } else keepTypes(text);
      return served;
    };
    const served = serve();
    await stop.or(served);
    if (!stop.isRequested()) {
      const facts = await served;
      if (!options.json) printServed(terminal, settings, facts, entityForKey(model, "admin"), typesFile);
      const complete = stack.ready.then(() => {
        if (options.json) terminal.out(JSON.stringify(summary(settings, facts)));
        else printConsole(terminal, settings, facts);
      });
      const context = { ...outputOf(facts.project.id), keepTypes };
      await redeployOnSave(context, facts, stop, complete);
      print("Stopping ...");
    }
  } finally {
    await stack.stop();
  }
  print("Stopped. The data is kept.");
  return 0;
}

type Live = Awaited<ReturnType<typeof currentOf>>;

/** A version that went live without this command, such as one that was approved in the console. */
async function tellNews({ terminal, file, keepTypes }: SavedContext, known: Live, live: Live): Promise<Live> {
  if (live === null || live.versionId === known?.versionId) return live;
  // Without a file there is nothing that a save could undo, but the version is news all the same.
  if (live.text === (await readText(file).catch(() => null))) return live;
  keepTypes(live.text);
  terminal.out("Another version is live now. It was deployed in the console, or by another command.");
  terminal.out(`${file} doesn't have it: saving the file would undo it. \`plinth pull\` writes what is live.`);
  return live;
}

async function currentOf({ control, project }: Pick<Served, "control" | "project">) {
  return control.blueprints.current.query({ projectId: project.id });
}

async function openServed(settings: LocalSettings, slug: string): Promise<Served> {
  const developer = loadDeveloper(settings.home);
  const { control, account } = await enterOwnControl(settings, developer, slug);
  return { control, account, slug, developer, project: await openProject(control, settings.home, developer, slug) };
}

/** @throws errors of `complete`: without the console, the command fails. */
async function redeployOnSave(
  context: SavedContext,
  { control, project, slug }: Served,
  stop: StopSignal,
  complete: Promise<void>,
): Promise<void> {
  const { terminal, file } = context;
  const failure = complete.then(() => new Promise<never>(() => {}));
  let [isSaved, saved]: [boolean, () => void] = [false, () => {}];
  // Watches the folder instead of the file, because many editors replace the file when they save.
  const watcher = watch(dirname(file), (_, name) => {
    if (name !== null && name !== basename(file)) return;
    isSaved = true;
    saved();
  });
  let live = await currentOf({ control, project });
  try {
    while (!stop.isRequested()) {
      const save = new Promise<void>((resolve) => {
        saved = resolve;
      });
      if (!isSaved) await stop.or(Promise.race([save, failure, pause(LOOK_MS, undefined, { ref: false })]));
      if (stop.isRequested()) return;
      if (!isSaved) {
        live = await tellNews(context, live, await currentOf({ control, project }).catch(() => live));
        continue;
      }
      // One save causes several events, and at the first ones the file may be incomplete.
      await pause(150);
      isSaved = false;
      try {
        const text = await readText(file);
        const renamed = checkBlueprint(text).model?.project;
        if (renamed !== undefined && renamed !== slug) {
          terminal.err(`${file} now declares the project ${renamed}: start \`plinth dev\` again to serve that one`);
        } else {
          const result = await deploy(control, project.id, text);
          if (result.kind === "unchanged") context.terminal.out(`${file} is already served.`);
          const isServed = printDeployed(context, text, result);
          if (isServed) {
            context.keepTypes(text);
            live = await currentOf({ control, project });
          } else terminal.err("The previous version is still served.");
        }
      } catch (error) {
        terminal.err(`not deployed: ${messageOf(error)}`);
      }
    }
  } finally {
    watcher.close();
  }
}

function summary({ urls }: LocalSettings, { slug, project }: Served): object {
  const { secret, publishable } = project.keys;
  return {
    api: urls.api,
    console: urls.console,
    project: slug,
    keys: { secret: secret.key, publishable: publishable.key },
  };
}

function printServed(
  { out }: Terminal,
  { urls }: LocalSettings,
  { slug, project }: Served,
  readable: Entity | null,
  typesFile: string | null,
): void {
  const { secret, publishable } = project.keys;
  out("");
  out(`  Project          ${slug}`);
  out(`  API              ${urls.api}`);
  out(`  Secret key       ${secret.key}`);
  out(`  Publishable key  ${publishable.key}`);
  if (typesFile !== null) out(`  SDK types        ${typesFile}  (written again whenever they change)`);
  out("");
  if (readable === null) {
    out("  No rule lets the role `admin` read records, so the secret key can't read any. Users read with their token.");
  } else {
    out(`  curl -H "Authorization: Bearer ${secret.key}" ${urls.api}/api/${readable.plural}`);
  }
  out("");
  out("Saving the file deploys it again. Ctrl-C stops everything and keeps the data.");
}

function printConsole({ out }: Terminal, { urls }: LocalSettings, { account, developer }: Served): void {
  const who = account ?? `${developer.email}, password ${developer.password}`;
  out(`  Console          ${urls.console}  (${who})`);
}
