// The output of a command. In: lines. Out: lines on stdout or stderr. They are coloured and wrapped only for a terminal; output
// to a pipe or a file is unchanged.

export interface Terminal {
  /** The result of the command. */
  readonly out: (line: string) => void;
  /** Everything else: progress, diagnostics, errors. */
  readonly err: (line: string) => void;
  readonly paint: (colour: Colour, text: string) => string;
  /** The width of a line in characters. Null if the output isn't a terminal. */
  readonly columns: number | null;
}

export type Colour = keyof typeof codes;

const codes = { red: 31, green: 32, yellow: 33, blue: 34, bold: 1, dim: 2 } as const;

interface Stream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** In a narrower terminal, wrapping doesn't help. */
const COLUMNS_MIN = 40;

/** Colours if stderr is a terminal, unless NO_COLOR is set (no-color.org). */
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

/** A space in a text for `wrap` at which no line ends. */
export const HELD_BLANK = "\u00a0";

/** Wraps text to the width of the terminal, at spaces. Lines after the first begin with `indent`. */
export function wrap({ columns }: Pick<Terminal, "columns">, text: string, indent: string): string {
  if (columns === null) return text.replaceAll(HELD_BLANK, " ");
  const lines: string[] = [];
  let line = "";
  // The spaces at the start of a line are its own indent.
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
