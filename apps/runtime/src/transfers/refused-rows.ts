// The refused rows of a batch, and the reasons: a table of this transaction, in which each row's first reason counts.
// In: SELECTs of row numbers. Out: conditions, and the refusals at the end.
import type { RowRefusal } from "@plinth/bundle/cell";
import type { BulkTransaction } from "@plinth/postgres";
import type { ClientBase } from "pg";
import { JUDGED } from "./staged-rows.ts";
import type { LineRefusal } from "./text-forms.ts";

/** Shown characters of a source's key in a report. */
const KEY_SHOWN_MAX = 200;

export class RefusedRows {
  readonly #open: BulkTransaction;
  readonly #client: ClientBase;

  private constructor(open: BulkTransaction) {
    this.#open = open;
    this.#client = open.client;
  }

  static async open(open: BulkTransaction, first: readonly LineRefusal[]): Promise<RefusedRows> {
    const { client } = open;
    await open.makeTable("_refused", { columns: "_n bigint PRIMARY KEY, field text, code text, message text" });
    if (first.length > 0) {
      await client.query(
        "INSERT INTO pg_temp._refused SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[])",
        [
          first.map(({ line }) => line),
          first.map(({ field }) => field),
          first.map(({ code }) => code),
          first.map(({ message }) => message),
        ],
      );
    }
    return new RefusedRows(open);
  }

  /** @param numbers A SELECT of row numbers. Rows that are already refused don't change. */
  async mark(numbers: string, field: string | null, code: string, message: string): Promise<void> {
    await this.#client.query(
      `INSERT INTO pg_temp._refused SELECT _m._n, $1, $2, $3 FROM (${numbers}) _m (_n) ON CONFLICT DO NOTHING`,
      [field, code, message],
    );
  }

  /** Creates `_left` from the judged rows that are neither refused nor stored. Returns their number. */
  async leftOut(storedIds: readonly string[]): Promise<number> {
    await this.#open.makeTable("_left", { columns: "_n bigint" });
    const { rowCount } = await this.#client.query(
      `INSERT INTO pg_temp._left SELECT _n FROM ${JUDGED} _j WHERE ${this.isFree("_j._n")} AND _j."id" <> ALL ($1::uuid[])`,
      [storedIds],
    );
    return rowCount ?? 0;
  }

  /** A condition over a row's number: it is not refused so far. */
  isFree(number: string): string {
    return `NOT EXISTS (SELECT 1 FROM pg_temp._refused _x WHERE _x._n = ${number})`;
  }

  /** The rows that are not refused. */
  async countFree(): Promise<{ readonly count: number; readonly checksum: string; readonly ids: [] }> {
    const { rows } = await this.#client.query<{ count: string; checksum: string }>(
      `SELECT count(*), coalesce(sum(_s._hash), 0)::text AS checksum FROM pg_temp._rows _s WHERE ${this.isFree("_s._n")}`,
    );
    return { count: Number(rows[0]?.count ?? 0), checksum: rows[0]?.checksum ?? "0", ids: [] };
  }

  async list(): Promise<{ readonly refusals: readonly RowRefusal[]; readonly checksum: string }> {
    const { rows } = await this.#client.query<RowRefusal & { readonly hash: string }>(
      `SELECT left(_s._key, ${KEY_SHOWN_MAX}) AS key, field, code, message, _s._hash::text AS hash
       FROM pg_temp._refused JOIN pg_temp._rows _s USING (_n) ORDER BY _n`,
    );
    const refusals = rows.map(({ hash: _, ...refusal }) => refusal);
    return { refusals, checksum: String(rows.reduce((sum, row) => sum + BigInt(row.hash), 0n)) };
  }
}
