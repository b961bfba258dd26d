// `plinth login`, `plinth logout`, `plinth whoami`. In: the address of a console. Out: an access token for later commands,
// approved by a person in the console; its revocation; and the token's person.
import { spawn } from "node:child_process";
import { text as readAll } from "node:stream/consumers";
import { type Credential, forgetCredential, keepCredential, readCredentials } from "../account/credentials.ts";
import { type DeviceCode, requestCode, waitForApproval } from "../account/device-login.ts";
import { addressOf, findControl, LOCAL } from "../account/server.ts";
import { type ControlClient, controlWithToken, isControlError } from "../control-client.ts";
import { CommandFailure, type ExitCode } from "../failure.ts";
import { openControl } from "../local/open-control.ts";
import { runningAddresses } from "../local/running.ts";
import type { LocalSettings } from "../local/settings.ts";
import type { Terminal } from "../terminal.ts";

export interface LoginOptions {
  readonly url?: string;
  readonly withToken: boolean;
  /** Whether to open the page in a browser. */
  readonly browser: boolean;
}

export async function login(terminal: Terminal, settings: LocalSettings, options: LoginOptions): Promise<ExitCode> {
  const url = addressOf(options.url ?? namedUrl(settings) ?? runningAddresses(settings).console);
  const control = await findControl(url);
  const token = options.withToken ? (await readAll(process.stdin)).trim() : await approved(terminal, control, options);
  const email = await emailOf(controlWithToken(control, token), url);
  keepCredential(settings.server.credentialsFile, url, { control, email, token } satisfies Credential);
  terminal.out(`Signed in to ${url} as ${email}. Commands with --project now use it; \`plinth logout\` signs out.`);
  return 0;
}

export async function logout(
  terminal: Terminal,
  settings: LocalSettings,
  options: { readonly url?: string },
): Promise<ExitCode> {
  const { credentialsFile } = settings.server;
  const { current, servers } = readCredentials(credentialsFile);
  const named = options.url ?? namedUrl(settings);
  const url = named === null ? current : addressOf(named);
  const kept = url === null ? undefined : servers[url];
  if (url === null || kept === undefined) {
    throw new CommandFailure(url === null ? "you are not signed in" : `you are not signed in to ${url}`);
  }
  const ended = await revoke(kept);
  forgetCredential(credentialsFile, url);
  if (ended) terminal.out(`Signed out of ${url}.`);
  else {
    terminal.out(`Signed out of ${url} on this machine.`);
    terminal.err(`${url} could not be reached: revoke the access token in its console, under Account.`);
  }
  return 0;
}

export async function whoami(
  terminal: Terminal,
  settings: LocalSettings,
  { json }: { readonly json: boolean },
): Promise<ExitCode> {
  return openControl<ExitCode>(settings, async (control, { server, console }) => {
    const { person, organizations } = await control.me.get.query();
    if (json) terminal.out(JSON.stringify({ url: console, signedIn: server?.from ?? null, person, organizations }));
    else {
      const how =
        server === null ? "the local developer" : server.from === "login" ? "by `plinth login`" : "by PLINTH_TOKEN";
      terminal.out(`${person.name} <${person.email}> at ${console} (${how})`);
      for (const { name, role } of organizations) terminal.out(`  ${name}: ${role}`);
    }
    return 0;
  });
}

function namedUrl({ server }: LocalSettings): string | null {
  return server.url === LOCAL ? null : server.url;
}

async function approved(terminal: Terminal, control: string, { browser }: LoginOptions): Promise<string> {
  const code = await requestCode(control);
  terminal.err("");
  terminal.err(`  Your code:  ${terminal.paint("bold", code.user_code)}`);
  terminal.err(`  Approve it at ${code.verification_uri_complete}`);
  terminal.err("");
  terminal.err(`Waiting for the approval, at most ${Math.round(code.expires_in / 60)} minutes. Ctrl-C cancels it.`);
  if (browser && terminal.columns !== null) openInBrowser(code);
  return waitForApproval(control, code);
}

/** Without a browser, the printed address is enough. */
function openInBrowser({ verification_uri_complete: page }: DeviceCode): void {
  const opener = process.platform === "darwin" ? "open" : "xdg-open";
  const child = spawn(opener, [page], { stdio: "ignore", detached: true });
  child.once("error", () => {});
  child.unref();
}

async function emailOf(control: ControlClient, url: string): Promise<string> {
  try {
    return (await control.me.get.query()).person.email;
  } catch (error) {
    if (!isControlError(error)) throw error;
    throw new CommandFailure(`${url} refuses the access token: ${error.message}`, 1, { cause: error });
  }
}

/** Also true if the token is already invalid. */
async function revoke({ control, token }: Credential): Promise<boolean> {
  try {
    await controlWithToken(control, token).tokens.revokeOwn.mutate();
    return true;
  } catch (error) {
    return isControlError(error) && error.data?.code === "UNAUTHORIZED";
  }
}
