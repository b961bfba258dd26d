// The live changes of a project's records, for one call. In: the cell's streams, and the position of the previous call. Out: the
// changes since then, as soon as there are some. Each call is authorized again, so a person who has lost access can't continue.
import { z } from "zod";
import type { Cells } from "../cells/client.ts";
import type { FollowedEntity, RecordChange, RecordChanges } from "./api.ts";

export interface ChangesRequest {
  /** Opens the stream of an entity after an event. @throws CellRefused, CellUnavailable. */
  readonly follow: (followed: FollowedEntity, signal: AbortSignal) => ReturnType<Cells["follow"]>;
  readonly entities: readonly FollowedEntity[];
  /** Aborted if the caller is gone, or the service stops. */
  readonly stopped: AbortSignal;
}

/** Longer than until the cell's first heartbeat on a resumed stream, which shows the position of an idle stream. */
const WAIT_MS = 9_000;
/** Changes that arrive within this time are answered together. */
const GATHER_MS = 300;
const CHANGES_MAX = 200;
const BYTES_MAX = 1_000_000;

/** Waits for changes for some seconds, or not at all if an entity is followed from now on. @throws errors of `follow`. */
export async function readChanges({ follow, entities, stopped }: ChangesRequest): Promise<RecordChanges> {
  const end = new AbortController();
  const signal = AbortSignal.any([stopped, end.signal]);
  const timers = [setTimeout(() => end.abort(), WAIT_MS)];
  const positions = new Map(entities.map(({ entity, after }) => [entity, after]));
  const changes: RecordChange[] = [];
  let bytes = 0;
  const take = (entity: string, { id, event, data }: StreamBlock): void => {
    const change = changeOf(entity, event, data);
    if (change !== null) {
      changes.push(change);
      bytes += data?.length ?? 0;
      if (changes.length === 1) timers.push(setTimeout(() => end.abort(), GATHER_MS));
      if (changes.length >= CHANGES_MAX || bytes > BYTES_MAX) end.abort();
    }
    if (id === undefined) return;
    const hasBegun = positions.get(entity) === undefined;
    positions.set(entity, id);
    if (hasBegun && [...positions.values()].every((position) => position !== undefined)) end.abort();
  };
  const read = async (followed: FollowedEntity): Promise<void> => {
    let body: AsyncIterable<string>;
    try {
      body = await follow(followed, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    try {
      for await (const block of blocksOf(body)) {
        if (signal.aborted) return;
        take(followed.entity, block);
      }
    } catch {
      // The connection is lost, or we closed it. The next call continues at this position.
    }
  };
  const reading = entities.map(read);
  try {
    await Promise.all(reading);
  } finally {
    end.abort();
    for (const timer of timers) clearTimeout(timer);
    await Promise.allSettled(reading);
  }
  return { changes, entities: [...positions].map(([entity, after]) => ({ entity, after })) };
}

interface StreamBlock {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
}

/** Also reads heartbeats: their ids keep the position of an idle stream recent enough to continue. */
async function* blocksOf(body: AsyncIterable<string>): AsyncGenerator<StreamBlock> {
  let text = "";
  for await (const part of body) {
    text += part;
    for (let at = text.indexOf("\n\n"); at !== -1; at = text.indexOf("\n\n")) {
      const lines = text.slice(0, at).split("\n");
      text = text.slice(at + 2);
      yield Object.fromEntries(
        lines.flatMap((line) => {
          const [, name, value] = /^(id|event|data): (.*)$/.exec(line) ?? [];
          return name === undefined ? [] : [[name, value]];
        }),
      );
    }
  }
}

const changeSchema = z.object({ id: z.string(), record: z.record(z.string(), z.unknown()).optional() });

function changeOf(entity: string, event: string | undefined, data = "null"): RecordChange | null {
  if (event === "resync") return { entity, kind: event };
  if (event !== "created" && event !== "updated" && event !== "gone") return null;
  return { entity, kind: event, ...changeSchema.parse(JSON.parse(data)) };
}
