// A blueprint that was begun and not yet proposed, kept in this browser so that a reload loses nothing.
// In: a project's id and text. Out: the text. It never leaves the browser; a draft that can't be kept is not an error.

const keyOf = (projectId: string): string => `plinth.draft.${projectId}`;

export function readDraft(projectId: string): string | null {
  try {
    return localStorage.getItem(keyOf(projectId));
  } catch {
    return null;
  }
}

export function writeDraft(projectId: string, text: string): void {
  try {
    localStorage.setItem(keyOf(projectId), text);
  } catch {
    // Storage is full or forbidden: the text still stands in the editor.
  }
}

export function clearDraft(projectId: string): void {
  try {
    localStorage.removeItem(keyOf(projectId));
  } catch {
    // What can't be written can't be there either.
  }
}
