// Reads the CSV that an export writes (RFC 4180). In: a text in pieces. Out: records, null for an empty field, and an empty text for `""`.

export type CsvRecord = readonly (string | null)[];

/** @throws CsvError if a quote is not closed, or if text follows a closed quote. */
export async function* readCsv(pieces: AsyncIterable<string>): AsyncGenerator<CsvRecord> {
  let text = "";
  for await (const piece of pieces) {
    text += piece;
    let start = 0;
    for (let found = recordAt(text, start, false); found !== null; found = recordAt(text, start, false)) {
      yield found.record;
      start = found.end;
    }
    text = text.slice(start);
  }
  for (let start = 0; start < text.length; ) {
    const found = recordAt(text, start, true);
    if (found === null) throw new CsvError("a quote is not closed");
    yield found.record;
    start = found.end;
  }
}

export class CsvError extends Error {}

interface Found<T> {
  readonly record: T;
  /** The position after it. */
  readonly end: number;
}

/** Null if the text ends before the record. */
function recordAt(text: string, start: number, isEnd: boolean): Found<CsvRecord> | null {
  const record: (string | null)[] = [];
  for (let at = start; ; at++) {
    const field = text[at] === '"' ? quotedAt(text, at, isEnd) : plainAt(text, at);
    if (field === null) return null;
    record.push(field.record);
    at = field.end;
    if (at >= text.length) return isEnd ? { record, end: at } : null;
    if (text[at] === ",") continue;
    const lineEnd = text[at] === "\r" ? at + 1 : at;
    if (lineEnd >= text.length && !isEnd) return null;
    if (lineEnd < text.length && text[lineEnd] !== "\n")
      throw new CsvError("a comma or the end of the line is missing");
    return { record, end: lineEnd + 1 };
  }
}

const PLAIN = /[^,\r\n]*/y;

function plainAt(text: string, start: number): Found<string | null> {
  PLAIN.lastIndex = start;
  PLAIN.test(text);
  const end = PLAIN.lastIndex;
  return { record: end === start ? null : text.slice(start, end), end };
}

function quotedAt(text: string, start: number, isEnd: boolean): Found<string> | null {
  let record = "";
  for (let from = start + 1; ; ) {
    const quote = text.indexOf('"', from);
    // At the end of a piece, the next piece can begin with the second quote of a pair.
    if (quote === -1 || (quote + 1 === text.length && !isEnd)) return null;
    record += text.slice(from, quote);
    if (text[quote + 1] !== '"') return { record, end: quote + 1 };
    record += '"';
    from = quote + 2;
  }
}
