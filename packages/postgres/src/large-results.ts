// Results that may be too large. In: a read, and its maximum size in bytes. Out: its rows up to there, in its turn.
// Large results never get the process's one thread for themselves: the thread reads their bytes, converts them to JSON,
// encodes and sends them, and collects the garbage.
import { createTurns, FairQueue } from "@plinth/service";
import type { ClientBase } from "pg";
import Cursor from "pg-cursor";
import type { RawResult } from "./lane-statement.ts";
import { untilLost } from "./lend.ts";
import { rawTypes } from "./prepared-statements.ts";
import type { RawRow } from "./row-bytes.ts";

/** From this many bytes on, a result is large. */
export const LARGE_BYTES = 131_072;
/** Beyond this size, each further piece of a result is read in its own turn of the event loop. */
const LARGE_PIECE_BYTES = 65_536;
/**
 * The maximum size of all projects' large results together, while others wait for theirs. A megabyte takes the thread 6
 * to 7 ms, an eighth of its time at this pace; its garbage (four to five megabytes) is collected in pauses that grow
 * with the pace.
 */
const BYTES_PER_MS = 20_000;
/** Rows fetched at once: one at first, then as many as their size allows. */
const PIECE_ROWS_FIRST = 1;
const PIECE_ROWS_MAX = 100;

export interface LargeResults {
  /**
   * Resolves when a statement with this expected size can start, the projects in turn; at once if it is small. @throws
   * the error from `refusal` if too many wait, or for too long.
   */
  turn(project: string, bytes: number): Promise<void>;
}

export function createLargeResults(waiting: {
  readonly waitingMax: number;
  readonly waitMsMax: number;
  readonly refusal: (why: "full" | "late" | "endless") => Error;
}): LargeResults {
  const queue = new FairQueue({ ...waiting, places: 1, placesPerProject: 1 });
  return {
    async turn(project, bytes) {
      if (!isLargeResult(bytes)) return;
      await new Promise<void>((begin, refuse) => {
        // The next one waits until this one's bytes have had their time; this one doesn't.
        const holdUp = async (): Promise<void> => {
          begin();
          await new Promise((resolve) => setTimeout(resolve, bytes / BYTES_PER_MS));
        };
        queue.run(project, holdUp).catch(refuse);
      });
    },
  };
}

const pieceTurn = createTurns();

/** Fetches rows in pieces, so that a result that is too large is never in memory as a whole. */
export async function readPieces(
  client: ClientBase,
  text: string,
  values: readonly unknown[],
  bytesMax: number,
): Promise<RawResult & { readonly cut?: boolean }> {
  const cursor = client.query(new Cursor<RawRow>(text, [...values], { rowMode: "array", types: rawTypes as never }));
  try {
    const rows: RawRow[] = [];
    for (let bytes = 0, wanted = PIECE_ROWS_FIRST; ; wanted = rowsFor(bytesMax - bytes, bytes / rows.length)) {
      if (bytes > LARGE_PIECE_BYTES) await pieceTurn();
      const piece = await untilLost(client, cursor.read(wanted));
      for (const row of piece) {
        bytes += sizeOf([row]);
        if (bytes > bytesMax && rows.length > 0) return { rows, rowCount: rows.length, cut: true };
        rows.push(row);
      }
      if (piece.length < wanted) return { rows, rowCount: rows.length };
    }
  } finally {
    // A lost connection answers neither, and the next statement reports it.
    await untilLost(client, cursor.close()).catch(() => {});
  }
}

export function isLargeResult(bytes: number): boolean {
  return bytes > LARGE_BYTES;
}

export function sizeOf(rows: readonly RawRow[]): number {
  let size = 0;
  for (const row of rows) for (const value of row) if (value !== null) size += value.length;
  return size;
}

function rowsFor(bytesLeft: number, bytesEach: number): number {
  return Math.max(1, Math.min(PIECE_ROWS_MAX, Math.ceil(bytesLeft / Math.max(1, bytesEach))));
}
