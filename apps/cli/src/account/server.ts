// The Plinth that commands use. In: settings. Out: a server with a sign-in, or null for the Plinth on this machine, which needs
// none. `PLINTH_TOKEN` comes first (CI), then the server of `PLINTH_URL`, then the one of the last sign-in.
import { CommandFailure } from "../failure.ts";
import type { LocalSettings } from "../local/settings.ts";
import { readCredentials } from "./credentials.ts";

export interface Server {
  /** The address that people use: the console's. */
  readonly url: string;
  /** The address of the control API. */
  readonly control: string;
  readonly token: string;
  readonly from: "login" | "PLINTH_TOKEN";
}

/** The value of `PLINTH_URL` for the Plinth on this machine. */
export const LOCAL = "local";

/** @throws CommandFailure if a server is named and there is no sign-in for it. */
export async function chosenServer({ server }: LocalSettings): Promise<Server | null> {
  const { token, url, credentialsFile } = server;
  if (url === LOCAL) return null;
  if (token !== null) {
    if (url === null) throw new CommandFailure("PLINTH_TOKEN needs PLINTH_URL, the address of the console", 2);
    return { url: addressOf(url), control: await findControl(url), token, from: "PLINTH_TOKEN" };
  }
  const { current, servers } = readCredentials(credentialsFile);
  const wanted = url === null ? current : addressOf(url);
  if (wanted === null) return null;
  const kept = servers[wanted];
  if (kept !== undefined) return { url: wanted, control: kept.control, token: kept.token, from: "login" };
  throw new CommandFailure(`you are not signed in to ${wanted}: run \`plinth login --url ${wanted}\``);
}

/** Whether commands use a server instead of the Plinth on this machine. */
export function usesServer({ server }: LocalSettings): boolean {
  if (server.url !== null || server.token !== null) return server.url !== LOCAL;
  return readCredentials(server.credentialsFile).current !== null;
}

/** Without query, fragment, and slash at the end. @throws CommandFailure (usage) */
export function addressOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new CommandFailure(`${url} is not an address of a Plinth: it must begin with http:// or https://`, 2);
  }
  return `${parsed.origin}${parsed.pathname}`.replace(/\/+$/, "");
}

/** The console forwards requests under `/control`. The address can also be the control API's own. */
export async function findControl(url: string): Promise<string> {
  const address = addressOf(url);
  for (const candidate of [`${address}/control`, address]) {
    if (await isControl(candidate)) return candidate;
  }
  throw new CommandFailure(`no Plinth answers at ${address}: is that the address of the console?`);
}

async function isControl(candidate: string): Promise<boolean> {
  try {
    const response = await fetch(`${candidate}/healthz`, { redirect: "manual", signal: AbortSignal.timeout(10_000) });
    await response.body?.cancel();
    return response.ok && (response.headers.get("content-type") ?? "").includes("application/json");
  } catch {
    return false;
  }
}
