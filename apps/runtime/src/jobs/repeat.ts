// Repeats work: at once when it is woken, and otherwise after a pause. In: the work. Out: rounds, never two at a time,
// until it is stopped.
export interface Repeating {
  wake(): void;
  /** Waits for the round in progress. */
  stop(): Promise<void>;
}

/** @param round Returns the pause after it, in ms. It must handle its own errors. */
export function repeat(round: () => Promise<number>): Repeating {
  let stopped = false;
  let woken = false;
  let timer: NodeJS.Timeout | null = null;

  async function go(): Promise<void> {
    timer = null;
    let pauseMs = 0;
    do {
      woken = false;
      pauseMs = await round();
    } while (woken && !stopped);
    if (!stopped) timer = setTimeout(start, pauseMs);
  }

  function start(): void {
    going = go();
  }

  let going = go();
  return {
    wake() {
      woken = true;
      if (timer === null || stopped) return;
      clearTimeout(timer);
      start();
    },
    async stop() {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
      await going;
    },
  };
}
