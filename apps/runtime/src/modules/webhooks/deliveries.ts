// An admin's requests about the deliveries to a project's endpoints, and about sending them again. In: a request. Out:
// pages of deliveries, one with its attempts, or a confirmation that it is due again, with a line in the audit log.
// Values that are masked in logs are masked here.
import { Fault } from "@plinth/service";
import { z } from "zod";
import type { ModuleContext, Reply } from "../../http/contracts.ts";
import { createMaskedValues } from "../../project/masked-values.ts";
import { maskedNames, masksOf } from "../../project/work-masks.ts";
import { exchangeContext } from "../../webhooks/record-outcome.ts";
import { openBody, STORED_BODY, type StoredBody } from "../../webhooks/stored-body.ts";
import { actorOf } from "../audit.ts";
import { jsonReply, readBody } from "../json-body.ts";
import { type CellPage, readCellPage } from "./cell-page.ts";
import { asCell, change, idOf, refuseViewer, SHOWN_ENDPOINT, type WebhookRoutesOptions } from "./endpoints.ts";

const nothing = z.strictObject({});
const sinceBody = z.strictObject({ since: z.iso.datetime({ offset: true }) });

const COLUMNS = `d.id, d.endpoint_id, d.event_id, d.event_name AS event, d.status, d.error, d.response_status, d.attempts, d.due_at,
  d.request_id, d.created_at, d.ended_at`;
/** Deliveries that one request sends again. */
const REPLAY_MAX = 10_000;

const endpointPage: CellPage = {
  name: "webhook_endpoints",
  table: "plinth.webhook_endpoints",
  shown: SHOWN_ENDPOINT,
  of: "e",
  conditions: {
    url: (at) => `strpos(lower(e.url), lower(${at})) > 0`,
    state: (at) =>
      `CASE ${at}::text WHEN 'disabled' THEN NOT e.enabled WHEN 'failing' THEN e.enabled AND e.failures > 0 ELSE e.enabled END`,
    user_id: (at) => `e.owner_kind = 'user' AND e.owner_id = ${at}::uuid`,
    organization_id: (at) => `e.owner_kind = 'organization' AND e.owner_id = ${at}::uuid`,
  },
};

const deliveryPage: CellPage = {
  name: "webhook_deliveries",
  table: "plinth.webhook_deliveries",
  shown: `(SELECT row_to_json(x)::text FROM (SELECT ${COLUMNS}) x)`,
  of: "d",
  conditions: {
    endpoint_id: (at) => `d.endpoint_id = ${at}::uuid`,
    event_id: (at) => `d.event_id = ${at}::uuid`,
    request_id: (at) => `d.request_id = ${at}`,
    status: (at) => `d.status = ${at}`,
  },
};

export const listEndpoints = (options: WebhookRoutesOptions, context: ModuleContext): Promise<Reply> =>
  readCellPage(options, context, endpointPage);
export const listDeliveries = (options: WebhookRoutesOptions, context: ModuleContext): Promise<Reply> =>
  readCellPage(options, context, deliveryPage);

type Row = Readonly<Record<string, unknown>>;

export async function readDelivery({ scopeOf, box }: WebhookRoutesOptions, context: ModuleContext): Promise<Reply> {
  const { projectId, release } = context;
  const id = idOf(context);
  const rows = await scopeOf(projectId).transaction(async (open) => {
    const { query } = await asCell(open);
    return (
      await query(
        `SELECT (SELECT row_to_json(x)::text FROM (SELECT ${COLUMNS}) x), (SELECT row_to_json(s)::text FROM (SELECT ${STORED_BODY}) s),
           (SELECT coalesce(json_agg(to_json(a) ORDER BY a.attempt), '[]'::json)::text FROM plinth.webhook_attempts a WHERE a.delivery_id = d.id)
         FROM plinth.webhook_deliveries d WHERE d.project_id = $1 AND d.id = $2::uuid`,
        [projectId, id],
      )
    ).rows;
  });
  const [delivery = null, stored = null, attempts = null] = rows[0] ?? [];
  if (delivery === null || stored === null || attempts === null) throw new Fault("not_found");
  const masks = masksOf(release.bundle.background, maskedNames(release.bundle.entities));
  const values = createMaskedValues();
  const sent = JSON.parse(openBody(box, projectId, id, JSON.parse(stored) as StoredBody)) as Row;
  const data = masks.apply(sent["data"], masks.event(String(sent["name"])));
  values.learn(sent["data"], data);
  const body = values.learn(sent, masks.apply({ ...sent, data }, null));
  const tries = (JSON.parse(attempts) as readonly (Row & { readonly attempt: number })[]).map((one) => {
    const { exchange, delivery_id: _, ...rest } = one;
    const kept = typeof exchange === "string" ? box.open(exchange, exchangeContext(projectId, id, one.attempt)) : null;
    const shown = kept === null ? {} : (JSON.parse(kept.toString("utf8")) as Row);
    const none = { request_headers: {}, response_headers: null, response_body: null };
    // A receiver's answer may repeat the data that it received.
    return values.apply({ ...rest, ...none, ...shown });
  });
  return jsonReply(200, { ...(JSON.parse(delivery) as Row), body, tries });
}

/** Under the same id, with all earlier attempts. */
export async function replayDelivery(options: WebhookRoutesOptions, context: ModuleContext): Promise<Reply> {
  readBody(context.incoming, nothing);
  refuseViewer(context);
  const id = idOf(context);
  const { projectId, release, incoming, principal } = context;
  const actor = actorOf(principal);
  await options.scopeOf(projectId).transaction(async (open) => {
    await open.query(
      `INSERT INTO ${release.schema}."audit_log" ("request_id", "actor_kind", "actor_id", "operation", "entity", "record_id", "changes")
       VALUES ($1, $2, $3, 'replay', 'webhook_delivery', $4::uuid, '{}'::jsonb)`,
      [incoming.id, actor.kind, actor.id, id],
    );
    const { client } = await asCell(open);
    const { rows } = await client.query<{ status: string; enabled: boolean }>(
      `SELECT d.status, e.enabled FROM plinth.webhook_deliveries d JOIN plinth.webhook_endpoints e ON e.id = d.endpoint_id
       WHERE d.project_id = $1 AND d.id = $2 FOR UPDATE OF d`,
      [projectId, id],
    );
    const [row] = rows;
    if (row === undefined) throw new Fault("not_found");
    if (!row.enabled) throw new Fault("conflict", { detail: "The endpoint is disabled. Enable it first." });
    if (row.status === "pending") throw new Fault("conflict", { detail: "The delivery is still being sent." });
    await client.query(`${REPLAY} WHERE id = $1`, [id]);
  });
  options.onDue();
  return jsonReply(202, { id });
}

const REPLAY = `UPDATE plinth.webhook_deliveries SET status = 'pending', error = NULL, tries = 0, ended_at = NULL,
  due_at = clock_timestamp()`;

export async function replayEndpoint(options: WebhookRoutesOptions, context: ModuleContext): Promise<Reply> {
  const { since } = readBody(context.incoming, sinceBody);
  let deliveries = 0;
  await change(options, context, "replay", { since }, async ({ client }, { enabled }) => {
    if (!enabled) throw new Fault("conflict", { detail: "The endpoint is disabled. Enable it first." });
    const { rowCount } = await client.query(
      `${REPLAY} WHERE id IN (SELECT id FROM plinth.webhook_deliveries WHERE endpoint_id = $1 AND status = 'failed' AND created_at >= $2
         ORDER BY created_at LIMIT ${REPLAY_MAX} FOR UPDATE SKIP LOCKED)`,
      [idOf(context), since],
    );
    deliveries = rowCount ?? 0;
    return null;
  });
  options.onDue();
  return jsonReply(202, { deliveries });
}
