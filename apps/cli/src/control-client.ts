// The client of the control API for the command line. In: its address, an account, and the storage of its session. Out: a typed
// client that sends the session. It signs in only if the stored session isn't valid any more, because signing in is limited and
// takes a second.
import type { AppRouter } from "@plinth/control/router";
import { createTRPCClient, httpLink, type TRPCClient, TRPCClientError } from "@trpc/client";
import { CommandFailure } from "./failure.ts";

export type ControlClient = TRPCClient<AppRouter>;

export interface Account {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

export interface ControlAddress {
  readonly controlUrl: string;
  /** The origin that the control API expects of its callers. */
  readonly consoleUrl: string;
}

/** Stores a session longer than one command. */
export interface SessionStore {
  /** The cookie. Null if none is stored. */
  read(): string | null;
  write(cookie: string): void;
}

/** Uses the stored session. Otherwise signs in, or signs up if there is no such account yet. */
export async function connectControl(
  address: ControlAddress,
  account: Account,
  sessions: SessionStore,
): Promise<ControlClient> {
  const kept = sessions.read();
  const cookie = kept !== null && (await holds(address, kept)) ? kept : await begin(address, account);
  if (cookie !== kept) sessions.write(cookie);
  const headers = { cookie, origin: address.consoleUrl };
  return createTRPCClient<AppRouter>({ links: [httpLink({ url: `${address.controlUrl}/trpc`, headers })] });
}

/** Acts for the person of the access token. */
export function controlWithToken(controlUrl: string, token: string): ControlClient {
  const headers = { authorization: `Bearer ${token}` };
  return createTRPCClient<AppRouter>({ links: [httpLink({ url: `${controlUrl}/trpc`, headers })] });
}

async function begin(address: ControlAddress, account: Account): Promise<string> {
  const cookie = (await enter(address, "sign-in", account)) ?? (await enter(address, "sign-up", account));
  if (cookie !== null) return cookie;
  throw new CommandFailure(
    `the control API doesn't accept the local developer's account (${account.email}): its password was changed, or secrets.json belongs to another database`,
  );
}

/** Whether the session is still valid there. */
async function holds({ controlUrl, consoleUrl }: ControlAddress, cookie: string): Promise<boolean> {
  const response = await fetch(`${controlUrl}/auth/get-session`, { headers: { cookie, origin: consoleUrl } });
  return response.ok && (await response.json()) !== null;
}

/** The session cookie. Null if the account is refused. */
async function enter(address: ControlAddress, how: "sign-in" | "sign-up", account: Account): Promise<string | null> {
  const response = await fetch(`${address.controlUrl}/auth/${how}/email`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: address.consoleUrl },
    body: JSON.stringify(account),
  });
  if (response.status === 401 || response.status === 422 || response.status === 400) return null;
  if (!response.ok) throw new CommandFailure(`the control API answered ${response.status} to ${how}`);
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
}

export type ControlError = TRPCClientError<AppRouter>;

/** Whether the control API refused, as opposed to a bug here. */
export function isControlError(error: unknown): error is ControlError {
  return error instanceof TRPCClientError;
}
