// Passwords of people. In: a password. Out: its argon2id hash, or whether it matches one.
// It never runs more than a few hashes at once, since each takes 46 MiB, and never lets the queue for them grow long.
import { hash, verify } from "@node-rs/argon2";
import { APIError } from "better-auth/api";

export interface Passwords {
  hash(password: string): Promise<string>;
  verify(given: { hash: string; password: string }): Promise<boolean>;
}

// OWASP's profile with 46 MiB and one pass. The algorithm is the library's default, argon2id: its name is a const enum,
// which can't be imported; the database refuses a hash of any other kind.
const PROFILE = { memoryCost: 46 * 1024, timeCost: 1, parallelism: 1 };

const CONCURRENT_MAX = 2;
/** About three seconds of work on one slow core; whoever comes later is told to come back. */
const WAITING_MAX = 50;

export function createPasswords(): Passwords {
  const slots = createSlots(CONCURRENT_MAX, WAITING_MAX);
  return {
    hash: (password) => slots(() => hash(password, PROFILE)),
    verify: ({ hash: stored, password }) => slots(() => verify(stored, password)),
  };
}

/** @throws APIError 503 where too many wait already. */
export function createSlots(max: number, waitingMax: number): <T>(work: () => Promise<T>) => Promise<T> {
  let taken = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (waiting.length >= waitingMax) throw new APIError("SERVICE_UNAVAILABLE", { message: "Try again in a moment." });
    if (taken < max) taken++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) taken--;
      else next();
    }
  };
}
