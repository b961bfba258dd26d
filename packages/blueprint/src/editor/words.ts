// Makes suggestions of words: names, calls, operators, fields. In: words with their help. Out: suggestions.
import type { WordHelp } from "../language/expressions.ts";
import type { FieldOutline } from "./record-outline.ts";
import type { Suggestion } from "./suggestion.ts";

export function helped(
  words: Readonly<Record<string, WordHelp>>,
  kind: Suggestion["kind"],
  only: readonly string[],
): Suggestion[] {
  return only.flatMap((name) => {
    const word = words[name];
    return word === undefined
      ? []
      : [{ label: name, insert: name, kind, detail: word.notation, help: `${word.help}\n\n\`${word.example}\`` }];
  });
}

/** With parentheses: the cursor goes between them if there are arguments. */
export function calls(words: Readonly<Record<string, WordHelp>>, only: readonly string[]): Suggestion[] {
  return helped(words, "function", only).map((one) => {
    const hasNone = one.detail.includes("()");
    const inside = one.label.length + 1;
    // The records alone are not a value.
    const after = one.label === "filter" ? ".size()" : "";
    return { ...one, insert: `${one.label}()${after}`, ...(hasNone ? {} : { select: { from: inside, to: inside } }) };
  });
}

export function plain(label: string, kind: Suggestion["kind"], help: string): Suggestion {
  return { label, insert: label, kind, detail: "", help };
}

export function unique(suggestions: readonly Suggestion[]): Suggestion[] {
  return [...new Map([...suggestions].reverse().map((one) => [one.label, one])).values()].reverse();
}

export function named(names: readonly string[], kind: Suggestion["kind"], help: string): Suggestion[] {
  return names.map((name) => plain(name, kind, help));
}

export function fieldSuggestion({ name, notation, implicit }: FieldOutline): Suggestion {
  return { ...plain(name, "field", implicit ? "Every record has this field." : ""), detail: notation };
}

export function operators(): Suggestion[] {
  const known: readonly (readonly [string, string])[] = [
    ["==", "Equal."],
    ["!=", "Not equal."],
    ["in", "Whether the value is in the list."],
    ["&&", "Both."],
    ["||", "Either."],
    ["<", "Less."],
    ["<=", "Less or equal."],
    [">", "Greater."],
    [">=", "Greater or equal."],
  ];
  return known.map(([label, help]) => ({
    ...plain(label, "operator", help),
    ...(label === "in" ? { insert: "in []", select: { from: 4, to: 4 } } : { insert: `${label} ` }),
  }));
}
