// `plinth signing-secret show|rotate`. In: a project. Out: the secret that signs its calls, alone on standard output, so that it
// can be piped; notes go to standard error. With `json`, exactly control's answer.
import type { SigningSecret } from "@plinth/control/router";
import type { ControlClient } from "../control-client.ts";
import type { ExitCode } from "../failure.ts";
import type { LocalSettings } from "../local/settings.ts";
import type { Terminal } from "../terminal.ts";
import { type OfProject, withProject } from "./runs.ts";

export type SecretAction = (control: ControlClient, project: { projectId: string }) => Promise<SigningSecret>;

export const shown: SecretAction = (control, project) => control.work.revealSigningSecret.mutate(project);
export const rotated: SecretAction = (control, project) => control.work.rotateSigningSecret.mutate(project);

export async function printSecret(
  terminal: Terminal,
  settings: LocalSettings,
  { project, json }: OfProject,
  action: SecretAction,
): Promise<ExitCode> {
  return withProject(settings, project, async (control, projectId) => {
    const secret = await action(control, { projectId });
    terminal.out(json ? JSON.stringify(secret) : secret.secret);
    if (!json && secret.previous !== null)
      terminal.err(`(the previous secret also signs until ${secret.previous.until}: ${secret.previous.secret})`);
    return 0;
  });
}
