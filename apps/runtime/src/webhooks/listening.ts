// Which events a project has to keep for its endpoints. In: names of events, and what endpoints ask for. Out: those that somebody asks
// for, and their lines in the project's list of what somebody listens for.
import { quoteIdentifier, tenantNames } from "@plinth/postgres";
import type { ClientBase } from "pg";
import { asksFor } from "./endpoint.ts";

export function eventsAskedFor(names: readonly string[], patterns: readonly string[]): readonly string[] {
  return names.filter((name) => asksFor(patterns, name));
}

/** Endpoints and switches follow one another: whichever comes second sees the other. */
export async function lockListeners(client: ClientBase, projectId: string): Promise<void> {
  await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`plinth.listeners/${projectId}`]);
}

/** From its commit on, the events are kept. Under the cell's role. */
export async function listenFor(client: ClientBase, projectId: string, events: readonly string[]): Promise<void> {
  const { schema } = tenantNames(projectId);
  await client.query(
    `INSERT INTO ${quoteIdentifier(schema)}."workers__listeners" (event) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING`,
    [events],
  );
}
