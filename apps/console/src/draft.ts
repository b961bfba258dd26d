// Drafts outside of the editor: started by another page, or not saved yet. In: a project's id and a text. Out: the draft on the server, or a
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

/** Saves a text as the person's draft. The previous draft is in its history. */
export async function putDraft(
  client: TRPCClient<AppRouter>,
  projectId: string,
  text: string,
  baseVersionId: string | null,
): Promise<void> {
  let after: number | null = null;
  try {
    const { draft } = await client.drafts.get.query({ projectId });
    after = draft?.version ?? null;
    await client.drafts.save.mutate({ projectId, text, after, baseVersionId });
  } catch {
    keepUnsaved(projectId, { text, after, baseVersionId });
  }
}

const keyOf = (projectId: string): string => `plinth.unsaved.${projectId}`;

export function readUnsaved(projectId: string): Unsaved | null {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(projectId)) ?? "null");
    return isUnsaved(stored) ? stored : null;
  } catch {
    return null;
  }
}

export function keepUnsaved(projectId: string, unsaved: Unsaved): void {
  try {
    localStorage.setItem(keyOf(projectId), JSON.stringify(unsaved));
  } catch {
    // The storage is full or forbidden. The text is still in the editor.
  }
}

/** Keeps a text that another tab has stored since. */
export function clearUnsaved(projectId: string, text: string): void {
  try {
    if (readUnsaved(projectId)?.text === text) localStorage.removeItem(keyOf(projectId));
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
