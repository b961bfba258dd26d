// Lets Postgres prove that a statement stays inside one tenant's schema. In: a statement's text. Out: nothing, or an
// UnprovenStatement. It never runs the text: it is prepared and explained under the worker role, then rolled back. With
// the proof, requests run without a change of role, which would halve the throughput: the same code of Postgres checks
// the role's rights once per text instead of once per request.
import type { ClientBase } from "pg";
import { isConnectionLoss, isTimeout } from "./errors.ts";
import { beginTransaction, type SessionLimits } from "./session.ts";
import { catalogueNames, refusalOf } from "./statement-text.ts";
import type { TenantNames } from "./tenant-names.ts";

/** A bug of ours (or an attack through one): a statement that could reach other tenants. */
export class UnprovenStatement extends Error {
  readonly reason: string;
  constructor(names: TenantNames, reason: string, cause?: unknown) {
    super(`A statement for ${names.projectId} was refused: ${reason}`, cause === undefined ? undefined : { cause });
    this.name = "UnprovenStatement";
    this.reason = reason;
  }
}

const limits: SessionLimits = { statementTimeoutMs: 5_000, lockTimeoutMs: 2_000 };
/** Far longer than any statement that the compiler writes. */
const textLengthMax = 200_000;

/** @throws UnprovenStatement if refused; the database's own error if it could not be asked */
export async function proveStatement(client: ClientBase, names: TenantNames, text: string): Promise<void> {
  if (text.length > textLengthMax) throw new UnprovenStatement(names, "it is too long");
  const refusal = refusalOf(text, names.schema);
  if (refusal !== null) throw new UnprovenStatement(names, `it contains ${refusal}`);
  await beginTransaction(client, names.worker, limits);
  let prepared = false;
  try {
    // The generic plan: with null parameters, a plan for these values could drop whole branches.
    await client.query("SET LOCAL plan_cache_mode = force_generic_plan");
    // The extended protocol refuses a second statement in the text.
    await client.query({ text: `PREPARE plinth_proof AS ${text}`, queryMode: "extended" } as never);
    prepared = true;
    const { rows } = await client.query<{ parameters: string; catalogue: string | null }>(
      `SELECT cardinality(parameter_types)::text AS parameters,
              (SELECT min(relname::text) FROM pg_class
               WHERE relnamespace = 'pg_catalog'::regnamespace AND relname = ANY ($1::text[])) AS catalogue
       FROM pg_prepared_statements WHERE name = 'plinth_proof'`,
      [catalogueNames(text)],
    );
    // The plan expands its views, some of them into functions only.
    if (rows[0]?.catalogue != null) throw new UnprovenStatement(names, `it reads pg_catalog.${rows[0].catalogue}`);
    const count = Number(rows[0]?.parameters ?? 0);
    const nulls = count === 0 ? "" : `(${Array.from({ length: count }, () => "NULL").join(", ")})`;
    const plan = await client.query<{ "QUERY PLAN": unknown }>(
      `EXPLAIN (FORMAT JSON, VERBOSE, COSTS OFF) EXECUTE plinth_proof${nulls}`,
    );
    const foreign = foreignRelation(plan.rows[0]?.["QUERY PLAN"]);
    if (foreign !== null) throw new UnprovenStatement(names, `it reads ${foreign}`);
  } catch (error) {
    if (error instanceof UnprovenStatement || isConnectionLoss(error) || isTimeout(error)) throw error;
    throw new UnprovenStatement(names, (error as Error).message, error);
  } finally {
    await client.query("ROLLBACK");
    // A rollback doesn't undo a PREPARE.
    if (prepared) await client.query("DEALLOCATE plinth_proof");
  }
}

/**
 * Every role can read the catalogues, so rights alone don't prevent a statement from reading them. Relations of other
 * schemas can only be there through a view that the worker can use, which is the purpose of views.
 */
function foreignRelation(plan: unknown): string | null {
  if (Array.isArray(plan)) {
    for (const each of plan) {
      const found = foreignRelation(each);
      if (found !== null) return found;
    }
    return null;
  }
  if (typeof plan !== "object" || plan === null) return null;
  const node = plan as Readonly<Record<string, unknown>>;
  const { Schema: schema } = node;
  if (typeof node["Relation Name"] === "string" && (schema === "pg_catalog" || schema === "information_schema")) {
    return `${schema}.${node["Relation Name"]}`;
  }
  // With VERBOSE, functions in FROM have their schema.
  if (typeof node["Function Name"] === "string" && schema === "information_schema")
    return String(node["Function Name"]);
  for (const value of Object.values(node)) {
    const found = typeof value === "object" ? foreignRelation(value) : null;
    if (found !== null) return found;
  }
  return null;
}
