// Creates deliveries of events, in the transaction that hands the events on. In: events, and the endpoints that
// subscribe to them. Out: a row for each endpoint that can see the event, with the visible part sealed in it; one for
// each pair of event and endpoint.
import type { ProjectId } from "@plinth/bundle";
import { quoteIdentifier, type TenantTransaction, tenantNames } from "@plinth/postgres";
import type { Logger } from "@plinth/service";
import type { ClientBase } from "pg";
import { EMITTED, type ProjectEvent, type Subject } from "../events/event.ts";
import { storedEvent } from "../events/stored-event.ts";
import type { SecretBox } from "../identity/secret-box.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import { hasModule } from "../project/has-module.ts";
import type { TextRow } from "../project/tenant.ts";
import { asksFor, ENDPOINT, type Endpoint, type Reader, readerOf, userReaders } from "./endpoint.ts";
import { judge, type Sight } from "./judge.ts";
import { bodyContext, bodyOf, DISABLED_EVENT } from "./message.ts";
import { maySend } from "./rules.ts";

export interface HandOnOptions {
  readonly box: SecretBox;
  /** UUID v7, increasing. */
  readonly newId: () => string;
  readonly logger: Logger;
}

/** Under the cell's role, which stays set. Returns the number of created deliveries. */
export type HandOn = (
  open: TenantTransaction,
  release: ActiveRelease,
  events: readonly ProjectEvent[],
) => Promise<number>;

/** In the order of their owners, so that the view of one owner can be cached for the next endpoint. */
const ENDPOINTS = `SELECT ${ENDPOINT} FROM plinth.webhook_endpoints e WHERE e.project_id = $1 AND e.enabled
    AND (e.listens_until IS NULL OR e.listens_until > clock_timestamp())
  ORDER BY e.owner_kind, e.owner_id, e.role, e.id`;

/** Characters of sealed bodies that are written at once: an event of 1 MB may go to a thousand endpoints. */
const WRITTEN_AT_ONCE = 2_000_000;
/** Deliveries that one transaction creates. Until it ends, other projects' events and runs may wait for it. */
const DELIVERIES_AT_ONCE = 10_000;

/** How many events of a project can be handed on in one transaction. */
export async function eventsAtOnce(client: ClientBase, projectId: ProjectId): Promise<number> {
  const { rows } = await client.query<{ endpoints: number }>(
    "SELECT count(*)::int AS endpoints FROM plinth.webhook_endpoints WHERE project_id = $1 AND enabled",
    [projectId],
  );
  return Math.max(1, Math.floor(DELIVERIES_AT_ONCE / Math.max(1, rows[0]?.endpoints ?? 0)));
}

export function createHandOn(options: HandOnOptions): HandOn {
  return async (open, release, events) => {
    if (!hasModule(release, "webhooks")) return 0;
    const { client } = open;
    const { rows: endpoints } = await client.query<Endpoint>(ENDPOINTS, [release.projectId]);
    if (endpoints.length === 0) return 0;
    const worker = quoteIdentifier(tenantNames(release.projectId).worker);
    await client.query(`SET LOCAL ROLE ${worker}`);
    const meant = (await meantEvents(open, release, events)).filter(({ event }) =>
      maySend(release.bundle.background, event.name),
    );
    let pending: Delivery[] = [];
    let count = 0;
    let characters = 0;
    const write = async (): Promise<void> => {
      await client.query("SET LOCAL ROLE NONE");
      if (pending.length > 0) await client.query(INSERT, [release.projectId, JSON.stringify(pending)]);
      pending = [];
      characters = 0;
    };
    const seen = createSeeing(options, open, release, endpoints);
    for (const one of meant) {
      const { name } = one.event;
      const asking = endpoints.filter((endpoint) => asksFor(endpoint.events, name) && !isOwnEnd(endpoint, one.event));
      for (const [at, endpoint] of asking.entries()) {
        const found = await seen(asking, at, one);
        if (found === null) continue;
        const delivery = deliveryOf(options, release, endpoint, one, found);
        pending.push(delivery);
        count++;
        characters += delivery.body.length;
        if (characters < WRITTEN_AT_ONCE) continue;
        await write();
        await client.query(`SET LOCAL ROLE ${worker}`);
      }
    }
    await write();
    return count;
  };
}

/** An endpoint that was enabled again at once doesn't receive the event that it was disabled. */
function isOwnEnd({ id }: Endpoint, { name, data }: ProjectEvent): boolean {
  return name === DISABLED_EVENT && (data as { readonly endpoint_id?: unknown } | null)?.endpoint_id === id;
}

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
  { schema }: ActiveRelease,
  events: readonly ProjectEvent[],
): Promise<readonly Meant[]> {
  const wishes = events.flatMap(({ name, data }) => (name === EMITTED ? [data as unknown as Wish] : []));
  const happened = events
    .filter(({ name }) => name !== EMITTED)
    .map((event) => ({ event, subject: event.entity === null ? (event.cause?.subject ?? null) : null }));
  if (wishes.length === 0) return happened;
  const { rows } = await open.query(
    `select (select row_to_json(_x) from (select _e."id", _e."seq"::text as seq, _e."name", _e."entity", _e."record_id", _e."organization_id",
       _e."actor_kind", _e."actor_id", _e."request_id", to_char(_e."at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at) _x)::text
     from ${schema}."workers__events" _e where _e."id" = any($1::uuid[])`,
    [`{${wishes.map(({ event_id }) => event_id).join(",")}}`],
  );
  const stored = new Map(rows.map(([json]) => storedEvent(JSON.parse(json ?? "{}"))).map((event) => [event.id, event]));
  const wanted = wishes.flatMap(({ event_id, subject = null }): Meant[] => {
    const event = stored.get(event_id);
    return event === undefined ? [] : [{ event, subject: event.entity === null ? subject : null }];
  });
  return [...happened, ...wanted];
}

interface Seen {
  readonly reader: Reader;
  readonly sight: Sight;
}

/**
 * Owners whose views of an event are cached at a time, because a thousand of them may each see a different part of a
 * large record.
 */
const SIGHTS_AT_ONCE = 20;

/**
 * Endpoints of the same owner, or the same role, see the same. Several owners are judged under one savepoint. @returns
 * the part of the event that the endpoint at that position sees. Call it in the order of the endpoints.
 */
function createSeeing(
  { logger }: HandOnOptions,
  open: TenantTransaction,
  release: ActiveRelease,
  endpoints: readonly Endpoint[],
): (asking: readonly Endpoint[], at: number, meant: Meant) => Promise<Seen | null> {
  let readers: Map<string, Reader | null> | null = null;
  const sights = new Map<string, Seen | null>();
  const ask = async (text: string, values: readonly string[]) => (await open.query(text, values)).rows;

  async function see(endpoint: Endpoint, { event, subject }: Meant): Promise<Seen | null> {
    readers ??= await readersOfUsers(ask, release, endpoints);
    const who = whoOf(endpoint);
    if (!readers.has(who)) readers.set(who, await readerOf(ask, release, endpoint));
    const reader = readers.get(who) ?? null;
    const sight = reader === null ? null : await judge(open, release, reader, { event, subject, only: null });
    return sight === null || reader === null ? null : { reader, sight };
  }

  /** False if one of them could not be judged; then nothing is stored. */
  async function seeTogether(group: readonly Endpoint[], meant: Meant): Promise<boolean> {
    await open.client.query("SAVEPOINT webhook_sight");
    try {
      for (const endpoint of group) sights.set(keyOf(endpoint, meant), await see(endpoint, meant));
      await open.client.query("RELEASE SAVEPOINT webhook_sight");
      return true;
    } catch (error) {
      await open.client.query("ROLLBACK TO SAVEPOINT webhook_sight");
      sights.clear();
      if (group.length > 1) return false;
      // An event that can't be judged for an endpoint is not sent to it, but doesn't delay the others or the event.
      const { name } = meant.event;
      logger.error({ err: error, projectId: release.projectId, event: name }, "an event could not be judged");
      for (const endpoint of group) sights.set(keyOf(endpoint, meant), null);
      return true;
    }
  }

  return async (asking, at, meant) => {
    const first = asking[at];
    if (first === undefined) return null;
    const key = keyOf(first, meant);
    if (!sights.has(key)) {
      sights.clear();
      if (!(await seeTogether(ownersOf(asking.slice(at), SIGHTS_AT_ONCE), meant))) await seeTogether([first], meant);
    }
    return sights.get(key) ?? null;
  };
}

function whoOf({ owner_kind, owner_id, role }: Endpoint): string {
  return `${owner_kind}/${owner_id}/${role}`;
}

function keyOf(endpoint: Endpoint, { event, subject }: Meant): string {
  return `${whoOf(endpoint)} ${event.id} ${subject?.id ?? ""}`;
}

/** One endpoint for each of the first owners. */
function ownersOf(endpoints: readonly Endpoint[], most: number): readonly Endpoint[] {
  const owners = new Map<string, Endpoint>();
  for (const endpoint of endpoints) {
    if (owners.size === most) break;
    owners.set(whoOf(endpoint), endpoint);
  }
  return [...owners.values()];
}

async function readersOfUsers(
  ask: (text: string, values: readonly string[]) => Promise<readonly TextRow[]>,
  release: ActiveRelease,
  endpoints: readonly Endpoint[],
): Promise<Map<string, Reader | null>> {
  const owned = endpoints.flatMap((endpoint) =>
    endpoint.owner_kind === "user" && endpoint.owner_id !== null ? [{ endpoint, owner: endpoint.owner_id }] : [],
  );
  if (owned.length === 0) return new Map();
  const readers = await userReaders(ask, release, [...new Set(owned.map(({ owner }) => owner))]);
  return new Map(owned.map(({ endpoint, owner }) => [whoOf(endpoint), readers.get(owner) ?? null]));
}

interface Delivery {
  readonly id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly event_name: string;
  readonly request_id: string | null;
  readonly body: string;
  readonly release_id: string;
  readonly fields: readonly string[] | null;
  readonly subject_entity: string | null;
  readonly subject_id: string | null;
}

function deliveryOf(
  { box, newId }: HandOnOptions,
  release: ActiveRelease,
  endpoint: Endpoint,
  { event, subject }: Meant,
  { reader, sight }: Seen,
): Delivery {
  const id = newId();
  const { outbound } = release.bundle.background;
  const body = bodyOf(release.projectId, event, endpoint, { reader, sight, outbound });
  return {
    id,
    endpoint_id: endpoint.id,
    event_id: event.id,
    event_name: event.name,
    request_id: event.requestId,
    body: sealBody(box, release.projectId, id, body),
    release_id: release.releaseId,
    fields: sight.members,
    subject_entity: subject?.entity ?? null,
    subject_id: subject?.id ?? null,
  };
}

export function sealBody(box: SecretBox, project: ProjectId, id: string, body: string): string {
  return box.seal(Buffer.from(body), bodyContext(project, id));
}

const INSERT = `INSERT INTO plinth.webhook_deliveries
    (id, project_id, endpoint_id, event_id, event_name, request_id, body, release_id, fields, subject_entity, subject_id, status)
  SELECT d.id, $1, d.endpoint_id, d.event_id, d.event_name, d.request_id, d.body, d.release_id, d.fields, d.subject_entity,
    d.subject_id, 'pending'
  FROM jsonb_to_recordset($2::jsonb) AS d (id uuid, endpoint_id uuid, event_id uuid, event_name text, request_id text, body text,
    release_id text, fields text[], subject_entity text, subject_id uuid)
  WHERE EXISTS (SELECT 1 FROM plinth.webhook_endpoints e WHERE e.id = d.endpoint_id)
  ON CONFLICT (endpoint_id, event_id) DO NOTHING`;
