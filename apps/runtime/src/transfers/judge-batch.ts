// Checks each row of a batch that could not be stored as a whole. Refused rows are reported, and the others are stored.
// In: staged rows of a target. Out: refusals, in the order of the rows. A row whose record is already stored counts as
// stored. Types, required values, forms, checks and
// references are checked for all rows at once. Unique and exclusion constraints are decided by the insert itself, row
// after row.
import { type BulkTransaction, quoteIdentifier } from "@plinth/postgres";
import type { ClientBase } from "pg";
import { checkRefusal } from "../query/database-faults.ts";
import type { StoredField } from "../query/entity-view.ts";
import { canonicalText } from "./canonical.ts";
import { FOUND, findStored } from "./found-rows.ts";
import type { ImportTarget } from "./import-target.ts";
import { insertRows, isAboutRows, type Stored } from "./insert-batch.ts";
import { RefusedRows } from "./refused-rows.ts";
import { JUDGED, STAGED, stagedColumn } from "./staged-rows.ts";
import type { LineRefusal } from "./text-forms.ts";
import { formsOf, typedColumns } from "./typed-rows.ts";
import { judgeUnique, nameConflicts } from "./unique-rows.ts";
import { markInvalid } from "./valid-values.ts";

export interface Judging {
  readonly target: ImportTarget;
  readonly forms: readonly LineRefusal[];
  /** Nothing is written. */
  readonly dry: boolean;
  /** In a dry run: entities whose records will follow. */
  readonly pending: readonly string[];
}

export async function judgeBatch(
  open: BulkTransaction,
  { target, forms, dry, pending }: Judging,
): Promise<{ readonly stored: Stored; readonly refused: RefusedRows }> {
  const { client, makeTable } = open;
  const numbered = `SELECT row_number() OVER (ORDER BY ctid) AS _n, * FROM ${STAGED}`;
  await makeTable("_rows", { like: numbered });
  await client.query(`INSERT INTO pg_temp._rows ${numbered}`);
  const refused = await RefusedRows.open(open, forms);
  for (const [at, field] of target.mapped.entries()) await markInvalid(open, refused, field, stagedColumn(at));
  const found = await findStored(open, target, refused);
  const typed = `SELECT _s._n, ${typedColumns(target, "_s").join(", ")} FROM pg_temp._rows _s
    WHERE ${refused.isFree("_s._n")} AND NOT EXISTS (SELECT 1 FROM ${FOUND} _f WHERE _f._n = _s._n)`;
  await makeTable("_judged", { like: typed });
  await client.query(`INSERT INTO ${JUDGED} ${typed}`);
  await markRequired(refused, target);
  await markChanged(refused, target);
  for (const { field, sql } of formsOf(target, "_j")) {
    await refused.mark(
      `SELECT _n FROM ${JUDGED} _j WHERE NOT ${sql}`,
      field,
      "invalid_format",
      "The API has no value of this form.",
    );
  }
  await markChecks(client, refused, target);
  await markReferences(refused, target, dry ? pending : []);
  if (dry) await judgeUnique(refused, target);
  const rows = `SELECT * FROM ${JUDGED} _j WHERE ${refused.isFree("_j._n")} ORDER BY _n`;
  if (dry) return { stored: await refused.countFree(), refused };
  return { stored: both(found, await store(client, target, refused, rows)), refused };
}

function both(found: Stored, stored: Stored): Stored {
  return {
    count: found.count + stored.count,
    checksum: String(BigInt(found.checksum) + BigInt(stored.checksum)),
    ids: stored.ids,
  };
}

async function store(client: ClientBase, target: ImportTarget, refused: RefusedRows, rows: string): Promise<Stored> {
  await client.query("SAVEPOINT judged");
  try {
    const stored = await insertRows(client, target, rows, { leavesOut: true });
    await nameConflicts(refused, target, stored.ids);
    return stored;
  } catch (error) {
    if (!isAboutRows(error)) throw error;
    await client.query("ROLLBACK TO SAVEPOINT judged");
  }
  return storeOneByOne(client, target, refused);
}

/**
 * For problems that no predicate covers, such as a text that is too long for its index: Postgres decides for each row.
 */
async function storeOneByOne(client: ClientBase, target: ImportTarget, refused: RefusedRows): Promise<Stored> {
  const { rows } = await client.query<{ n: string }>(
    `SELECT _n AS n FROM ${JUDGED} _j WHERE ${refused.isFree("_j._n")} ORDER BY _n`,
  );
  let count = 0;
  let checksum = 0n;
  const ids: string[] = [];
  for (const { n } of rows) {
    await client.query("SAVEPOINT one");
    try {
      const one = await insertRows(client, target, `SELECT * FROM ${JUDGED} WHERE _n = ${Number(n)}`, {
        leavesOut: true,
      });
      count += one.count;
      checksum += BigInt(one.checksum);
      ids.push(...one.ids);
      await client.query("RELEASE SAVEPOINT one");
    } catch (error) {
      if (!isAboutRows(error)) throw error;
      await client.query("ROLLBACK TO SAVEPOINT one");
      await refused.mark(`SELECT ${Number(n)}`, null, "not_allowed", "The database can't store this record.");
    }
  }
  await nameConflicts(refused, target, ids);
  return { count, checksum: String(checksum), ids };
}

async function markRequired(refused: RefusedRows, { mapped, others, table }: ImportTarget): Promise<void> {
  const isRequired = ({ column }: StoredField): boolean =>
    table.columns.find(({ name }) => name === column)?.nullable === false;
  for (const field of [...mapped, ...others.map((other) => other.field)].filter(isRequired)) {
    const empty = `SELECT _n FROM ${JUDGED} _j WHERE _j.${quoteIdentifier(field.column)} IS NULL`;
    await refused.mark(empty, field.name, "required", "A value is required.");
  }
}

/**
 * Refuses numbers with more digits than their column, which would be rounded: the stored value must equal the source's.
 */
async function markChanged(refused: RefusedRows, { mapped }: ImportTarget): Promise<void> {
  for (const [at, field] of mapped.entries()) {
    if (field.sqlType === "text") continue;
    const changed = `SELECT _j._n FROM ${JUDGED} _j JOIN pg_temp._rows _s USING (_n)
      WHERE ${canonicalText("_j", field)} IS DISTINCT FROM _s.${stagedColumn(at)}`;
    await refused.mark(changed, field.name, "inexact", "The field can't store this value exactly.");
  }
}

/** The checks as the database has them: their SQL is over a row's columns. */
async function markChecks(client: ClientBase, refused: RefusedRows, target: ImportTarget): Promise<void> {
  const { rows: checks } = await client.query<{ name: string; sql: string }>(
    `SELECT conname AS name, pg_get_expr(conbin, conrelid) AS sql FROM pg_constraint
     WHERE conrelid = $1::regclass AND contype = 'c' ORDER BY conname`,
    [target.into],
  );
  const written = new Set([...target.mapped, ...target.others.map(({ field }) => field)].map(({ column }) => column));
  for (const { name, sql } of checks) {
    const columns = target.table.checks.find((check) => check.name === name)?.columns ?? [];
    // A check on a column that isn't written: the insert itself decides it.
    if (!columns.every((column) => written.has(column))) continue;
    const { path, code, message } = checkRefusal(name, target.view);
    await refused.mark(`SELECT _n FROM ${JUDGED} _j WHERE NOT (${sql})`, path.slice(1) || null, code, message);
  }
}

async function markReferences(refused: RefusedRows, target: ImportTarget, pending: readonly string[]): Promise<void> {
  const fields = [...target.mapped, ...target.others.map(({ field }) => field)];
  for (const field of fields) {
    if (field.references === null || pending.includes(field.references)) continue;
    const other = findEntityTable(target, field.references);
    const column = `_j.${quoteIdentifier(field.column)}`;
    const isThere = `EXISTS (SELECT 1 FROM ${target.schema}.${quoteIdentifier(other.table)} _o WHERE _o."id" = ${column}${
      other.inOrganization && target.view.entity.scope !== null ? ` AND _o."org_id" = _j."org_id"` : ""
    })`;
    const missing = `SELECT _n FROM ${JUDGED} _j WHERE ${column} IS NOT NULL AND NOT ${isThere}`;
    await refused.mark(missing, field.name, "unknown_reference", "This record does not exist.");
  }
}

function findEntityTable(
  { view }: ImportTarget,
  name: string,
): { readonly table: string; readonly inOrganization: boolean } {
  const other = view.all.get(name);
  if (other === undefined) throw new Error(`a reference to ${name}, which the release lacks`);
  return { table: other.entity.table, inOrganization: other.entity.scope !== null };
}
