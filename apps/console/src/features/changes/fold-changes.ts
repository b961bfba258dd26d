// Separates what a reviewer must look at from what can be folded away. In: changes and the consents that they need. Out: those to
// consider, and the safe ones by their kind. It judges nothing: the classes and the consents do.
import type { Change, ChangeKind } from "@plinth/blueprint";

export interface FoldedChanges {
  /** In the order of the diff. */
  readonly toConsider: readonly Change[];
  /** The most frequent kind first. */
  readonly safe: readonly SafeKind[];
}

export interface SafeKind {
  readonly kind: ChangeKind;
  /** "Field added". */
  readonly title: string;
  readonly changes: readonly Change[];
}

/** So few are read sooner than they are unfolded. */
const foldedMin = 6;

/** `consents`: as `<kind> <path>`. A change that is part of the protected core is safe by its class, but needs one. */
export function foldChanges(changes: readonly Change[], consents: readonly string[]): FoldedChanges {
  const consented = new Set(consents.map((consent) => consent.slice(consent.indexOf(" ") + 1)));
  const isSafe = (change: Change): boolean =>
    change.classes.every((name) => name === "safe" || name === "online") &&
    !consented.has(change.path) &&
    change.witness === undefined &&
    change.referring === undefined &&
    change.counted === undefined;
  const safe = changes.filter(isSafe);
  if (safe.length < foldedMin) return { toConsider: changes, safe: [] };
  const kinds = [...Map.groupBy(safe, ({ kind }) => kind)];
  return {
    toConsider: changes.filter((change) => !isSafe(change)),
    safe: kinds
      .map(([kind, members]) => ({ kind, title: titleOf(kind), changes: members }))
      .sort((a, b) => b.changes.length - a.changes.length),
  };
}

function titleOf(kind: ChangeKind): string {
  const words = kind.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
