// Remembers the proven statements of each project, with their pace. In: a project. Out: its texts. Its memory is
// limited: for one project, the least recently used texts are forgotten; for all, the least recently used project.
import { ByteCache, bytesOfText } from "@plinth/service";
import type { Pace } from "./pace.ts";

export type ProvenText = {
  /** Single flight: callers that meet an unproven text together wait for one proof. */
  proof: Promise<void> | true;
  readonly pace: Pace;
  /** The size of its last result in the slow lane, if that is limited: the next one is expected to be similar. */
  lastBytes: number;
};

export type ProjectTexts = ByteCache<string, ProvenText>;

export type ProvenTexts = {
  /** The texts that are remembered now. Ask each time, because a project can be forgotten between two statements. */
  of(projectId: string): ProjectTexts;
  forget(projectId: string): void;
  /** The estimated memory of all projects. */
  bytes(): number;
};

/** Estimates: the entry with its pace and its promise; the entry of a project. */
const TEXT_BYTES = 500;
const PROJECT_BYTES = 700;

export function createProvenTexts(limits: {
  readonly provenBytesPerProject: number;
  readonly provenBytesMax: number;
}): ProvenTexts {
  // The least recently used project first.
  const projects = new Map<string, ProjectTexts>();
  let bytes = 0;

  const forget = (projectId: string): void => {
    const texts = projects.get(projectId);
    if (texts === undefined) return;
    projects.delete(projectId);
    bytes -= texts.bytes + PROJECT_BYTES;
  };

  const add = (projectId: string): ProjectTexts => {
    const texts: ProjectTexts = new ByteCache({
      bytesMax: limits.provenBytesPerProject,
      weigh: (_, text) => bytesOfText(text) + TEXT_BYTES,
      onGrowth: (more) => {
        // A forgotten text can still have a running statement.
        if (projects.get(projectId) !== texts) return;
        bytes += more;
        trim();
      },
    });
    bytes += PROJECT_BYTES;
    return texts;
  };

  /** The last requested one stays: its statement is running. */
  const trim = (): void => {
    for (const oldest of projects.keys()) {
      if (bytes <= limits.provenBytesMax || projects.size === 1) return;
      forget(oldest);
    }
  };

  return {
    of(projectId) {
      const known = projects.get(projectId);
      const texts = known ?? add(projectId);
      projects.delete(projectId);
      projects.set(projectId, texts);
      if (known === undefined) trim();
      return texts;
    },
    forget,
    bytes: () => bytes,
  };
}
