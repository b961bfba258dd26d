// Passwords of people. In: a password. Out: its argon2id hash, or whether it matches one. Only a few hashes run at the same time,
// since each takes 46 MiB, and the queue for them is short.
import { hash, verify } from "@node-rs/argon2";
import { APIError } from "better-auth/api";

export interface Passwords {
  hash(password: string): Promise<string>;
  verify(given: { hash: string; password: string }): Promise<boolean>;
}

// OWASP's profile with 46 MiB and one pass. argon2id is the default of the library. It isn't set here because its name is a const
// enum, which can't be imported. The database refuses any other kind of hash.
const PROFILE = { memoryCost: 46 * 1024, timeCost: 1, parallelism: 1 };

const CONCURRENT_MAX = 2;
/** About three seconds of work on one slow core. Later requests must try again. */
const WAITING_MAX = 50;

export function createPasswords(): Passwords {
  const slots = createSlots(CONCURRENT_MAX, WAITING_MAX);
  return {
    hash: (password) => slots(() => hash(password, PROFILE)),
    verify: ({ hash: stored, password }) => slots(() => verify(stored, password)),
  };
}

/** @throws APIError 503 if too many are already waiting. */
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
