// Makes those wait who are refused over and over. In: a refusal's source and its socket. Out: when it may be answered.
// The first refusals of a source are answered at once; what is allowed never waits here, and no answer is lost.
import type { Socket } from "node:net";
import type { Clock } from "@plinth/service";
import { createRateLimiter, type RateLimit } from "../rate-limiter.ts";

/** Refusals that are answered at once. A client that respects `Retry-After` never comes near. */
const PROMPT: RateLimit = { perSecond: 20, burst: 100 };
/** Spread, so that those who were held together don't come back together. */
const HELD_MS_MIN = 500;
const HELD_MS_STEP = 20;
const HELD_STEPS = 50;
/** With so many answers held, nothing more is read from a socket: its client sends on without reading. */
const HELD_PER_SOCKET = 4;
/** In all. What is held takes memory and a socket; beyond that a refusal is cheaper answered. */
const HELD_MAX = 1_000;

export interface RefusalPace {
  /** Null: answer at once. Else the answer is due when the promise resolves. */
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
