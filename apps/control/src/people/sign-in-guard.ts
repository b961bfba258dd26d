// Limits on guessing. In: an attempt to sign in, sign up or change a password. Out: whether it is allowed now, after which pause,
// and a function that reports its result. Nobody can lock out people elsewhere: a refusal only counts attempts from the caller's
// own address or known device. Attempts of others on an account only slow down devices that it doesn't know.
import { setTimeout as pause } from "node:timers/promises";
import { type Charge, createAttempts } from "./attempts.ts";

export interface SignInAttempt {
  /** As typed. The account may not exist, and nothing here depends on that. */
  readonly email: string;
  /** See `client-address.ts`. */
  readonly address: string;
  /** The id of a device that the account knows, or null. */
  readonly device: string | null;
}

export interface Admission {
  /** 0 if the attempt is allowed, otherwise the time until the next one. */
  readonly waitSeconds: number;
  /** Call it if the attempt was not a guess, or was correct. It is then no longer counted. */
  forgive(): void;
}

export interface SignInGuard {
  signIn(attempt: SignInAttempt): Promise<Admission>;
  signUp(address: string): Admission;
  /** Counted by session: a thief of one session can't keep the person from changing their password. */
  changePassword(session: string): Admission;
  /** Codes of a second factor, by address. better-auth counts the attempts on one account. */
  code(address: string): Admission;
}

export interface SignInGuardOptions {
  /** Failed sign-ins by address and minute, and sign-ups by address and hour. */
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
/** Delayed requests at the same time. Further ones are refused, so that they don't fill the memory. */
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
  // A refused attempt was not a guess, so the other counters release it.
  if (waitSeconds > 0) forgive();
  return { waitSeconds, forgive };
}
