// Cuts a stream of rows into batches. In: lines in COPY's text format, each with its key and its hash first. Out: batches of whole lines.
// A row that is larger than a batch is listed by its key, and never held in memory as a whole.
import { readCopyValue } from "@plinth/postgres";

export interface Batch {
  /** Lines in COPY's text format. */
  readonly rows: string;
  readonly count: number;
  /** Rows that are larger than a batch, and not in `rows`. */
  readonly tooLarge: readonly { readonly key: string; readonly hash: string }[];
  /** The key of the last row, in the order of the source. */
  readonly last: string;
}

export interface BatchBounds {
  readonly rowsMax: number;
  /** The size of the rows as a JSON string, which is how they are sent. */
  readonly charsMax: number;
}

const NEWLINE = 10;
const TAB = 9;
/** The part of a row that contains its key and its hash. */
const HEAD_BYTES = 64 * 1024;
/** The maximum that the cell accepts in a batch. */
const TOO_LARGE_ROWS_MAX = 500;
/** The length of keys in reports. */
const KEY_SHOWN_MAX = 200;

export async function* cutBatches(
  chunks: AsyncIterable<Buffer>,
  { rowsMax, charsMax }: BatchBounds,
): AsyncGenerator<Batch> {
  let open = emptyBatch();
  for await (const row of rowsOf(chunks, charsMax)) {
    const isFull = open.parts.length === rowsMax || open.tooLarge.length === TOO_LARGE_ROWS_MAX;
    if (isFull || (row.size <= charsMax && open.size + row.size > charsMax)) {
      yield closed(open);
      open = emptyBatch();
    }
    const [key, hash] = headOf(row.bytes);
    open.last = key;
    if (row.size > charsMax) open.tooLarge.push({ key: key.slice(0, KEY_SHOWN_MAX), hash });
    else {
      open.parts.push(row.bytes);
      open.size += row.size;
    }
  }
  if (open.parts.length + open.tooLarge.length > 0) yield closed(open);
}

interface OpenBatch {
  readonly parts: Buffer[];
  readonly tooLarge: { readonly key: string; readonly hash: string }[];
  size: number;
  last: string;
}

function emptyBatch(): OpenBatch {
  return { parts: [], tooLarge: [], size: 0, last: "" };
}

function closed({ parts, tooLarge, last }: OpenBatch): Batch {
  return { rows: Buffer.concat(parts).toString(), count: parts.length, tooLarge, last };
}

/** Complete lines with their size as JSON. A line with more than `bytesMax` bytes is cut after its head. */
async function* rowsOf(
  chunks: AsyncIterable<Buffer>,
  bytesMax: number,
): AsyncGenerator<{ readonly bytes: Buffer; readonly size: number }> {
  let rest: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const bytes = Buffer.concat([...rest, chunk.subarray(start, end + 1)]);
      length += end + 1 - start;
      yield { bytes, size: length > bytesMax ? length : jsonSize(bytes) };
      rest = [];
      length = 0;
      start = end + 1;
    }
    if (start === chunk.length) continue;
    length += chunk.length - start;
    rest.push(chunk.subarray(start));
    if (length > bytesMax) rest = [Buffer.concat(rest).subarray(0, HEAD_BYTES)];
  }
}

const QUOTE = 34;
const BACKSLASH = 92;
const SPACE = 32;

/** The number of bytes in a JSON string. Most control characters are escaped by COPY, and the others take six bytes. */
function jsonSize(bytes: Buffer): number {
  let size = bytes.length;
  for (const byte of bytes) {
    if (byte === QUOTE || byte === BACKSLASH || byte === TAB || byte === NEWLINE) size++;
    else if (byte < SPACE) size += 5;
  }
  return size;
}

function headOf(row: Buffer): readonly [key: string, hash: string] {
  const end = row.indexOf(TAB);
  const second = row.indexOf(TAB, end + 1);
  const hash = row.subarray(end + 1, second === -1 ? row.length - 1 : second);
  return [readCopyValue(row.subarray(0, end).toString()) ?? "", hash.toString()];
}
