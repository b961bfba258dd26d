// What each endpoint can see of an event. In: events, and the endpoints in the order of their owners. Out: the visible
// part for one endpoint after another. Endpoints of the same owner, or the same role, see the same.
import type { TenantTransaction } from "@plinth/postgres";
import type { Logger } from "@plinth/service";
import type { ProjectEvent, Subject } from "../events/event.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import type { TextRow } from "../project/tenant.ts";
import { type Endpoint, type Reader, readerOf, userReaders } from "./endpoint.ts";
import { judge, type Sight } from "./judge.ts";

export interface Meant {
  readonly event: ProjectEvent;
  /** For an event without a record: the record that it is about. */
  readonly subject: Subject | null;
}

export interface Seen {
  readonly reader: Reader;
  readonly sight: Sight;
}

/**
 * Owners whose views of an event are cached at a time, because a thousand of them may each see a different part of a
 * large record.
 */
const SIGHTS_AT_ONCE = 20;

export interface Seeing {
  /**
   * The part of the event that the endpoint at that position sees; null if it sees nothing. Call it in the order of the
   * endpoints.
   */
  see(asking: readonly Endpoint[], at: number, meant: Meant): Promise<Seen | null>;
  /** Whether this needs no statement. */
  knows(endpoint: Endpoint, meant: Meant): boolean;
}

/** Under the project's own role. Several owners are judged under one savepoint. */
export function createSeeing(
  { logger }: { readonly logger: Logger },
  open: TenantTransaction,
  release: ActiveRelease,
  endpoints: readonly Endpoint[],
): Seeing {
  let readers: Map<string, Reader | null> | null = null;
  const sights = new Map<string, Seen | null>();
  const ask = async (text: string, values: readonly string[]) => (await open.query(text, values)).rows;

  async function judgeFor(endpoint: Endpoint, { event, subject }: Meant): Promise<Seen | null> {
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
      for (const endpoint of group) sights.set(keyOf(endpoint, meant), await judgeFor(endpoint, meant));
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

  return {
    async see(asking, at, meant) {
      const first = asking[at];
      if (first === undefined) return null;
      const key = keyOf(first, meant);
      if (!sights.has(key)) {
        sights.clear();
        if (!(await seeTogether(ownersOf(asking.slice(at), SIGHTS_AT_ONCE), meant))) await seeTogether([first], meant);
      }
      return sights.get(key) ?? null;
    },
    knows: (endpoint, meant) => sights.has(keyOf(endpoint, meant)),
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
