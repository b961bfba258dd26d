// Where a command writes. In: lines. Out: lines on stdout or stderr, coloured and broken only where a person looks on: what
// goes into a pipe or a file stays whole.

export interface Terminal {
  /** The command's result. */
  readonly out: (line: string) => void;
  /** Everything else: progress, diagnostics, errors. */
  readonly err: (line: string) => void;
  readonly paint: (colour: Colour, text: string) => string;
  /** Characters of a line; null where nobody reads lines. */
  readonly columns: number | null;
}

export type Colour = keyof typeof codes;

const codes = { red: 31, green: 32, yellow: 33, blue: 34, bold: 1, dim: 2 } as const;

interface Stream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Below this, breaking lines helps nobody. */
const COLUMNS_MIN = 40;

/** Colours where stderr is a terminal, unless NO_COLOR asks for none (no-color.org). */
export function createTerminal(out: Stream, err: Stream, noColour: string | undefined): Terminal {
  const watched = err.isTTY === true && out.isTTY === true;
  const coloured = watched && !noColour;
  return {
    columns: watched ? Math.max(COLUMNS_MIN, out.columns ?? 80) : null,
    out: (line) => void out.write(`${line}\n`),
    err: (line) => void err.write(`${line}\n`),
    paint: (colour, text) => (coloured ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text),
  };
}

/** In a text for `wrap`: a blank where no line ends. */
export const HELD_BLANK = "\u00a0";

/** Lines no wider than the terminal, broken at blanks; those after the first begin with `indent`. */
export function wrap({ columns }: Pick<Terminal, "columns">, text: string, indent: string): string {
  if (columns === null) return text.replaceAll(HELD_BLANK, " ");
  const lines: string[] = [];
  let line = "";
  // The blanks that a line begins with are its own indent.
  for (const word of text.split(/(?<=\S) +/)) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line.trim() === "" || widthOf(longer) <= columns) line = longer;
    else {
      lines.push(line);
      line = indent + word;
    }
  }
  return [...lines, line].join("\n").replaceAll(HELD_BLANK, " ");
}

function widthOf(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours have no width
  return text.replace(/\u001b\[\d+m/g, "").length;
}
