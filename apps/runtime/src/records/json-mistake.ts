// Finds the place where a text stops being JSON (RFC 8259). In: a text that JSON.parse refuses. Out: the line and the
// column of the first wrong character, or that the text ends too early. JSON.parse doesn't always report the place, so
// this runs after a refusal.

type Expected = "value" | "first value" | "key" | "first key" | "colon" | "next" | "end";

/** A sentence, such as `The mistake is at line 3, column 7.` */
export function jsonMistake(text: string): string {
  const at = mistakeAt(text);
  if (at >= text.length) return "It ends too early.";
  const before = text.slice(0, at).split("\n");
  const column = (before.at(-1) ?? "").length + 1;
  return `The mistake is at line ${before.length}, column ${column}.`;
}

/** The index of the first wrong character; the text's length if it ends too early. */
export function mistakeAt(text: string): number {
  const open: ("{" | "[")[] = [];
  let expected: Expected = "value";
  let at = 0;
  for (;;) {
    while (" \t\n\r".includes(text[at] ?? "x")) at++;
    const character = text[at];
    if (character === undefined) return text.length;
    const isValue = expected === "value" || expected === "first value";
    const isKey = expected === "key" || expected === "first key";
    if (isValue && (character === "{" || character === "[")) {
      open.push(character);
      expected = character === "{" ? "first key" : "first value";
      at++;
      continue;
    }
    const isEnd = expected === "next" || expected === (open.at(-1) === "{" ? "first key" : "first value");
    if (isEnd && character === (open.at(-1) === "{" ? "}" : open.at(-1) === "[" ? "]" : "")) {
      open.pop();
      at++;
    } else if (expected === "next" && character === ",") {
      expected = open.at(-1) === "{" ? "key" : "value";
      at++;
      continue;
    } else if (expected === "colon" && character === ":") {
      expected = "value";
      at++;
      continue;
    } else if (isKey && character === '"') {
      const [end, isWhole] = stringEnd(text, at);
      if (!isWhole) return end;
      at = end;
      expected = "colon";
      continue;
    } else if (isValue) {
      const [end, isWhole] = character === '"' ? stringEnd(text, at) : scalarEnd(text, at);
      if (!isWhole) return end;
      at = end;
    } else return at;
    expected = open.length === 0 ? "end" : "next";
  }
}

/** The index after the closing quote, or of a character that can't be in a string. */
function stringEnd(text: string, start: number): readonly [number, boolean] {
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"') return [at + 1, true];
    if (character < " ") return [at, false];
    if (character !== "\\") continue;
    const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
    escaped.lastIndex = at;
    if (!escaped.test(text)) return [at, false];
    at = escaped.lastIndex - 1;
  }
  return [text.length, false];
}

function scalarEnd(text: string, start: number): readonly [number, boolean] {
  const scalar = /(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![\w.+-])/y;
  scalar.lastIndex = start;
  return scalar.test(text) ? [scalar.lastIndex, true] : [start, false];
}
