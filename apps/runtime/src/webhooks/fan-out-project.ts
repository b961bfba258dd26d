// Creates a bounded part of a project's deliveries, in one transaction. In: the noted events, and the endpoints that
// subscribe to them. Out: a delivery for each endpoint that can see the event, one for each pair. An endpoint without
// room falls behind: it remembers the first event that it has not got, and goes on from there once it has room. The
// events stay noted meanwhile, so none is lost, and other endpoints don't wait.
import type { ProjectId } from "@plinth/bundle";
import { type ProjectScope, quoteIdentifier, type TenantTransaction, tenantNames } from "@plinth/postgres";
import type { Logger } from "@plinth/service";
import type { ClientBase } from "pg";
import type { ProjectEvent } from "../events/event.ts";
import { isOwnEvent } from "../events/own-events.ts";
import type { SecretBox } from "../identity/secret-box.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import type { Backlog, Backlogs } from "./backlog.ts";
import { asksFor, ENDPOINT, type Endpoint } from "./endpoint.ts";
import { RECEIVES } from "./hand-on.ts";
import { DISABLED_EVENT, FAILED_EVENT } from "./message.ts";
import { createNewDeliveries, type NewDeliveries } from "./new-deliveries.ts";
import { maySend } from "./rules.ts";
import { createSeeing, type Meant, type Seeing } from "./seeing.ts";
import { storedEvents } from "./stored-events.ts";

export interface FanOutParts {
  readonly scopeOf: (projectId: string) => ProjectScope;
  readonly box: SecretBox;
  readonly backlogs: Backlogs;
  /** UUID v7, increasing. */
  readonly newId: () => string;
  readonly logger: Logger;
}

export interface FannedOut {
  /** Created deliveries. */
  readonly deliveries: number;
  /** Whether the project has more to do now. */
  readonly hasMore: boolean;
  /** Endpoints that have just fallen behind. */
  readonly fellBehind: number;
}

/** What one transaction creates and reads, at least for one event. Until it ends, its connection is taken. */
const DELIVERIES_MAX = 500;
const CHARACTERS_MAX = 2_000_000;
const MS_MAX = 100;
const EVENTS_MAX = 100;
/** Endpoints that go on in one transaction, and how many events each of them gets. */
const GOING_ON_MAX = 10;
const GOES_ON_BY = 50;
/** What they get of it. The rest is for new events. */
const GOING_ON_PART = 0.5;

type Receiving = Endpoint & { readonly behind_from: string | null; readonly created_s: number };

/** In the order of their owners, so that the view of one owner can be cached for the next endpoint. */
const ENDPOINTS = `SELECT ${ENDPOINT}, e.behind_from::text, extract(epoch FROM e.created_at)::float8 AS created_s
  FROM plinth.webhook_endpoints e WHERE e.project_id = $1 AND ${RECEIVES}
  ORDER BY e.owner_kind, e.owner_id, e.role, e.id`;

interface Noted {
  readonly id: string;
  readonly event_id: string;
  readonly noted_s: number;
  readonly subject_entity: string | null;
  readonly subject_id: string | null;
  /** The last endpoint that was looked at; null if none was. */
  readonly after_endpoint: string | null;
  /** Whether every endpoint was looked at: it is for those that are behind. */
  readonly done: boolean;
}

const NOTED =
  "id::text, event_id, extract(epoch FROM noted_at)::float8 AS noted_s, subject_entity, subject_id, after_endpoint, done";
const FRESH = `SELECT ${NOTED} FROM plinth.webhook_fan_outs f
  WHERE f.project_id = $1 AND NOT f.done ORDER BY f.id LIMIT ${EVENTS_MAX}`;
/** Of the events that the other endpoints have. */
const MISSED = `SELECT ${NOTED} FROM plinth.webhook_fan_outs f
  WHERE f.project_id = $1 AND f.id >= $2 AND f.done ORDER BY f.id LIMIT ${GOES_ON_BY}`;

/** Nothing if another process is doing it. */
export function fanOutProject(
  parts: FanOutParts,
  release: ActiveRelease,
  isStopped: () => boolean,
): Promise<FannedOut> {
  const { projectId } = release;
  return parts.scopeOf(projectId).transaction(async (open) => {
    const { client } = open;
    await client.query("SET LOCAL ROLE NONE");
    const { rows: locks } = await client.query("SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS got", [
      `plinth.fan_out/${projectId}`,
    ]);
    if (locks[0].got !== true) return { deliveries: 0, hasMore: false, fellBehind: 0 };
    const { rows: endpoints } = await client.query<Receiving>(ENDPOINTS, [projectId]);
    const { rows: fresh } = await client.query<Noted>(FRESH, [projectId]);
    const backlog = await parts.backlogs.of(client, projectId);
    const deliveries = createNewDeliveries(parts, release);
    const startedMs = performance.now();
    const round: Round = {
      open,
      release,
      endpoints,
      backlog,
      deliveries,
      seeing: createSeeing(parts, open, release, endpoints),
      behind: new Map(endpoints.flatMap(({ id, behind_from: from }) => (from === null ? [] : [[id, from]]))),
      isFull: (part = 1) => deliveries.count >= DELIVERIES_MAX * part || deliveries.characters >= CHARACTERS_MAX * part,
      isLate: (part = 1) => performance.now() > startedMs + MS_MAX * part || isStopped(),
    };
    const before = new Map(round.behind);
    // Between two events, so that no endpoint is in doubt about the one in progress.
    const goesOn = fresh[0] === undefined || fresh[0].after_endpoint === null ? await goOn(round) : false;
    const { finished, partly } = await offerFresh(round, fresh);
    await deliveries.write(client);
    await keepPlace(client, projectId, { before, behind: round.behind, finished, partly });
    return {
      deliveries: deliveries.count,
      hasMore: goesOn || partly !== null || finished.length < fresh.length || fresh.length === EVENTS_MAX,
      fellBehind: [...round.behind.keys()].filter((id) => !before.has(id)).length,
    };
  });
}

interface Round {
  readonly open: TenantTransaction;
  readonly release: ActiveRelease;
  readonly endpoints: readonly Receiving[];
  readonly backlog: Backlog;
  readonly deliveries: NewDeliveries;
  readonly seeing: Seeing;
  /** Endpoints that have missed events, with the first of them. */
  readonly behind: Map<string, string>;
  /** Whether the rest is for the next transaction. @param part Of what one transaction does; default: all. */
  readonly isFull: (part?: number) => boolean;
  /** The same for what needs more statements. What is known already is used first. */
  readonly isLate: (part?: number) => boolean;
}

const isOver = ({ isFull, isLate }: Round, part = 1): boolean => isFull(part) || isLate(part);

/** Gives endpoints that have room again some of the events that they have missed. Returns whether there are more. */
async function goOn(round: Round): Promise<boolean> {
  const { open, release, endpoints, backlog, behind } = round;
  const going = endpoints.filter(({ id }) => behind.has(id) && backlog.canGoOn(id));
  let hasMore = going.length > GOING_ON_MAX;
  let offered = 0;
  for (const endpoint of oldestFirst(going, behind).slice(0, GOING_ON_MAX)) {
    if (offered > 0 && isOver(round, GOING_ON_PART)) return true;
    const { rows } = await open.client.query<Noted>(MISSED, [release.projectId, behind.get(endpoint.id)]);
    const events = await eventsOf(round, rows);
    let next: string | null = null;
    for (const noted of rows) {
      if ((offered > 0 && isOver(round, GOING_ON_PART)) || !backlog.hasRoom(endpoint.id)) {
        next = noted.id;
        break;
      }
      await offer(round, [endpoint], noted, events);
      offered++;
    }
    const last = rows.at(-1);
    if (next === null && last !== undefined && rows.length === GOES_ON_BY) next = String(BigInt(last.id) + 1n);
    if (next === null) behind.delete(endpoint.id);
    else behind.set(endpoint.id, next);
    hasMore ||= next !== null && backlog.canGoOn(endpoint.id);
  }
  return hasMore;
}

function oldestFirst(endpoints: readonly Receiving[], behind: ReadonlyMap<string, string>): readonly Receiving[] {
  const fromOf = ({ id }: Receiving): bigint => BigInt(behind.get(id) ?? 0);
  return [...endpoints].sort((a, b) => Number(fromOf(a) - fromOf(b)));
}

interface Offered {
  /** Events that every endpoint was looked at for. */
  readonly finished: readonly string[];
  /** The event in progress, and the last endpoint that was looked at. */
  readonly partly: { readonly id: string; readonly after: string } | null;
}

async function offerFresh(round: Round, fresh: readonly Noted[]): Promise<Offered> {
  const finished: string[] = [];
  const events = await eventsOf(round, fresh);
  for (const noted of fresh) {
    // However slow the database is, each transaction gets somewhere.
    if (finished.length > 0 && isOver(round)) break;
    // An endpoint that is deleted now leaves no place to go on from: each endpoint gets an event once anyway.
    const from = round.endpoints.findIndex(({ id }) => id === noted.after_endpoint) + 1;
    const upToDate = round.endpoints.slice(from).filter(({ id }) => !round.behind.has(id));
    const after = await offer(round, upToDate, noted, events);
    if (after !== null) return { finished, partly: { id: noted.id, after } };
    finished.push(noted.id);
  }
  return { finished, partly: null };
}

async function eventsOf({ open, release }: Round, noted: readonly Noted[]): Promise<ReadonlyMap<string, ProjectEvent>> {
  if (noted.length === 0) return new Map();
  return asWorker(open, release, () =>
    storedEvents(
      open,
      release,
      noted.map(({ event_id }) => event_id),
    ),
  );
}

/**
 * Offers an event to endpoints. @returns null if all of them were looked at; the last one if the rest is for the next
 * transaction.
 */
async function offer(
  round: Round,
  endpoints: readonly Receiving[],
  noted: Noted,
  events: ReadonlyMap<string, ProjectEvent>,
): Promise<string | null> {
  const { open, release, backlog, deliveries, behind, seeing } = round;
  const event = events.get(noted.event_id);
  if (event === undefined || !maySend(release.bundle.background, event.name)) return null;
  const { subject_entity: entity, subject_id: id } = noted;
  const meant: Meant = { event, subject: entity === null || id === null ? null : { entity, id } };
  const isOwn = isOwnEvent(release.bundle.background, event.name);
  const asking = endpoints.filter(
    (endpoint) => asksFor(endpoint.events, event.name, isOwn) && isMeantFor(endpoint, event, noted),
  );
  if (asking.length === 0) return null;
  await deliveries.begin(open.client, meant, noted.done || noted.after_endpoint !== null);
  return asWorker(open, release, async () => {
    for (const [at, endpoint] of asking.entries()) {
      const mustStop = round.isFull() || (round.isLate() && !seeing.knows(endpoint, meant));
      if (at > 0 && mustStop) return asking[at - 1]?.id ?? null;
      if (!backlog.hasRoom(endpoint.id)) {
        behind.set(endpoint.id, noted.id);
        continue;
      }
      const seen = await seeing.see(asking, at, meant);
      if (seen === null) continue;
      const { bytes, isNew } = deliveries.add(endpoint, seen);
      backlog.add(endpoint.id, bytes, isNew);
    }
    return null;
  });
}

const aboutEndpoints: ReadonlySet<string> = new Set([DISABLED_EVENT, FAILED_EVENT]);

/** Not an endpoint that was created after the event, nor one that the event is about. */
function isMeantFor(endpoint: Receiving, { name, data }: ProjectEvent, { noted_s: notedS }: Noted): boolean {
  if (endpoint.created_s > notedS) return false;
  return !aboutEndpoints.has(name) || (data as { readonly endpoint_id?: unknown } | null)?.endpoint_id !== endpoint.id;
}

async function asWorker<T>(open: TenantTransaction, release: ActiveRelease, work: () => Promise<T>): Promise<T> {
  await open.client.query(`SET LOCAL ROLE ${quoteIdentifier(tenantNames(release.projectId).worker)}`);
  const result = await work();
  await open.client.query("SET LOCAL ROLE NONE");
  return result;
}

interface Place extends Offered {
  readonly before: ReadonlyMap<string, string>;
  readonly behind: ReadonlyMap<string, string>;
}

const KEEP_BEHIND = `UPDATE plinth.webhook_endpoints e SET behind_from = b.behind FROM unnest($1::uuid[], $2::bigint[]) AS b (id, behind)
  WHERE e.id = b.id AND e.enabled`;
/** An event stays until no enabled endpoint has missed it. */
const FORGET = `DELETE FROM plinth.webhook_fan_outs f WHERE f.project_id = $1 AND (f.done OR f.id = ANY ($2::bigint[]))
  AND f.id < coalesce((SELECT min(e.behind_from) FROM plinth.webhook_endpoints e
    WHERE e.project_id = $1 AND e.enabled AND e.behind_from IS NOT NULL), 9223372036854775807)`;

async function keepPlace(
  client: ClientBase,
  projectId: ProjectId,
  { before, behind, finished, partly }: Place,
): Promise<void> {
  const moved = [...new Set([...before.keys(), ...behind.keys()])].filter((id) => before.get(id) !== behind.get(id));
  if (moved.length > 0) {
    await client.query(KEEP_BEHIND, [moved.sort(), moved.map((id) => behind.get(id) ?? null)]);
  }
  if (partly !== null) {
    await client.query("UPDATE plinth.webhook_fan_outs SET after_endpoint = $2 WHERE id = $1", [
      partly.id,
      partly.after,
    ]);
  }
  if (finished.length === 0 && moved.length === 0) return;
  const { rowCount } = await client.query(FORGET, [projectId, finished]);
  if (finished.length > (rowCount ?? 0) || behind.size > 0) {
    await client.query(
      "UPDATE plinth.webhook_fan_outs SET done = true WHERE project_id = $1 AND id = ANY ($2::bigint[])",
      [projectId, finished],
    );
  }
}
