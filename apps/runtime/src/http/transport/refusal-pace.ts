// Makes those wait who are refused over and over. In: a refusal's source and its socket. Out: when it may be answered.
// The first refusals of a source are answered at once; what is allowed never waits here, whoever sends it.
import type { Socket } from "node:net";
import type { Clock } from "../contracts.ts";
import { createRateLimiter, type RateLimit } from "../rate-limiter.ts";

/** Refusals that are answered at once. A client that respects `Retry-After` never comes near. */
const PROMPT: RateLimit = { perSecond: 20, burst: 100 };
const PROMPT_IN_ALL: RateLimit = { perSecond: 1_000, burst: 1_000 };
/** Spread, so that those who were held together don't come back together. */
const HELD_MS_MIN = 500;
const HELD_MS_STEP = 20;
const HELD_STEPS = 50;
/** Held answers of one socket, whose client sends on without reading. */
const HELD_PER_SOCKET = 16;

export interface RefusalPace {
  /**
   * Null: answer at once. Else the answer is due when the promise resolves; nothing is read from the socket meanwhile.
   * A socket with too many answers held is cut.
   */
  hold(source: string, socket: Socket): Promise<void> | null;
}

export function createRefusalPace(clock: Clock): RefusalPace {
  const perSource = createRateLimiter(PROMPT, clock);
  const inAll = createRateLimiter(PROMPT_IN_ALL, clock);
  const heldOf = new WeakMap<Socket, number>();
  let step = 0;

  const letGo = (socket: Socket): void => {
    const left = (heldOf.get(socket) ?? 1) - 1;
    heldOf.set(socket, left);
    if (left === 0) socket.resume();
  };

  return {
    hold(source, socket) {
      if (perSource.take(source).allowed && inAll.take("").allowed) return null;
      const held = (heldOf.get(socket) ?? 0) + 1;
      if (held > HELD_PER_SOCKET) {
        socket.destroy();
        return null;
      }
      heldOf.set(socket, held);
      socket.pause();
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
