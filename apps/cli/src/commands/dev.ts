// `plinth dev FILE`. In: a blueprint. Out: a running Plinth that serves it, its keys, and each saved change deployed.
// With --json, stdout carries exactly one line: where everything is; the rest goes to stderr.

import { watch } from "node:fs";
import { basename, dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { checkBlueprint } from "@plinth/blueprint";
import type { ControlClient } from "../control-client.ts";
import { CommandFailure, type ExitCode, messageOf } from "../failure.ts";
import { deploy } from "../local/deploy.ts";
import { openProject } from "../local/developer-project.ts";
import { enterControl } from "../local/open-control.ts";
import { type Developer, type DeveloperProject, loadDeveloper } from "../local/secrets.ts";
import type { LocalSettings } from "../local/settings.ts";
import { startStack } from "../local/stack.ts";
import { type Telling, tellDeployed } from "../local/tell-deployed.ts";
import { checkFile, readText } from "../read-blueprint.ts";
import type { StopSignal } from "../stop-signal.ts";
import type { Terminal } from "../terminal.ts";

interface Served {
  readonly control: ControlClient;
  readonly project: DeveloperProject;
  readonly slug: string;
  readonly developer: Developer;
}

export async function dev(
  terminal: Terminal,
  settings: LocalSettings,
  stop: StopSignal,
  file: string,
  options: { readonly json: boolean },
): Promise<ExitCode> {
  const model = await checkFile(terminal, file);
  if (model === null) return 1;
  const tell = options.json ? terminal.err : terminal.out;
  const telling = (projectId: string): Telling => {
    const project = `${settings.urls.console}/projects/${projectId}`;
    return { terminal: { ...terminal, out: tell }, file, project };
  };
  const stack = await startStack(settings, tell);
  try {
    const serve = async (): Promise<Served> => {
      await stack.dataPlaneReady;
      const served = await openServed(settings, model.project);
      const text = await readText(file);
      const result = await deploy(served.control, served.project.id, text);
      // The check before the start has said what it warns of.
      const news = result.kind === "deployed" ? { ...result, diagnostics: [] } : result;
      if (!tellDeployed(telling(served.project.id), text, news)) {
        // What is served is not what the file says: whoever asked for one line of facts must not take it for that.
        if (options.json || (await currentOf(served)) === null) throw new CommandFailure(`${file} is not served`);
        terminal.err(`Serving the version before it. Save ${file} to try again.`);
      }
      await stack.ready;
      return served;
    };
    const served = serve();
    await stop.or(served);
    if (!stop.asked()) {
      if (options.json) terminal.out(JSON.stringify(summary(settings, await served)));
      else printServed(terminal, settings, await served, model.entities[0]?.plural ?? "users");
      await redeployOnSave(telling((await served).project.id), await served, stop);
      tell("Stopping ...");
    }
  } finally {
    await stack.stop();
  }
  tell("Stopped. The data are kept.");
  return 0;
}

async function currentOf({ control, project }: Served): Promise<unknown> {
  return control.blueprints.current.query({ projectId: project.id });
}

async function openServed(settings: LocalSettings, slug: string): Promise<Served> {
  const developer = loadDeveloper(settings.home);
  const control = await enterControl(settings, developer);
  return { control, slug, developer, project: await openProject(control, settings.home, developer, slug) };
}

async function redeployOnSave(context: Telling, { control, project, slug }: Served, stop: StopSignal): Promise<void> {
  const { terminal, file } = context;
  let saved: () => void = () => {};
  // The folder, not the file: many editors save by putting a new file in the old one's place.
  const watcher = watch(dirname(file), (_, name) => {
    if (name === null || name === basename(file)) saved();
  });
  try {
    while (!stop.asked()) {
      await stop.or(
        new Promise<void>((resolve) => {
          saved = resolve;
        }),
      );
      if (stop.asked()) return;
      // Saving comes as several events, and the first ones may show half a file.
      await pause(150);
      try {
        const text = await readText(file);
        const renamed = checkBlueprint(text).model?.project;
        if (renamed !== undefined && renamed !== slug) {
          terminal.err(`${file} now declares the project ${renamed}: start \`plinth dev\` again to serve that one`);
        } else {
          const result = await deploy(control, project.id, text);
          if (result.kind === "unchanged") context.terminal.out(`${file} is served as it is.`);
          else if (!tellDeployed(context, text, result)) terminal.err("What was served before still is.");
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
  { slug, project, developer }: Served,
  plural: string,
): void {
  const { secret, publishable } = project.keys;
  out("");
  out(`  Project          ${slug}`);
  out(`  API              ${urls.api}`);
  out(`  Secret key       ${secret.key}`);
  out(`  Publishable key  ${publishable.key}`);
  out(`  Console          ${urls.console}  (${developer.email}, password ${developer.password})`);
  out("");
  out(`  curl -H "Authorization: Bearer ${secret.key}" ${urls.api}/api/${plural}`);
  out("");
  out("Saving the file deploys it again. Ctrl-C stops everything and keeps the data.");
}
