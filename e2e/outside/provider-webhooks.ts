// Sends the webhooks of the test provider. In: events. Out: requests signed like those of Stripe and EasyPost, each
// repeated until the answer is 2xx, and on request late, twice or in another order.
import { createHmac } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import Stripe from "stripe";

export interface Destination {
  readonly url: string;
  readonly secret: string;
}

export interface Destinations {
  readonly payments: Destination;
  readonly trackers: Destination;
}

export interface Habits {
  /** How often each event is sent again although it was accepted. */
  readonly repeats?: number;
  /** Milliseconds from an event to its request. */
  readonly delayMs?: number;
  /** Events wait until there are this many, and are then sent newest first. */
  readonly reorderBy?: number;
}

interface SentEvent {
  readonly id: string;
  readonly type: string;
  /** The status of each attempt; 0 if there was no answer. */
  readonly answers: readonly number[];
}

export interface Webhooks {
  readonly sendTo: (destinations: Destinations) => void;
  readonly behave: (habits: Habits) => void;
  readonly emitPayment: (type: string, object: object) => void;
  readonly emitTracker: (description: string, result: object) => void;
  readonly sent: () => readonly SentEvent[];
}

interface Outgoing {
  readonly event: SentEvent & { readonly answers: number[] };
  readonly body: string;
  readonly kind: keyof Destinations;
}

const ATTEMPTS_MAX = 60;
const RETRY_MS = 100;
const RETRY_MS_MAX = 1_000;
const TIMEOUT_MS = 5_000;

export function createWebhooks(): Webhooks {
  const stripe = new Stripe("sk_test_of_the_fake");
  const events: SentEvent[] = [];
  let destinations: Destinations | null = null;
  let habits: Habits = {};
  let held: Outgoing[] = [];

  const headersOf = ({ kind, body }: Outgoing, secret: string): Record<string, string> =>
    kind === "payments"
      ? { "stripe-signature": stripe.webhooks.generateTestHeaderString({ payload: body, secret }) }
      : // https://docs.easypost.com/guides/webhooks-guide#step-4-webhook-hmac-validation
        {
          "x-hmac-signature": `hmac-sha256-hex=${createHmac("sha256", secret.normalize("NFKD")).update(body).digest("hex")}`,
        };

  async function attempt(outgoing: Outgoing): Promise<boolean> {
    const to = destinations?.[outgoing.kind];
    if (to === undefined) return false;
    const headers = { "content-type": "application/json", ...headersOf(outgoing, to.secret) };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const status = await fetch(to.url, {
      method: "POST",
      headers,
      body: outgoing.body,
      redirect: "manual",
      signal,
    }).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.status;
      },
      () => 0,
    );
    outgoing.event.answers.push(status);
    return status >= 200 && status < 300;
  }

  async function deliver(outgoing: Outgoing, { repeats = 0, delayMs = 0 }: Habits): Promise<void> {
    await pause(delayMs);
    for (let at = 0; at <= repeats; at++) {
      for (let tries = 0; tries < ATTEMPTS_MAX && !(await attempt(outgoing)); tries++) {
        await pause(Math.min(RETRY_MS * 2 ** tries, RETRY_MS_MAX));
      }
    }
  }

  function emit(kind: keyof Destinations, id: string, type: string, body: object): void {
    const event = { id, type, answers: [] };
    events.push(event);
    held.push({ event, body: JSON.stringify(body), kind });
    if (held.length < (habits.reorderBy ?? 1)) return;
    const ready = held.reverse();
    held = [];
    const now = habits;
    void (async () => {
      // One after the other, so that the order is the requested one.
      for (const outgoing of ready) await deliver(outgoing, now);
    })();
  }

  return {
    sendTo: (given) => {
      destinations = given;
    },
    behave: (given) => {
      habits = given;
    },
    emitPayment: (type, object) => {
      const id = `evt_${events.length + 1}`;
      const created = Math.floor(Date.now() / 1_000);
      emit("payments", id, type, { id, object: "event", type, created, data: { object } });
    },
    emitTracker: (description, result) => {
      const id = `evt_track_${events.length + 1}`;
      emit("trackers", id, description, { id, object: "Event", description, result });
    },
    sent: () => events,
  };
}
