// An admin's requests about the endpoints of a project's events. In: a request. Out: endpoints, or the change of one
// with its line in the audit log, in one transaction with the list of events that the project records. A secret is
// shown once, and a private key never.
import type { BundleEvent, BundleOutbound } from "@plinth/bundle";
import type { ProjectScope, TenantTransaction } from "@plinth/postgres";
import { Fault, type FieldError, isUuid } from "@plinth/service";
import { z } from "zod";
import type { ModuleContext, Reply } from "../../http/contracts.ts";
import type { SecretBox } from "../../identity/secret-box.ts";
import type { TargetGuard } from "../../outbound/target-guard.ts";
import { didYouMean } from "../../query/suggest.ts";
import { LISTENS_SECONDS, type Listeners, requireRoom } from "../../webhooks/listeners.ts";
import { eventsAskedFor, listenFor, lockListeners } from "../../webhooks/listening.ts";
import { sentVersion, TEST_EVENT, testBody } from "../../webhooks/message.ts";
import { disableEndpoint } from "../../webhooks/record-outcome.ts";
import { maySend } from "../../webhooks/rules.ts";
import type { EndpointSecrets } from "../../webhooks/secrets.ts";
import { sealOwnBody } from "../../webhooks/stored-body.ts";
import { actorOf } from "../audit.ts";
import { jsonReply, readBody } from "../json-body.ts";
import { targetOf } from "./target.ts";

export interface WebhookRoutesOptions {
  readonly scopeOf: (projectId: string) => ProjectScope;
  readonly secrets: EndpointSecrets;
  readonly listeners: Listeners;
  readonly box: SecretBox;
  /** Which addresses can't be called. */
  readonly refusalOf: TargetGuard;
  /** UUID v7, increasing. */
  readonly newId: () => string;
  /** Called when something may be due. */
  readonly onDue: () => void;
}

const url = z.string().max(2_000);
const events = z.array(z.string().max(120)).min(1).max(100);
const changeable = {
  url,
  events,
  description: z.string().max(500),
  enabled: z.boolean(),
  payload: z.enum(["full", "thin"]),
  version: z.int().min(1).max(1_000),
};
const createBody = z.strictObject({
  ...z.object(changeable).partial().shape,
  url,
  events,
  role: z.string().max(100).optional(),
  user_id: z.string().optional(),
  organization_id: z.string().optional(),
  signing: z.enum(["hmac", "ed25519"]).optional(),
  listener: z.boolean().optional(),
});
const updateBody = z.strictObject(z.object(changeable).partial().shape);
const rotateBody = z.strictObject({ overlap_hours: z.int().min(0).max(168).optional() });
const nothing = z.strictObject({});

/** Endpoints of one project. */
const ENDPOINTS_MAX = 1_000;

const SHOWN = `(SELECT row_to_json(x)::text FROM (SELECT e.id, e.url, e.events, e.description, e.enabled, e.payload, e.version, e.role,
    CASE WHEN e.owner_kind = 'user' THEN e.owner_id END AS user_id,
    CASE WHEN e.owner_kind = 'organization' THEN e.owner_id END AS organization_id, e.signing,
    (SELECT s.public_key FROM plinth.webhook_secrets s WHERE s.endpoint_id = e.id AND s.until IS NULL) AS public_key,
    e.disabled_at, e.disabled_reason, e.failures, e.failing_since,
    CASE WHEN e.open_until > clock_timestamp() THEN e.open_until END AS paused_until,
    (SELECT f.event_at FROM plinth.webhook_fan_outs f WHERE f.id >= e.behind_from AND f.project_id = e.project_id ORDER BY f.id LIMIT 1) AS behind_since,
    e.listens_until, e.last_success_at, e.last_failure_at, e.created_at, e.updated_at) x)`;

/** The select list over the row `e`, for a page. */
export const SHOWN_ENDPOINT: string = SHOWN;

interface Changing {
  readonly open: TenantTransaction;
  readonly context: ModuleContext;
}

export async function createEndpoint(options: WebhookRoutesOptions, context: ModuleContext): Promise<Reply> {
  refuseViewer(context);
  const sent = readBody(context.incoming, createBody);
  const { outbound = {} } = context.release.bundle.background;
  const { payload = outbound.payload ?? "full", signing = outbound.signing ?? "hmac" } = sent;
  const { description = "", enabled = true, listener = false, version = outbound.version ?? 1 } = sent;
  requireVersion(outbound, version);
  const owner = ownerOf(sent);
  const role = sent.role ?? (owner.kind === null ? "admin" : "user");
  const target = targetOf(sent.url, { isCalled: !listener, refusalOf: options.refusalOf });
  requireKnown(context, sent.events);
  if (!context.release.bundle.roles.some(({ name }) => name === role))
    throw wrong("/role", "This role does not exist.");
  if (owner.kind !== null && role !== "user" && (owner.kind === "user" || role === "admin")) {
    throw wrong(
      "/role",
      "An endpoint of a user has the user's roles, and an endpoint of an organization can't have the role `admin`.",
    );
  }
  const id = options.newId();
  const { projectId } = context;
  const [endpoint, secret] = await options.scopeOf(projectId).transaction(async (open) => {
    await requireOwner({ open, context }, owner);
    await note({ open, context }, "create", id, { url: target, events: sent.events });
    const { client } = await asCell(open);
    await lockListeners(client, projectId);
    const { rows } = await open.query("SELECT count(*)::text FROM plinth.webhook_endpoints WHERE project_id = $1", [
      projectId,
    ]);
    if (Number(rows[0]?.[0]) >= ENDPOINTS_MAX) {
      throw new Fault("conflict", { detail: `A project can have at most ${ENDPOINTS_MAX} endpoints.` });
    }
    await client.query(
      `INSERT INTO plinth.webhook_endpoints (id, project_id, url, description, events, role, owner_kind, owner_id, payload, signing,
         enabled, listens_until, version)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, clock_timestamp() + make_interval(secs => $12), $13)`,
      [
        ...[id, projectId, target, description, sent.events, role, owner.kind, owner.id, payload, signing, enabled],
        listener ? LISTENS_SECONDS : null,
        version,
      ],
    );
    if (listener && enabled) await requireRoom(client, projectId);
    if (enabled) await listen({ open, context }, sent.events);
    const text = await options.secrets.add(client, { id, signing }, 0);
    return [await read(open, projectId, id), text] as const;
  });
  const reply = jsonReply(201, { ...endpoint, secret });
  return { ...reply, headers: { ...reply.headers, location: `/v1/webhook-endpoints/${id}` } };
}

export async function readEndpoint(options: WebhookRoutesOptions, context: ModuleContext): Promise<Reply> {
  const endpoint = await options.scopeOf(context.projectId).transaction(async (open) => {
    await asCell(open);
    return read(open, context.projectId, idOf(context));
  });
  return jsonReply(200, endpoint);
}

export async function updateEndpoint(options: WebhookRoutesOptions, context: ModuleContext): Promise<Reply> {
  const body = readBody(context.incoming, updateBody);
  if (body.version !== undefined) requireVersion(context.release.bundle.background.outbound ?? {}, body.version);
  const sent =
    body.url === undefined
      ? body
      : { ...body, url: targetOf(body.url, { isCalled: true, refusalOf: options.refusalOf }) };
  if (sent.events !== undefined) requireKnown(context, sent.events);
  return change(options, context, "update", sent, async (open) => {
    const { client } = open;
    const { projectId } = context;
    const id = idOf(context);
    await lockListeners(client, projectId);
    const { enabled, ...rest } = sent;
    if (enabled === false) await disableEndpoint(client, id, "by_admin");
    await client.query(
      `UPDATE plinth.webhook_endpoints SET url = coalesce($2, url), events = coalesce($3, events), payload = coalesce($4, payload),
         description = coalesce($5, description), version = coalesce($6, version), updated_at = clock_timestamp() WHERE id = $1`,
      [id, rest.url ?? null, rest.events ?? null, rest.payload ?? null, rest.description ?? null, rest.version ?? null],
    );
    if (enabled === true) {
      await client.query(
        `UPDATE plinth.webhook_endpoints SET enabled = true, disabled_at = NULL, disabled_reason = NULL, failures = 0,
           failing_since = NULL, open_until = NULL WHERE id = $1 AND NOT enabled`,
        [id],
      );
    }
    const { rows } = await client.query<{ events: string[]; enabled: boolean; is_listener: boolean }>(
      "SELECT events, enabled, listens_until IS NOT NULL AS is_listener FROM plinth.webhook_endpoints WHERE id = $1",
      [id],
    );
    if (enabled === true && rows[0]?.is_listener === true) await requireRoom(client, projectId);
    if (rows[0]?.enabled === true) await listen({ open, context }, rows[0].events);
    return { status: 200, more: {} };
  });
}

export async function deleteEndpoint(options: WebhookRoutesOptions, context: ModuleContext): Promise<Reply> {
  await change(options, context, "delete", {}, async ({ client }) => {
    await client.query("DELETE FROM plinth.webhook_endpoints WHERE id = $1", [idOf(context)]);
    return null;
  });
  return { status: 204, headers: {}, body: null };
}

export function rotateEndpointSecret(options: WebhookRoutesOptions, context: ModuleContext): Promise<Reply> {
  const { overlap_hours: overlap = 24 } = readBody(context.incoming, rotateBody);
  return change(options, context, "rotate", { overlap_hours: overlap }, async (open, { signing }) => {
    const secret = await options.secrets.add(open.client, { id: idOf(context), signing }, overlap);
    return { status: 200, more: { secret } };
  });
}

export async function testEndpoint(options: WebhookRoutesOptions, context: ModuleContext): Promise<Reply> {
  readBody(context.incoming, nothing);
  const id = options.newId();
  const { projectId, release, incoming } = context;
  await change(options, context, "test", {}, async ({ client }, { enabled, version }) => {
    if (!enabled) throw new Fault("conflict", { detail: "The endpoint is disabled. Enable it first." });
    const { outbound = {} } = release.bundle.background;
    if (outbound.events?.length === 0)
      throw new Fault("conflict", { detail: "The blueprint sends no events to endpoints (`webhooks.out`)." });
    const body = testBody(projectId, { id, at: new Date().toISOString(), version: sentVersion(outbound, version) });
    await client.query(
      `INSERT INTO plinth.webhook_deliveries (id, project_id, endpoint_id, event_name, request_id, body, release_id, status)
       VALUES ($1, $2, $3, $4, $5, $6, $7, 'pending')`,
      [
        id,
        projectId,
        idOf(context),
        TEST_EVENT,
        incoming.id,
        sealOwnBody(options.box, projectId, id, body),
        release.releaseId,
      ],
    );
    return null;
  });
  options.onDue();
  return jsonReply(202, { id });
}

interface Locked {
  readonly signing: "hmac" | "ed25519";
  readonly enabled: boolean;
  readonly version: number;
}

/** Changes an endpoint with its row locked, under the cell's role. @param work Null: returns no endpoint. */
export async function change(
  { scopeOf }: WebhookRoutesOptions,
  context: ModuleContext,
  operation: string,
  changes: Readonly<Record<string, unknown>>,
  work: (
    open: TenantTransaction,
    endpoint: Locked,
  ) => Promise<{ readonly status: number; readonly more: object } | null>,
): Promise<Reply> {
  refuseViewer(context);
  const id = idOf(context);
  const outcome = await scopeOf(context.projectId).transaction(async (open) => {
    await note({ open, context }, operation, id, changes);
    const { client } = await asCell(open);
    const { rows } = await client.query<Locked>(
      "SELECT signing, enabled, version FROM plinth.webhook_endpoints WHERE project_id = $1 AND id = $2 FOR UPDATE",
      [context.projectId, id],
    );
    const [locked] = rows;
    if (locked === undefined) throw new Fault("not_found");
    const done = await work(open, locked);
    return done === null
      ? null
      : { status: done.status, data: { ...(await read(open, context.projectId, id)), ...done.more } };
  });
  return outcome === null ? { status: 204, headers: {}, body: null } : jsonReply(outcome.status, outcome.data);
}

async function read(open: TenantTransaction, projectId: string, id: string): Promise<object> {
  const { rows } = await open.query(
    `SELECT ${SHOWN} FROM plinth.webhook_endpoints e WHERE e.project_id = $1 AND e.id = $2::uuid`,
    [projectId, id],
  );
  const [json = null] = rows[0] ?? [];
  if (json === null) throw new Fault("not_found");
  return JSON.parse(json) as object;
}

/** The project's own role has no rights on the cell's tables. */
export async function asCell(open: TenantTransaction): Promise<TenantTransaction> {
  await open.client.query("SET LOCAL ROLE NONE");
  return open;
}

export const idOf = ({ ids }: ModuleContext): string => ids[0] ?? "";

/** Creating or changing an endpoint sends the project's data somewhere, which a viewer may not do. */
export function refuseViewer({ principal }: ModuleContext): void {
  if (principal.kind === "operator" && principal.readOnly) {
    throw new Fault("forbidden", { detail: "A viewer of the project can't change anything here." });
  }
}

async function listen({ open, context }: Changing, patterns: readonly string[]): Promise<void> {
  const { release, projectId } = context;
  await listenFor(open.client, projectId, eventsAskedFor(sendable(release), patterns));
}

function sendable({ bundle: { background } }: ModuleContext["release"]): readonly BundleEvent[] {
  return background.events.filter(({ name }) => maySend(background, name));
}

/** @throws Fault validation_failed if the blueprint has no such version of payloads. */
function requireVersion({ version: current = 1, versions = {} }: BundleOutbound, version: number): void {
  if (version === current || Object.hasOwn(versions, String(version))) return;
  const known = [...Object.keys(versions).map(Number), current].sort((a, b) => a - b);
  throw wrong("/version", `This version of payloads does not exist. The versions are ${known.join(", ")}.`);
}

/** @throws Fault validation_failed if a name matches no event of the project. */
function requireKnown({ release }: ModuleContext, patterns: readonly string[]): void {
  const events = sendable(release);
  const names = events.map(({ name }) => name);
  const known = [...names, ...new Set(names.map((name) => `${name.split(".")[0]}.*`))];
  const errors = patterns.flatMap((pattern, at) =>
    pattern === "*" || eventsAskedFor(events, [pattern]).length > 0
      ? []
      : [
          {
            path: `/events/${at}`,
            code: "not_allowed",
            message: `The event ${pattern} can't be sent to endpoints: the live version doesn't send it.${didYouMean(pattern, known)}`,
          },
        ],
  );
  if (errors.length > 0) throw new Fault("validation_failed", { errors });
}

interface Owner {
  readonly kind: "user" | "organization" | null;
  readonly id: string | null;
}

function ownerOf(sent: {
  readonly user_id?: string | undefined;
  readonly organization_id?: string | undefined;
}): Owner {
  const { user_id: user, organization_id: organization } = sent;
  if (user !== undefined && organization !== undefined) {
    throw wrong("/organization_id", "An endpoint can belong to a user or to an organization, not to both.");
  }
  const id = user ?? organization;
  if (id === undefined) return { kind: null, id: null };
  const kind = user === undefined ? "organization" : "user";
  if (!isUuid(id)) throw wrong(`/${kind}_id`, "It must be a UUID.");
  return { kind, id: id.toLowerCase() };
}

async function requireOwner({ open, context: { release } }: Changing, { kind, id }: Owner): Promise<void> {
  if (kind === null) return;
  const table = kind === "user" ? "users" : "organizations";
  const isThere = release.bundle.tables.some(({ name }) => name === table);
  const found = isThere
    ? (await open.query(`SELECT 1 FROM ${release.schema}.${table} WHERE id = $1::uuid`, [id])).rows.length > 0
    : false;
  if (!found) throw wrong(`/${kind}_id`, "This record does not exist.");
}

export function wrong(path: string, message: string): Fault {
  const errors: readonly FieldError[] = [{ path, code: "invalid", message }];
  return new Fault("validation_failed", { errors });
}

async function note(
  { open, context: { release, incoming, principal } }: Changing,
  operation: string,
  id: string,
  changes: Readonly<Record<string, unknown>>,
): Promise<void> {
  const actor = actorOf(principal);
  await open.query(
    `INSERT INTO ${release.schema}."audit_log" ("request_id", "actor_kind", "actor_id", "operation", "entity", "record_id", "changes")
     VALUES ($1, $2, $3, $4, 'webhook_endpoint', $5::uuid, $6::jsonb)`,
    [incoming.id, actor.kind, actor.id, operation, id, JSON.stringify(changes)],
  );
}
