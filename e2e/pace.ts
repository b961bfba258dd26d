// Decides when requests are sent. In: a rate or a number of workers, and the request. Out: nothing; it ends when
// everything is answered. It never waits for an answer before it sends the next due request: a slow service must not
// slow down its measurement.
import { setTimeout as pause } from "node:timers/promises";

export interface Rate {
  readonly perSecond: number;
  readonly seconds: number;
  /** With this many unanswered requests, due ones are dropped, because the memory of an attacker is limited, too. */
  readonly inFlightMax?: number;
}

/** @param act Gets its number and the time at which it was due (of `performance.now()`). */
export async function atRate(rate: Rate, act: (index: number, dueMs: number) => Promise<void>): Promise<void> {
  const { perSecond, seconds, inFlightMax = 1_000 } = rate;
  const startMs = performance.now();
  const total = Math.floor(perSecond * seconds);
  const open = new Set<Promise<void>>();
  for (let next = 0; next < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - startMs) / 1000) * perSecond) + 1);
    for (; next < due; next++) {
      if (open.size >= inFlightMax) continue;
      const one = act(next, startMs + (next / perSecond) * 1000).finally(() => open.delete(one));
      open.add(one);
    }
    await pause(1);
  }
  await Promise.all(open);
}

/** This many at a time; each starts as soon as the previous one is answered. */
export async function inParallel(
  workers: number,
  seconds: number,
  act: (index: number) => Promise<void>,
): Promise<void> {
  const endMs = performance.now() + seconds * 1000;
  let next = 0;
  const work = async (): Promise<void> => {
    while (performance.now() < endMs) await act(next++);
  };
  await Promise.all(Array.from({ length: workers }, work));
}

/** Counts answers by status; 0 means no answer. */
export class Tally {
  readonly statuses: Record<string, number> = {};

  readonly add = (status: number): void => {
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
  };
}
