// Reads a text search. In: `captain "white whale" or -fish`, as people type it. Out: terms, which a statement turns
// into lexemes. It never refuses anything: a sign that can't be read is a part of a word, or ignored.
import { FUZZY_MARK, foldText } from "@plinth/bundle";

/** A text search. */
export interface TextSearch {
  readonly text: string;
  readonly terms: readonly SearchTerm[];
  /** Similar words are found too. */
  readonly isFuzzy: boolean;
}

/** A word, or the text between quotes. */
export interface SearchTerm {
  /** Terms of one group are searched together, and the groups are alternatives. */
  readonly group: number;
  readonly text: string;
  readonly excluded: boolean;
  /** The word may be incomplete: the last one, unless it is excluded or quoted. */
  readonly begins: boolean;
  /** As a part of a `tsquery`: the words of which it may be a misspelling. */
  readonly near: string | null;
}

/** `-"quoted words"`, or the text between blanks. */
const PARTS = /(-?)"([^"]*)"|(\S+)/g;

export function readTerms(text: string): readonly SearchTerm[] {
  const parts = [...text.matchAll(PARTS)].map(([whole, sign, quoted, word]) => {
    if (quoted !== undefined) return { text: quoted, excluded: sign === "-", quoted: true, isOr: false };
    const excluded = /^-./.test(whole);
    return { text: excluded ? whole.slice(1) : whole, excluded, quoted: false, isOr: word?.toLowerCase() === "or" };
  });
  const isBetween = (at: number): boolean => at > 0 && at < parts.length - 1 && parts[at - 1]?.isOr !== true;
  const isJoint = parts.map(({ isOr }, at) => isOr && isBetween(at));
  let group = 0;
  let nearLeft = NEAR_WORDS_MAX;
  return parts.flatMap(({ text: term, excluded, quoted }, at) => {
    if (isJoint[at]) {
      group++;
      return [];
    }
    const near = excluded || quoted || nearLeft === 0 ? null : nearOf(foldText(term));
    if (near !== null) nearLeft--;
    const begins = at === parts.length - 1 && !excluded && !quoted;
    return [{ group, text: term, excluded, begins, near }];
  });
}

/** Quotes, exclusions and alternatives name exactly the wanted words. */
export function isPlain(terms: readonly SearchTerm[], text: string): boolean {
  return !text.includes('"') && terms.every(({ group, excluded }) => group === 0 && !excluded);
}

/** Each is hundreds of look-ups in an index. */
const NEAR_WORDS_MAX = 4;
const NEAR_LETTERS = { min: 5, max: 20 } as const;

const ALPHABETS: readonly (readonly [script: RegExp, letters: string])[] = [
  [/^[a-z]+$/, "abcdefghijklmnopqrstuvwxyz"],
  [/^[α-ω]+$/, "αβγδεζηθικλμνξοπρστυφχψω"],
  [/^[а-яє-ї]+$/, "абвгдежзиклмнопрстуфхцчшщъыьэюяєії"],
];

/**
 * All words with one typing mistake: a missing letter, an extra one, a wrong one, or two swapped. Looking up each of
 * them is cheap and finds nothing else. Trigrams work badly for short words: one mistake changes too many of them, and
 * the rest match most of the language.
 */
function nearOf(word: string): string | null {
  const letters = [...word];
  const alphabet = ALPHABETS.find(([script]) => script.test(word))?.[1];
  if (alphabet === undefined || letters.length < NEAR_LETTERS.min || letters.length > NEAR_LETTERS.max) return null;
  const words = new Set<string>();
  for (let at = 0; at <= letters.length; at++) {
    const [head, letter, next] = [letters.slice(0, at).join(""), letters[at] ?? "", letters[at + 1]];
    const rest = letters.slice(at + 1).join("");
    words.add(head + rest);
    if (next !== undefined) words.add(head + next + letter + letters.slice(at + 2).join(""));
    for (const other of alphabet) words.add(head + other + rest).add(head + other + letter + rest);
  }
  words.delete(word);
  return [...words].map((near) => `'${FUZZY_MARK}${near}'`).join(" | ");
}
