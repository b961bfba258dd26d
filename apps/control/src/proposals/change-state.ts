// The state of a change, from proposal to live: one word, the same in every list and on every page. In: a proposal's row with its
// latest deployment and its project. Out: SQL for a query over the three.
import { type AliasedSelectQueryBuilder, type ExpressionBuilder, type RawBuilder, type Selectable, sql } from "kysely";
import type { Database, DeploymentsTable } from "../database/tables.ts";
import type { ChangeState } from "./api.ts";

/** For a query with `proposals`, `projects`, and as `deployment` the latest deployment of the proposal, if any. */
export const changeState: RawBuilder<ChangeState> = sql<ChangeState>`CASE
  WHEN proposals.status = 'rejected' THEN 'rejected'
  WHEN deployment.status = 'failed' THEN 'failed'
  WHEN deployment.status IN ('queued', 'received', 'migrating') THEN 'deploying'
  WHEN deployment.id = projects.live_deployment_id THEN
    CASE WHEN deployment.error IS NULL THEN 'live' ELSE 'unfinished' END
  WHEN deployment.id IS NOT NULL THEN 'replaced'
  WHEN proposals.status = 'stale' OR proposals.base_deployment_id IS DISTINCT FROM projects.live_deployment_id
    THEN 'outdated'
  ELSE proposals.status
END`;

const columns = ["id", "status", "error", "created_at", "waiting_since"] as const;

/** The latest deployment of a proposal, for a lateral join. */
export function latestDeployment(
  eb: ExpressionBuilder<Database, "proposals">,
): AliasedSelectQueryBuilder<Pick<Selectable<DeploymentsTable>, (typeof columns)[number]>, "deployment"> {
  return eb
    .selectFrom("deployments")
    .select(columns.map((name) => `deployments.${name}` as const))
    .whereRef("deployments.proposal_id", "=", "proposals.id")
    .orderBy("deployments.created_at", "desc")
    .limit(1)
    .as("deployment");
}
