// The difference of two texts by lines. In: the old text (null if there is none) and the new one. Out: hunks of numbered lines with three
// lines around each change; none if the texts are equal.
import { structuredPatch } from "diff";

export interface DiffLine {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
  /** Line numbers from 1; null on the side that doesn't have the line. */
  readonly before: number | null;
  readonly after: number | null;
}

export interface Hunk {
  readonly lines: readonly DiffLine[];
}

export interface TextDiff {
  readonly hunks: readonly Hunk[];
  readonly added: number;
  readonly removed: number;
}

export function diffTexts(before: string | null, after: string): TextDiff {
  const patch = structuredPatch("", "", before ?? "", after, undefined, undefined, { context: 3 });
  const hunks = patch.hunks.map((hunk): Hunk => {
    let [old, now] = [hunk.oldStart, hunk.newStart];
    const lines: DiffLine[] = [];
    for (const line of hunk.lines) {
      const text = line.slice(1);
      if (line.startsWith("+")) lines.push({ kind: "added", text, before: null, after: now++ });
      else if (line.startsWith("-")) lines.push({ kind: "removed", text, before: old++, after: null });
      // Ignores the note "\ No newline at end of file".
      else if (line.startsWith(" ")) lines.push({ kind: "same", text, before: old++, after: now++ });
    }
    return { lines };
  });
  const all = hunks.flatMap(({ lines }) => lines);
  return {
    hunks,
    added: all.filter(({ kind }) => kind === "added").length,
    removed: all.filter(({ kind }) => kind === "removed").length,
  };
}
