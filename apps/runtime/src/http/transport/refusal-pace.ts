// Delays the answers to callers who are refused again and again. In: a refusal's source and its socket. Out: when it
// can be answered. The first refusals of a source are answered at once. Allowed requests never wait here, and no answer
// is lost.
import type { Socket } from "node:net";
import type { Clock } from "@plinth/service";
import { createRateLimiter, type RateLimit } from "../rate-limiter.ts";

/** Refusals that are answered at once. A client that respects `Retry-After` stays far below. */
const PROMPT: RateLimit = { perSecond: 20, burst: 100 };
/** The delay is random within these bounds, so that delayed clients don't come back together. */
const HELD_MS_MIN = 500;
const HELD_MS_STEP = 20;
const HELD_STEPS = 50;
/**
 * At this number of delayed answers, nothing more is read from the socket, because its client sends on without reading.
 */
const HELD_PER_SOCKET = 4;
/**
 * The maximum over all sources. A delayed answer takes memory and a socket. Beyond this number, an immediate answer is
 * cheaper.
 */
const HELD_MAX = 1_000;

export interface RefusalPace {
  /** Null: answer at once. Otherwise answer when the promise resolves. */
  hold(source: string, socket: Socket): Promise<void> | null;
}

export function createRefusalPace(clock: Clock): RefusalPace {
  const prompt = createRateLimiter(PROMPT, clock);
  const heldOf = new WeakMap<Socket, number>();
  let heldInAll = 0;
  let step = 0;

  const letGo = (socket: Socket): void => {
    const left = (heldOf.get(socket) ?? 1) - 1;
    heldOf.set(socket, left);
    heldInAll--;
    if (left === HELD_PER_SOCKET - 1) socket.resume();
  };

  return {
    hold(source, socket) {
      if (prompt.take(source).allowed || heldInAll >= HELD_MAX) return null;
      const held = (heldOf.get(socket) ?? 0) + 1;
      heldOf.set(socket, held);
      heldInAll++;
      if (held >= HELD_PER_SOCKET) socket.pause();
      step = (step + 1) % HELD_STEPS;
      const heldMs = HELD_MS_MIN + step * HELD_MS_STEP;
      return new Promise((resolve) => {
        setTimeout(() => {
          letGo(socket);
          resolve();
        }, heldMs);
      });
    },
  };
}
