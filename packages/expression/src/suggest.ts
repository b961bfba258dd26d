// Suggests a known word. In: an unknown word and the known words. Out: the word that was probably meant, or null. A
// prefix must have at least two letters.

const PREFIX_CHARS_MIN = 2;

/**
 * The shortest known word that starts with it; otherwise the nearest by edit distance (a swap of neighbours counts as
 * one), if it is near enough.
 */
export function suggest(word: string, known: Iterable<string>): string | null {
  const candidates = [...known];
  return begunBy(word, candidates) ?? nearestTo(word, candidates);
}

function begunBy(word: string, known: readonly string[]): string | null {
  if (word.length < PREFIX_CHARS_MIN) return null;
  const begun = known.filter((candidate) => candidate.toLowerCase().startsWith(word.toLowerCase()));
  return begun.reduce<string | null>((best, one) => (best === null || one.length < best.length ? one : best), null);
}

function nearestTo(word: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let bestDistance = Math.min(3, Math.floor(word.length / 3) + 1) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** `did you mean ...?` as a hint, or null. */
export function didYouMean(word: string, known: Iterable<string>): string | null {
  const meant = suggest(word.slice(0, 80), known);
  return meant === null ? null : `Did you mean \`${meant}\`?`;
}

function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, substitution);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
