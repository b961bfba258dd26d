// Wakes the process that hands events on. In: a signal that something was written. Out: a notification, at most one in
// ten milliseconds. It is sent outside the writes' transactions, because a NOTIFY makes commits queue. Polling replaces
// a notification that is lost.
import type { Pool } from "pg";

export const EVENTS_CHANNEL = "plinth_events";

export interface Signal {
  /** Call it when the outbox may have a new event. It costs next to nothing. */
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
    // Nobody waits for the notification, and polling replaces a lost one.
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
