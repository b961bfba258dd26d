// Prints a schema or a plan as SQL for people. In: a bundle or a plan. Out: text with filled placeholders. A cell never
// runs this text; it fills the plan's templates itself.
import { type Bundle, fillTemplate, type MigrationPlan, type MigrationStep } from "@plinth/bundle";
import { quoteIdentifier } from "../sql/sql-text.ts";
import { planMigration } from "./migration.ts";

/** The whole schema from scratch: its two roles, their rights, its tables. */
export function schemaSql(bundle: Bundle): string {
  const { schema, owner, worker } = namesOf(bundle.project);
  const { plan } = planMigration({
    before: null,
    after: bundle.tables,
    renames: { tables: {}, columns: {} },
    setAside: [],
    tag: "",
  });
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

/** Each step after a comment that explains it, and says whether it runs in a transaction. */
export function planSql(plan: MigrationPlan, project: string): string {
  const names = namesOf(project);
  const fill = (hole: string): string | undefined => {
    if (hole === "schema" || hole === "owner" || hole === "worker") return names[hole];
    return hole === "after" || hole === "limit" ? `:${hole}` : undefined;
  };
  return plan.steps.map((step) => stepSql(step, (sql) => fillTemplate(sql, fill).replace(/;?$/, ";"))).join("\n");
}

function stepSql(step: MigrationStep, fill: (sql: string) => string): string {
  const alone = step.kind === "statement" && !step.transactional ? ", outside a transaction" : "";
  const head = `-- ${step.id} (${step.phase}, ${step.class}${alone}): ${step.summary}\n`;
  switch (step.kind) {
    case "verify":
      return `${head}-- stops the deployment where this counts any: ${step.violation}\n${fill(step.count)}\n${fill(step.sample)}\n`;
    case "backfill":
      return `${head}-- again and again, until it answers no key\n${fill(step.sql)}\n`;
    case "statement": {
      const cleanup = step.cleanup === null ? "" : `-- after a broken try: ${fill(step.cleanup)}\n`;
      return `${head}${cleanup}${fill(step.sql)}\n`;
    }
    case "set_aside":
    case "restore":
      return `${head}${fill(step.sql)}\n`;
  }
}

function namesOf(project: string): { schema: string; owner: string; worker: string } {
  const name = project.replaceAll("-", "_");
  return {
    schema: quoteIdentifier(name),
    owner: quoteIdentifier(`${name}_owner`),
    worker: quoteIdentifier(`${name}_worker`),
  };
}
