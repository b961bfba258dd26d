// `plinth live tail`. In: a project, and entities. Out: each new change of their records, a line each, until the command is
// stopped.
import { setTimeout as pause } from "node:timers/promises";
import type { FollowedEntity, RecordChange } from "@plinth/control/router";
import { CommandFailure, type ExitCode } from "../failure.ts";
import type { LocalSettings } from "../local/settings.ts";
import type { StopSignal } from "../stop-signal.ts";
import type { Terminal } from "../terminal.ts";
import { type OfProject, withProject } from "./runs.ts";

export interface ChangesTail extends OfProject {
  /** Names of entities. Empty: all that can be followed. */
  readonly entity?: readonly string[];
}

/** The time between two answers: a busy entity is printed twice a second. */
const PAUSE_MS = 200;

export async function tailChanges(
  terminal: Terminal,
  settings: LocalSettings,
  stop: StopSignal,
  { project, json, entity }: ChangesTail,
): Promise<ExitCode> {
  return withProject(settings, project, async (control, projectId) => {
    const known = await control.data.entities.query({ projectId });
    const names = known.filter(({ realtime }) => realtime).map(({ name }) => name);
    const unknown = entity?.find((name) => !names.includes(name));
    if (names.length === 0) {
      throw new CommandFailure(
        `no entity of the live version of ${project} can be followed: give it \`realtime: true\``,
        1,
      );
    }
    if (unknown !== undefined) {
      throw new CommandFailure(`${unknown} can't be followed; it must be one of ${names.join(", ")}`, 2);
    }
    const chosen = entity ?? names;
    const width = Math.max(...chosen.map((name) => name.length));
    let next: readonly FollowedEntity[] = chosen.map((name) => ({ entity: name }));
    terminal.err(`new changes of ${chosen.join(", ")}, until Ctrl-C`);
    while (!stop.isRequested()) {
      const left = new AbortController();
      const answer = control.data.changes.query({ projectId, entities: [...next] }, { signal: left.signal });
      await stop.or(answer);
      if (stop.isRequested()) {
        left.abort();
        await answer.catch(() => {});
        break;
      }
      const { changes, entities } = await answer;
      next = entities;
      for (const change of changes) terminal.out(json ? JSON.stringify(change) : changeLine(terminal, change, width));
      await stop.or(pause(PAUSE_MS));
    }
    return 0;
  });
}

const colours = { created: "green", updated: "blue", gone: "yellow", resync: "red" } as const;

export function changeLine(terminal: Terminal, { entity, kind, id, record }: RecordChange, width: number): string {
  const shown = kind === "resync" ? "changes may be missing here" : JSON.stringify(record ?? {}).replace(/^\{\}$/, "");
  return [entity.padEnd(width), terminal.paint(colours[kind], kind.padEnd(7)), id ?? "", shown].join("  ").trimEnd();
}
