// Keeps a log bounded while another process appends to it. In: the log's file. Out: what is older in `<file>.1`, one of them.
// It never cuts a line in two. The writer is not asked: the log is copied and emptied in its place, so a line that is written
// between the two, a few microseconds, is lost as a whole. A pipe to us would lose none, and hold up the writer when we are busy.
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, rmSync, writeSync } from "node:fs";

/** One log and its older part take twice as much, and what comes within a second. */
export const LOG_BYTES_MAX = 10_000_000;
const LOOK_MS = 1_000;
const PIECE_BYTES = 1 << 20;

/** @returns what stops it. */
export function keepLogBounded(file: string, bytesMax: number = LOG_BYTES_MAX): () => void {
  const timer = setInterval(() => boundLog(file, bytesMax), LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Looks once. A log that isn't there, or can't be written, is left as it is. */
export function boundLog(file: string, bytesMax: number = LOG_BYTES_MAX): void {
  try {
    const log = openSync(file, "r+");
    try {
      const { size } = fstatSync(log);
      // A line that is being written is waited for, but not for ever.
      if (size > bytesMax && (endsLine(log, size) || size > 2 * bytesMax)) moveOut(log, olderLog(file), bytesMax);
    } finally {
      closeSync(log);
    }
  } catch {
    // It is tried again at the next look.
  }
}

export function olderLog(file: string): string {
  return `${file}.1`;
}

function moveOut(log: number, older: string, bytesMax: number): void {
  // First of all: on a full disk the copy needs its room.
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

/** Where there is no room for a copy: the log is emptied before its last lines are written down again. */
function moveEndOut(log: number, older: string, bytes: number): void {
  rmSync(older, { force: true });
  const { size } = fstatSync(log);
  const end = Buffer.alloc(Math.min(bytes, size));
  const read = readSync(log, end, 0, end.length, size - end.length);
  ftruncateSync(log, 0);
  write(older, (put) => put(end.subarray(end.indexOf("\n") + 1, read)));
}

/** Nobody else may read a log, nor put a link in its place. */
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
