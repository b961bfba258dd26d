// The text format of Postgres's COPY: a line for each row, columns separated by tabs, `\N` for null. In: lines. Out:
// values, and back. It never uses the network.

const escapes: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** The values of a line, null for SQL's NULL. */
export function readCopyLine(line: string): readonly (string | null)[] {
  return line.split("\t").map(readCopyValue);
}

export function readCopyValue(text: string): string | null {
  if (text === "\\N") return null;
  if (!text.includes("\\")) return text;
  return text.replace(/\\(.)/gs, (_, character: string) => escapes[character] ?? character);
}

export function writeCopyLine(values: readonly (string | null)[]): string {
  return values.map(writeCopyValue).join("\t");
}

function writeCopyValue(value: string | null): string {
  if (value === null) return "\\N";
  if (!/[\\\t\n\r]/.test(value)) return value;
  return value.replace(/[\\\t\n\r]/g, (character) => written[character] ?? character);
}

const written: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };
