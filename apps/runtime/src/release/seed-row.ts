// Writes one seed row like a create: defaults, slugs, numbers, pairs, and a line in the audit log. In: field > text.
// Out: rows, in the current transaction, whose role owns the schema. It never writes a secret, which would be readable
// in the blueprint.
import { type BundleEntity, type BundleField, type Check, fillTemplate } from "@plinth/bundle";
import { quoteIdentifier } from "@plinth/postgres";
import { createUuidV7 } from "@plinth/service";
import type { PoolClient } from "pg";
import { slugOf } from "../query/slug.ts";
import { StepRefused } from "./step-refused.ts";

export interface SeedPlace {
  readonly releaseId: string;
  /** Quoted. */
  readonly schema: string;
  readonly entity: BundleEntity;
  /** The checks of the entity's table. */
  readonly checks: readonly Check[];
}

export type SeedRow = BundleEntity["seed"][number];

const newRecordId = createUuidV7({ now: Date.now });
/** The table with the counters of sequences, like in a create. */
const COUNTERS = "sequences";
const SLUG_CHARS_MAX = 80;

/** Returns the record's id. @throws StepRefused, or Postgres's error about a value. */
export async function insertSeedRow(client: PoolClient, place: SeedPlace, row: SeedRow): Promise<string> {
  const { schema, entity, releaseId } = place;
  const recordId = row.id ?? newRecordId();
  const columns = ["id"];
  const values: (string | null)[] = [recordId];
  const expressions = ["$1::uuid"];
  for (const field of entity.fields) {
    if (field.column === null || field.column === "id") continue;
    const value = await seedValue(client, place, row, field, recordId);
    if (value !== undefined) expressions.push(`$${values.push(value)}::${field.sqlType}`);
    else if (field.default !== null) expressions.push(defaultOf(field));
    else continue;
    columns.push(field.column);
  }
  await client.query(
    `WITH ins AS (INSERT INTO ${schema}.${quoteIdentifier(entity.table)} (${columns.map(quoteIdentifier).join(", ")})
       VALUES (${expressions.join(", ")}) RETURNING id)
     INSERT INTO ${schema}.audit_log (request_id, actor_kind, actor_id, operation, entity, record_id, changes)
     SELECT NULL, 'release', $${values.push(releaseId)}::text, 'create', $${values.push(entity.name)}::text, id, NULL FROM ins`,
    values,
  );
  return recordId;
}

/** Called when all rows exist, because they may refer to each other. */
export async function insertSeedPairs(
  client: PoolClient,
  { schema, entity }: SeedPlace,
  recordId: string,
  row: SeedRow,
): Promise<void> {
  for (const field of entity.fields) await insertPairs(client, schema, field, recordId, row[field.name]);
}

/** Undefined if the column's or the field's own default applies. */
async function seedValue(
  client: PoolClient,
  { schema, entity, checks }: SeedPlace,
  row: SeedRow,
  field: BundleField,
  recordId: string,
): Promise<string | null | undefined> {
  const given = row[field.name];
  if (given !== undefined && given !== null && field.secret) {
    throw new StepRefused(
      `A seed row of ${entity.name} can't have ${field.name}, because a blueprint must not contain secrets.`,
    );
  }
  if (given !== undefined) return given;
  if (field.sequence !== null) return nextNumber(client, schema, field.sequence);
  const source = field.slugFrom === null ? null : row[field.slugFrom];
  return source === null || source === undefined ? undefined : slugOf(source, recordId, longestOf(field, checks));
}

async function nextNumber(
  client: PoolClient,
  schema: string,
  { counter, prefix }: NonNullable<BundleField["sequence"]>,
): Promise<string> {
  const { rows } = await client.query<{ value: string }>(
    `INSERT INTO ${schema}.${quoteIdentifier(COUNTERS)} AS c (name, value) VALUES ($1, 1)
     ON CONFLICT (name) DO UPDATE SET value = c.value + 1 RETURNING value::text AS value`,
    [counter],
  );
  return `${prefix}${rows[0]?.value}`;
}

function longestOf(field: BundleField, checks: readonly Check[]): number {
  const lengths = checks.map(({ columns, rule }) =>
    columns.length === 1 && columns[0] === field.column && rule.kind === "length" ? rule.max : null,
  );
  return Math.min(SLUG_CHARS_MAX, ...lengths.filter((max) => max !== null));
}

async function insertPairs(
  client: PoolClient,
  schema: string,
  { join }: BundleField,
  recordId: string,
  ids: string | null | undefined,
): Promise<void> {
  if (join === null || ids === undefined || ids === null) return;
  await client.query(
    `INSERT INTO ${schema}.${quoteIdentifier(join.table)} (${quoteIdentifier(join.own)}, ${quoteIdentifier(join.other)})
     SELECT $1::uuid, unnest($2::uuid[])`,
    [recordId, ids],
  );
}

/** There is no request, so defaults that depend on one are unknown. */
function defaultOf(field: BundleField): string {
  return fillTemplate(field.default ?? "null", (hole) => (hole === "now" ? "now()" : "null"));
}
