// Generates record ids. In: a clock. Out: UUID v7 (RFC 9562, 5.7), strictly increasing within a process. It never
// repeats an id if the clock stops or goes back: the 12 bits after the time count on (6.2, method 1).
import { randomFillSync } from "node:crypto";
import type { Clock } from "./clock.ts";

const hexOfByte: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const POOL_BYTES = 8 * 512;

export function createUuidV7(clock: Clock): () => string {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  let timeMs = 0;
  let counter = 0;

  return () => {
    // One system call for 512 ids; the random part of each is used once.
    if (used === POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    const at = used;
    used += 8;
    const now = clock.now();
    if (now > timeMs) {
      timeMs = now;
      // Half of the counter's range stays free, so that it rarely reaches the next millisecond.
      counter = ((pool[at]! << 8) | pool[at + 1]!) & 0x7ff;
    } else if (++counter > 0xfff) {
      timeMs++;
      counter = 0;
    }
    const high = Math.floor(timeMs / 0x1_0000_0000);
    const low = timeMs % 0x1_0000_0000;
    const hex = (byte: number): string => hexOfByte[byte & 0xff]!;
    return (
      `${hex(high >> 8)}${hex(high)}${hex(low >>> 24)}${hex(low >>> 16)}-${hex(low >>> 8)}${hex(low)}-` +
      `${hex(0x70 | (counter >> 8))}${hex(counter)}-${hex(0x80 | (pool[at + 1]! & 0x3f))}${hex(pool[at + 2]!)}-` +
      `${hex(pool[at + 3]!)}${hex(pool[at + 4]!)}${hex(pool[at + 5]!)}${hex(pool[at + 6]!)}${hex(pool[at + 7]!)}${hex(pool[at]!)}`
    );
  };
}

const uuid = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;

/** Any UUID in its usual form, whatever its version. */
export function isUuid(text: string): boolean {
  return text.length === 36 && uuid.test(text);
}
