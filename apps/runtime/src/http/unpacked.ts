// Sends compressed content to clients that don't accept gzip. In: gzip's bytes. Out: a stream that unpacks them piece
// by piece while they are read, the projects in turn. Only one piece is in memory at a time.
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { FairQueue } from "@plinth/service";

const PIECE_BYTES = 65_536;
/** In addition to the piece that is sent: the next one, and zlib's own state. */
export const UNPACKING_BYTES: number = 4 * PIECE_BYTES;
/**
 * The limit over all streams. A piece takes a fraction of a millisecond of this thread, and some garbage collection
 * afterwards.
 */
const BYTES_PER_MS = 10_000;

export interface Unpacker {
  stream(project: string, compressed: Buffer): Readable;
}

export function createUnpacker(): Unpacker {
  const queue = new FairQueue({
    places: 1,
    placesPerProject: 1,
    // As many as can read at once. The limit on replies bounds them.
    waitingMax: 1_000,
    waitMsMax: 60_000,
    refusal: () => new Error("the turn for a piece of a document did not come"),
  });

  /** The next stream waits until this piece has had its time. The current one doesn't. */
  const turn = (project: string, bytes: number): Promise<void> =>
    new Promise((begin, refuse) => {
      const holdUp = async (): Promise<void> => {
        begin();
        await new Promise((resolve) => setTimeout(resolve, bytes / BYTES_PER_MS));
      };
      queue.run(project, holdUp).catch(refuse);
    });

  async function* pieces(project: string, compressed: Buffer): AsyncGenerator<Buffer> {
    const gunzip = createGunzip({ chunkSize: PIECE_BYTES });
    gunzip.end(compressed);
    try {
      for await (const piece of gunzip) {
        await turn(project, (piece as Buffer).length);
        yield piece as Buffer;
      }
    } finally {
      gunzip.destroy();
    }
  }

  return {
    stream: (project, compressed) =>
      Readable.from(pieces(project, compressed), { objectMode: false, highWaterMark: PIECE_BYTES }),
  };
}

/** Whether the client takes gzip (RFC 9110, 12.5.3): the header names it, and not with a weight of 0. */
export function acceptsGzip(header: string | readonly string[] | undefined): boolean {
  return String(header ?? "")
    .toLowerCase()
    .split(",")
    .some((each) => /^\s*gzip\s*(?:$|;(?!\s*q=0(?:\.0*)?\s*$))/.test(each));
}
