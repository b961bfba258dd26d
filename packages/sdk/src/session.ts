// The signed-in user of a client. In: e-mail and password, or a stored session. Out: the user's access token, renewed
// before it expires. It keeps the session only in memory; the app can store it (`onSessionChange`).
import { Unauthenticated } from "./errors.ts";
import { endedBy, type Transport } from "./transport.ts";
import type { AnyProject, ProjectTypes } from "./types.ts";
import { type CallOptions, endOf } from "./writing.ts";

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** The profile fields that users may set at sign-up. */
export type ProfileOf<Types extends ProjectTypes> = Types extends { readonly profile: infer Profile extends object }
  ? Profile
  : Readonly<Record<string, unknown>>;

export interface SignUp<Types extends ProjectTypes = AnyProject> extends Credentials {
  readonly name?: string | null;
  readonly profile?: ProfileOf<Types>;
}

export interface User {
  readonly id: string;
  readonly email: string;
  readonly [field: string]: unknown;
}

/** The signed-in user, with all fields that users see of themselves. */
export type UserOf<Types extends ProjectTypes> = Types extends { readonly user: infer Own extends object } ? Own : User;

export interface Session<Own = User> {
  readonly user: Own;
  readonly accessToken: string;
  /** It works once: the next session has a new one. */
  readonly refreshToken: string;
  /** Milliseconds since 1970, by this machine's clock. */
  readonly expiresAt: number;
}

export interface Auth<Types extends ProjectTypes = AnyProject> {
  /**
   * Creates a user of the app and signs them in. If the app verifies addresses, there is no session yet and the result
   * is null: a mail with the next step was sent, even if the address already has an account.
   */
  readonly signUp: (credentials: SignUp<Types>, options?: CallOptions) => Promise<Session<UserOf<Types>> | null>;
  /**
   * Verifies the address of a sign-up with the token from the mail, and signs in. The account gets this password,
   * whatever the sign-up sent.
   */
  readonly verifyEmail: (token: string, password: string, options?: CallOptions) => Promise<Session<UserOf<Types>>>;
  /** Sends a mail to reset the password, if the address has an account. */
  readonly forgotPassword: (email: string, options?: CallOptions) => Promise<void>;
  /** Sets a new password with the token from the mail; all sessions of the user end. */
  readonly resetPassword: (token: string, password: string, options?: CallOptions) => Promise<void>;
  readonly signIn: (credentials: Credentials, options?: CallOptions) => Promise<Session<UserOf<Types>>>;
  /**
   * Gets a new access token. Calls do this automatically before the old one expires. The signal only ends the wait:
   * other calls may need the new token.
   */
  readonly refresh: (options?: CallOptions) => Promise<Session<UserOf<Types>>>;
  /** Ends the session on the server and here; does nothing without a session. */
  readonly signOut: (options?: CallOptions) => Promise<void>;
  readonly session: () => Session<UserOf<Types>> | null;
}

export interface SessionKeeper<Types extends ProjectTypes> extends Auth<Types> {
  /** The access token for a call; null if no user is signed in. */
  readonly accessToken: () => Promise<string | null>;
}

interface SessionReply<Own> {
  readonly data: {
    readonly user: Own;
    readonly access_token: string;
    readonly refresh_token: string;
    /** Seconds. */
    readonly expires_in: number;
  };
}

/** It is renewed this long before it expires, so that it never expires during a call. */
const marginMs = 30_000;

export function createSession<Types extends ProjectTypes>(
  transport: Transport,
  initial: Session<UserOf<Types>> | null,
  onChange: (session: Session<UserOf<Types>> | null) => void,
): SessionKeeper<Types> {
  let current = initial;
  let refreshing: Promise<Session<UserOf<Types>>> | null = null;

  const become = (session: Session<UserOf<Types>> | null): void => {
    current = session;
    onChange(session);
  };
  const ask = (path: string, body: unknown, options?: CallOptions): Promise<unknown> =>
    transport({ method: "POST", path: `/v1/auth/${path}`, body, ...endOf(options) });
  const enter = async (path: string, body: unknown, options?: CallOptions): Promise<Session<UserOf<Types>>> =>
    begin(((await ask(path, body, options)) as SessionReply<UserOf<Types>>).data);
  const begin = (data: SessionReply<UserOf<Types>>["data"]): Session<UserOf<Types>> => {
    const session: Session<UserOf<Types>> = {
      user: data.user,
      accessToken: data.access_token,
      refreshToken: data.refresh_token,
      expiresAt: Date.now() + data.expires_in * 1000,
    };
    become(session);
    return session;
  };
  const renew = async (refreshToken: string): Promise<Session<UserOf<Types>>> => {
    try {
      return await enter("refresh", { refresh_token: refreshToken });
    } catch (error) {
      // Only the server's answer ends a session: a lost connection does not.
      if (error instanceof Unauthenticated) become(null);
      throw error;
    }
  };
  // One at a time: a refresh token works once, and a second use looks like theft.
  const refresh = (): Promise<Session<UserOf<Types>>> => {
    if (refreshing !== null) return refreshing;
    if (current === null) return Promise.reject(new Error("nobody is signed in"));
    refreshing = renew(current.refreshToken).finally(() => {
      refreshing = null;
    });
    return refreshing;
  };

  return {
    signUp: async (credentials, options) => {
      const { data } = (await ask("sign-up", credentials, options)) as
        | SessionReply<UserOf<Types>>
        | { readonly data: { readonly status: string } };
      return "access_token" in data ? begin(data) : null;
    },
    verifyEmail: (token, password, options) => enter("verify-email", { token, password }, options),
    forgotPassword: async (email, options) => {
      await ask("forgot-password", { email }, options);
    },
    resetPassword: async (token, password, options) => {
      await ask("reset-password", { token, password }, options);
    },
    signIn: (credentials, options) => enter("sign-in", credentials, options),
    refresh: (options) => endedBy(options?.signal, refresh),
    signOut: async (options) => {
      const session = current;
      if (session === null) return;
      become(null);
      await ask("sign-out", { refresh_token: session.refreshToken }, options);
    },
    session: () => current,
    accessToken: async () => {
      if (current === null) return null;
      return current.expiresAt - marginMs > Date.now() ? current.accessToken : (await refresh()).accessToken;
    },
  };
}
