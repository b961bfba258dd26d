// Signs in without a password in the terminal: the device flow of RFC 8628. In: the control API. Out: a code for a person to
// approve in the console, then an access token. It never polls faster than the server allows.
import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { CommandFailure } from "../failure.ts";

const CLIENT_ID = "plinth-cli";
const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code";
/** Section 3.5 of the RFC. */
const SLOWER_SECONDS = 5;

export interface DeviceCode {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

/** @throws CommandFailure if the server gives no code. */
export async function requestCode(control: string): Promise<DeviceCode> {
  const response = await post(`${control}/device/code`, { device_name: hostname() });
  if (response.ok) return (await response.json()) as DeviceCode;
  if (response.status === 429) {
    throw new CommandFailure(
      `too many sign-ins from this address: try again in ${response.headers.get("retry-after")} s`,
    );
  }
  throw new CommandFailure(`the server answered ${response.status} to the sign-in`);
}

/** Resolves with the access token. @throws CommandFailure if the person denies it, or the code expires. */
export async function waitForApproval(control: string, code: DeviceCode): Promise<string> {
  const deadline = Date.now() + code.expires_in * 1000;
  let seconds = code.interval;
  while (Date.now() < deadline) {
    await pause(seconds * 1000);
    // A short loss of the connection doesn't end the sign-in.
    const grant = { grant_type: GRANT_TYPE, device_code: code.device_code };
    const response = await post(`${control}/device/token`, grant).catch(() => null);
    if (response === null || response.status >= 500) continue;
    const answer = (await response.json()) as { readonly access_token?: string; readonly error?: string };
    if (answer.access_token !== undefined) return answer.access_token;
    if (answer.error === "slow_down") seconds += SLOWER_SECONDS;
    else if (answer.error === "access_denied") throw new CommandFailure("the sign-in was denied in the console");
    else if (answer.error !== "authorization_pending") break;
  }
  throw new CommandFailure("the code has expired: run `plinth login` again");
}

function post(url: string, form: Readonly<Record<string, string>>): Promise<Response> {
  const body = new URLSearchParams({ client_id: CLIENT_ID, ...form });
  return fetch(url, { method: "POST", body, signal: AbortSignal.timeout(30_000) });
}
