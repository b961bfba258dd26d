// Prints a schema or a plan as SQL that a person can read and run. In: a bundle or a plan. Out: text, its holes filled.
// A cell never runs this text; it fills the plan's templates itself.
import { type Bundle, fillTemplate, type MigrationPlan } from "@plinth/bundle";
import { planMigration } from "./migration.ts";
import { quoteIdentifier } from "./sql-text.ts";

/** The whole schema from nothing: its two roles, their rights, its tables. */
export function schemaSql(bundle: Bundle): string {
  const { schema, owner, worker } = namesOf(bundle.project);
  const { plan } = planMigration(null, bundle.tables);
  return `-- The schema of ${bundle.project}, for PostgreSQL 15 and newer.
begin;

create role ${owner} nologin;
create role ${worker} nologin;
grant ${owner} to current_user;
create schema ${schema} authorization ${owner};
grant usage on schema ${schema} to ${worker};
set local role ${owner};

${planSql(plan, bundle.project)}
commit;
`;
}

/** Each step behind a comment that says what it does, and whether it stands in a transaction. */
export function planSql(plan: MigrationPlan, project: string): string {
  const names = namesOf(project);
  const fill = (hole: string): string | undefined =>
    hole === "schema" || hole === "owner" || hole === "worker" ? names[hole] : undefined;
  return plan.steps
    .map((step) => {
      const alone = step.transactional ? "" : ", outside a transaction";
      const cleanup = step.cleanup === null ? "" : `-- after a broken try: ${fillTemplate(step.cleanup, fill)};\n`;
      const sql = fillTemplate(step.sql, fill).replace(/;?$/, ";");
      return `-- ${step.id} (${step.risk}${alone}): ${step.summary}\n${cleanup}${sql}\n`;
    })
    .join("\n");
}

function namesOf(project: string): { schema: string; owner: string; worker: string } {
  const name = project.replaceAll("-", "_");
  return {
    schema: quoteIdentifier(name),
    owner: quoteIdentifier(`${name}_owner`),
    worker: quoteIdentifier(`${name}_worker`),
  };
}
