// A project's schema in a test's database, created as by a cell. In: a client and a plan. Out: the schema, and its
// contents. Only tests import this.
import type { Entity } from "@plinth/blueprint";
import { fillTemplate, type MigrationPlan, type Table } from "@plinth/bundle";
import type { Client } from "pg";
import { planMigration } from "../migration/migration.ts";
import { entity, limited, optional, refTo, userRef } from "./sample-model.ts";

/** The values for the placeholders of a plan; all quoted. */
export interface SchemaNames {
  readonly schema: string;
  readonly owner: string;
  readonly worker: string;
}

/** Roles belong to the whole server, so each file needs other names. */
export const suffix: string = Math.random().toString(36).slice(2, 8);

/** Creates a schema with its two roles, as a cell does. */
export async function provision(client: Client, name: string): Promise<SchemaNames> {
  const names = { schema: `"${name}"`, owner: `"${name}_${suffix}_owner"`, worker: `"${name}_${suffix}_worker"` };
  await client.query(
    `create role ${names.owner}; create role ${names.worker}; grant ${names.owner}, ${names.worker} to current_user;
     create schema ${names.schema} authorization ${names.owner}; grant usage on schema ${names.schema} to ${names.worker}`,
  );
  return names;
}

/** From nothing. */
export function firstPlan(tables: readonly Table[]): MigrationPlan {
  const { plan } = planMigration({
    before: null,
    after: tables,
    renames: { tables: {}, columns: {} },
    setAside: [],
    tag: "test",
  });
  return plan;
}

/** Each step in a separate transaction or in none, after its cleanup, like a retry. */
export async function apply(client: Client, plan: MigrationPlan, names: SchemaNames): Promise<void> {
  const fill = (hole: string): string | undefined => names[hole as keyof SchemaNames];
  await client.query(`set role ${names.owner}`);
  for (const step of plan.steps) {
    if (step.kind !== "statement") throw new Error(`${step.id}: only statements are applied here`);
    if (step.cleanup !== null) await client.query(fillTemplate(step.cleanup, fill));
    const sql = fillTemplate(step.sql, fill).replace(/;?$/, ";");
    await client.query(step.transactional ? `begin; ${sql} commit` : sql);
  }
  await client.query("reset role");
}

/** The contents of a schema, without its name: columns by name, constraints, indexes, rights. */
export async function inspect(client: Client, names: SchemaNames): Promise<readonly string[]> {
  const schema = names.schema.replaceAll('"', "");
  const { rows } = await client.query<{ line: string }>(
    `select line from (
       select format('column %s.%s %s %s %s %s %s', c.table_name, c.column_name, c.data_type, c.collation_name,
                     c.is_nullable, c.column_default, c.is_identity) as line
         from information_schema.columns c where c.table_schema = $1
       union all
       select format('constraint %s %s %s %s', r.relname, c.conname, pg_get_constraintdef(c.oid), c.convalidated)
         from pg_constraint c join pg_class r on r.oid = c.conrelid where c.connamespace = $1::regnamespace and c.contype <> 'n'
       union all
       select format('index %s %s', indexname, indexdef) from pg_indexes where schemaname = $1
       union all
       select format('grant %s %s %s', table_name, privilege_type, grantee)
         from information_schema.role_table_grants where table_schema = $1 and grantee like '%worker'
     ) found order by line`,
    [schema],
  );
  return rows.map(({ line }) => line.replaceAll(`${schema}_${suffix}`, "x").replaceAll(`${schema}.`, "x."));
}

/** Every kind of value that a rule can compare, and a reference to another record of its kind. */
export const thing: Entity = entity("thing", {
  fields: [
    limited(optional("title", { kind: "string" }), { max: "80" }),
    optional("price", { kind: "int" }),
    optional("status", { kind: "enum", values: ["draft", "active"] }),
    optional("visible", { kind: "bool" }),
    optional("due_at", { kind: "datetime" }),
    optional("owner_id", userRef),
    optional("parent_id", refTo("thing")),
  ],
});
