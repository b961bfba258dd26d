// `plinth events tail`. In: a project of the local Plinth, and which events. Out: the last few, and each that happens from then on, a
// line each and in their order, until it is asked to stop.
import { setTimeout as pause } from "node:timers/promises";
import type { EventSummary } from "@plinth/control/router";
import type { ControlClient } from "../control-client.ts";
import type { ExitCode } from "../failure.ts";
import type { LocalSettings } from "../local/settings.ts";
import { eventLine } from "../print-runs.ts";
import type { StopSignal } from "../stop-signal.ts";
import type { Terminal } from "../terminal.ts";
import { noWorkers, type OfProject, withProject } from "./runs.ts";

export interface Tail extends OfProject {
  readonly name?: string;
}

const POLL_MS = 1_000;
/** What had happened before, so that one sees that it works. */
const SHOWN_FIRST = 10;
const PAGE = 100;

export async function tailEvents(
  terminal: Terminal,
  settings: LocalSettings,
  stop: StopSignal,
  options: Tail,
): Promise<ExitCode> {
  return withProject(settings, options.project, async (control, projectId) => {
    const read = { control, projectId, name: options.name };
    const first = await eventsSince(read, null, options.project);
    const show = printer(terminal, options.json);
    show(first);
    let last = first.at(-1)?.id ?? null;
    while (!stop.asked()) {
      await stop.or(pause(POLL_MS));
      if (stop.asked()) break;
      const events = await eventsSince(read, last, options.project);
      show(events);
      last = events.at(-1)?.id ?? last;
    }
    return 0;
  });
}

function printer(terminal: Terminal, json: boolean): (events: readonly EventSummary[]) => void {
  let width = 0;
  return (events) => {
    // Lines that are out can't be moved: the width only grows.
    width = Math.max(width, ...events.map(({ name }) => name.length));
    for (const event of events) terminal.out(json ? JSON.stringify(event) : eventLine(terminal, event, width));
  };
}

interface Reading {
  readonly control: ControlClient;
  readonly projectId: string;
  readonly name: string | undefined;
}

/** Oldest first. @param last The event that was seen last; null for none: then the last few. */
async function eventsSince(
  { control, projectId, name }: Reading,
  last: string | null,
  project: string,
): Promise<readonly EventSummary[]> {
  const newer: EventSummary[] = [];
  let cursor: string | undefined;
  for (;;) {
    const limit = last === null ? SHOWN_FIRST : PAGE;
    const page = await control.work.events.query({ projectId, name, limit, cursor });
    if (page === null) throw noWorkers(project);
    const at = page.data.findIndex(({ id }) => id === last);
    newer.push(...(at === -1 ? page.data : page.data.slice(0, at)));
    if (at !== -1 || last === null || page.nextCursor === null) return newer.reverse();
    cursor = page.nextCursor;
  }
}
