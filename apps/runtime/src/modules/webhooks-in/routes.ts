// Inbound sources, their secrets and their last requests. In: requests of admins. Out: what there is, or that it is noted. A secret is
// told to nobody.
import type { BundleInbound } from "@plinth/bundle";
import type { ProjectScope, TenantTransaction } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import { z } from "zod";
import type { ModuleContext, Reply } from "../../http/contracts.ts";
import { actorOf } from "../audit.ts";
import { jsonReply, readBody } from "../json-body.ts";
import type { ModuleHandlers } from "../module-routes.ts";
import { providerOf } from "./providers.ts";
import { addressOf, eventOf } from "./receive.ts";
import { SECRETS_MAX, type SourceSecrets } from "./secrets.ts";
import type { InboundStore } from "./store.ts";
import { isSecretOf } from "./verify.ts";

export interface WebhooksInOptions {
  readonly scopeOf: (projectId: string) => ProjectScope;
  readonly secrets: SourceSecrets;
  readonly store: InboundStore;
  readonly publicUrl: string;
  /** An event may be there now. */
  readonly onDue: () => void;
}

const nothing = z.strictObject({});
const secretBody = z.strictObject({ source: z.string().min(1).max(100), secret: z.string().min(8).max(4_096) });

export function webhooksInHandlers(options: WebhooksInOptions): ModuleHandlers {
  return {
    "project.webhook_sources": (context) => readSources(options, context),
    "project.add_webhook_secret": (context) => addSecret(options, context),
    "project.remove_webhook_secret": (context) => removeSecret(options, context),
    "project.webhook_requests": async ({ projectId }) => jsonReply(200, await options.store.list(projectId)),
    "project.replay_webhook_request": (context) => replay(options, context),
  };
}

const sourcesOf = ({ release }: ModuleContext): readonly BundleInbound[] => release.bundle.background.inbound ?? [];

async function readSources({ secrets, publicUrl }: WebhooksInOptions, context: ModuleContext): Promise<Reply> {
  const live = await secrets.of(context.projectId);
  const sources = sourcesOf(context).map(({ name, verify }) => {
    const own = live.filter(({ source }) => source === name);
    return {
      name,
      url: addressOf(publicUrl, `/hooks/${context.projectId}/${name}`),
      verify: typeof verify === "string" ? verify : "custom",
      enabled: own.length > 0,
      secrets: own.map(({ id, created_at }) => ({ id, created_at })),
    };
  });
  return jsonReply(200, sources);
}

async function addSecret({ secrets, scopeOf }: WebhooksInOptions, context: ModuleContext): Promise<Reply> {
  const { source: name, secret } = readBody(context.incoming, secretBody);
  const source = sourcesOf(context).find((one) => one.name === name);
  const provider = source === undefined ? null : providerOf(source);
  if (provider === null) throw new Fault("not_found", { detail: "There is no such source." });
  if (!isSecretOf(provider.scheme, secret)) {
    throw new Fault("validation_failed", {
      errors: [{ path: "/secret", code: "invalid", message: "It is no secret of this kind of source." }],
    });
  }
  const id = await scopeOf(context.projectId).transaction(async (open) => {
    await note(open, context, "create");
    // The worker role has no rights on the cell's tables.
    await open.client.query("SET LOCAL ROLE NONE");
    const added = await secrets.add(open.client, context.projectId, name, secret);
    if (added === null) throw new Fault("conflict", { detail: `A source has at most ${SECRETS_MAX} secrets.` });
    return added;
  });
  return jsonReply(202, { id });
}

async function removeSecret({ secrets, scopeOf }: WebhooksInOptions, context: ModuleContext): Promise<Reply> {
  readBody(context.incoming, nothing);
  const id = context.ids[0] ?? "";
  await scopeOf(context.projectId).transaction(async (open) => {
    await note(open, context, "delete");
    await open.client.query("SET LOCAL ROLE NONE");
    if (!(await secrets.remove(open.client, context.projectId, id))) throw new Fault("not_found");
  });
  return jsonReply(202, { id });
}

async function replay({ store, onDue }: WebhooksInOptions, context: ModuleContext): Promise<Reply> {
  const { incoming, release, ids } = context;
  readBody(incoming, nothing);
  const event = await store.replay(release, ids[0] ?? "", incoming.id, ({ source: name, type }) => {
    const source = sourcesOf(context).find((one) => one.name === name);
    return source === undefined ? null : eventOf(source, type);
  });
  if (event === null) throw new Fault("not_found", { detail: "There is no such request, or it becomes no event." });
  onDue();
  return jsonReply(202, { event });
}

async function note(
  open: TenantTransaction,
  { release, incoming, principal }: ModuleContext,
  operation: "create" | "delete",
): Promise<void> {
  const actor = actorOf(principal);
  await open.query(
    `INSERT INTO ${release.schema}."audit_log" ("request_id", "actor_kind", "actor_id", "operation", "entity", "record_id", "changes")
     VALUES ($1, $2, $3, $4, 'webhook_secret', NULL, '{}'::jsonb)`,
    [incoming.id, actor.kind, actor.id, operation],
  );
}
