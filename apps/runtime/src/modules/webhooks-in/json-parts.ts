// Finds parts of a JSON text, with numbers as they were sent. In: valid JSON text, and the path of a part. Out: texts
// without blanks between their tokens. The time is proportional to the text, and it doesn't recurse, because the sender
// decides how deeply it is nested.

/**
 * @param json Valid JSON. @param names Names of members, or indexes of items, from the outside in. @returns null if
 * there is no such part.
 */
export function partAt(json: string, names: readonly string[]): string | null {
  let text = withoutBlanks(json);
  for (const name of names) {
    let found: string | null = null;
    // The last of several members with one name counts, as in JSON.parse.
    for (const part of partsOf(text)) if (part.name === name) found = part.text;
    if (found === null) return null;
    text = found;
  }
  return text;
}

/** The texts of a list's items. @param json A list, from `partAt`. */
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

/** @param start The position of its first quotation mark. */
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
