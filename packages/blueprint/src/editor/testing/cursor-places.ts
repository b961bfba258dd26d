// For tests: cursor positions in real blueprints, as somebody retypes a word or adds a line. In: a text. Out: the text
// with a word removed or cut to its beginning, or with a gap, and the position of the cursor.
import { checkBlueprint } from "../../check-blueprint.ts";
import type { Diagnostic, DiagnosticCode } from "../../text/diagnostic.ts";
import { completeAt } from "../complete.ts";
import { locate } from "../locate.ts";
import type { Completion, Suggestion } from "../suggestion.ts";

export interface CursorPlace {
  /** The text before the word was touched. */
  readonly whole: string;
  readonly word: { readonly from: number; readonly to: number; readonly text: string };
  /**
   * `removed`: nothing of the word is left; `cut`: its beginning; `half`: its beginning, and nothing else on the line.
   * `line`: a new line; `member`: a new member between brackets. These two have no word.
   */
  readonly how: "removed" | "cut" | "half" | "line" | "member";
  readonly text: string;
  readonly offset: number;
}

export function placesIn(whole: string): readonly CursorPlace[] {
  const places: CursorPlace[] = [];
  for (const match of whole.matchAll(/(?<![\w.]*\d)[A-Za-z_]\w*/g)) {
    const from = match.index;
    const word = { from, to: from + match[0].length, text: match[0] };
    const left = keptOf(word.text);
    const lineEnd = whole.indexOf("\n", word.to);
    places.push(place(whole, word, "removed", from, word.to));
    if (word.text.length > 1) places.push(place(whole, word, "cut", from + left, word.to));
    places.push(place(whole, word, "half", from + left, lineEnd === -1 ? whole.length : lineEnd));
  }
  return places;
}

/** How many characters of a word are left. */
const keptOf = (word: string): number => Math.ceil(word.length / 2);

/** A new line above each line, and a new member before each first one between brackets. */
export function gapsIn(whole: string): readonly CursorPlace[] {
  const gap = (how: "line" | "member", from: number, added: string, shift: number): CursorPlace => ({
    whole,
    word: { from, to: from, text: "" },
    how,
    text: whole.slice(0, from) + added + whole.slice(from),
    offset: from + shift,
  });
  const lines = [...whole.matchAll(/(?<![{[,]\n)^( *)(?=[\w"])/gm)].map(({ index, 1: indent = "" }) =>
    gap("line", index, `${indent}\n`, indent.length),
  );
  const members = [...whole.matchAll(/(?<!\$\{\{ )(?<=\{ |: \[)(?=\w)/g)].map(({ index }) =>
    gap("member", index, ", ", 0),
  );
  return [...lines, ...members];
}

/** The same place, with a line elsewhere that is not finished. */
export function withBroken(one: CursorPlace, at: number, broken: string): CursorPlace {
  const indent = /^ */.exec(one.text.slice(at))?.[0] ?? "";
  const line = `${indent}${broken}\n`;
  return {
    ...one,
    text: `${one.text.slice(0, at)}${line}${one.text.slice(at)}`,
    offset: at <= one.offset ? one.offset + line.length : one.offset,
  };
}

/** Where lines begin that have no part in what the position is in: at least three lines away. */
export function linesAwayFrom({ text, offset }: CursorPlace): readonly number[] {
  const own = text.slice(0, offset).split("\n").length;
  return [...text.matchAll(/^ *\w/gm)].flatMap(({ index }) => {
    const line = text.slice(0, index).split("\n").length;
    return Math.abs(line - own) < 3 || locate(text, index)?.flow === true ? [] : [index];
  });
}

function place(
  whole: string,
  word: CursorPlace["word"],
  how: CursorPlace["how"],
  offset: number,
  end: number,
): CursorPlace {
  return { whole, word, how, text: whole.slice(0, offset) + whole.slice(end), offset };
}

/** A word that is wrong only because the language or the blueprint doesn't have it. */
const unfit: ReadonlySet<DiagnosticCode> = new Set([
  "unknown_key",
  "unknown_type",
  "unknown_modifier",
  "misplaced_modifier",
  "unknown_field",
  "unknown_name",
  "unknown_function",
  "unknown_enum_value",
  "unknown_role",
  "unknown_role_name",
  "unknown_entity",
  "unknown_event",
  "unknown_action",
  "unknown_worker",
  "unknown_step",
  "unknown_module",
  "unknown_connection",
  "unknown_email_template",
  "unknown_operation",
  "unknown_transition",
  "unknown_test_name",
  "name_not_available",
  "row_not_available",
  "option_not_applicable",
  "field_not_writable",
  "field_not_readable",
  "restore_without_soft_delete",
  "not_supported_yet",
  "expression_syntax",
  "expression_not_supported",
  "invalid_field",
  "invalid_enum",
  "invalid_default",
  "invalid_transition",
  "invalid_name",
  "invalid_rule",
  "service_field",
  "duplicate_value",
  "builtin_role",
]);
/** What is wrong with an offer, but says nothing about the word that was there. */
const unfitAsOffer: ReadonlySet<string> = new Set(["invalid_test", "invalid_limit"]);
/** Inside a value, these say that a closed set of words has no such word. */
const unfitAsWord: ReadonlySet<string> = new Set(["wrong_kind", "invalid_option", "invalid_step_value"]);

export type Checked = readonly Diagnostic[];
export const check = (text: string): Checked => checkBlueprint(text).diagnostics;

/** The diagnostics about words that don't fit between these offsets, and all about the form of the YAML. */
export function unfitAt(diagnostics: Checked, from: number, to: number, more = false): readonly Diagnostic[] {
  return diagnostics.filter(
    ({ code, span }) =>
      code.startsWith("yaml_") ||
      ((unfit.has(code) || (more ? unfitAsWord : unfitAsOffer).has(code)) &&
        span.start.offset <= to &&
        span.end.offset >= from),
  );
}

/** Whether only some words are possible here: then the checker refuses a word that nobody has declared. */
export function isKnownWord({ whole, word }: CursorPlace): boolean {
  const other = "zzqqxx";
  const text = whole.slice(0, word.from) + other + whole.slice(word.to);
  const found = unfitAt(check(text), word.from, word.from + other.length, true);
  return found.some((one) => !one.code.startsWith("yaml_"));
}

/** Whether one of the offers brings the word back. */
export function offersWord({ word, how, text, offset }: CursorPlace): boolean {
  const found = completeAt(text, offset);
  if (found === null) return false;
  const left = word.text.slice(how === "removed" ? 0 : keptOf(word.text));
  const wanted = (text.slice(found.from, offset) + left).replace(/^["']/, "");
  return found.suggestions.some(({ insert }) => {
    const inserted = insert.replace(/^["']/, "");
    return inserted.startsWith(wanted) && !/^\w/.test(inserted.slice(wanted.length));
  });
}

interface Taken {
  readonly text: string;
  /** The range of everything that was inserted. */
  readonly from: number;
  readonly to: number;
  /** Where the cursor is now, and what is selected. */
  readonly offset: number;
  readonly end: number;
}

function take(text: string, completion: Completion, { insert, select }: Suggestion): Taken {
  const { from, to } = completion;
  const chosen = select ?? { from: insert.length, to: insert.length };
  return {
    text: text.slice(0, from) + insert + text.slice(to),
    from,
    to: from + insert.length,
    offset: from + chosen.from,
    end: from + chosen.to,
  };
}

/**
 * What is wrong with a suggestion. Where it leaves something to write (`key: `, `size()`), the first offer of that place
 * is taken too, so the first offers must fit together.
 */
export function faultsOf(text: string, completion: Completion, suggestion: Suggestion): readonly Diagnostic[] {
  let taken = take(text, completion, suggestion);
  let last = suggestion;
  for (let times = 0; times < 5 && isUnfinished(last, taken); times++) {
    const next = completeAt(taken.text, taken.offset);
    const [first] = next?.suggestions ?? [];
    if (next === null || first === undefined) break;
    const { from, to } = taken;
    const more = take(taken.text, next, first);
    taken = { ...more, from: Math.min(from, more.from), to: to + more.text.length - taken.text.length };
    last = first;
  }
  const faults = unfitAt(check(taken.text), taken.from, taken.to).filter(({ message }) => !isUnwritten.test(message));
  // A value that only the author knows is still missing.
  return isUnfinished(last, taken) ? faults.filter(({ code }) => !ofValues.has(code)) : faults;
}

/** A state machine that was only begun. */
const isUnwritten = /has no transition, so its value could never change/;
const ofValues: ReadonlySet<DiagnosticCode> = new Set(["invalid_limit", "invalid_default", "invalid_rule"]);

/** Whether the author must write more, and nothing is there yet. */
function isUnfinished({ insert, select }: Suggestion, { text, offset, end }: Taken): boolean {
  if (select !== undefined) return offset === end;
  return /(?:[=.-]|:[ \n])\s*$/.test(insert) && /^[ \t]*(?:[\n,}\])"']|$)/.test(text.slice(offset));
}
