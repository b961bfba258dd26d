// The signed-in user of a client. In: e-mail and password, or a kept session. Out: the user's access token, renewed
// before it ends. It keeps the session in memory only; keeping it longer is the app's choice (`onSessionChange`).
import { Unauthenticated } from "./errors.ts";
import type { Transport } from "./transport.ts";

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

export interface SignUp extends Credentials {
  readonly name?: string | null;
  /** The fields that the blueprint gives to users. */
  readonly profile?: Readonly<Record<string, unknown>>;
}

export interface User {
  readonly id: string;
  readonly email: string;
  readonly [field: string]: unknown;
}

export interface Session {
  readonly user: User;
  readonly accessToken: string;
  /** Works once: the next session brings the next one. */
  readonly refreshToken: string;
  /** Milliseconds since 1970, by this machine's clock. */
  readonly expiresAt: number;
}

export interface Auth {
  /**
   * Makes a user of the app, and signs them in. Where the app verifies addresses there is no session yet, and it gives null: the
   * mail that was sent tells what to do next, also where the address has an account.
   */
  readonly signUp: (credentials: SignUp) => Promise<Session | null>;
  /** Proves an address that signed up, with the token of the mail, and signs in. The account has this password, whatever signed up. */
  readonly verifyEmail: (token: string, password: string) => Promise<Session>;
  /** Has a mail sent that resets the password, where the address has an account. */
  readonly forgotPassword: (email: string) => Promise<void>;
  /** Sets a new password with the token of the mail; all sessions of the user end. */
  readonly resetPassword: (token: string, password: string) => Promise<void>;
  readonly signIn: (credentials: Credentials) => Promise<Session>;
  /** A new access token. Calls do this by themselves before the old one ends. */
  readonly refresh: () => Promise<Session>;
  /** Ends the session on the server and here; without a session it does nothing. */
  readonly signOut: () => Promise<void>;
  readonly session: () => Session | null;
}

export interface SessionKeeper extends Auth {
  /** The access token to send with a call; null where no user is signed in. */
  readonly accessToken: () => Promise<string | null>;
}

interface SessionReply {
  readonly data: {
    readonly user: User;
    readonly access_token: string;
    readonly refresh_token: string;
    /** Seconds. */
    readonly expires_in: number;
  };
}

/** Renewed this long before its end, so that no call leaves with a token that ends on the way. */
const marginMs = 30_000;

export function createSession(
  transport: Transport,
  initial: Session | null,
  onChange: (session: Session | null) => void,
): SessionKeeper {
  let current = initial;
  let refreshing: Promise<Session> | null = null;

  const become = (session: Session | null): void => {
    current = session;
    onChange(session);
  };
  const ask = (path: string, body: unknown): Promise<unknown> =>
    transport({ method: "POST", path: `/v1/auth/${path}`, body });
  const enter = async (path: string, body: unknown): Promise<Session> =>
    begin(((await ask(path, body)) as SessionReply).data);
  const begin = (data: SessionReply["data"]): Session => {
    const session: Session = {
      user: data.user,
      accessToken: data.access_token,
      refreshToken: data.refresh_token,
      expiresAt: Date.now() + data.expires_in * 1000,
    };
    become(session);
    return session;
  };
  const renew = async (refreshToken: string): Promise<Session> => {
    try {
      return await enter("refresh", { refresh_token: refreshToken });
    } catch (error) {
      // Only the server's word ends a session: a lost connection does not.
      if (error instanceof Unauthenticated) become(null);
      throw error;
    }
  };
  // One at a time: a refresh token works once, and a second use looks like theft.
  const refresh = (): Promise<Session> => {
    if (refreshing !== null) return refreshing;
    if (current === null) return Promise.reject(new Error("nobody is signed in"));
    refreshing = renew(current.refreshToken).finally(() => {
      refreshing = null;
    });
    return refreshing;
  };

  return {
    signUp: async (credentials) => {
      const { data } = (await ask("sign-up", credentials)) as
        | SessionReply
        | { readonly data: { readonly status: string } };
      return "access_token" in data ? begin(data) : null;
    },
    verifyEmail: (token, password) => enter("verify-email", { token, password }),
    forgotPassword: async (email) => {
      await ask("forgot-password", { email });
    },
    resetPassword: async (token, password) => {
      await ask("reset-password", { token, password });
    },
    signIn: (credentials) => enter("sign-in", credentials),
    refresh,
    signOut: async () => {
      const session = current;
      if (session === null) return;
      become(null);
      await transport({ method: "POST", path: "/v1/auth/sign-out", body: { refresh_token: session.refreshToken } });
    },
    session: () => current,
    accessToken: async () => {
      if (current === null) return null;
      return current.expiresAt - marginMs > Date.now() ? current.accessToken : (await refresh()).accessToken;
    },
  };
}
