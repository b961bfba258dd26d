// Limits on guessing. In: an attempt to sign in, sign up or change a password. Out: whether it may be made now, after which
// pause, and where to report how it ended. Nobody locks out somebody elsewhere: a refusal counts what came from the caller's
// own address or known device; what others do to an account only slows down devices that it doesn't know.
import { setTimeout as pause } from "node:timers/promises";
import { type Charge, createAttempts } from "./attempts.ts";

export interface SignInAttempt {
  /** As typed; there may be no such account, and nothing here depends on it. */
  readonly email: string;
  /** See `client-address.ts`. */
  readonly address: string;
  /** What tells a device that the account knows from others; null for any other. */
  readonly device: string | null;
}

export interface Admission {
  /** 0 where the attempt may be made; else when to try again. */
  readonly waitSeconds: number;
  /** Call it where the attempt turns out to be no guess, or a right one: it is no longer counted. */
  forgive(): void;
}

export interface SignInGuard {
  signIn(attempt: SignInAttempt): Promise<Admission>;
  signUp(address: string): Admission;
  /** By session: whoever stole one can't keep the person from changing their password. */
  changePassword(session: string): Admission;
  /** Codes of a second factor, by address; what is tried at one account, better-auth counts. */
  code(address: string): Admission;
}

export interface SignInGuardOptions {
  /** Failed sign-ins by address and minute; sign-ups by address and hour. */
  readonly attemptsMax: number;
  readonly slowedMs?: number;
  readonly wait?: (ms: number) => Promise<unknown>;
  readonly now?: () => number;
}

const WINDOW_SECONDS = 600;
/** Failures for one account from one address, and from one known device. */
const PER_ACCOUNT_MAX = 10;
/** Failures for one account from all devices that it doesn't know, before they are slowed down. */
const UNSLOWED_MAX = 20;
const SLOWED_MS = 5_000;
/** Requests that are held back at once. Those beyond it are refused rather than kept in memory. */
const HELD_MAX = 1_000;

export function createSignInGuard(options: SignInGuardOptions): SignInGuard {
  const { attemptsMax, slowedMs = SLOWED_MS, wait = pause, now = Date.now } = options;
  const window = { windowSeconds: WINDOW_SECONDS, now };
  const byAddress = createAttempts({ max: attemptsMax, windowSeconds: 60, now });
  const byAccountAndAddress = createAttempts({ max: PER_ACCOUNT_MAX, ...window });
  const byAccountAndDevice = createAttempts({ max: PER_ACCOUNT_MAX, ...window });
  const byAccount = createAttempts({ max: Number.POSITIVE_INFINITY, ...window });
  const signUps = createAttempts({ max: attemptsMax, windowSeconds: 3600, now });
  const codes = createAttempts({ max: attemptsMax, windowSeconds: 60, now });
  const passwordChanges = createAttempts({ max: PER_ACCOUNT_MAX, ...window });
  let held = 0;
  return {
    signIn: async ({ email, address, device }) => {
      const account = email.toLowerCase();
      if (device !== null) return admitted([byAccountAndDevice.take(`${device} ${account}`)]);
      const slowed = byAccount.count(account) >= UNSLOWED_MAX;
      if (slowed && held >= HELD_MAX) return { waitSeconds: Math.ceil(slowedMs / 1000), forgive: () => {} };
      const admission = admitted([
        byAddress.take(address),
        byAccountAndAddress.take(`${address} ${account}`),
        byAccount.take(account),
      ]);
      if (slowed && admission.waitSeconds === 0) {
        held++;
        await wait(slowedMs).finally(() => held--);
      }
      return admission;
    },
    signUp: (address) => admitted([signUps.take(address)]),
    changePassword: (session) => admitted([passwordChanges.take(session)]),
    code: (address) => admitted([codes.take(address)]),
  };
}

function admitted(charges: readonly Charge[]): Admission {
  const waitSeconds = Math.max(...charges.map((charge) => charge.waitSeconds));
  const forgive = (): void => {
    for (const charge of charges) charge.giveBack();
  };
  // What is refused was no guess: what the other counts took goes back.
  if (waitSeconds > 0) forgive();
  return { waitSeconds, forgive };
}
