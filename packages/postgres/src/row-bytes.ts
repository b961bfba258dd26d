// Rows in wire format, one after the other: for each row the number of columns in 2 bytes, and for each column its
// length in 4 bytes (-1 for null), followed by its text in UTF-8. In: rows. Out: bytes, and rows again.

/** Column values as Postgres prints them. */
export type RawRow = (string | null)[];

/** After the length of a message, which includes itself. */
const LENGTH_BYTES = 4;
const FIRST_BYTES = 16_384;
const NULL = -1;

/** Collects rows. It copies them, because the connection reuses its buffer. */
export class RowBytes {
  #bytes: Buffer = Buffer.allocUnsafe(FIRST_BYTES);
  #used = 0;

  add({ bytes, at, length }: { readonly bytes: Buffer; readonly at: number; readonly length: number }): void {
    const size = length - LENGTH_BYTES;
    if (this.#used + size > this.#bytes.length) this.#grow(size);
    this.#used += bytes.copy(this.#bytes, this.#used, at, at + size);
  }

  all(): Buffer {
    return this.#bytes.subarray(0, this.#used);
  }

  #grow(more: number): void {
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#used + more));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
  }
}

export function bytesOfRows(rows: readonly (readonly (string | null)[])[]): Buffer {
  const parts: Buffer[] = [];
  for (const row of rows) {
    const count = Buffer.allocUnsafe(2);
    count.writeInt16BE(row.length);
    parts.push(count);
    for (const text of row) {
      const value = text === null ? null : Buffer.from(text);
      const length = Buffer.allocUnsafe(4);
      length.writeInt32BE(value === null ? NULL : value.length);
      parts.push(length);
      if (value !== null) parts.push(value);
    }
  }
  return Buffer.concat(parts);
}

/** For the row at that place. */
export function textsOf(bytes: Buffer, at: number): RawRow {
  const row = new RowReader(bytes, at);
  row.next();
  return Array.from({ length: row.columns }, (_, i) => row.text(i));
}

/** Iterates over rows, with the positions of one row's columns at a time. */
export class RowReader {
  readonly bytes: Buffer;
  columns = 0;
  #at: number;
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  constructor(bytes: Buffer, at = 0) {
    this.bytes = bytes;
    this.#at = at;
  }

  /** False if there are no more rows. */
  next(): boolean {
    const { bytes } = this;
    if (this.#at >= bytes.length) return false;
    let at = this.#at;
    this.columns = bytes.readInt16BE(at);
    at += 2;
    for (let i = 0; i < this.columns; i++) {
      const length = bytes.readInt32BE(at);
      at += 4;
      this.#starts[i] = length === NULL ? NULL : at;
      if (length !== NULL) at += length;
      this.#ends[i] = at;
    }
    this.#at = at;
    return true;
  }

  /** Whether no further row comes. */
  get isLast(): boolean {
    return this.#at >= this.bytes.length;
  }

  /** The start of a column's text; -1 for null. */
  start(column: number): number {
    return this.#starts[column]!;
  }

  end(column: number): number {
    return this.#ends[column]!;
  }

  isNull(column: number): boolean {
    return this.#starts[column] === NULL;
  }

  text(column: number): string | null {
    return this.isNull(column) ? null : this.bytes.toString("utf8", this.start(column), this.end(column));
  }
}
