// Reads what somebody looks for. In: `captain "white whale" or -fish`, as people type it. Out: terms, for a statement to make lexemes of.
// It never refuses anything: what can't be read as a sign is a part of a word, or nothing.
import { FUZZY_MARK, foldText } from "@plinth/bundle";

/** What is looked for in texts. */
export interface TextSearch {
  readonly text: string;
  readonly terms: readonly SearchTerm[];
  /** Similar words are found as well. */
  readonly isFuzzy: boolean;
}

/** A word, or what stands between quotes. */
export interface SearchTerm {
  /** Terms of one group are looked for together, and the groups are alternatives. */
  readonly group: number;
  readonly text: string;
  readonly excluded: boolean;
  /** The word that may be the beginning of one: the last, unless it is excluded or quoted. */
  readonly begins: boolean;
  /** As a part of a `tsquery`: the words that it may be a mistyped form of. */
  readonly near: string | null;
}

/** `-"quoted words"`, or what stands between blanks. */
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

/** What is quoted, excluded or an alternative says just which words it means. */
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
 * All words that are one slip away: a letter left out, one too many, another one, two that changed places. To look each of them up
 * costs little and finds nothing else; by the three-letter parts that words share, a slip in a short word is too much of it, and what
 * shares the rest is most of the language.
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
