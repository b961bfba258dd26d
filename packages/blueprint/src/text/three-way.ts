// Merges two texts with a common origin, line by line. In: the common text and both texts. Out: pieces in order, each agreed or a conflict
// with two sides. A line that both changed differently is a conflict. Pure.
import { diff3Merge } from "node-diff3";

export type Piece =
  | { readonly kind: "agreed"; readonly text: string }
  | { readonly kind: "conflict"; readonly mine: string; readonly theirs: string };

/** The side that is chosen for a conflict. */
export type Choice = "mine" | "theirs" | "both";

interface Region {
  readonly ok?: readonly string[];
  readonly conflict?: { readonly a: readonly string[]; readonly b: readonly string[] };
}

export function mergeTexts(base: string, mine: string, theirs: string): readonly Piece[] {
  const regions: readonly Region[] = diff3Merge(lines(mine), lines(base), lines(theirs), {
    excludeFalseConflicts: true,
  });
  return regions.map(({ ok, conflict }): Piece => {
    if (conflict === undefined) return { kind: "agreed", text: (ok ?? []).join("") };
    return { kind: "conflict", mine: conflict.a.join(""), theirs: conflict.b.join("") };
  });
}

export function conflictsOf(pieces: readonly Piece[]): readonly Extract<Piece, { kind: "conflict" }>[] {
  return pieces.filter((piece) => piece.kind === "conflict");
}

/** A conflict without a choice gets this person's side. */
export function joinPieces(pieces: readonly Piece[], choices: readonly (Choice | undefined)[]): string {
  let at = 0;
  return pieces
    .map((piece) => {
      if (piece.kind === "agreed") return piece.text;
      const choice = choices[at++] ?? "mine";
      if (choice === "both") return withEnd(piece.mine) + piece.theirs;
      return choice === "mine" ? piece.mine : piece.theirs;
    })
    .join("");
}

/** Lines with their line breaks, so that joining them gives the text again. */
function lines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function withEnd(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
