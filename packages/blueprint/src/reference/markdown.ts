// Markdown for the reference. In: texts. Out: tables, code blocks.

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** A table cell: one line, with its bars escaped. */
export function cell(text: string): string {
  return text.replaceAll("\n", " ").replaceAll("|", "\\|");
}

export function yamlBlock(text: string): string {
  // Longer than any fence within.
  return `\`\`\`yaml\n${text.replace(/\n*$/, "\n")}\`\`\``;
}
