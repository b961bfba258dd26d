// `plinth events tail`. In: a project, and a name of events. Out: each new event, and with `since` earlier ones, a line each,
// until the command is stopped.
import { setTimeout as pause } from "node:timers/promises";
import type { EventSummary, WorkPage } from "@plinth/control/router";
import type { ExitCode } from "../failure.ts";
import type { LocalSettings } from "../local/settings.ts";
import { eventLine } from "../print-runs.ts";
import type { StopSignal } from "../stop-signal.ts";
import type { Terminal } from "../terminal.ts";
import { noWorkers, type OfProject, withProject } from "./runs.ts";

export interface Tail extends OfProject {
  readonly name?: string;
  /** In milliseconds: also shows events that are at most this old, as far as they are in one page. */
  readonly since?: number;
}

const POLL_MS = 1_000;
const PAGE = 100;

export async function tailEvents(
  terminal: Terminal,
  settings: LocalSettings,
  stop: StopSignal,
  options: Tail,
): Promise<ExitCode> {
  return withProject(settings, options.project, async (control, projectId) => {
    const next = createFollower(async (cursor) => {
      const page = await control.work.events.query({ projectId, name: options.name, limit: PAGE, cursor });
      if (page === null) throw noWorkers(options.project);
      return page;
    });
    const show = printer(terminal, options.json);
    const earlier = await next();
    if (options.since === undefined) terminal.err("new events, until Ctrl-C (--since 10m: also earlier ones)");
    else show(notBefore(earlier, Date.now() - options.since));
    while (!stop.isRequested()) {
      await stop.or(pause(POLL_MS));
      if (!stop.isRequested()) show(await next());
    }
    return 0;
  });
}

export function notBefore<Item extends { readonly at: string }>(events: readonly Item[], ms: number): readonly Item[] {
  return events.filter(({ at }) => Date.parse(at) >= ms);
}

function printer(terminal: Terminal, json: boolean): (events: readonly EventSummary[]) => void {
  let width = 0;
  return (events) => {
    // Printed lines can't be moved, so the width only grows.
    width = Math.max(width, ...events.map(({ name }) => name.length));
    for (const event of events) terminal.out(json ? JSON.stringify(event) : eventLine(terminal, event, width));
  };
}

const SEEN_MAX = 1_000;
/** More events than this between two reads are not printed line by line. */
const PAGES_MAX = 10;

/**
 * Each call returns the entries since the last one, oldest first. An event can arrive behind later ones, since the log is in the
 * order in which the writes began. Therefore this remembers the ids of seen entries, and not a position.
 * @param readPage Newest first.
 */
export function createFollower<Item extends { readonly id: string }>(
  readPage: (cursor: string | undefined) => Promise<WorkPage<Item>>,
): () => Promise<readonly Item[]> {
  const seen = new Set<string>();
  return async () => {
    const isFirst = seen.size === 0;
    const unseen: Item[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < PAGES_MAX; pages++) {
      const { data, nextCursor } = await readPage(cursor);
      const fresh = data.filter(({ id }) => !seen.has(id));
      unseen.push(...fresh);
      if (isFirst || fresh.length < data.length || nextCursor === null) break;
      cursor = nextCursor;
    }
    unseen.reverse();
    for (const { id } of unseen) seen.add(id);
    for (const id of seen) {
      if (seen.size <= SEEN_MAX) break;
      seen.delete(id);
    }
    return unseen;
  };
}
