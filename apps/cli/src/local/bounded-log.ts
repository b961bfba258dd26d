// Limits the size of a log while another process appends to it. In: the log's file. Out: one older part in `<file>.1`. It never
// cuts a line. The log is copied and emptied without the writer, so a line that is written between the two, within microseconds,
// is lost completely. A pipe to us would lose none, but block the writer when we are busy.
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, rmSync, writeSync } from "node:fs";

/** A log and its older part take at most twice this, plus the lines of a second. */
export const LOG_BYTES_MAX = 10_000_000;
const LOOK_MS = 1_000;
const PIECE_BYTES = 1 << 20;

/** @returns a function that stops it. */
export function keepLogBounded(file: string, bytesMax: number = LOG_BYTES_MAX): () => void {
  const timer = setInterval(() => boundLog(file, bytesMax), LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Checks the log once. A log that is missing or can't be written is not changed. */
export function boundLog(file: string, bytesMax: number = LOG_BYTES_MAX): void {
  try {
    const log = openSync(file, "r+");
    try {
      const { size } = fstatSync(log);
      // Waits for an unfinished line, but not forever.
      if (size > bytesMax && (endsLine(log, size) || size > 2 * bytesMax)) moveOut(log, olderLog(file), bytesMax);
    } finally {
      closeSync(log);
    }
  } catch {
    // The next check tries again.
  }
}

export function olderLog(file: string): string {
  return `${file}.1`;
}

function moveOut(log: number, older: string, bytesMax: number): void {
  // The older part is removed first: on a full disk, the copy needs its space.
  rmSync(older, { force: true });
  try {
    write(older, (put) => {
      const piece = Buffer.alloc(PIECE_BYTES);
      const next = (at: number): number => readSync(log, piece, 0, PIECE_BYTES, at);
      for (let at = 0, read = next(0); read > 0; at += read, read = next(at)) put(piece.subarray(0, read));
    });
    ftruncateSync(log, 0);
  } catch {
    moveEndOut(log, older, Math.min(PIECE_BYTES, bytesMax));
  }
}

/** Without space for a copy, it empties the log before it writes the last lines back. */
function moveEndOut(log: number, older: string, bytes: number): void {
  rmSync(older, { force: true });
  const { size } = fstatSync(log);
  const end = Buffer.alloc(Math.min(bytes, size));
  const read = readSync(log, end, 0, end.length, size - end.length);
  ftruncateSync(log, 0);
  write(older, (put) => put(end.subarray(end.indexOf("\n") + 1, read)));
}

/** Nobody else can read the log, or replace it by a link. */
function write(file: string, work: (put: (bytes: Uint8Array) => void) => void): void {
  const descriptor = openSync(file, "wx", 0o600);
  try {
    work((bytes) => {
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
    });
  } finally {
    closeSync(descriptor);
  }
}

function endsLine(log: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return readSync(log, last, 0, 1, size - 1) === 1 && last[0] === 0x0a;
}
