// The events that a project must record for its endpoints. In: names of events, and the endpoints' subscriptions. Out:
// the events that somebody subscribes to, and their lines in the project's list of events with listeners.

import type { BundleEvent } from "@plinth/bundle";
import { quoteIdentifier, tenantNames } from "@plinth/postgres";
import type { ClientBase } from "pg";
import { asksFor } from "./endpoint.ts";

export function eventsAskedFor(events: readonly Named[], patterns: readonly string[]): readonly string[] {
  return events.flatMap(({ name, isOwn = false }) => (asksFor(patterns, name, isOwn) ? [name] : []));
}

type Named = Pick<BundleEvent, "name" | "isOwn">;

/** Changes of endpoints and switches run one after another, so that the second one sees the first. */
export async function lockListeners(client: ClientBase, projectId: string): Promise<void> {
  await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`plinth.listeners/${projectId}`]);
}

/** From its commit on, the events are recorded. Under the cell's role. */
export async function listenFor(client: ClientBase, projectId: string, events: readonly string[]): Promise<void> {
  const { schema } = tenantNames(projectId);
  await client.query(
    `INSERT INTO ${quoteIdentifier(schema)}."workers__listeners" (event) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING`,
    [events],
  );
}
