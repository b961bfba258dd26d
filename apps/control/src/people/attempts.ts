// Counts attempts by a key (an address, an account). In: a key. Out: whether another attempt is allowed, and a function that
// takes it back. It uses fixed windows in memory, so a restart forgets them. The number of keys is bounded; the keys without
// attempts for the longest time are dropped first.

import { RecentMap } from "@plinth/service";

export interface Charge {
  /** 0 if the attempt is allowed. Otherwise nothing was charged, and this is the time until the next one is allowed. */
  readonly waitSeconds: number;
  /** Takes the attempt out of the count, if it turned out to be harmless. */
  giveBack(): void;
}

export interface Attempts {
  /** Charges one attempt before its result is known, so that many at the same time can't pass. */
  take(key: string): Charge;
  /** How many attempts are charged to the key now. */
  count(key: string): number;
}

export interface AttemptsOptions {
  readonly max: number;
  readonly windowSeconds: number;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

interface Window {
  count: number;
  readonly endsAt: number;
}

const KEYS_MAX = 100_000;

export function createAttempts({ max, windowSeconds, now = Date.now }: AttemptsOptions): Attempts {
  const windows = new RecentMap<string, Window>(KEYS_MAX);
  const current = (key: string): Window | null => {
    const window = windows.get(key);
    return window !== undefined && window.endsAt > now() ? window : null;
  };
  return {
    take: (key) => {
      const window = current(key) ?? { count: 0, endsAt: now() + windowSeconds * 1000 };
      if (window.count >= max) return { waitSeconds: Math.ceil((window.endsAt - now()) / 1000), giveBack: () => {} };
      windows.set(key, window);
      window.count++;
      let given = false;
      const giveBack = (): void => {
        if (!given) window.count--;
        given = true;
      };
      return { waitSeconds: 0, giveBack };
    },
    count: (key) => current(key)?.count ?? 0,
  };
}
