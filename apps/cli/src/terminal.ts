// Where a command writes. In: lines. Out: lines on stdout or stderr, coloured only where a person looks on.

export interface Terminal {
  /** The command's result. */
  readonly out: (line: string) => void;
  /** Everything else: progress, diagnostics, errors. */
  readonly err: (line: string) => void;
  readonly paint: (colour: Colour, text: string) => string;
}

export type Colour = keyof typeof codes;

const codes = { red: 31, green: 32, yellow: 33, blue: 34, bold: 1, dim: 2 } as const;

interface Stream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Colours where stderr is a terminal, unless NO_COLOR asks for none (no-color.org). */
export function createTerminal(out: Stream, err: Stream, noColour: string | undefined): Terminal {
  const coloured = err.isTTY === true && out.isTTY === true && !noColour;
  return {
    out: (line) => void out.write(`${line}\n`),
    err: (line) => void err.write(`${line}\n`),
    paint: (colour, text) => (coloured ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text),
  };
}
