// Writes the events that a release listens for, where the project's own statements check it. In: the transaction of a
// switch. Out: the list of events that start something, and the view through which the project writes them. It reads no
// row of the project.
import type { Bundle, ProjectId } from "@plinth/bundle";
import { quoteIdentifier, quoteLiteral, tenantNames } from "@plinth/postgres";
import type { PoolClient } from "pg";
import { hasListeners, LISTENERS_TABLE } from "../query/entity-view.ts";
import { eventsAskedFor, lockListeners } from "../webhooks/listening.ts";
import { maySend } from "../webhooks/rules.ts";

/** Does nothing if the release has no such table: then it emits no events. */
export async function bringListeners(
  client: PoolClient,
  { projectId, bundle }: { readonly projectId: ProjectId; readonly bundle: Bundle },
): Promise<void> {
  if (!hasListeners(bundle)) return;
  const { schema } = tenantNames(projectId);
  await makeOutbox(client, projectId, schema);
  const table = `${quoteIdentifier(schema)}.${quoteIdentifier(LISTENERS_TABLE)}`;
  // Runs keep their definition, and may wait for events that the new release no longer names.
  await client.query(`DELETE FROM ${table} WHERE NOT EXISTS (SELECT 1 FROM plinth.due_runs WHERE project_id = $1)`, [
    projectId,
  ]);
  await client.query(`INSERT INTO ${table} (event) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING`, [
    [...new Set([...heardEvents(bundle), ...(await sentEvents(client, projectId, bundle))])].sort(),
  ]);
}

/**
 * The view through which a project writes its events. It fixes their project, and can't be read. @param schema Another
 * schema instead of the project's own, for a rehearsal.
 */
export async function makeOutbox(client: PoolClient, projectId: ProjectId, schema: string): Promise<void> {
  const { rows } = await client.query("SELECT to_regclass($1) IS NOT NULL AS there", [outboxOf(schema)]);
  if (rows[0].there === true) return;
  const project = quoteLiteral(projectId);
  await client.query(
    `CREATE VIEW ${outboxOf(schema)} AS SELECT project_id, name, entity, record_id, organization_id, actor_kind, actor_id,
       request_id, cause, record, old, data FROM plinth.outbox WHERE project_id = ${project} WITH CASCADED CHECK OPTION`,
  );
  await client.query(`ALTER VIEW ${outboxOf(schema)} ALTER COLUMN project_id SET DEFAULT ${project}`);
  const { worker } = tenantNames(projectId);
  await client.query(`GRANT INSERT ON ${outboxOf(schema)} TO ${quoteIdentifier(worker)}`);
}

const outboxOf = (schema: string): string => `${quoteIdentifier(schema)}."_outbox"`;

/** The events that endpoints receive. None is added until the switch has committed. */
async function sentEvents(client: PoolClient, projectId: ProjectId, bundle: Bundle): Promise<readonly string[]> {
  if (!bundle.modules.includes("webhooks")) return [];
  await lockListeners(client, projectId);
  const { rows } = await client.query<{ pattern: string }>(
    "SELECT DISTINCT unnest(events) AS pattern FROM plinth.webhook_endpoints WHERE project_id = $1 AND enabled",
    [projectId],
  );
  return eventsAskedFor(
    bundle.background.events.filter(({ name }) => maySend(bundle.background, name)),
    rows.map(({ pattern }) => pattern),
  );
}

/** The events that start a run, or that a run may wait for. */
function heardEvents({ background }: Bundle): readonly string[] {
  const { workflows, actions } = background;
  const heard = new Set(workflows.flatMap((workflow) => workflow.on));
  const visit = (steps: Bundle["background"]["workflows"][number]["steps"]): void => {
    for (const { action, onError, compensate } of steps) {
      if (action.kind === "wait_for") heard.add(action.event);
      if (onError.kind === "steps") visit(onError.steps);
      visit(compensate);
    }
  };
  for (const { steps } of [...workflows, ...actions]) visit(steps);
  return [...heard].sort();
}
