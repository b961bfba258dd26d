// Subscribers of a stream that remember everything: the SDK's `subscribe()`, and a plain client that sends
// `Last-Event-ID` itself. In: an address and a user. Out: the events of each record, and the records that an app would
// show.
import { setTimeout as pause } from "node:timers/promises";
import { createClient } from "@plinth/sdk";
import type { Row, Told } from "./stream-model.ts";

export interface Viewer {
  readonly name: string;
  readonly url: string;
  readonly apiKey: string;
  readonly userToken: string | null;
  /** The names of the entity: `ticket` and `tickets`. */
  readonly entity: readonly [singular: string, plural: string];
  readonly where: Readonly<Record<string, string>>;
  readonly sees: (row: NonNullable<Row>) => boolean;
}

export interface Subscriber {
  readonly viewer: Viewer;
  /** By record, in the order of arrival. */
  readonly told: Map<string, Told[]>;
  /** The records that an app would show: record > version. */
  readonly shown: Map<string, number>;
  /** Times when the stream started again and the records were read again; the first is the beginning. */
  readonly begun: () => number;
  readonly resyncs: () => number;
  readonly resumed: () => number;
  readonly failure: () => unknown;
  stop(): void;
}

interface Event {
  readonly type: string;
  readonly id?: string;
  readonly record?: Readonly<Record<string, unknown>>;
  readonly resumed?: boolean;
}

/** @param follow Calls back with each event, in order, until `isOver`. */
function subscriberOf(viewer: Viewer, follow: (take: (event: Event) => Promise<void>) => () => void): Subscriber {
  const told = new Map<string, Told[]>();
  const shown = new Map<string, number>();
  let begun = 0;
  let resyncs = 0;
  let resumed = 0;
  let failure: unknown = null;
  const add = (id: string, what: Told): void => void told.set(id, [...(told.get(id) ?? []), what]);
  const reload = async (): Promise<void> => {
    const records = await listAll(viewer);
    shown.clear();
    for (const { id, version } of records) shown.set(id, version);
  };
  const take = async (event: Event): Promise<void> => {
    if (event.type === "beat") return;
    if (event.type === "error") failure = event;
    else if (event.type === "ready" && event.resumed === true) resumed++;
    else if (event.type === "ready" || event.type === "resync") {
      begun++;
      if (event.type === "resync") resyncs++;
      await reload();
    } else if (event.type === "gone") {
      add(event.id ?? "", "gone");
      shown.delete(event.id ?? "");
    } else {
      const version = Number(event.record?.["version"]);
      add(event.id ?? "", version);
      shown.set(event.id ?? "", version);
    }
  };
  const stop = follow(take);
  return {
    viewer,
    told,
    shown,
    begun: () => begun,
    resyncs: () => resyncs,
    resumed: () => resumed,
    failure: () => failure,
    stop,
  };
}

export function subscribeBySdk(viewer: Viewer): Subscriber {
  const { url, apiKey, userToken, entity, where } = viewer;
  const db = createClient({
    project: "streams",
    apiKey,
    baseUrl: url,
    ...(userToken === null ? {} : { userToken }),
  });
  return subscriberOf(viewer, (take) => {
    const subscription = db.entity(entity[0]).subscribe({
      where,
      onChange: (change) => take(change as Event),
      onError: (error) => void take({ type: "error", id: String(error) }),
    });
    return () => subscription.close();
  });
}

/** Sometimes disconnects by itself, and reconnects at once. */
export function subscribeBare(viewer: Viewer): Subscriber {
  return subscriberOf(viewer, (take) => {
    const over = new AbortController();
    void followBare(viewer, take, over.signal).catch((error) => take({ type: "error", id: String(error) }));
    return () => over.abort();
  });
}

async function followBare(viewer: Viewer, take: (event: Event) => Promise<void>, over: AbortSignal): Promise<void> {
  const path = `/v1/events/stream?${new URLSearchParams({ resource: viewer.entity[1], ...viewer.where })}`;
  let lastId: string | null = null;
  while (!over.aborted) {
    const cut = AbortSignal.any([over, AbortSignal.timeout(Math.round(200 + Math.random() * 5_000))]);
    try {
      const headers = { ...headersOf(viewer), ...(lastId === null ? {} : { "last-event-id": lastId }) };
      const reply = await fetch(`${viewer.url}${path}`, { headers, signal: cut });
      if (reply.status >= 400 && reply.status < 500 && reply.status !== 429) throw new Refused(await reply.text());
      let text = "";
      // The next attempt can succeed.
      if (reply.status !== 200 || reply.body === null) throw new Error(await reply.text());
      for await (const part of reply.body.pipeThrough(new TextDecoderStream())) {
        text += part;
        for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
          const fields = new Map(text.slice(0, end).split("\n").map(fieldOf));
          text = text.slice(end + 2);
          const type = fields.get("event");
          if (type === "closed") throw new Refused(fields.get("data") ?? "");
          if (type !== undefined) await take({ type, ...JSON.parse(fields.get("data") ?? "{}") });
          lastId = fields.get("id") ?? lastId;
        }
      }
    } catch (error) {
      if (error instanceof Refused) throw error;
    }
    await pause(Math.random() * 300);
  }
}

class Refused extends Error {}

function fieldOf(line: string): [string, string] {
  const at = line.indexOf(":");
  return [line.slice(0, at), line.slice(at + 1).trimStart()];
}

function headersOf({ apiKey, userToken }: Viewer): Record<string, string> {
  const user: Record<string, string> = userToken === null ? {} : { "plinth-user-token": userToken };
  return { authorization: `Bearer ${apiKey}`, ...user };
}

interface Listed {
  readonly id: string;
  readonly version: number;
}

interface Page {
  readonly data: readonly Listed[];
  readonly page: { readonly next_cursor: string | null };
}

/** All pages, read again until there was no interruption. */
async function listAll(viewer: Viewer): Promise<readonly Listed[]> {
  for (;;) {
    try {
      const records: Listed[] = [];
      let cursor: string | null = null;
      do {
        const more: Record<string, string> = cursor === null ? {} : { cursor };
        const query = new URLSearchParams({ limit: "100", ...viewer.where, ...more });
        const url = `${viewer.url}/v1/resources/${viewer.entity[1]}?${query}`;
        const reply = await fetch(url, { headers: headersOf(viewer), signal: AbortSignal.timeout(10_000) });
        const page = (await reply.json()) as Page;
        if (reply.status !== 200) throw new Error(`${reply.status} ${JSON.stringify(page)}`);
        records.push(...page.data);
        cursor = page.page.next_cursor;
      } while (cursor !== null);
      return records;
    } catch {
      await pause(200);
    }
  }
}
