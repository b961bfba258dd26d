// The control API for the command line. In: its address and an account. Out: a typed client that carries the session.
// It keeps the session in memory only.
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

/** Signs in, or up where there is no such account yet. */
export async function connectControl(address: ControlAddress, account: Account): Promise<ControlClient> {
  const cookie = (await enter(address, "sign-in", account)) ?? (await enter(address, "sign-up", account));
  if (cookie === null) {
    throw new CommandFailure(
      `the control API does not take the local developer's account (${account.email}): its password was changed, or secrets.json belongs to another database`,
    );
  }
  const headers = { cookie, origin: address.consoleUrl };
  return createTRPCClient<AppRouter>({ links: [httpLink({ url: `${address.controlUrl}/trpc`, headers })] });
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

type ControlError = TRPCClientError<AppRouter>;

/** Whether the control API refused, as opposed to a bug here. */
export function isControlError(error: unknown): error is ControlError {
  return error instanceof TRPCClientError;
}
