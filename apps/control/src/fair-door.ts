// Decides which request starts next if many arrive at the same time. In: requests, and the addresses of their senders. Out: requests
// that start in turns: an address with few requests doesn't wait for one with many. It counts by address, because credentials are
// checked later, and an attacker can invent as many as they want.
import { FairQueue, Fault } from "@plinth/service";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ClientAddress } from "./client-address.ts";

export interface FairDoorOptions {
  readonly clientAddress: ClientAddress;
  /** Requests whose path starts with this take turns. */
  readonly prefix: string;
}

/** Requests that run at the same time: enough to use the connections to the database. */
const PLACES = 8;
const PLACES_PER_ADDRESS = 4;
const WAITING_PER_ADDRESS = 200;
const WAIT_MS_MAX = 15_000;
/** A request that takes longer waits for a cell or a worker thread, which have their own queues. Another one gets its place. */
const HOLD_MS = 250;

/** @throws Fault in the requests: `rate_limited`, `unavailable`. */
export function fairDoor(app: FastifyInstance, { clientAddress, prefix }: FairDoorOptions): void {
  const queue = new FairQueue({
    places: PLACES,
    placesPerProject: PLACES_PER_ADDRESS,
    waitingMax: WAITING_PER_ADDRESS,
    waitMsMax: WAIT_MS_MAX,
    refusal: (why) => new Fault(why === "full" ? "rate_limited" : "unavailable", { headers: { "retry-after": "1" } }),
  });
  // Before the body is read, so that waiting requests take no memory.
  app.addHook("onRequest", async (request, reply) => {
    if (!request.url.startsWith(prefix)) return;
    await new Promise<void>((begin, refuse) => {
      const work = (): Promise<void> => {
        begin();
        return endOf(reply);
      };
      queue.run(clientAddress(request), work).catch(refuse);
    });
  });
}

/** Resolves when the answer is sent, the caller has disconnected, or the time for one place is over. */
function endOf({ raw }: FastifyReply): Promise<void> {
  if (raw.closed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      raw.off("close", done);
      resolve();
    };
    const timer = setTimeout(done, HOLD_MS);
    raw.once("close", done);
  });
}
