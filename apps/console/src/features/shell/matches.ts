// Which entries the search finds. In: an entry's words, and what is typed. Out: 0 if a typed word is in none of them; more if they follow each
// other as typed, and if the first one begins a word. Pure.
export function matchScore(entry: string, typed: string): number {
  const [words, wanted] = [entry.toLowerCase(), typed.trim().toLowerCase()];
  if (!wanted.split(/\s+/).every((word) => words.includes(word))) return 0;
  if (` ${words}`.includes(` ${wanted}`)) return 1;
  return words.includes(wanted) ? 0.8 : 0.5;
}
