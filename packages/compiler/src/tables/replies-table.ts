// The table of replies to requests with an `Idempotency-Key`. Retention deletes them after a day. Any write can have a
// key, so every project has the table. Out: data.
import type { Column, Table } from "@plinth/bundle";
import { constraintName, quoteIdentifier as q } from "../sql/sql-text.ts";

const NAME = "idempotency__replies";

function column(name: string, sqlType: string, more: Partial<Column> = {}): Column {
  return { name, sqlType, nullable: false, default: null, identity: false, ...more };
}

export const replies: Table = {
  name: NAME,
  columns: [
    column("principal", "text"),
    column("key", "text"),
    // Distinguishes a repetition from another request with the same key.
    column("fingerprint", "text"),
    column("status", "integer"),
    column("location", "text", { nullable: true }),
    column("body", "text"),
    column("created_at", "timestamptz", { default: "now()" }),
  ],
  primaryKey: ["principal", "key"],
  uniques: [],
  indexes: [
    { name: constraintName(NAME, ["created_at"], "idx"), method: "btree", keys: [q("created_at")], where: null },
  ],
  foreignKeys: [],
  checks: [],
  privileges: ["select", "insert", "update", "delete"],
};
