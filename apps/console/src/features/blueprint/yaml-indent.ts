// The indentation of a new line of YAML. In: the text before the line break. Out: its indentation, in columns. The YAML package of the
// editor aligns a line after `key: value` with the value, which would make it part of the value.
import { indentService } from "@codemirror/language";
import type { Extension } from "@codemirror/state";

/** The indentation of the line before; one step more after the start of a block (`key:`, `key: |`). */
export function indentationAfter(line: string): number {
  const indentation = line.length - line.trimStart().length;
  return /:(\s+[|>][-+]?)?\s*$/.test(line) ? indentation + 2 : indentation;
}

export const yamlIndent: Extension = indentService.of((context, position) =>
  indentationAfter(context.lineAt(position, -1).text),
);
