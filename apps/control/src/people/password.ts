// Passwords of people. In: a password. Out: its argon2id hash, or whether it matches one.
// It never runs more than a few hashes at once: each takes 46 MiB.
import { hash, verify } from "@node-rs/argon2";

export interface Passwords {
  hash(password: string): Promise<string>;
  verify(given: { hash: string; password: string }): Promise<boolean>;
}

// OWASP's profile with 46 MiB and one pass. The algorithm is the library's default, argon2id: its name is a const enum,
// which can't be imported; the database refuses a hash of any other kind.
const PROFILE = { memoryCost: 46 * 1024, timeCost: 1, parallelism: 1 };

const CONCURRENT_MAX = 2;

export function createPasswords(): Passwords {
  const slots = createSlots(CONCURRENT_MAX);
  return {
    hash: (password) => slots(() => hash(password, PROFILE)),
    verify: ({ hash: stored, password }) => slots(() => verify(stored, password)),
  };
}

function createSlots(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  let taken = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
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
