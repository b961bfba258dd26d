// Wakes whoever hands events on. In: that something was written. Out: a notification, at most one in ten milliseconds.
// It is sent outside the writes' transactions, since a NOTIFY makes commits queue; one that is lost is made up for by polling.
import type { Pool } from "pg";

export const EVENTS_CHANNEL = "plinth_events";

export interface Signal {
  /** Something may stand in the outbox. Costs next to nothing. */
  raise(): void;
  stop(): Promise<void>;
}

const PAUSE_MS = 10;

export function createSignal(pool: Pool): Signal {
  let raised = false;
  let timer: NodeJS.Timeout | null = null;
  let sending: Promise<unknown> = Promise.resolve();
  const send = (): void => {
    raised = false;
    // Nobody waits for it, and polling makes up for it.
    sending = pool.query(`NOTIFY ${EVENTS_CHANNEL}`).catch(() => {});
    timer = setTimeout(() => {
      timer = null;
      if (raised) send();
    }, PAUSE_MS);
    timer.unref();
  };
  return {
    raise() {
      raised = true;
      if (timer === null) send();
    },
    async stop() {
      if (timer !== null) clearTimeout(timer);
      await sending;
    },
  };
}
