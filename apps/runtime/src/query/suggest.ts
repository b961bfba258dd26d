// Finds the name that somebody may have meant. In: an unknown name and the known ones. Out: the nearest, or null. The
// distance of a suggestion is at most a third of the name.

export function suggest(name: string, known: Iterable<string>): string | null {
  if (name.length > 64) return null;
  const limit = Math.max(1, Math.floor(name.length / 3));
  let nearest: string | null = null;
  let least = limit + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

/** ` Did you mean "status"?`, or nothing. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const nearest = suggest(name, known);
  return nearest === null ? "" : ` Did you mean "${nearest}"?`;
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let twoBefore: number[] = [];
  let before = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = before[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? twoBefore[j - 2]! + 1 : replaced;
      row.push(Math.min(replaced, swapped, before[j]! + 1, row[j - 1]! + 1));
    }
    twoBefore = before;
    before = row;
  }
  return before[b.length]!;
}
