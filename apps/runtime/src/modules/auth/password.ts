// Password hashing, argon2id. In: a password. Out: a hash, or whether it fits one. At most two at a time.
// It never keeps a password, and costs the same whether or not there is an account.
import { randomBytes } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";
import { Fault } from "@plinth/service";

export interface Passwords {
  /** @throws Fault unavailable where too many wait. */
  hash(password: string): Promise<string>;
  /** A missing hash costs what a wrong password costs, and is never fitted by anything. */
  verify(stored: string | null, password: string): Promise<boolean>;
}

/** OWASP's second choice of cost: 46 MiB, one pass, one lane. */
const COST = { memoryCost: 46 * 1024, timeCost: 1, parallelism: 1 } as const;

/** 46 MiB each, so few at a time; who would wait longer than the queue is told to come back. */
export function createPasswords(options: { concurrencyMax?: number; waitingMax?: number } = {}): Passwords {
  const { concurrencyMax = 2, waitingMax = 64 } = options;
  const waiting: (() => void)[] = [];
  let running = 0;
  let decoy: Promise<string> | undefined;

  async function limited<T>(work: () => Promise<T>): Promise<T> {
    if (running >= concurrencyMax) {
      if (waiting.length >= waitingMax) {
        throw new Fault("unavailable", { detail: "Too many sign-ins at once.", headers: { "retry-after": "2" } });
      }
      // The slot is handed over, not freed: nobody can slip in between.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  }

  // Unicode has several spellings of one text; keyboards differ in which they send.
  const bytesOf = (password: string): Buffer => Buffer.from(password.normalize("NFKC"));
  const decoyHash = (): Promise<string> => {
    decoy ??= hash(randomBytes(32), COST);
    return decoy;
  };
  void decoyHash();

  return {
    hash: (password) => limited(() => hash(bytesOf(password), COST)),
    async verify(stored, password) {
      const against = stored ?? (await decoyHash());
      const fits = await limited(() => verify(against, bytesOf(password)));
      return fits && stored !== null;
    },
  };
}
