// Inbound sources and their secrets. In: requests of admins. Out: the sources with their state, or a confirmation. A
// secret is never returned.
import type { ProjectScope } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import { z } from "zod";
import type { ModuleContext, Reply } from "../../http/contracts.ts";
import { jsonReply, readBody } from "../json-body.ts";
import type { ModuleHandlers } from "../module-routes.ts";
import { asCell, idOf, refuseViewer } from "../webhooks/endpoints.ts";
import { noteInAudit } from "./audit.ts";
import { providerOf, secretProblem } from "./providers.ts";
import { addressOf } from "./receive.ts";
import { listRequests, readRequestContent, replayRequest, replayUnmapped, sourcesOf } from "./requests.ts";
import { SECRETS_MAX, type SourceSecrets } from "./secrets.ts";
import type { InboundStore } from "./store.ts";
import { keptText } from "./verify.ts";

export interface WebhooksInOptions {
  readonly scopeOf: (projectId: string) => ProjectScope;
  readonly secrets: SourceSecrets;
  readonly store: InboundStore;
  readonly publicUrl: string;
  /** Called when there may be an event. */
  readonly onDue: () => void;
}

const nothing = z.strictObject({});
const secretBody = z.strictObject({
  source: z.string().min(1).max(100),
  secret: z.string().min(8).max(4_096),
  overlap_hours: z.number().int().min(0).max(168).optional(),
});

export function webhooksInHandlers(options: WebhooksInOptions): ModuleHandlers {
  return {
    "project.webhook_sources": (context) => readSources(options, context),
    "project.add_webhook_secret": (context) => addSecret(options, context),
    "project.remove_webhook_secret": (context) => removeSecret(options, context),
    "project.webhook_requests": (context) => listRequests(options, context),
    "project.webhook_request": (context) => readRequestContent(options, context),
    "project.replay_webhook_request": (context) => replayRequest(options, context),
    "project.replay_webhook_requests": (context) => replayUnmapped(options, context),
  };
}

async function readSources({ secrets, scopeOf, publicUrl }: WebhooksInOptions, context: ModuleContext): Promise<Reply> {
  const { projectId } = context;
  const sources = sourcesOf(context);
  const [live, outcomes] = await scopeOf(projectId).transaction(async (open) => {
    const { client } = await asCell(open);
    const { rows } = await client.query<Outcomes>(OUTCOMES, [projectId, sources.map(({ name }) => name)]);
    return [await secrets.of(client, projectId), rows] as const;
  });
  const shown = sources.map(({ name, verify, events = {} }) => {
    const own = live.filter(({ source }) => source === name);
    const { accepted = null, refused = null, reason = null } = outcomes.find((one) => one.name === name) ?? {};
    return {
      name,
      url: addressOf(publicUrl, `/hooks/${projectId}/${name}`),
      verify: typeof verify === "string" ? verify : "custom",
      events,
      enabled: own.length > 0,
      secrets: own.map(({ id, created_at, expires_at }) => ({ id, created_at, expires_at })),
      last_received_at: accepted?.toISOString() ?? null,
      last_refused_at: refused?.toISOString() ?? null,
      last_refusal: reason,
    };
  });
  return jsonReply(200, shown);
}

interface Outcomes {
  readonly name: string;
  readonly accepted: Date | null;
  readonly refused: Date | null;
  readonly reason: string | null;
}

const lastOf = (status: string): string =>
  `SELECT id, received_at, reason FROM plinth.inbound_requests
   WHERE project_id = $1 AND source = name AND status = '${status}' ORDER BY id DESC LIMIT 1`;

const OUTCOMES = `SELECT name, greatest(a.received_at, u.received_at) AS accepted, r.received_at AS refused, r.reason
  FROM unnest($2::text[]) name LEFT JOIN LATERAL (${lastOf("accepted")}) a ON true
  LEFT JOIN LATERAL (${lastOf("unmapped")}) u ON true LEFT JOIN LATERAL (${lastOf("refused")}) r ON true`;

async function addSecret({ secrets, scopeOf }: WebhooksInOptions, context: ModuleContext): Promise<Reply> {
  refuseViewer(context);
  const { source: name, secret, overlap_hours: overlapHours = null } = readBody(context.incoming, secretBody);
  const source = sourcesOf(context).find((one) => one.name === name);
  const provider = source === undefined ? null : providerOf(source);
  if (provider === null) throw new Fault("not_found", { detail: "This source does not exist." });
  const problem = secretProblem(provider, secret);
  if (problem !== null) {
    throw new Fault("validation_failed", {
      detail: problem,
      errors: [{ path: "/secret", code: "invalid", message: problem }],
    });
  }
  const { scheme } = provider;
  const text = scheme === "paypal" ? secret : keptText(scheme, secret);
  const id = await scopeOf(context.projectId).transaction(async (open) => {
    await noteInAudit(open, context, { operation: "create", entity: "webhook_secret", recordId: null });
    const { client } = await asCell(open);
    const added = await secrets.add(client, context.projectId, { source: name, text, overlapHours });
    if (added === null) throw new Fault("conflict", { detail: `A source can have at most ${SECRETS_MAX} secrets.` });
    return added;
  });
  return jsonReply(202, { id });
}

async function removeSecret({ secrets, scopeOf }: WebhooksInOptions, context: ModuleContext): Promise<Reply> {
  refuseViewer(context);
  readBody(context.incoming, nothing);
  const id = idOf(context);
  await scopeOf(context.projectId).transaction(async (open) => {
    await noteInAudit(open, context, { operation: "delete", entity: "webhook_secret", recordId: null });
    const { client } = await asCell(open);
    if (!(await secrets.remove(client, context.projectId, id))) throw new Fault("not_found");
  });
  return jsonReply(202, { id });
}
