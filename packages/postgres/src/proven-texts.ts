// The statements that were proven for each project, with their pace. In: a project. Out: its texts. It never keeps more bytes
// than its bounds: of a project, its least recently used texts go; of all, the project that was used least recently.
import { ByteCache, bytesOfText } from "@plinth/service";
import type { Pace } from "./pace.ts";

export type ProvenText = {
  /** Single flight: callers that meet an unproven text together wait for one proof. */
  proof: Promise<void> | true;
  readonly pace: Pace;
  /** How large its last result was in the slow lane, where that is bounded: the next one is expected to be like it. */
  lastBytes: number;
};

export type ProjectTexts = ByteCache<string, ProvenText>;

export type ProvenTexts = {
  /** The texts that are remembered now: ask each time, since a project may be forgotten between two statements. */
  of(projectId: string): ProjectTexts;
  forget(projectId: string): void;
  /** What is kept of all projects, as it is weighed. */
  bytes(): number;
};

/** The entry, its pace and its promise; the entry of a project: estimates. */
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
        // What was forgotten may still have a statement under way.
        if (projects.get(projectId) !== texts) return;
        bytes += more;
        trim();
      },
    });
    bytes += PROJECT_BYTES;
    return texts;
  };

  /** The one that was asked for last stays: its statement is under way. */
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
