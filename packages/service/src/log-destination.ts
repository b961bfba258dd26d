// Writes log lines. In: lines. Out: the same on a file descriptor, whole and in order. Lines that can't be written (a
// full disk, a missing reader) are counted and lost: a log line never ends the process, and never fills its memory.
import { writeSync } from "node:fs";
import type { DestinationStream } from "pino";

/** How long one line waits for a pipe with a slow reader. */
const SLOW_READER_MS_MAX = 200;
const RETRY_MS = 5;

export type Write = (descriptor: number, bytes: Uint8Array) => number;

/** @param write Replaced by tests alone. */
export function logDestination(descriptor: number, write: Write = writeSync): DestinationStream {
  const encoder = new TextEncoder();
  let lost = 0;
  // The end of a line that was half written: it is completed before the next one, or both would be unreadable.
  let isBroken = false;

  /** @throws the error of the write */
  const writeWhole = (text: string): void => {
    let rest: Uint8Array = encoder.encode(text);
    for (let waitedMs = 0; rest.length > 0; ) {
      try {
        const written = write(descriptor, rest);
        rest = rest.subarray(written);
        if (written > 0) isBroken = rest.length > 0;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN" || waitedMs >= SLOW_READER_MS_MAX) throw error;
        sleep(RETRY_MS);
        waitedMs += RETRY_MS;
      }
    }
  };

  return {
    write: (line) => {
      try {
        if (isBroken) writeWhole("\n");
        if (lost > 0) {
          writeWhole(
            `${JSON.stringify({ level: "warn", time: new Date().toISOString(), lost, msg: "log lines were lost" })}\n`,
          );
          lost = 0;
        }
        writeWhole(line);
      } catch {
        lost++;
      }
    },
  };
}

/** Blocks: a log line is written before anything after it happens. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
