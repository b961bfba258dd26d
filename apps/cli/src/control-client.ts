// The control API for the command line. In: its address, an account, and where its session is kept. Out: a typed client that
// carries the session. It signs in only where the kept one doesn't hold any more: signing in is limited, and costs a second.
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
  /** The origin that the control API expects its callers to come from. */
  readonly consoleUrl: string;
}

/** Where a session outlives the command that began it. */
export interface SessionStore {
  /** The cookie; null where none is kept. */
  read(): string | null;
  write(cookie: string): void;
}

/** Goes on with the kept session, else signs in, or up where there is no such account yet. */
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

/** As the person whose access token it is. */
export function controlWithToken(controlUrl: string, token: string): ControlClient {
  const headers = { authorization: `Bearer ${token}` };
  return createTRPCClient<AppRouter>({ links: [httpLink({ url: `${controlUrl}/trpc`, headers })] });
}

async function begin(address: ControlAddress, account: Account): Promise<string> {
  const cookie = (await enter(address, "sign-in", account)) ?? (await enter(address, "sign-up", account));
  if (cookie !== null) return cookie;
  throw new CommandFailure(
    `the control API does not take the local developer's account (${account.email}): its password was changed, or secrets.json belongs to another database`,
  );
}

/** Whether it is still somebody's session there. */
async function holds({ controlUrl, consoleUrl }: ControlAddress, cookie: string): Promise<boolean> {
  const response = await fetch(`${controlUrl}/auth/get-session`, { headers: { cookie, origin: consoleUrl } });
  return response.ok && (await response.json()) !== null;
}

/** The session cookie; null where the account is refused. */
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
