// Separates the changes that a reviewer must read from those that can be folded. In: changes and the consents that they need. Out: the
// changes to review, and the safe ones by kind. Classes and consents decide what is safe.
import type { Change, ChangeKind } from "@plinth/blueprint";

export interface FoldedChanges {
  /** In the order of the diff. */
  readonly toReview: readonly Change[];
  /** The most frequent kind first. */
  readonly safe: readonly SafeKind[];
}

export interface SafeKind {
  readonly kind: ChangeKind;
  /** "Field added". */
  readonly title: string;
  readonly changes: readonly Change[];
}

/** Fewer safe changes than this are faster to read than to unfold. */
const foldedMin = 6;

/** `consents`: as `<kind> <path>`. A change of the protected core can have the class safe, but needs a consent. */
export function foldChanges(changes: readonly Change[], consents: readonly string[]): FoldedChanges {
  const consented = new Set(consents.map((consent) => consent.slice(consent.indexOf(" ") + 1)));
  const isSafe = (change: Change): boolean =>
    change.classes.every((name) => name === "safe" || name === "online") &&
    !consented.has(change.path) &&
    change.witness === undefined &&
    change.referring === undefined &&
    change.counted === undefined;
  const safe = changes.filter(isSafe);
  if (safe.length < foldedMin) return { toReview: changes, safe: [] };
  const kinds = [...Map.groupBy(safe, ({ kind }) => kind)];
  return {
    toReview: changes.filter((change) => !isSafe(change)),
    safe: kinds
      .map(([kind, members]) => ({ kind, title: titleOf(kind), changes: members }))
      .sort((a, b) => b.changes.length - a.changes.length),
  };
}

function titleOf(kind: ChangeKind): string {
  const words = kind.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
