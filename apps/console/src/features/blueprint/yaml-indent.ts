// Where a new line of YAML begins. In: the text before the break. Out: its indentation, in columns.
// The language package aligns a line after `key: value` with the value, which would make it part of the value.
import { indentService } from "@codemirror/language";
import type { Extension } from "@codemirror/state";

/** As far in as the line before; one step further behind what opens a block (`key:`, `key: |`). */
export function indentationAfter(line: string): number {
  const indentation = line.length - line.trimStart().length;
  return /:(\s+[|>][-+]?)?\s*$/.test(line) ? indentation + 2 : indentation;
}

export const yamlIndent: Extension = indentService.of((context, position) =>
  indentationAfter(context.lineAt(position, -1).text),
);
