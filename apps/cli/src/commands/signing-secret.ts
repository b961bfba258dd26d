// `plinth signing-secret show|rotate`. In: a project. Out: the secret that signs its calls, alone on standard output, so that it
// can be piped; notes go to standard error. With `json`, exactly control's answer.
import type { SigningSecret } from "@plinth/control/router";
import type { ControlClient } from "../control-client.ts";
import type { ExitCode } from "../failure.ts";
import type { LocalSettings } from "../local/settings.ts";
import type { Terminal } from "../terminal.ts";
import { type OfProject, withProject } from "./runs.ts";

export type SecretDeed = (control: ControlClient, project: { projectId: string }) => Promise<SigningSecret>;

export const shown: SecretDeed = (control, project) => control.work.revealSigningSecret.mutate(project);
export const rotated: SecretDeed = (control, project) => control.work.rotateSigningSecret.mutate(project);

export async function tellSecret(
  terminal: Terminal,
  settings: LocalSettings,
  { project, json }: OfProject,
  deed: SecretDeed,
): Promise<ExitCode> {
  return withProject(settings, project, async (control, projectId) => {
    const told = await deed(control, { projectId });
    terminal.out(json ? JSON.stringify(told) : told.secret);
    if (!json && told.previous !== null)
      terminal.err(`(the previous secret also signs until ${told.previous.until}: ${told.previous.secret})`);
    return 0;
  });
}
