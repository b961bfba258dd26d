// Writes the JSON of a page. In: rows as they arrive from Postgres. Out: the bytes of a reply, or of a part of one.
import { RowReader } from "@plinth/postgres";
import type { TextRow } from "../../project/tenant.ts";
import { JsonBytes } from "./json-bytes.ts";
import { type Counting, ESTIMATE_MAX } from "./list-query.ts";
import type { ListStatement, Member } from "./list-statement.ts";

const OPEN = "{".charCodeAt(0);
const CLOSE = "}".charCodeAt(0);
const COMMA = ",".charCodeAt(0);
const TRUE = "t".charCodeAt(0);
const LIST_BEGIN = Buffer.from(`{"data":[`);
const NULL = Buffer.from("null");
/** Space for names, quotes and commas, in proportion to the values. */
const FRAME = 1.5;

export interface Page {
  /** The records, with commas between them, in the order of the list. */
  readonly records: Buffer;
  /** The sort values of the first and of the last record; null if the page is empty. */
  readonly first: TextRow | null;
  readonly last: TextRow | null;
  /** Including those beyond the page. */
  readonly rowCount: number;
  /** The count of all records of the list; null if they were not counted, or if there is no row. */
  readonly count: string | null;
}

export interface PageOptions {
  readonly limit: number;
  /** The rows come in the opposite order. */
  readonly isBackward: boolean;
}

export function readPage(rows: Buffer, statement: ListStatement, { limit, isBackward }: PageOptions): Page {
  const { members, keysAt, idAt, countAt } = statement;
  const row = new RowReader(rows);
  const records = new JsonBytes(Math.ceil(rows.length * FRAME));
  const starts: number[] = [];
  const keys = (): TextRow => keysAt.map((at) => row.text(at));
  let count: string | null = null;
  let outer: readonly [TextRow | null, TextRow | null] = [null, null];
  let rowCount = 0;
  while (row.next()) {
    if (countAt !== null) count = row.text(countAt);
    // With a count, an empty page has a row without a record.
    if (row.isNull(idAt)) break;
    rowCount++;
    if (rowCount > limit) break;
    if (rowCount > 1) records.byte(COMMA);
    starts.push(records.length);
    writeRecord(records, members, row);
    if (rowCount === 1) outer = [keys(), outer[1]];
    if (rowCount === limit || row.isLast) outer = [outer[0], keys()];
  }
  const [first, last] = isBackward ? [outer[1], outer[0]] : outer;
  const written = records.all();
  return { records: isBackward ? reversed(written, starts) : written, first, last, rowCount, count };
}

/** @param records With commas between them. @param page The reply's member about the page. */
export function replyJson(records: Buffer, page: string): Buffer {
  return Buffer.concat([LIST_BEGIN, records, Buffer.from(`],${page}}`)]);
}

/** A record for each row, up to the limit, with commas between them. */
export function recordsJson(rows: Buffer, members: readonly Member[], limit: number): Buffer {
  const row = new RowReader(rows);
  const json = new JsonBytes(Math.ceil(rows.length * FRAME));
  for (let i = 0; i < limit && row.next(); i++) {
    if (i > 0) json.byte(COMMA);
    writeRecord(json, members, row);
  }
  return json.all();
}

/** An estimate says how far it counted. */
export function countJson(count: number, counting: Counting | null): string {
  if (counting !== "estimated") return `,"count":${count}`;
  return `,"count":${Math.min(count, ESTIMATE_MAX)},"count_is":"${count > ESTIMATE_MAX ? "at_least" : "exact"}"`;
}

function writeRecord(json: JsonBytes, members: readonly Member[], row: RowReader): void {
  json.byte(OPEN);
  let isFirst = true;
  for (let i = 0; i < members.length; i++) {
    const { label, wire, flag } = members[i]!;
    if (flag !== null && (row.isNull(flag) || row.bytes[row.start(flag)] !== TRUE)) continue;
    if (!isFirst) json.byte(COMMA);
    isFirst = false;
    json.copy(label, 0);
    if (row.isNull(i)) json.copy(NULL, 0);
    else if (wire === "raw") json.copy(row.bytes, row.start(i), row.end(i));
    else if (wire === "instant") json.instant(row.bytes, row.start(i), row.end(i));
    else json.quoted(row.bytes, row.start(i), row.end(i));
  }
  json.byte(CLOSE);
}

/** @param starts The start of each record; commas are between them. */
function reversed(records: Buffer, starts: readonly number[]): Buffer {
  const turned = new JsonBytes(records.length);
  for (let i = starts.length - 1; i >= 0; i--) {
    const next = starts[i + 1];
    turned.copy(records, starts[i]!, next === undefined ? records.length : next - 1);
    if (i > 0) turned.byte(COMMA);
  }
  return turned.all();
}
