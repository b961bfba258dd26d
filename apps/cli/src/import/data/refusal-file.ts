// Writes refused rows to a file, one JSON line for each. In: refusals. Out: a file of limited size. The counts include rows that
// did not fit.

import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import type { RowRefusal } from "@plinth/control/router";

export interface RefusalFile {
  add(place: { readonly table: string; readonly entity: string }, refusals: readonly RowRefusal[]): Promise<void>;
  /** The file, if anything was written. */
  close(): Promise<{ readonly written: number; readonly left: number; readonly path: string }>;
}

const BYTES_MAX = 64 * 1024 * 1024;

/** @param bytesMax Rows beyond this size are only counted. */
export function openRefusalFile(path: string, bytesMax: number = BYTES_MAX): RefusalFile {
  let stream: WriteStream | null = null;
  let bytes = 0;
  let written = 0;
  let left = 0;
  return {
    add: async ({ table, entity }, refusals) => {
      for (const refusal of refusals) {
        const line = `${JSON.stringify({ table, entity, ...refusal })}\n`;
        bytes += Buffer.byteLength(line);
        if (bytes > bytesMax) {
          left++;
          continue;
        }
        stream ??= createWriteStream(path, { flags: "a", mode: 0o600 });
        written++;
        if (!stream.write(line)) await once(stream, "drain");
      }
    },
    close: async () => {
      if (stream !== null) {
        stream.end();
        await once(stream, "close");
      }
      return { written, left, path };
    },
  };
}
