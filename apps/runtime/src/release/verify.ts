// Finds rows that prevent a release. In: a verify step. Out: their number, and a few of them. It only reads. A masked
// field is never shown: if a sample's SQL names one, only the ids are shown.
import type { MigrationStep, ProjectId } from "@plinth/bundle";
import type { PoolClient } from "pg";
import type { ServedBundle } from "../project/active-release.ts";
import { stepSql } from "./migration-sql.ts";

export type VerifyStep = Extract<MigrationStep, { readonly kind: "verify" }>;

export interface Violator {
  readonly id: string;
  /** The problem; empty if that would reveal a masked value. */
  readonly text: string;
}

export interface Violations {
  readonly count: number;
  /** Five at most. */
  readonly samples: readonly Violator[];
}

const SAMPLE_MAX = 5;
const TEXT_LENGTH_MAX = 200;

/**
 * In the current transaction, under the caller's role. @param live The bundle that serves now, which defines what is
 * masked. Null if nothing is live.
 */
export async function findViolations(
  client: PoolClient,
  projectId: ProjectId,
  step: VerifyStep,
  live: ServedBundle | null,
): Promise<Violations> {
  const counted = await client.query<[unknown]>(single(stepSql(step.count, projectId)));
  const count = Number(counted.rows[0]?.[0] ?? 0);
  if (count === 0) return { count, samples: [] };
  const { rows } = await client.query<[unknown, unknown]>(single(stepSql(step.sample, projectId)));
  const masked = namesMasked(step, live);
  const samples = rows.slice(0, SAMPLE_MAX).map(([id, problem]) => ({
    id: String(id),
    text: masked ? "" : clip(String(problem ?? "")),
  }));
  return { count, samples };
}

/** The extended protocol takes one statement, so a second one in the text is refused. */
function single(text: string): { text: string; rowMode: "array" } {
  return { text, rowMode: "array", queryMode: "extended" } as never;
}

/** "12 records of listings have no value for price: 0190... (...), ..." */
export function violationMessage(step: VerifyStep, { count, samples }: Violations): string {
  const records = count === 1 ? "1 record" : `${count} records`;
  const of = step.table === null ? "" : ` of ${step.table}`;
  const named = samples.map(({ id, text }) => (text === "" ? id : `${id} (${text})`));
  const list = named.length === 0 ? "" : `: ${named.join(", ")}${count > named.length ? ", ..." : ""}`;
  return `${records}${of} ${count === 1 ? "has" : "have"} ${step.violation}${list}`;
}

/**
 * A column is masked if any entity of its table says so, the step's or another in the sample; a table without an entity
 * (sessions) is masked completely.
 */
function namesMasked(step: VerifyStep, live: ServedBundle | null): boolean {
  if (step.table === null) return true;
  if (live === null) return false;
  const isKnown =
    live.entities.some(({ table }) => table === step.table) ||
    live.tables.some((table) => table.name === step.table && isJoin(table));
  if (!isKnown) return true;
  return live.entities
    .filter(({ table }) => table === step.table || mentions(step.sample, table))
    .flatMap(({ fields }) => fields.filter((field) => field.masked || field.hidden || field.secret))
    .some(({ column }) => column !== null && mentions(step.sample, column));
}

function isJoin(table: { readonly primaryKey: readonly string[] }): boolean {
  return table.primaryKey.length === 2;
}

function mentions(sql: string, column: string): boolean {
  return new RegExp(`(?<![a-z0-9_])${column}(?![a-z0-9_])`).test(sql);
}

function clip(text: string): string {
  return text.length > TEXT_LENGTH_MAX ? `${text.slice(0, TEXT_LENGTH_MAX)}...` : text;
}
