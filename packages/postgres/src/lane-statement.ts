// One statement on a pipelined connection. In: its text, its name on the server, values. Out: rows as Postgres prints
// them. pg's own query requests a description of the rows each time, copies its settings and has a parser for each
// column. A statement whose columns are known and stay text doesn't need that, which saves a twelfth of the CPU of a
// read by id.

import pg from "pg";
// @ts-expect-error pg's types leave its helpers out.
import utils from "pg/lib/utils.js";
import type { LaneWire, WireRow } from "./lane-wire.ts";
import { type RawRow, RowBytes } from "./row-bytes.ts";

export type RawResult = {
  readonly rows: RawRow[];
  readonly rowCount: number;
  /** Instead of `rows`, if they were requested as bytes: see `row-bytes.ts`. */
  readonly bytes?: Buffer;
};

/** The rows of a statement are larger than allowed; none of them was kept. */
export class ResultTooLarge extends Error {
  constructor() {
    super("The result of a statement is larger than allowed");
    this.name = "ResultTooLarge";
  }
}

export type LaneStatement = {
  /** Empty: it runs once. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
  readonly bytesMax: number;
  /** Whether rows stay as they came over the wire, without conversion to text. */
  readonly asBytes: boolean;
};

/** A value in the form that is sent. */
const written: (value: unknown) => string | Buffer | null = utils.prepareValue;

/** The messages Execute (of the unnamed portal, all rows) and Sync. */
const EXECUTE_AND_SYNC = Buffer.from("450000000900000000005300000004", "hex");

/** @returns The rows. Rejects with the server's error, or `ResultTooLarge`. */
export function runOnLane(client: pg.Client, { values, ...asked }: LaneStatement): Promise<RawResult> {
  return new Promise((resolve, reject) => {
    // Before anything is sent: a value that can't be written as text fails only this statement.
    const statement = { ...asked, values: values.map(written) };
    client.query(new RunningStatement(statement, resolve, reject) as never);
  });
}

type Written = Omit<LaneStatement, "values"> & { readonly values: readonly (string | Buffer | null)[] };

/** A pipelined client accepts only pg's own query class; the methods that it calls are not in pg's types. */
const Query = pg.Query as unknown as new (text: string) => object;

class RunningStatement extends Query {
  /** Read by pg, which remembers what the server has parsed. */
  readonly name: string;
  readonly #statement: Written;
  readonly #resolve: (result: RawResult) => void;
  readonly #reject: (error: Error) => void;
  readonly #rows: RawRow[] = [];
  readonly #kept: RowBytes | null;
  #bytesLeft: number;
  #rowCount = 0;

  constructor(statement: Written, resolve: (result: RawResult) => void, reject: (error: Error) => void) {
    super(statement.text);
    this.name = statement.name;
    this.#statement = statement;
    this.#bytesLeft = statement.bytesMax;
    this.#kept = statement.asBytes ? new RowBytes() : null;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(connection: LaneWire): null {
    const { name, text, values } = this.#statement;
    const { parsedStatements, submittedNamedStatements } = connection;
    const isKnown =
      name !== "" && (parsedStatements[name] !== undefined || submittedNamedStatements[name] !== undefined);
    if (!isKnown) {
      connection.parse({ text, name });
      if (name !== "") submittedNamedStatements[name] = text;
    }
    connection.bind({ statement: name, values });
    connection.stream.write(EXECUTE_AND_SYNC);
    return null;
  }

  handleDataRow(row: WireRow): void {
    this.#bytesLeft -= row.length;
    if (this.#bytesLeft < 0) return;
    if (this.#kept === null) this.#rows.push(row.fields);
    else this.#kept.add(row);
  }

  /** `SELECT 20`, `UPDATE 1`, `INSERT 0 1`: the count is the last word. */
  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#rowCount = Number(text.slice(text.lastIndexOf(" ") + 1)) || 0;
  }

  handleError(error: Error): void {
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    if (this.#bytesLeft < 0) this.#reject(new ResultTooLarge());
    else this.#resolve({ rows: this.#rows, rowCount: this.#rowCount, ...(this.#kept && { bytes: this.#kept.all() }) });
  }
}
