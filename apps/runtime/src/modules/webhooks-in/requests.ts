// The stored requests of a project's inbound sources, for admins. In: requests of admins. Out: pages of them, one with
// its content, or a confirmation that it became its event again. It reads and replays in the tenant's transaction, so
// it never takes a connection from incoming requests.
import type { BundleInbound } from "@plinth/bundle";
import type { ProjectScope, TenantTransaction } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import { z } from "zod";
import type { ModuleContext, Reply } from "../../http/contracts.ts";
import { jsonReply, readBody } from "../json-body.ts";
import { type CellPage, readCellPage } from "../webhooks/cell-page.ts";
import { asCell, idOf, refuseViewer } from "../webhooks/endpoints.ts";
import { noteInAudit } from "./audit.ts";
import { eventOf } from "./receive.ts";
import type { InboundStore, Stored } from "./store.ts";
import { harmlessHeaders } from "./stored-headers.ts";

export interface RequestRoutesOptions {
  readonly scopeOf: (projectId: string) => ProjectScope;
  readonly store: Pick<InboundStore, "contentOf" | "emitAgain">;
  /** Called when there may be an event. */
  readonly onDue: () => void;
}

const nothing = z.strictObject({});
const replayBody = z.strictObject({
  source: z.string().min(1).max(100),
  since: z.iso.datetime({ offset: true }).optional(),
});
const UNMAPPED =
  "The request can't become an event: the live version maps its type to no event, or nothing listens for the event.";
/** Requests that one call replays. */
const REPLAY_MAX = 500;

const COLUMNS = "r.id, r.source, r.received_at, r.status, r.reason, r.type, r.event, r.repeats, r.replayed_at";

const requestPage: CellPage = {
  name: "webhook_requests",
  table: "plinth.inbound_requests",
  shown: `(SELECT row_to_json(x)::text FROM (SELECT ${COLUMNS}) x)`,
  of: "r",
  conditions: {
    source: (at) => `r.source = ${at}`,
    status: (at) => `r.status = ${at}`,
  },
};

export const sourcesOf = ({ release }: ModuleContext): readonly BundleInbound[] =>
  release.bundle.background.inbound ?? [];

export const listRequests = (options: RequestRoutesOptions, context: ModuleContext): Promise<Reply> =>
  readCellPage(options, context, requestPage);

/**
 * A provider's request may contain anything, and the masks of the project's fields don't apply to it. So viewers can't
 * read it.
 */
export async function readRequestContent(options: RequestRoutesOptions, context: ModuleContext): Promise<Reply> {
  refuseViewer(context);
  const { projectId } = context;
  const rows = await options.scopeOf(projectId).transaction(async (open) => {
    const { query } = await asCell(open);
    return (
      await query(
        `SELECT ${requestPage.shown}, r.sealed, r.screened::text FROM plinth.inbound_requests r WHERE r.project_id = $1 AND r.id = $2::uuid`,
        [projectId, idOf(context)],
      )
    ).rows;
  });
  const [request = null, sealed = null, screened] = rows[0] ?? [];
  if (request === null) throw new Fault("not_found");
  const content = sealed === null ? null : options.store.contentOf(projectId, idOf(context), sealed);
  const headers = content === null ? null : screened === "true" ? content.headers : harmlessHeaders(content.headers);
  return jsonReply(200, {
    ...(JSON.parse(request) as object),
    headers,
    body: content === null ? null : (content.json ?? null),
    body_base64: content === null || content.json !== null ? null : content.body,
  });
}

export async function replayRequest(options: RequestRoutesOptions, context: ModuleContext): Promise<Reply> {
  refuseViewer(context);
  readBody(context.incoming, nothing);
  const id = idOf(context);
  const event = await options.scopeOf(context.projectId).transaction(async (open) => {
    await noteInAudit(open, context, { operation: "replay", entity: "webhook_request", recordId: id });
    const { client } = await asCell(open);
    const { rows } = await client.query<Stored>(
      "SELECT id, source, type, sealed FROM plinth.inbound_requests WHERE project_id = $1 AND id = $2 FOR UPDATE",
      [context.projectId, id],
    );
    if (rows[0] === undefined || rows[0].sealed === null) throw new Fault("not_found");
    const event = await emitAgain(options, context, open, rows[0]);
    if (event === null) throw new Fault("conflict", { detail: UNMAPPED });
    return event;
  });
  options.onDue();
  return jsonReply(202, { event });
}

/** Requests that became no event when they arrived, but do with the live version's mapping; the oldest first. */
export async function replayUnmapped(options: RequestRoutesOptions, context: ModuleContext): Promise<Reply> {
  refuseViewer(context);
  const { source: name, since = null } = readBody(context.incoming, replayBody);
  const source = sourcesOf(context).find((one) => one.name === name);
  if (source === undefined) throw new Fault("not_found", { detail: "This source does not exist." });
  const types = Object.keys(source.events ?? {});
  const counts = await options.scopeOf(context.projectId).transaction(async (open) => {
    await noteInAudit(open, context, { operation: "replay", entity: "webhook_request", recordId: null });
    const { client } = await asCell(open);
    const { rows } = await client.query<Stored>(
      `SELECT id, source, type, sealed FROM plinth.inbound_requests
       WHERE project_id = $1 AND source = $2 AND status = 'unmapped' AND reason = 'unmapped' AND type = ANY($3)
         AND ($4::timestamptz IS NULL OR received_at >= $4)
       ORDER BY id LIMIT ${REPLAY_MAX + 1} FOR UPDATE SKIP LOCKED`,
      [context.projectId, name, types, since],
    );
    let requests = 0;
    for (const row of rows.slice(0, REPLAY_MAX)) {
      if ((await emitAgain(options, context, open, row)) !== null) requests++;
    }
    return { requests, has_more: rows.length > REPLAY_MAX };
  });
  if (counts.requests > 0) options.onDue();
  return jsonReply(202, counts);
}

function emitAgain(
  { store }: RequestRoutesOptions,
  context: ModuleContext,
  { client }: TenantTransaction,
  stored: Stored,
): Promise<string | null> {
  const source = sourcesOf(context).find((one) => one.name === stored.source);
  const event = source === undefined ? null : eventOf(source, stored.type);
  return event === null
    ? Promise.resolve(null)
    : store.emitAgain(client, context.release, stored, { event, requestId: context.incoming.id });
}
