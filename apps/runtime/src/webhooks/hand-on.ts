// Notes which events are for endpoints, in the transaction that hands the events on. In: events. Out: a row for each
// event that an enabled endpoint subscribes to; its deliveries are created later, in bounded parts (`fan-out.ts`).
import { quoteIdentifier, type TenantTransaction, tenantNames } from "@plinth/postgres";
import { EMITTED, type ProjectEvent, type Subject } from "../events/event.ts";
import { isOwnEvent } from "../events/own-events.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import { hasModule } from "../project/has-module.ts";
import { asksFor } from "./endpoint.ts";
import { maySend } from "./rules.ts";
import { storedEvents } from "./stored-events.ts";

/** SQL over the row `e`: an endpoint that receives events now. */
export const RECEIVES: string = "e.enabled AND (e.listens_until IS NULL OR e.listens_until > clock_timestamp())";

const PATTERNS = `SELECT DISTINCT unnest(e.events) AS pattern FROM plinth.webhook_endpoints e WHERE e.project_id = $1 AND ${RECEIVES}`;

/** Under the cell's role, which stays set. Returns the number of noted events. */
export async function handOn(
  open: TenantTransaction,
  release: ActiveRelease,
  events: readonly ProjectEvent[],
): Promise<number> {
  if (!hasModule(release, "webhooks")) return 0;
  const { client } = open;
  const { rows } = await client.query<{ pattern: string }>(PATTERNS, [release.projectId]);
  if (rows.length === 0) return 0;
  const patterns = rows.map(({ pattern }) => pattern);
  const { background } = release.bundle;
  const meant = (await meantEvents(open, release, events)).filter(
    ({ event: { name } }) => maySend(background, name) && asksFor(patterns, name, isOwnEvent(background, name)),
  );
  if (meant.length === 0) return 0;
  const noted = meant.map(({ event, subject }) => ({
    event_id: event.id,
    event_at: event.at,
    subject_entity: subject?.entity ?? null,
    subject_id: subject?.id ?? null,
  }));
  await client.query(NOTE, [release.projectId, JSON.stringify(noted)]);
  return meant.length;
}

const NOTE = `INSERT INTO plinth.webhook_fan_outs (project_id, event_id, event_at, subject_entity, subject_id)
  SELECT $1, n.event_id, n.event_at, n.subject_entity, n.subject_id FROM ROWS FROM (
    jsonb_to_recordset($2::jsonb) AS (event_id uuid, event_at timestamptz, subject_entity text, subject_id uuid)
  ) WITH ORDINALITY AS n (event_id, event_at, subject_entity, subject_id, at) ORDER BY n.at`;

interface Meant {
  readonly event: ProjectEvent;
  /** For an event without a record: the record that it is about. */
  readonly subject: Subject | null;
}

interface Wish {
  readonly event_id: string;
  readonly subject?: Subject | null;
}

/** The events that happened, and those that a step sends. */
async function meantEvents(
  open: TenantTransaction,
  release: ActiveRelease,
  events: readonly ProjectEvent[],
): Promise<readonly Meant[]> {
  const wishes = events.flatMap(({ name, data }) => (name === EMITTED ? [data as unknown as Wish] : []));
  const happened = events
    .filter(({ name }) => name !== EMITTED)
    .map((event) => ({ event, subject: event.entity === null ? (event.cause?.subject ?? null) : null }));
  if (wishes.length === 0) return happened;
  await open.client.query(`SET LOCAL ROLE ${quoteIdentifier(tenantNames(release.projectId).worker)}`);
  const stored = await storedEvents(
    open,
    release,
    wishes.map(({ event_id }) => event_id),
  );
  await open.client.query("SET LOCAL ROLE NONE");
  const wanted = wishes.flatMap(({ event_id, subject = null }): Meant[] => {
    const event = stored.get(event_id);
    return event === undefined ? [] : [{ event, subject: event.entity === null ? subject : null }];
  });
  return [...happened, ...wanted];
}
