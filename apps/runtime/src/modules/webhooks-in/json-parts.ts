// Parts of a JSON text, with numbers as they were sent. In: text that has been parsed before, and where a part is. Out: texts without
// blanks between their tokens. It takes time in proportion to the text, and no stack: whoever sends it chooses how deeply it is nested.

/**
 * @param json Valid JSON.
 * @param names Of members, or the indexes of items, from the outside in.
 * @returns Null where there is no such part.
 */
export function partAt(json: string, names: readonly string[]): string | null {
  let text = withoutBlanks(json);
  for (const name of names) {
    let found: string | null = null;
    // The last of several members of one name counts, as it does to JSON.parse.
    for (const part of partsOf(text)) if (part.name === name) found = part.text;
    if (found === null) return null;
    text = found;
  }
  return text;
}

/** The texts of a list's items. @param json A list, as `partAt` gives it. */
export function itemTexts(json: string): readonly string[] {
  return [...partsOf(json)].map(({ text }) => text);
}

interface Part {
  readonly name: string;
  readonly text: string;
}

function* partsOf(json: string): Generator<Part> {
  const isObject = json.startsWith("{");
  if (!isObject && !json.startsWith("[")) return;
  let at = 1;
  for (let index = 0; at < json.length - 1; index++) {
    let name = String(index);
    if (isObject) {
      const end = endOfString(json, at);
      name = JSON.parse(json.slice(at, end)) as string;
      at = end + 1;
    }
    const end = endOfValue(json, at);
    yield { name, text: json.slice(at, end) };
    at = end + 1;
  }
}

function endOfValue(json: string, start: number): number {
  let at = start;
  let depth = 0;
  do {
    const character = json[at];
    if (character === '"') at = endOfString(json, at);
    else {
      if (character === "{" || character === "[") depth++;
      if (character === "}" || character === "]") depth--;
      at++;
    }
  } while (depth > 0);
  while (at < json.length && json[at] !== "," && json[at] !== "}" && json[at] !== "]") at++;
  return at;
}

/** @param start Where its first quotation mark is. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end + 1;
}

function isEscaped(json: string, quote: number): boolean {
  let backslashes = 0;
  while (json[quote - 1 - backslashes] === "\\") backslashes++;
  return backslashes % 2 === 1;
}

function withoutBlanks(json: string): string {
  const kept: string[] = [];
  let at = 0;
  while (at < json.length) {
    const quote = json.indexOf('"', at);
    const between = json.slice(at, quote < 0 ? json.length : quote);
    kept.push(between.replaceAll(/[\t\n\r ]+/g, ""));
    at = quote < 0 ? json.length : endOfString(json, quote);
    if (quote >= 0) kept.push(json.slice(quote, at));
  }
  return kept.join("");
}
