// The text of an expression around the position, and which suggestions fit what follows it.
import type { Suggestion } from "./suggestion.ts";

export interface ExpressionText {
  /** Up to the word at the position. */
  readonly lead: string;
  /** The beginning of the word, up to the position. */
  readonly word: string;
  /** After the word at the position. */
  readonly rest: string;
}

/** Whether the position is in a quoted text. */
export function isInQuotes(lead: string): boolean {
  return (lead.match(/"/g) ?? []).length % 2 === 1;
}

/** Whether a value of an enum is possible: the typed text begins one of them, and no path follows. */
export function isOneOf(values: readonly Suggestion[], { word, rest }: ExpressionText): boolean {
  return !rest.startsWith(".") && values.some((one) => one.label.startsWith(word));
}

function isCallWithMethod(rest: string): boolean {
  let depth = 0;
  for (let at = 0; at < rest.length; at++) {
    if (rest.charAt(at) === "(") depth++;
    else if (rest.charAt(at) === ")" && --depth === 0) return rest.charAt(at + 1) === ".";
  }
  return false;
}

/**
 * Before `(` only functions fit, without parentheses of their own; before `.name` only what has this member.
 * @param membersOf Null if they are not known.
 */
export function fitting(
  found: readonly Suggestion[],
  rest: string,
  membersOf: (name: string) => readonly Suggestion[] | null,
): readonly Suggestion[] {
  if (rest.startsWith("("))
    // The records that `filter` returns are not a value alone, and only they have a method.
    return found
      .filter((one) => one.kind === "function" && (one.label === "filter") === isCallWithMethod(rest))
      .map((one) => ({ ...one, insert: one.label, select: undefined }));
  if (!rest.startsWith("."))
    return rest.trim() === ""
      ? found
      : found.map((one) => (one.kind === "operator" ? { ...one, insert: one.label, select: undefined } : one));
  const next = /^\.(\w+)/.exec(rest)?.[1] ?? "";
  const named = found.map((one) => (one.insert.endsWith(".") ? { ...one, insert: one.label } : one));
  return named.filter(({ label, kind }) => {
    if (kind === "function" || kind === "value" || kind === "operator") return false;
    const members = membersOf(label);
    return members === null || members.some((one) => next === "" || one.label === next);
  });
}
