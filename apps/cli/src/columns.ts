// Text in columns. In: rows of cells. Out: lines in which each column begins at the same position. Colours have no width.
import type { Colour, Terminal } from "./terminal.ts";

export type Cell = string | { readonly text: string; readonly colour: Colour };

const GAP = "  ";

export function columns({ paint }: Pick<Terminal, "paint">, rows: readonly (readonly Cell[])[]): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, textOf(cell).length);
  }
  return rows.map((row) =>
    row
      .map((cell, at) => {
        const padded = at === row.length - 1 ? textOf(cell) : textOf(cell).padEnd(widths[at] ?? 0);
        return typeof cell === "string" ? padded : paint(cell.colour, padded);
      })
      .join(GAP)
      .trimEnd(),
  );
}

function textOf(cell: Cell): string {
  return typeof cell === "string" ? cell : cell.text;
}
