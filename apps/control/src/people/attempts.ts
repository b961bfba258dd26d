// Counts attempts by a key (an address, an account). In: a key. Out: whether one more may be made, and a way to give it back.
// Fixed windows, in memory: a restart forgets them. It never keeps more keys than its bound; those that rest longest go first.

import { RecentMap } from "@plinth/service";

export interface Charge {
  /** 0 where the attempt may be made; else nothing was charged, and this is when the next one may. */
  readonly waitSeconds: number;
  /** Takes the attempt out of the count, for one that did no harm. */
  giveBack(): void;
}

export interface Attempts {
  /** Charges one attempt, before it is known how it ends: many at once must not pass. */
  take(key: string): Charge;
  /** How many are charged to the key now. */
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
