// Writes JSON as the bytes to send. In: names and values, the values as Postgres printed them. Out: UTF-8. It never
// converts a value to a string: for a list, this costs more than everything else that is done with its rows, and
// creates garbage.

const FIRST_BYTES = 1_024;
/** Up to this number of bytes, a loop is faster than the call that copies memory. */
const LOOPED_BYTES = 48;
/** The longest form of one character: `\u001f`. */
const ESCAPED_BYTES = 6;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const DOT = 0x2e;
const PLUS = 0x2b;
const ZERO = 0x30;
const LETTER_T = 0x54;
const LETTER_Z = 0x5a;
const FRACTION_DIGITS = 6;
/** `.000000Z` and two quotes. */
const INSTANT_BYTES = 10;

export class JsonBytes {
  #bytes: Buffer;
  #used = 0;

  constructor(expectedBytes: number = FIRST_BYTES) {
    this.#bytes = Buffer.allocUnsafe(expectedBytes);
  }

  get length(): number {
    return this.#used;
  }

  /** Everything that was written. Nothing can be written after this. */
  all(): Buffer {
    return this.#bytes.subarray(0, this.#used);
  }

  byte(value: number): void {
    this.#room(1);
    this.#bytes[this.#used++] = value;
  }

  /** Text that is already JSON. */
  text(json: string): void {
    this.copy(Buffer.from(json), 0);
  }

  copy(from: Buffer, start: number, end: number = from.length): void {
    const size = end - start;
    this.#room(size);
    const to = this.#bytes;
    if (size > LOOPED_BYTES) from.copy(to, this.#used, start, end);
    else for (let i = start, at = this.#used; i < end; i++) to[at++] = from[i]!;
    this.#used += size;
  }

  /** A JSON string. */
  quoted(from: Buffer, start: number, end: number): void {
    this.#room(end - start + 2);
    let to = this.#bytes;
    let used = this.#used;
    to[used++] = QUOTE;
    for (let i = start; i < end; i++) {
      const byte = from[i]!;
      if (byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH) {
        to[used++] = byte;
        continue;
      }
      this.#used = used;
      this.#room(end - i + ESCAPED_BYTES);
      to = this.#bytes;
      used += to.write(escapeOf(byte), used);
    }
    to[used++] = QUOTE;
    this.#used = used;
  }

  /**
   * @param from Contains `2026-11-24 13:20:20.5+00`, as Postgres prints an instant in UTC. It is written as
   * `"2026-11-24T13:20:20.500000Z"`.
   */
  instant(from: Buffer, start: number, end: number): void {
    this.#room(end - start + INSTANT_BYTES);
    const to = this.#bytes;
    let used = this.#used;
    to[used++] = QUOTE;
    let digits = -1;
    for (let i = start; i < end && from[i] !== PLUS; i++) {
      const byte = from[i]!;
      if (digits >= 0) digits++;
      if (byte === DOT) digits = 0;
      to[used++] = byte === SPACE ? LETTER_T : byte;
    }
    if (digits < 0) to[used++] = DOT;
    for (let i = Math.max(digits, 0); i < FRACTION_DIGITS; i++) to[used++] = ZERO;
    to[used++] = LETTER_Z;
    to[used++] = QUOTE;
    this.#used = used;
  }

  #room(more: number): void {
    if (this.#used + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#used + more));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
  }
}

function escapeOf(byte: number): string {
  return JSON.stringify(String.fromCharCode(byte)).slice(1, -1);
}
