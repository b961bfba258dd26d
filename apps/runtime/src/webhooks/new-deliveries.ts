// Deliveries that a transaction creates. In: what endpoints see of events. Out: a row for each, and one body for all
// that show the same of an event. An endpoint gets each event once.
import type { ProjectId } from "@plinth/bundle";
import type { ClientBase } from "pg";
import type { SecretBox } from "../identity/secret-box.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import type { Endpoint } from "./endpoint.ts";
import { bodyOf } from "./message.ts";
import type { Meant, Seen } from "./seeing.ts";
import { openSharedBody, sealSharedBody } from "./stored-body.ts";

export interface NewDeliveriesOptions {
  readonly box: SecretBox;
  /** UUID v7, increasing. */
  readonly newId: () => string;
}

export interface NewDeliveries {
  /** The added deliveries, and the characters of their different bodies. */
  readonly count: number;
  readonly characters: number;
  /**
   * The client has the cell's role. @param isGoingOn Whether earlier transactions have created deliveries of the event:
   * their bodies are used again.
   */
  begin(client: ClientBase, meant: Meant, isGoingOn: boolean): Promise<void>;
  /** Of the event that was begun last. Returns the bytes of its body, and whether the body is new. */
  add(endpoint: Endpoint, seen: Seen): { readonly bytes: number; readonly isNew: boolean };
  /** The client has the cell's role. */
  write(client: ClientBase): Promise<void>;
}

interface Body {
  readonly id: string;
  readonly event_id: string;
  readonly body: string;
  readonly bytes: number;
}

interface Delivery {
  readonly id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly event_name: string;
  readonly request_id: string | null;
  readonly body_id: string;
  readonly fields: readonly string[] | null;
  readonly subject_entity: string | null;
  readonly subject_id: string | null;
}

/** Owners can see different parts of an event, and each part must be opened to be compared. */
const COMPARED_MAX = 20;

export function createNewDeliveries(
  { box, newId }: NewDeliveriesOptions,
  { projectId, releaseId, bundle }: ActiveRelease,
): NewDeliveries {
  const { outbound } = bundle.background;
  const bodies: Body[] = [];
  const deliveries: Delivery[] = [];
  let meant: Meant | null = null;
  /** Of the current event: the id and the bytes of the stored body, by its text. */
  let stored = new Map<string, { readonly id: string; readonly bytes: number }>();
  /** The last text, which most endpoints of one owner share. */
  let last: { readonly seen: Seen; readonly form: string; readonly text: string } | null = null;
  let characters = 0;

  function textOf(event: Meant["event"], endpoint: Endpoint, seen: Seen): string {
    const form = `${endpoint.payload} ${endpoint.version}`;
    if (last?.seen === seen && last.form === form) return last.text;
    const text = bodyOf(projectId, event, endpoint, { ...seen, outbound });
    last = { seen, form, text };
    return text;
  }

  return {
    get count() {
      return deliveries.length;
    },
    get characters() {
      return characters;
    },
    async begin(client, next, isGoingOn) {
      meant = next;
      stored = isGoingOn ? await storedBodies(box, client, projectId, next.event.id) : new Map();
    },
    add(endpoint, seen) {
      if (meant === null) throw new Error("no event was begun");
      const { event, subject } = meant;
      const text = textOf(event, endpoint, seen);
      const known = stored.get(text);
      const id = known?.id ?? newId();
      let bytes = known?.bytes ?? 0;
      if (known === undefined) {
        const body = sealSharedBody(box, projectId, id, text);
        bytes = body.length;
        bodies.push({ id, event_id: event.id, body, bytes });
        stored.set(text, { id, bytes });
        characters += bytes;
      }
      deliveries.push({
        id: newId(),
        endpoint_id: endpoint.id,
        event_id: event.id,
        event_name: event.name,
        request_id: event.requestId,
        body_id: id,
        fields: seen.sight.members,
        subject_entity: subject?.entity ?? null,
        subject_id: subject?.id ?? null,
      });
      return { bytes, isNew: known === undefined };
    },
    async write(client) {
      if (deliveries.length === 0) return;
      if (bodies.length > 0) await client.query(INSERT_BODIES, [projectId, JSON.stringify(bodies)]);
      const { rowCount } = await client.query(INSERT, [projectId, releaseId, JSON.stringify(deliveries)]);
      // Endpoints that already had the event, or are deleted, may leave a body without deliveries.
      if (bodies.length > 0 && rowCount !== deliveries.length) {
        await client.query(DROP_UNUSED, [bodies.map(({ id }) => id)]);
      }
    },
  };
}

/** Locked, so that they stay until this transaction has added deliveries. */
async function storedBodies(
  box: SecretBox,
  client: ClientBase,
  projectId: ProjectId,
  eventId: string,
): Promise<Map<string, { readonly id: string; readonly bytes: number }>> {
  const { rows } = await client.query<Body>(
    `SELECT id, body, bytes FROM plinth.webhook_bodies WHERE project_id = $1 AND event_id = $2
     ORDER BY id LIMIT ${COMPARED_MAX} FOR KEY SHARE`,
    [projectId, eventId],
  );
  return new Map(rows.map(({ id, body, bytes }) => [openSharedBody(box, projectId, id, body), { id, bytes }]));
}

const INSERT_BODIES = `INSERT INTO plinth.webhook_bodies (id, project_id, event_id, body, bytes)
  SELECT b.id, $1, b.event_id, b.body, b.bytes FROM jsonb_to_recordset($2::jsonb) AS b (id uuid, event_id uuid, body text, bytes int)`;

const INSERT = `INSERT INTO plinth.webhook_deliveries
    (id, project_id, endpoint_id, event_id, event_name, request_id, body_id, release_id, fields, subject_entity, subject_id, status)
  SELECT d.id, $1, d.endpoint_id, d.event_id, d.event_name, d.request_id, d.body_id, $2, d.fields, d.subject_entity, d.subject_id,
    'pending'
  FROM jsonb_to_recordset($3::jsonb) AS d (id uuid, endpoint_id uuid, event_id uuid, event_name text, request_id text, body_id uuid,
    fields text[], subject_entity text, subject_id uuid)
  WHERE EXISTS (SELECT 1 FROM plinth.webhook_endpoints e WHERE e.id = d.endpoint_id)
  ON CONFLICT (endpoint_id, event_id) DO NOTHING`;

const DROP_UNUSED = "DELETE FROM plinth.webhook_bodies WHERE id = ANY ($1::uuid[]) AND deliveries = 0";
