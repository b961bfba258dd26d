// Drafts outside of the editor: started by another page, or not saved yet. In: a person, a project and a text. Out: the draft on the server, or a
// copy in this browser if the server can't be reached. The editor saves the copy when it is opened.
import type { AppRouter } from "@plinth/control/router";
import type { TRPCClient } from "@trpc/client";

/** A text that the server doesn't have yet. */
export interface Unsaved {
  readonly text: string;
  /** The version of the draft that it replaces; null if there was none. */
  readonly after: number | null;
  readonly baseVersionId: string | null;
}

/** The draft of one person of one project. `personId` is null until the account is loaded: then nothing is stored in the browser. */
export interface DraftPlace {
  readonly personId: string | null;
  readonly projectId: string;
}

/** Saves a text as the person's draft. The previous draft is in its history. */
export async function putDraft(
  client: TRPCClient<AppRouter>,
  place: DraftPlace,
  text: string,
  baseVersionId: string | null,
): Promise<void> {
  const { projectId } = place;
  let after: number | null = null;
  try {
    const { draft } = await client.drafts.get.query({ projectId });
    after = draft?.version ?? null;
    await client.drafts.save.mutate({ projectId, text, after, baseVersionId });
  } catch {
    keepUnsaved(place, { text, after, baseVersionId });
  }
}

const keyOf = ({ personId, projectId }: DraftPlace): string => `plinth.unsaved.${personId}.${projectId}`;
/** Of earlier versions. Nobody knows whose text it is. */
const keyWithoutPerson = (projectId: string): string => `plinth.unsaved.${projectId}`;

export function readUnsaved(place: DraftPlace): Unsaved | null {
  try {
    localStorage.removeItem(keyWithoutPerson(place.projectId));
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(place)) ?? "null");
    return isUnsaved(stored) ? stored : null;
  } catch {
    return null;
  }
}

export function keepUnsaved(place: DraftPlace, unsaved: Unsaved): void {
  if (place.personId === null) return;
  try {
    localStorage.setItem(keyOf(place), JSON.stringify(unsaved));
  } catch {
    // The storage is full or forbidden. The text is still in the editor.
  }
}

/** Keeps a text that another tab has stored since. */
export function clearUnsaved(place: DraftPlace, text: string): void {
  try {
    if (readUnsaved(place)?.text === text) localStorage.removeItem(keyOf(place));
  } catch {
    // Without access to the storage, there is nothing to remove.
  }
}

function isUnsaved(stored: unknown): stored is Unsaved {
  if (typeof stored !== "object" || stored === null) return false;
  const { text, after, baseVersionId } = stored as Partial<Record<keyof Unsaved, unknown>>;
  const isVersion = after === null || Number.isInteger(after);
  return typeof text === "string" && isVersion && (baseVersionId === null || typeof baseVersionId === "string");
}
