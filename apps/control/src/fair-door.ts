// Who is answered next, where many ask at once. In: requests of procedures, and the addresses that they come from. Out: each begins in
// its turn: those of one address follow one another, and somebody else's comes between them. It counts by address, since nobody
// has looked yet at whose credentials they are, and made-up ones cost nothing.
import { FairQueue, Fault } from "@plinth/service";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ClientAddress } from "./client-address.ts";

export interface FairDoorOptions {
  readonly clientAddress: ClientAddress;
  /** What begins the path of requests that take turns. */
  readonly prefix: string;
}

/** At once: as many as use the connections to the database well. */
const PLACES = 8;
const PLACES_PER_ADDRESS = 4;
const WAITING_PER_ADDRESS = 200;
const WAIT_MS_MAX = 15_000;
/** A request that takes longer waits for a cell or a worker thread, which have queues of their own: its place is somebody else's. */
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
  // Before the body is read: who waits sends none yet.
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

/** When the answer has gone or its caller has, or the place has been held for long enough. */
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
