// The changes of a project's records as they happen, for one call. In: the cell's streams, and where an earlier call has come to. Out:
// what has changed since, as soon as something has. Each call is authorized anew, so nobody goes on watching who may no longer.
import { z } from "zod";
import type { Cells } from "../cells/client.ts";
import type { FollowedEntity, RecordChange, RecordChanges } from "./api.ts";

export interface ChangesRequest {
  /** Opens the stream of an entity behind an event. @throws CellRefused, CellUnavailable. */
  readonly follow: (followed: FollowedEntity, signal: AbortSignal) => ReturnType<Cells["follow"]>;
  readonly entities: readonly FollowedEntity[];
  /** The caller has gone, or the service stops. */
  readonly stopped: AbortSignal;
}

/** Longer than until the cell's first sign of life on a resumed stream, which says how far an idle stream has come. */
const WAIT_MS = 9_000;
/** What comes together is answered together. */
const GATHER_MS = 300;
const CHANGES_MAX = 200;
const BYTES_MAX = 1_000_000;

/** Waits for changes, some seconds at most; not at all where an entity is followed from now on. @throws what `follow` throws. */
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
      // The connection is lost, or cut by us: the next call goes on where this one has come to.
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

/** Also signs of life: by their ids an idle stream's place doesn't grow too old to go on at. */
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

const toldSchema = z.object({ id: z.string(), record: z.record(z.string(), z.unknown()).optional() });

function changeOf(entity: string, event: string | undefined, data = "null"): RecordChange | null {
  if (event === "resync") return { entity, kind: event };
  if (event !== "created" && event !== "updated" && event !== "gone") return null;
  return { entity, kind: event, ...toldSchema.parse(JSON.parse(data)) };
}
