// Drafts of blueprints. In: a person, a project, a text and the version that it is based on. Out: drafts. A text that is based on
// another version than the stored one is refused; it is never merged or dropped here. It reads no blueprint.
import { refuseTooLong } from "../blueprints/service.ts";
import { notFound, refuse } from "../failure.ts";
import type { ProjectAccess } from "../organizations/access.ts";
import type { Attempts } from "../people/attempts.ts";
import type { Person } from "../people/auth.ts";
import type { Draft, EarlierDraft, EndedDraft } from "./api.ts";
import type { DraftStore, Saved } from "./store.ts";

interface SavedText {
  readonly text: string;
  readonly after: number | null;
  readonly baseVersionId: string | null;
}

export interface DraftService {
  get(by: Person, project: ProjectAccess): Promise<{ draft: Draft | null; ended: EndedDraft | null }>;
  save(by: Person, project: ProjectAccess, saved: SavedText): Promise<{ version: number; savedAt: string }>;
  discard(by: Person, project: ProjectAccess, version: number): Promise<EndedDraft>;
  restore(by: Person, project: ProjectAccess): Promise<Draft>;
  history(by: Person, project: ProjectAccess): Promise<readonly EarlierDraft[]>;
  earlier(by: Person, project: ProjectAccess, version: number): Promise<Draft>;
}

export interface DraftServiceOptions {
  readonly store: DraftStore;
  /** Saves, by person. */
  readonly saves: Attempts;
  readonly blueprintBytesMax: number;
}

const ELSEWHERE = "The draft was saved elsewhere in the meantime.";

export function createDraftService({ store, saves, blueprintBytesMax }: DraftServiceOptions): DraftService {
  return {
    get: (by, project) => store.get({ projectId: project.id, personId: by.id }),

    save: async (by, project, saved) => {
      refuseTooLong(saved.text, blueprintBytesMax);
      const { waitSeconds } = saves.take(by.id);
      if (waitSeconds > 0) {
        throw refuse(
          "TOO_MANY_REQUESTS",
          `The draft is saved too often. It is stored here; try again in ${waitSeconds} s.`,
        );
      }
      const outcome: Saved = await store.save({ projectId: project.id, personId: by.id }, saved);
      if (outcome.kind === "elsewhere") throw refuse("CONFLICT", ELSEWHERE);
      if (outcome.kind === "no_base") throw notFound("blueprint version");
      return { version: outcome.version, savedAt: outcome.savedAt };
    },

    discard: async (by, project, version) => {
      const ended = await store.discard({ projectId: project.id, personId: by.id }, version);
      if (ended === null) throw refuse("CONFLICT", ELSEWHERE);
      return ended;
    },

    restore: async (by, project) => {
      const restored = await store.restore({ projectId: project.id, personId: by.id });
      if (restored === "open") throw refuse("CONFLICT", "There is already a draft. Its history has the earlier texts.");
      if (restored === null) throw notFound("draft");
      return restored;
    },

    history: (by, project) => store.history({ projectId: project.id, personId: by.id }),

    earlier: async (by, project, version) => {
      const earlier = await store.earlier({ projectId: project.id, personId: by.id }, version);
      if (earlier === null) throw notFound("earlier draft");
      return earlier;
    },
  };
}
