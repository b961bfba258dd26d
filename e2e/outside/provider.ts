// A payment provider and a carrier, as one process with their state. In: calls of the APIs of Stripe and EasyPost, as
// far as the tests need them, and commands under `/fake/`. Out: signed webhooks, sent again until the answer is 2xx.
import { type Called, type Said, serveOutside } from "./process.ts";
import { createWebhooks, type Destinations, type Habits } from "./provider-webhooks.ts";

interface Intent {
  readonly id: string;
  readonly object: "payment_intent";
  readonly amount: number;
  readonly currency: string;
  readonly status: "requires_confirmation" | "succeeded";
}

interface Tracker {
  readonly id: string;
  readonly object: "Tracker";
  readonly tracking_code: string;
  readonly carrier: string;
  readonly status: string;
}

const intents = new Map<string, Intent>();
const trackers = new Map<string, Tracker>();
const webhooks = createWebhooks();
/** The number of further API calls that it answers with 500. */
let failures = 0;
let made = 0;

await serveOutside((called) => {
  if (called.path.startsWith("/fake/")) return command(called);
  if (failures > 0) {
    failures--;
    return { status: 500, body: { error: { type: "api_error", message: "An error occurred." } } };
  }
  return called.path.startsWith("/v2/trackers") ? carrier(called) : payments(called);
});

function command({ method, path, body }: Called): Said {
  const given = body === "" ? {} : JSON.parse(body);
  switch (`${method} ${path}`) {
    case "PUT /fake/destinations":
      webhooks.sendTo(given as Destinations);
      return { status: 200 };
    case "PUT /fake/habits":
      webhooks.behave(given as Habits);
      return { status: 200 };
    case "PUT /fake/failures":
      failures = (given as { readonly calls: number }).calls;
      return { status: 200 };
    case "GET /fake/events":
      return { status: 200, body: webhooks.sent() };
    default:
      return { status: 404 };
  }
}

/** https://docs.stripe.com/api/payment_intents */
function payments({ method, path, body }: Called): Said {
  const [, id = "", act] = /^\/v1\/payment_intents(?:\/(\w+))?(?:\/(confirm))?$/.exec(path) ?? [];
  const known = intents.get(id);
  if (method === "POST" && path === "/v1/payment_intents") {
    const form = new URLSearchParams(body);
    const [amount, currency] = [Number(form.get("amount")), form.get("currency") ?? ""];
    const intent: Intent = {
      id: `pi_${++made}`,
      object: "payment_intent",
      amount,
      currency,
      status: "requires_confirmation",
    };
    intents.set(intent.id, intent);
    webhooks.emitPayment("payment_intent.created", intent);
    return { status: 200, body: intent };
  }
  if (known === undefined) return { status: 404, body: { error: { type: "invalid_request_error" } } };
  if (act !== "confirm" || known.status === "succeeded") return { status: 200, body: known };
  const paid: Intent = { ...known, status: "succeeded" };
  intents.set(id, paid);
  webhooks.emitPayment("payment_intent.succeeded", paid);
  return { status: 200, body: paid };
}

/**
 * https://docs.easypost.com/docs/trackers; `PATCH` reports that a parcel has moved, which the real carrier doesn't
 * have.
 */
function carrier({ method, path, body }: Called): Said {
  const { tracker } = JSON.parse(body) as { readonly tracker: Omit<Tracker, "id" | "object"> };
  if (method === "POST") {
    const created: Tracker = { id: `trk_${++made}`, object: "Tracker", ...tracker };
    trackers.set(created.id, created);
    webhooks.emitTracker("tracker.created", created);
    return { status: 201, body: created };
  }
  const known = trackers.get(path.split("/").at(-1) ?? "");
  if (known === undefined) return { status: 404 };
  const moved: Tracker = { ...known, status: tracker.status };
  trackers.set(known.id, moved);
  webhooks.emitTracker("tracker.updated", moved);
  return { status: 200, body: moved };
}
